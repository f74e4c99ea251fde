package openapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Bundle makes schemas of a document stand alone: everything that they refer to comes along under "$defs", each once.
//
// A strict one fails at the first thing that it does not understand, and changes nothing. Any other one also translates
// what OpenAPI says in its own way, leaves out what is no input, and lets anything pass where it does not understand: then
// Flaws tell it.
type Bundle struct {
	Find   Lookup
	Strict bool
	Old    bool // the document is OpenAPI 3.0, whose schemas are no JSON Schema
	Flaws  []*Error

	names map[string]string // under "$defs", by pointer in the document
	defs  *jsontree.Node
	queue []string // pointers that are still to be taken along, the nearest first
	count int      // of schemas copied
	size  int      // about how many bytes they are
	unset map[string]bool
	many  bool // Flaws tell that references were cut
}

// Limits of what a bundle takes along, below those of a schema: there is more in an action's schema than its bundle.
const (
	maxBundled      = schema.MaxSchemas - 100
	maxBundledBytes = schema.MaxBytes - 16<<10
)

func (b *Bundle) limit() int {
	if b.Strict {
		return schema.MaxSchemas
	}
	return maxBundled
}

// Add returns a copy of a schema with its references led to "$defs". Its error is an [*Error]; one that is not strict
// never fails.
func (b *Bundle) Add(n *jsontree.Node, pointer string) (*jsontree.Node, error) {
	if b.names == nil {
		b.names, b.defs, b.unset = map[string]string{}, &jsontree.Node{Kind: '{'}, map[string]bool{}
	}
	out, err := b.fitting(n, pointer)
	if err != nil {
		return nil, err
	}
	for len(b.queue) > 0 {
		target := b.queue[0]
		b.queue = b.queue[1:]
		n, err := b.found(target)
		if err != nil {
			return nil, err
		}
		taken, err := b.fitting(n, target)
		if err != nil {
			return nil, err
		}
		b.defs.Set(b.names[target], taken)
	}
	return out, nil
}

// found returns the schema that a reference leads to. One that cannot be had stands for anything.
func (b *Bundle) found(target string) (*jsontree.Node, error) {
	switch n := b.Find(target); {
	case n == nil:
		return anything(), b.flaw(CodeMissingRef, target, "a schema that it refers to is not there")
	case n.Kind == 0:
		return anything(), b.flaw(CodeTooLarge, target, "all that it refers to is more than %d bytes: the rest is left to the site", maxReached)
	default:
		return n, nil
	}
}

// fitting copies a schema, or as much of it as there is room for: what is beyond stands for anything. References are
// followed nearest first, so the deepest ones are cut.
func (b *Bundle) fitting(n *jsontree.Node, pointer string) (*jsontree.Node, error) {
	if b.Strict {
		return b.schema(n, pointer, false)
	}
	count, size := measure(n)
	if b.count+count <= b.limit() && b.size+size <= maxBundledBytes {
		b.size += size
		return b.schema(n, pointer, false)
	}
	if !b.many {
		b.many = true
		_ = b.flaw(CodeIncomplete, pointer, "its schemas are too many to check all: the innermost ones are left to the site")
	}
	return anything(), nil
}

// measure returns how many schemas one is, and about how many bytes.
func measure(n *jsontree.Node) (count, size int) {
	count = 1
	for name, value := range n.Members() {
		size += len(name) + 4
		if value.Kind != '{' && value.Kind != '[' {
			size += len(value.Raw)
			continue
		}
		var parts []*jsontree.Node
		switch applicator(name) {
		case ofSchema:
			parts = []*jsontree.Node{value}
		case ofObject, ofArray:
			parts = value.Items
			for _, name := range value.Names {
				size += len(name) + 4
			}
		default:
			size += len(value.Value())
		}
		for _, part := range parts {
			c, s := measure(part)
			count, size = count+c, size+s
		}
	}
	return count, size + 2
}

// holds tells what the value of a keyword is that has schemas in it.
type holds byte

const (
	ofNone   holds = 0
	ofSchema holds = 's'
	ofObject holds = '{'
	ofArray  holds = '['
)

func applicator(keyword string) holds {
	switch keyword {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return ofObject
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return ofArray
	case "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems",
		"unevaluatedProperties", "contentSchema":
		return ofSchema
	}
	return ofNone
}

func anything() *jsontree.Node { return &jsontree.Node{Kind: 't', Raw: jsontext.Value("true")} }

func nothing() *jsontree.Node { return &jsontree.Node{Kind: 'f', Raw: jsontext.Value("false")} }

func textSchema() *jsontree.Node {
	n := &jsontree.Node{Kind: '{'}
	n.Set("type", jsontree.String("string"))
	return n
}

// maxFlaws is how many flaws of one operation's schemas are told.
const maxFlaws = 20

// flaw notes what is not understood; it is the error of a strict bundle.
func (b *Bundle) flaw(code, pointer, format string, args ...any) error {
	e := &Error{code, pointer, fmt.Sprintf(format, args...)}
	if b.Strict {
		return e
	}
	if len(b.Flaws) < maxFlaws {
		b.Flaws = append(b.Flaws, e)
	}
	return nil
}

