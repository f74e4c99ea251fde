package flow

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// params are the inputs that the steps of a flow read. What is said about one comes from the properties that it feeds: it is
// required when one of them is, and has the first schema and the first words that are there (AA-13).
func params(steps []Step) []manifest.Param {
	var out []manifest.Param
	for i := range steps {
		s, w := &steps[i], steps[i].input.walk()
		s.with.references(nil, func(path []string, ref *reference) {
			if ref.step != fromInput {
				return
			}
			at := slices.IndexFunc(out, func(p manifest.Param) bool { return p.Name == ref.input })
			if at < 0 {
				at = len(out)
				out = append(out, manifest.Param{Name: ref.input})
			}
			w.feed(&out[at], path, ref)
		})
	}
	if _, err := input.Compile(out, nil); err != nil { // each alone compiles; they are too much together
		for i := range out {
			out[i].Schema = nil
		}
	}
	return out
}

// feed adds what the place of a reference says about an input.
func (w *walk) feed(p *manifest.Param, path []string, ref *reference) {
	last := len(path) - 1
	p.Required = p.Required || requires(w.at(w.root, path[:last]), path[last])
	if len(ref.path) > 0 { // only a part of the input goes there
		return
	}
	parts := w.at(w.root, path)
	if p.Schema == nil {
		p.Schema = w.together(parts)
	}
	for _, part := range parts {
		if p.Label == "" {
			p.Label = part.Member("title").Text()
		}
		if p.Description == "" {
			p.Description = part.Member("description").Text()
		}
		if examples := part.Member("examples"); p.Example == nil && examples.IsArray() && len(examples.Items) > 0 {
			p.Example = bytes.Clone(examples.Items[0].Value())
		}
	}
}

// together is one schema that stands alone of several that apply to one value. The first is what was asked for; when it
// brings all the others along, it is enough.
func (w *walk) together(parts []*jsontree.Node) jsontext.Value {
	if len(parts) == 0 {
		return nil
	}
	if len(w.surely(parts[0])) == len(parts) {
		return w.bundle(parts[0])
	}
	return w.bundle(&jsontree.Node{Kind: '{', Names: []string{"allOf"}, Items: []*jsontree.Node{{Kind: '[', Items: parts}}})
}
