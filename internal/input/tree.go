package input

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// tree is a JSON value that keeps the order of its members and the digits of its numbers, and can be edited.
type tree struct {
	kind   jsontext.Kind
	scalar jsontext.Value // the text of what is neither an object nor an array
	names  []string       // of an object's members
	items  []*tree        // an object's values, beside names, or an array's elements
}

func newObject() *tree { return &tree{kind: '{'} }

// parseTree takes a value that passed [strictjson.Check].
func parseTree(value jsontext.Value) *tree {
	return readTree(jsontext.NewDecoder(bytes.NewReader(value)))
}

func readTree(d *jsontext.Decoder) *tree {
	t := &tree{kind: d.PeekKind()}
	if t.kind != '{' && t.kind != '[' {
		scalar, err := d.ReadValue()
		if err != nil { // cannot be after strictjson.Check
			scalar = jsontext.Value("null")
		}
		t.kind, t.scalar = scalar.Kind(), bytes.Clone(scalar)
		return t
	}
	_, _ = d.ReadToken()
	for end := t.kind + 2; d.PeekKind() != end && d.PeekKind() > 0; { // '}' and ']' follow two behind '{' and '['
		if t.kind == '{' {
			name, err := d.ReadToken()
			if err != nil {
				return t
			}
			t.names = append(t.names, name.String())
		}
		t.items = append(t.items, readTree(d))
	}
	_, _ = d.ReadToken()
	return t
}

// value returns the tree as compact JSON.
func (t *tree) value() jsontext.Value { return t.append(nil) }

func (t *tree) append(out []byte) []byte {
	if t.kind != '{' && t.kind != '[' {
		return append(out, t.scalar...)
	}
	out = append(out, byte(t.kind))
	for i, item := range t.items {
		if i > 0 {
			out = append(out, ',')
		}
		if t.kind == '{' {
			out, _ = jsontext.AppendQuote(out, t.names[i])
			out = append(out, ':')
		}
		out = item.append(out)
	}
	return append(out, byte(t.kind)+2)
}

// decoded returns the tree in the types that the validator wants; numbers are [json.Number].
func (t *tree) decoded() any {
	switch t.kind {
	case '{':
		out := make(map[string]any, len(t.names))
		for i, name := range t.names {
			out[name] = t.items[i].decoded()
		}
		return out
	case '[':
		out := make([]any, len(t.items))
		for i, item := range t.items {
			out[i] = item.decoded()
		}
		return out
	}
	return decodeScalar(t.scalar)
}

func decodeScalar(value jsontext.Value) any {
	switch kind := value.Kind(); kind {
	case '"':
		if bytes.IndexByte(value, '\\') < 0 {
			return string(value[1 : len(value)-1])
		}
		text, _ := strictjson.String(value)
		return text
	case '0':
		return json.Number(value)
	case 't', 'f':
		return kind == 't'
	}
	return nil
}

// member returns the value of an object's member, or nil. A nil tree has none.
func (t *tree) member(name string) *tree {
	if t == nil {
		return nil
	}
	for i := range t.names {
		if t.names[i] == name {
			return t.items[i]
		}
	}
	return nil
}

// set adds or replaces an object's member.
func (t *tree) set(name string, value *tree) {
	for i := range t.names {
		if t.names[i] == name {
			t.items[i] = value
			return
		}
	}
	t.names, t.items = append(t.names, name), append(t.items, value)
}

// drop removes an object's member, if it is there.
func (t *tree) drop(name string) {
	for i := range t.names {
		if t.names[i] == name {
			t.names = append(t.names[:i], t.names[i+1:]...)
			t.items = append(t.items[:i], t.items[i+1:]...)
			return
		}
	}
}

// text returns the text of a JSON string, and "" for anything else or a nil tree.
func (t *tree) text() string {
	if t == nil {
		return ""
	}
	text, _ := strictjson.String(t.scalar)
	return text
}

// at returns the value that a JSON Pointer (RFC 6901) leads to, or nil.
func (t *tree) at(pointer string) *tree {
	if pointer == "" {
		return t
	}
	if pointer[0] != '/' {
		return nil
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		t = t.child(strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
		if t == nil {
			return nil
		}
	}
	return t
}

func (t *tree) child(token string) *tree {
	if t.kind != '[' {
		return t.member(token)
	}
	if index, err := strconv.Atoi(token); err == nil && index >= 0 && index < len(t.items) {
		return t.items[index]
	}
	return nil
}

// pointerTo appends a reference token to a JSON Pointer.
func pointerTo(pointer, token string) string {
	return pointer + "/" + strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}
