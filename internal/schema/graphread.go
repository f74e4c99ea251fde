package schema

import (
	"net/url"
	"strings"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// resource is a schema with a base of its own: a document, or what has an "$id".
type resource struct {
	base    *url.URL
	file    *file
	node    *jsontree.Node
	pointer string // in its file
	anchors map[string]anchor
}

// spot is a place in a file.
type spot struct {
	file    *file
	pointer string
}

type anchor struct {
	spot
	dynamic bool
}

// resource notes a base.
func (b *bundler) resource(base *url.URL, f *file, n *jsontree.Node, pointer string) *resource {
	r := &resource{base: base, file: f, node: n, pointer: pointer, anchors: map[string]anchor{}}
	b.roots[n] = r
	return r
}

// schema reads one schema of a graph: its names, its references and the schemas in it. at is where it stands in its file.
func (b *bundler) schema(r *resource, n *jsontree.Node, at string) error {
	if n.Kind != '{' || b.visited[n] { // what is no schema at all is told when the bundle is compiled
		return nil
	}
	switch {
	case len(b.schemas) == maxAllSchemas:
		return r.file.fault(CodeTooComplex, "", "more than %d schemas in one graph", maxAllSchemas)
	case len(at) > maxPath:
		return r.file.fault(CodeTooComplex, "", "a schema below names that are longer than %d bytes together", maxPath)
	}
	b.visited[n] = true
	b.schemas = append(b.schemas, n)
	r, err := b.identify(r, n, at)
	if err != nil {
		return err
	}
	for i, name := range n.Names {
		if err := b.keyword(r, name, n.Items[i], at); err != nil {
			return err
		}
	}
	return nil
}

// identify takes notice of a schema's names, and returns the resource that the schema belongs to.
func (b *bundler) identify(r *resource, n *jsontree.Node, at string) (*resource, error) {
	if id := n.Member("$id").Text(); id != "" {
		base, err := r.base.Parse(id)
		if err != nil || base.Fragment != "" {
			return nil, r.file.fault(CodeInvalid, at+"/$id", "%q is no URL without a fragment", cut(id))
		}
		base = withoutFragment(base)
		if r.node != n {
			r = b.resource(base, r.file, n, at)
		}
		r.base = base
		if !b.claim(r) {
			return nil, r.file.fault(CodeInvalid, at+"/$id", "%q is the name of another schema", cut(base.String()))
		}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if name := n.Member(keyword).Text(); name != "" {
			dynamic := keyword == "$dynamicAnchor" || r.anchors[name].dynamic
			r.anchors[name] = anchor{spot{r.file, at}, dynamic}
		}
	}
	return r, nil
}

// claim gives a resource the name that its "$id" says. No two have one name, and those of JSON Schema are taken.
func (b *bundler) claim(r *resource) bool {
	name := r.base.String()
	if known := b.resources[name]; known != nil && known != r {
		return false
	}
	if ofJSONSchema(name) && r.file.url != name {
		return false
	}
	b.resources[name] = r
	return true
}

// keyword reads one member of the schema at at.
func (b *bundler) keyword(r *resource, name string, n *jsontree.Node, at string) error {
	switch name {
	case "$ref", "$dynamicRef":
		if n.Kind != '"' {
			return r.file.fault(CodeInvalid, at+"/"+name, "a reference must be a string")
		}
		l := &link{spot: spot{r.file, at + "/" + name}, from: r, node: n, dynamic: name == "$dynamicRef"}
		b.pending, b.links = append(b.pending, l), append(b.links, l)
		return nil
	case "$schema":
		if strings.TrimSuffix(n.Text(), "#") != dialect2020 {
			return r.file.fault(CodeUnsupported, at+"/$schema", "must be %q", dialect2020)
		}
		return nil
	case "$vocabulary":
		return vocabularies(r.file, n, at+"/$vocabulary")
	}
	switch partsOf(name, n) {
	case noParts:
	case onePart:
		return b.schema(r, n, jsontree.Pointer(at, name))
	case manyParts:
		for i, item := range n.Items {
			if err := b.schema(r, item, jsontree.Pointer(at, name, n.Token(i))); err != nil {
				return err
			}
		}
	}
	return nil
}

// vocabularies refuses what says that it cannot be understood without knowing more than is known here (ODP-83).
func vocabularies(f *file, n *jsontree.Node, at string) error {
	for i, name := range n.Names {
		if n.Items[i].Kind == 't' && !knownVocabulary(name) {
			return f.fault(CodeUnsupported, at, "the vocabulary %q is not known", cut(name))
		}
	}
	return nil
}

// parts says which schemas the value of a keyword holds.
type parts int

const (
	noParts   parts = iota
	onePart         // it is one
	manyParts       // its items are
)

func partsOf(keyword string, n *jsontree.Node) parts {
	switch keyword {
	case "not", "if", "then", "else", "items", "contains", "unevaluatedItems", "additionalProperties", "propertyNames",
		"unevaluatedProperties", "contentSchema":
		return onePart
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if n.Kind == '[' {
			return manyParts
		}
	case "$defs", "definitions", "properties", "patternProperties", "dependentSchemas", "dependencies":
		if n.Kind == '{' {
			return manyParts
		}
	}
	return noParts
}
