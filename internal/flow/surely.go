package flow

import (
	"net/url"
	"strings"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// maxParts bounds how many schemas are followed for one value; what is beyond is not looked at before the run.
const maxParts = 1000

// document is the JSON Schema of a whole input. What is asked of it here is asked of the published text and not of the
// compiled schema, because parts of it are published again: as schemas of a flow's inputs, and of inputs half known.
type document struct {
	root *jsontree.Node
	old  bool // a draft in which "$ref" replaces all beside it
}

func newDocument(root *jsontree.Node) *document {
	draft := root.Member("$schema").Text()
	old := strings.Contains(draft, "draft-04") || strings.Contains(draft, "draft-06") || strings.Contains(draft, "draft-07")
	return &document{root: root, old: old}
}

// surely returns the schemas that apply to the values of a schema whatever they are: itself, those of "allOf", and what
// references lead to. What stands in "anyOf", "if" and the like may or may not apply.
func (d *document) surely(nodes ...*jsontree.Node) []*jsontree.Node {
	var out []*jsontree.Node
	seen := map[*jsontree.Node]bool{}
	for len(nodes) > 0 && len(out) < maxParts {
		n := nodes[0]
		nodes = nodes[1:]
		if n == nil || seen[n] {
			continue
		}
		seen[n] = true
		ref := n.Member("$ref")
		if ref != nil {
			nodes = append(nodes, d.target(ref.Text()))
		}
		if ref != nil && d.old {
			continue
		}
		out = append(out, n)
		if all := n.Member("allOf"); all.IsArray() {
			nodes = append(nodes, all.Items...)
		}
	}
	return out
}

// at returns the schemas that surely apply to a part of the values of a schema; none where nothing is sure.
func (d *document) at(n *jsontree.Node, path []string) []*jsontree.Node {
	parts := d.surely(n)
	for _, token := range path {
		var next []*jsontree.Node
		for _, part := range parts {
			next = append(next, property(part, token), item(part, token))
		}
		parts = d.surely(next...)
	}
	return parts
}

// property is the schema that one schema has for a member itself, or nil. Where names have patterns, what is additional
// is not looked at.
func property(n *jsontree.Node, name string) *jsontree.Node {
	if p := n.Member("properties").Member(name); p != nil {
		return p
	}
	if n.Member("patternProperties") != nil {
		return nil
	}
	return n.Member("additionalProperties")
}

// item is the schema that one schema has for an array's item itself, or nil.
func item(n *jsontree.Node, token string) *jsontree.Node {
	i, ok := index(token)
	if !ok {
		return nil
	}
	list, rest := n.Member("prefixItems"), n.Member("items")
	if list == nil && rest.IsArray() { // as drafts before 2020-12 have it
		list, rest = rest, n.Member("additionalItems")
	}
	if list.IsArray() && i < len(list.Items) {
		return list.Items[i]
	}
	return rest
}

// requires reports whether a member surely has to be there.
func requires(parts []*jsontree.Node, name string) bool {
	for _, part := range parts {
		if required := part.Member("required"); required.IsArray() {
			for _, each := range required.Items {
				if each.Kind == '"' && each.Text() == name {
					return true
				}
			}
		}
	}
	return false
}

// target returns what a reference within the document leads to, or nil.
func (d *document) target(ref string) *jsontree.Node {
	fragment, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	if fragment == "" || fragment[0] == '/' {
		return d.root.At(fragment)
	}
	return anchored(d.root, fragment)
}

// anchored finds the schema with an anchor.
func anchored(n *jsontree.Node, name string) *jsontree.Node {
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if n.Member(keyword).Text() == name {
			return n
		}
	}
	for _, keyword := range []string{"$id", "id"} {
		if n.Member(keyword).Text() == "#"+name {
			return n
		}
	}
	for _, each := range n.Items {
		if found := anchored(each, name); found != nil {
			return found
		}
	}
	return nil
}
