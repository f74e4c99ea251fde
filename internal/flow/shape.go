package flow

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// checkBy returns all that is wrong with an input, in the words of every other call. Pointers lead into the input.
func checkBy(set *input.Set, value jsontext.Value) []fault.Problem {
	_, problems := set.Values(input.Words{Object: value})
	for i := range problems {
		problems[i].Param = "" // that is for parameters of the flow
	}
	return problems
}

// asFarAsKnown returns a schema that says of an input what can be said of it before the values of unknown references are:
// members that are known keep their schemas, and what has to be there has to be there (AA-14). An unknown value may be
// null in its place. It is nil when nothing can be said.
func (d *document) asFarAsKnown(t *template, unknown func(*reference) bool) jsontext.Value {
	w := d.walk()
	return w.bundle(w.partly(w.surely(w.root), t, unknown))
}

// partly is asFarAsKnown of one value that holds an unknown part.
func (w *walk) partly(parts []*jsontree.Node, t *template, unknown func(*reference) bool) *jsontree.Node {
	all := &jsontree.Node{Kind: '['}
	if t.ref == nil {
		for _, part := range parts {
			all.Items = append(all.Items, w.partlyBy(part, t, unknown))
		}
	}
	out := &jsontree.Node{Kind: '{'}
	if len(all.Items) > 0 {
		out.Set("allOf", all)
	}
	return out
}

func (w *walk) partlyBy(part *jsontree.Node, t *template, unknown func(*reference) bool) *jsontree.Node {
	out := &jsontree.Node{Kind: '{'}
	if part.Kind != '{' {
		return part
	}
	for _, keyword := range []string{"type", "required"} {
		if value := part.Member(keyword); value != nil {
			out.Set(keyword, value)
		}
	}
	if t.kind != '{' {
		return out
	}
	known := &jsontree.Node{Kind: '{'}
	for i, name := range t.names {
		p := w.property(part, name)
		switch {
		case p == nil:
			continue
		case p.Kind == 'f' && p == part.Member("additionalProperties"):
			out.Set("additionalProperties", p)
			continue
		case p.Kind == '{' && t.items[i].has(unknown): // false allows no value at all, known or not
			p = w.partly(w.surely(p), t.items[i], unknown)
		}
		known.Set(name, p)
	}
	out.Set("properties", known)
	return out
}

// has reports whether a reference of some kind is in a template.
func (t *template) has(kind func(*reference) bool) bool {
	found := false
	t.references(nil, func(_ []string, ref *reference) { found = found || kind(ref) })
	return found
}
