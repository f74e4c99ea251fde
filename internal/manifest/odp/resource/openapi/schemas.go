package openapi

import (
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// bundle makes schemas of the document stand alone: everything that they refer to comes along under "$defs", each once.
type bundle struct {
	document *Document
	names    map[string]string // under "$defs", by pointer in the document
	defs     *jsontree.Node
	queue    []string // pointers that are still to be taken along
	count    int      // of schemas copied
}

func newBundle(d *Document) *bundle {
	return &bundle{document: d, names: map[string]string{}, defs: &jsontree.Node{Kind: '{'}}
}

// add returns a copy of a schema with its references led to "$defs".
func (b *bundle) add(n *jsontree.Node, pointer string) (*jsontree.Node, error) {
	out, err := b.schema(n, pointer, false)
	if err != nil {
		return nil, err
	}
	for len(b.queue) > 0 {
		target := b.queue[0]
		b.queue = b.queue[1:]
		n := b.document.root.At(target)
		if n == nil {
			return nil, unusable(target, "a schema that it refers to is not there")
		}
		taken, err := b.schema(n, target, false)
		if err != nil {
			return nil, err
		}
		b.defs.Set(b.names[target], taken)
	}
	return out, nil
}

// schema copies one schema. inner tells that it stands below an "$id", where references would mean something else.
func (b *bundle) schema(n *jsontree.Node, pointer string, inner bool) (*jsontree.Node, error) {
	if b.count++; b.count > schema.MaxSchemas {
		return nil, unusable(pointer, "its schemas are more than %d", schema.MaxSchemas)
	}
	switch n.Kind {
	case 't', 'f':
		return n, nil
	case '{':
	default:
		return nil, unusable(pointer, "a schema must be an object, true or false")
	}
	inner = inner || n.Member("$id") != nil
	out := &jsontree.Node{Kind: '{'}
	for i, name := range n.Names {
		value, err := b.keyword(name, n.Items[i], jsontree.Pointer(pointer, name), inner)
		if err != nil {
			return nil, err
		}
		if value != nil {
			out.Set(name, value)
		}
	}
	return out, nil
}

// keyword copies the value of one keyword; nil leaves it out.
func (b *bundle) keyword(name string, n *jsontree.Node, pointer string, inner bool) (*jsontree.Node, error) {
	switch name {
	case "$ref":
		return b.reference(n, pointer, inner)
	case "$dynamicRef", "$recursiveRef":
		return nil, unusable(pointer, "%s is not understood", name)
	case "$schema":
		if !knownDialect(n) {
			return nil, unusable(pointer, "the dialect %q is not understood", fault.Word(n.Text()))
		}
		return nil, nil //nolint:nilnil // nil leaves the keyword out
	case "$id", "$anchor", "$dynamicAnchor", "$vocabulary":
		return nil, nil //nolint:nilnil // nil leaves the keyword out
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return b.each(n, pointer, inner, '{')
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return b.each(n, pointer, inner, '[')
	case "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems",
		"unevaluatedProperties", "contentSchema":
		return b.schema(n, pointer, inner)
	}
	return n, nil
}

// each copies the schemas that are the members of an object or the elements of an array. What is neither is for the
// compiler to complain about.
func (b *bundle) each(n *jsontree.Node, pointer string, inner bool, kind byte) (*jsontree.Node, error) {
	if byte(n.Kind) != kind {
		return n, nil
	}
	out := &jsontree.Node{Kind: n.Kind, Names: n.Names}
	for i, item := range n.Items {
		taken, err := b.schema(item, jsontree.Pointer(pointer, n.Token(i)), inner)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, taken)
	}
	return out, nil
}

func (b *bundle) reference(n *jsontree.Node, pointer string, inner bool) (*jsontree.Node, error) {
	target, err := localPointer(n.Text())
	switch {
	case err != nil:
		return nil, unusable(pointer, "%v", err)
	case inner:
		return nil, unusable(pointer, "a reference below an \"$id\" is not understood")
	}
	name, known := b.names[target]
	if !known {
		name = "schema" + strconv.Itoa(len(b.names)+1)
		b.names[target] = name
		b.queue = append(b.queue, target)
	}
	return jsontree.String("#/$defs/" + name), nil
}

// dialectOK reports whether the document's schemas are in a dialect that is understood.
func (d *Document) dialectOK() bool {
	n := d.root.Member("jsonSchemaDialect")
	return n == nil || knownDialect(n)
}

// knownDialect reports whether a dialect is JSON Schema 2020-12, or that with the annotations of OpenAPI 3.1.
func knownDialect(n *jsontree.Node) bool {
	uri := strings.TrimSuffix(n.Text(), "#")
	return uri == "https://json-schema.org/draft/2020-12/schema" || strings.HasPrefix(uri, "https://spec.openapis.org/oas/3.1/dialect/")
}
