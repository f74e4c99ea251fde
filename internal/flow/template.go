package flow

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// MaxInput is the largest input of one step, in bytes. References to large outputs could multiply it.
const MaxInput = 10 << 20

// template is a value inside "with": a reference, a literal, or a container of such.
type template struct {
	ref   *reference
	raw   jsontext.Value // of a literal that is no container
	kind  jsontext.Kind  // '{' or '[' of a container
	names []string       // of an object's members, beside items
	items []*template
}

// parseTemplate reads a value of "with". What is wrong in it goes to complain, with its JSON Pointer.
func parseTemplate(n *jsontree.Node, pointer string, complain func(pointer string, err error)) *template {
	switch n.Kind {
	case '{', '[':
	case '"':
		ref, literal, err := parseString(n.Text())
		if err != nil {
			complain(pointer, err)
		}
		return &template{ref: ref, raw: strictjson.Quote(literal)}
	default:
		return &template{raw: n.Raw}
	}
	t := &template{kind: n.Kind, names: n.Names}
	for i, item := range n.Items {
		t.items = append(t.items, parseTemplate(item, jsontree.Pointer(pointer, n.Token(i)), complain))
	}
	return t
}

// references visits every reference, with the way to it.
func (t *template) references(path []string, visit func(path []string, ref *reference)) {
	if t.ref != nil {
		visit(path, t.ref)
	}
	for i, item := range t.items {
		item.references(append(slices.Clip(path), t.token(i)), visit)
	}
}

func (t *template) token(i int) string {
	return (&jsontree.Node{Kind: t.kind, Names: t.names}).Token(i)
}

// member returns the template of an object's member, or nil.
func (t *template) member(name string) *template {
	for i := range t.names {
		if t.names[i] == name {
			return t.items[i]
		}
	}
	return nil
}

// lookup finds the value of a reference. It is nil for an input that was not given.
type lookup func(*reference) (jsontext.Value, error)

// value puts in the values of all references, types preserved. An input that was not given takes its member or its item
// away (AA-13).
func (t *template) value(find lookup) (jsontext.Value, error) {
	out, _, err := t.append(nil, find)
	if err != nil {
		return nil, err
	}
	if err := strictjson.Check(out); err != nil { // parts that were put in can be deep together
		return nil, fmt.Errorf("the input cannot be sent: %w", err)
	}
	return out, nil
}

func (t *template) append(out []byte, find lookup) (_ []byte, present bool, err error) {
	switch {
	case t.ref != nil:
		value, err := find(t.ref)
		if err == nil && len(out)+len(value) > MaxInput {
			err = fmt.Errorf("with %q the input is larger than %d MiB", cut(t.ref.text), MaxInput>>20)
		}
		return append(out, value...), value != nil, err
	case t.kind == 0:
		return append(out, t.raw...), true, nil
	}
	out = append(out, byte(t.kind))
	empty := true
	for i, item := range t.items {
		start := len(out)
		if !empty {
			out = append(out, ',')
		}
		if t.kind == '{' {
			out = append(append(out, strictjson.Quote(t.names[i])...), ':')
		}
		if out, present, err = item.append(out, find); err != nil {
			return nil, false, err
		}
		if present {
			empty = false
		} else {
			out = out[:start]
		}
	}
	return append(out, byte(t.kind)+2), true, nil // '}' and ']' are two behind '{' and '['
}
