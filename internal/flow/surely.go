package flow

import (
	"net/url"
	"strings"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Limits of what is done with one step's schema before the run. What is beyond them is left to the check of the whole.
const (
	maxWork   = 1_000_000 // schemas and members looked at
	maxCopied = 1 << 20   // bytes published again
)

// document is the JSON Schema of a whole input. What is asked of it here is asked of the published text and not of the
// compiled schema, because parts of it are published again: as schemas of a flow's inputs, and of inputs half known.
type document struct {
	root    *jsontree.Node
	old     bool // a draft in which "$ref" replaces all beside it
	anchors map[string]*jsontree.Node
}

func newDocument(root *jsontree.Node) *document {
	draft := root.Member("$schema").Text()
	old := strings.Contains(draft, "draft-04") || strings.Contains(draft, "draft-06") || strings.Contains(draft, "draft-07")
	d := &document{root, old, map[string]*jsontree.Node{}}
	d.anchor(root)
	return d
}

// anchor takes notice of the anchors in a schema; the first of a name counts.
func (d *document) anchor(n *jsontree.Node) {
	names := []string{n.Member("$anchor").Text(), n.Member("$dynamicAnchor").Text()}
	for _, keyword := range []string{"$id", "id"} {
		if local, ok := strings.CutPrefix(n.Member(keyword).Text(), "#"); ok {
			names = append(names, local)
		}
	}
	for _, name := range names {
		if _, known := d.anchors[name]; !known {
			d.anchors[name] = n
		}
	}
	for _, item := range n.Items {
		d.anchor(item)
	}
}

// walk is one look at a document.
type walk struct {
	*document
	left    int // of maxWork
	room    int // of maxCopied
	targets map[string]*jsontree.Node
}

func (d *document) walk() *walk { return &walk{d, maxWork, maxCopied, map[string]*jsontree.Node{}} }

// surely returns the schemas that apply to the values of a schema whatever they are: itself, those of "allOf", and what
// references lead to. What stands in "anyOf", "if" and the like may or may not apply.
func (w *walk) surely(nodes ...*jsontree.Node) []*jsontree.Node {
	var out []*jsontree.Node
	seen := map[*jsontree.Node]bool{}
	for ; len(nodes) > 0 && w.left > 0; nodes = nodes[1:] {
		n := nodes[0]
		if n == nil || seen[n] {
			continue
		}
		seen[n] = true
		w.left -= 1 + len(n.Names)
		ref := n.Member("$ref")
		if ref != nil {
			nodes = append(nodes, w.target(ref.Text()))
		}
		if ref != nil && w.old {
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
func (w *walk) at(n *jsontree.Node, path []string) []*jsontree.Node {
	parts := w.surely(n)
	for _, token := range path {
		var next []*jsontree.Node
		for _, part := range parts {
			next = append(next, w.property(part, token), item(part, token))
		}
		parts = w.surely(next...)
	}
	return parts
}

// property is the schema that one schema has for a member itself, or nil. Where names have patterns, what is additional
// is not looked at.
func (w *walk) property(n *jsontree.Node, name string) *jsontree.Node {
	properties := n.Member("properties")
	if properties != nil {
		w.left -= len(properties.Names)
	}
	if p := properties.Member(name); p != nil {
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
func (w *walk) target(ref string) *jsontree.Node {
	n, known := w.targets[ref]
	if !known {
		n = w.find(ref)
		w.targets[ref] = n
	}
	return n
}

func (d *document) find(ref string) *jsontree.Node {
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
	return d.anchors[fragment]
}
