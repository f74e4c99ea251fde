package flow

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// bundle returns a part of the document as a schema that stands alone: what its references lead to comes along under
// "$defs". It is nil, which means anything, when that cannot be, or is too large.
func (w *walk) bundle(part *jsontree.Node) jsontext.Value {
	b := &bundler{walk: w, names: map[*jsontree.Node]string{}, defs: &jsontree.Node{Kind: '{'}}
	out := b.schema(part)
	if out.Kind == '{' {
		if draft := w.root.Member("$schema"); draft != nil {
			out.Set("$schema", draft)
		}
		if len(b.defs.Items) > 0 {
			out.Set("$defs", b.defs)
		}
	}
	if b.room < 0 {
		return nil
	}
	raw := out.Value()
	if _, err := schema.Compile(raw); err != nil {
		return nil
	}
	return raw
}

type bundler struct {
	*walk
	names map[*jsontree.Node]string // of what stands under defs
	defs  *jsontree.Node
}

// schema copies a schema, its references led to where their targets are now.
func (b *bundler) schema(n *jsontree.Node) *jsontree.Node {
	if n.Kind != '{' {
		return b.list(n)
	}
	out := &jsontree.Node{Kind: '{'}
	for i, name := range n.Names {
		if b.room -= len(name); b.room < 0 {
			break
		}
		if value := b.keyword(n, name, n.Items[i]); value != nil {
			out.Names, out.Items = append(out.Names, name), append(out.Items, value)
		}
	}
	return out
}

// keyword copies a member of a schema; nil leaves it out.
func (b *bundler) keyword(owner *jsontree.Node, name string, value *jsontree.Node) *jsontree.Node {
	switch name {
	case "$defs", "definitions": // what is needed of them comes along by reference
		return nil
	case "$schema":
		return nil
	case "$id", "id":
		if owner == b.root { // below it references would mean something else
			return nil
		}
	case "$ref", "$dynamicRef", "$recursiveRef":
		return b.reference(value)
	case "properties", "patternProperties", "dependentSchemas", "dependencies":
		return b.named(value)
	case "const", "enum", "default", "example", "examples":
		b.room -= len(value.Value())
		return value
	}
	return b.schema(value)
}

// list copies what is no object: a list of schemas, or a value without parts.
func (b *bundler) list(n *jsontree.Node) *jsontree.Node {
	b.room -= len(n.Raw) + 1
	if n.Kind != '[' {
		return n
	}
	out := &jsontree.Node{Kind: '['}
	for _, item := range n.Items {
		if b.room < 0 {
			break
		}
		out.Items = append(out.Items, b.schema(item))
	}
	return out
}

// named copies an object whose members have names of the site's and are schemas.
func (b *bundler) named(n *jsontree.Node) *jsontree.Node {
	if n.Kind != '{' {
		return b.list(n)
	}
	out := &jsontree.Node{Kind: '{', Names: slices.Clone(n.Names)}
	for i, item := range n.Items {
		b.room -= len(n.Names[i])
		out.Items = append(out.Items, b.schema(item))
	}
	return out
}

func (b *bundler) reference(value *jsontree.Node) *jsontree.Node {
	target := b.target(value.Text())
	if target == nil || b.room < 0 {
		return value
	}
	name, known := b.names[target]
	if !known {
		name = strconv.Itoa(len(b.names))
		b.names[target] = name
		b.defs.Set(name, jsontree.Null()) // keeps its place while what it refers to is copied
		b.defs.Set(name, b.schema(target))
	}
	return jsontree.String("#/$defs/" + name)
}