// schema copies one schema. inner tells that it stands below an "$id", where references would mean something else.
func (b *Bundle) schema(n *jsontree.Node, pointer string, inner bool) (*jsontree.Node, error) {
	if b.count++; b.count > b.limit() && b.Strict {
		return nil, b.flaw(CodeIncomplete, pointer, "its schemas are more than %d", b.limit())
	}
	switch n.Kind {
	case 't', 'f':
		return n, nil
	case '{':
	default:
		return anything(), b.flaw(CodeInvalid, pointer, "a schema must be an object, true or false")
	}
	inner = inner || n.Member("$id") != nil
	out := &jsontree.Node{Kind: '{'}
	for i, name := range n.Names {
		value, err := b.keyword(n, name, n.Items[i], pointer, inner)
		if err != nil {
			return nil, err
		}
		if value != nil {
			out.Set(name, value)
		}
	}
	if b.Strict {
		return out, nil
	}
	return b.translate(n, out), nil
}

// keyword copies the value of one keyword of a schema; nil leaves it out.
func (b *Bundle) keyword(all *jsontree.Node, name string, n *jsontree.Node, pointer string, inner bool) (*jsontree.Node, error) {
	at := jsontree.Pointer(pointer, name)
	switch name {
	case "$ref":
		return b.reference(n, at, inner)
	case "$dynamicRef", "$recursiveRef":
		return nil, b.flaw(CodeUnknown, at, "%s is not understood", name)
	case "$schema":
		if !KnownDialect(n) {
			return nil, b.flaw(CodeUnknown, at, "the dialect %q is not understood", fault.Word(n.Text()))
		}
		return nil, nil //nolint:nilnil // nil leaves the keyword out
	case "$id", "$anchor", "$dynamicAnchor", "$vocabulary":
		return nil, nil //nolint:nilnil // nil leaves the keyword out
	}
	switch kind := applicator(name); kind {
	case ofObject, ofArray:
		if name == "properties" && !b.Strict {
			n = b.inputs(n)
		}
		return b.each(n, at, inner, kind)
	case ofSchema:
		return b.schema(n, at, inner)
	case ofNone:
	}
	if b.Strict {
		return n, nil
	}
	return b.assertion(all, name, n, at), nil
}

// each copies the schemas that are the members of an object or the elements of an array. What is neither is for the
// compiler to complain about.
func (b *Bundle) each(n *jsontree.Node, pointer string, inner bool, kind holds) (*jsontree.Node, error) {
	if n.Kind != jsontext.Kind(kind) || kind == ofArray && !b.Strict && len(n.Items) == 0 {
		if b.Strict {
			return n, nil
		}
		return nil, b.flaw(CodeInvalid, pointer, "%s is malformed", pointer[strings.LastIndexByte(pointer, '/')+1:])
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

func (b *Bundle) reference(n *jsontree.Node, pointer string, inner bool) (*jsontree.Node, error) {
	target, err := LocalPointer(n.Text())
	switch {
	case err != nil:
		return nil, b.flaw(CodeRemoteRef, pointer, "%v", err)
	case inner:
		return nil, b.flaw(CodeUnknown, pointer, "a reference below an \"$id\" is not understood")
	}
	name, known := b.names[target]
	if !known {
		name = b.name(target)
		b.names[target] = name
		b.queue = append(b.queue, target)
	}
	return jsontree.String(defsPrefix + name), nil
}

const defsPrefix = "#/$defs/"

// name returns the name of a schema under "$defs".
func (b *Bundle) name(string) string { return "schema" + strconv.Itoa(len(b.names)+1) }

// Target returns the schema that one of the bundle stands for which is nothing but a reference.
func (b *Bundle) Target(n *jsontree.Node) *jsontree.Node {
	for range MaxReferences {
		if len(n.Names) != 1 || n.Names[0] != "$ref" {
			break
		}
		next := b.defs.Member(strings.TrimPrefix(n.Items[0].Text(), defsPrefix))
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// Complete returns a schema as one value with everything that it refers to.
func (b *Bundle) Complete(n *jsontree.Node) jsontext.Value {
	if b.defs == nil || len(b.defs.Names) == 0 || n.Kind != '{' {
		return n.Value()
	}
	out := &jsontree.Node{Kind: '{', Names: slices.Clone(n.Names), Items: slices.Clone(n.Items)}
	if own := n.Member("$defs"); own != nil { // nothing refers to them there: references were led to their copies
		out.Names, out.Items = nil, nil
		for name, item := range n.Members() {
			if name != "$defs" {
				out.Set(name, item)
			}
		}
	}
	out.Set("$defs", b.defs)
	return out.Value()
}

// KnownDialect reports whether a dialect is JSON Schema 2020-12, or that with the annotations of OpenAPI 3.1.
func KnownDialect(n *jsontree.Node) bool {
	uri := strings.TrimSuffix(n.Text(), "#")
	return uri == "https://json-schema.org/draft/2020-12/schema" || strings.HasPrefix(uri, "https://spec.openapis.org/oas/3.1/dialect/")
}
