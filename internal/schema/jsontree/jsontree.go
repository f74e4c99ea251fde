// Package jsontree holds a JSON value as a light tree that keeps the order of members and the digits of numbers.
package jsontree

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// Node is one JSON value. It may be edited through its fields, as long as Names and Items of an object stay side by side.
type Node struct {
	Kind  jsontext.Kind  // of the first token: '{', '[', '"', '0', 't', 'f' or 'n'
	Raw   jsontext.Value // the text of what is neither an object nor an array
	Names []string       // of an object's members
	Items []*Node        // an object's values, beside Names, or an array's elements
}

// Parse takes a value that passed [strictjson.Check]. The tree shares the value's bytes: they must not change any more.
func Parse(value jsontext.Value) *Node {
	if kind := value.Kind(); kind != '{' && kind != '[' {
		return &Node{Kind: kind, Raw: bytes.TrimSpace(value)}
	}
	p := parser{doc: value, decoder: jsontext.NewDecoder(bytes.NewReader(value))}
	return p.node()
}

// Null returns a tree of the value null.
func Null() *Node { return &Node{Kind: 'n', Raw: jsontext.Value("null")} }

// String returns a tree of a string.
func String(text string) *Node { return &Node{Kind: '"', Raw: strictjson.Quote(text)} }

type parser struct {
	doc     jsontext.Value
	decoder *jsontext.Decoder
	free    []Node   // made many at a time
	names   []string // members and elements of what is still open, innermost last
	items   []*Node
}

// make returns a new node. Nodes are made in batches that grow with the document.
func (p *parser) make(kind jsontext.Kind) *Node {
	if len(p.free) == 0 {
		p.free = make([]Node, min(max(len(p.doc)/64, 4), 128))
	}
	n := &p.free[0]
	p.free = p.free[1:]
	n.Kind = kind
	return n
}

func (p *parser) node() *Node {
	n := p.make(p.decoder.PeekKind())
	if n.Kind != '{' && n.Kind != '[' {
		raw, err := p.decoder.ReadValue()
		if err != nil { // cannot be after strictjson.Check
			return Null()
		}
		end := int(p.decoder.InputOffset())
		n.Raw = p.doc[end-len(raw) : end : end] // raw itself is the decoder's
		return n
	}
	names, items := len(p.names), len(p.items)
	_, _ = p.decoder.ReadToken()
	for end := n.Kind + 2; p.decoder.PeekKind() != end && p.decoder.PeekKind() > 0; { // '}' and ']' follow two behind '{' and '['
		if n.Kind == '{' {
			name, err := p.decoder.ReadToken()
			if err != nil {
				break
			}
			p.names = append(p.names, name.String())
		}
		p.items = append(p.items, p.node())
	}
	if len(p.items) > items {
		n.Items = slices.Clone(p.items[items:])
	}
	if len(p.names) > names {
		n.Names = slices.Clone(p.names[names:])
	}
	p.names, p.items = p.names[:names], p.items[:items]
	_, _ = p.decoder.ReadToken()
	return n
}

// IsArray reports whether a node is there and an array.
func (n *Node) IsArray() bool { return n != nil && n.Kind == '[' }

// Value returns the tree as compact JSON.
func (n *Node) Value() jsontext.Value { return n.append(nil) }

func (n *Node) append(out []byte) []byte {
	if n.Kind != '{' && n.Kind != '[' {
		return append(out, n.Raw...)
	}
	out = append(out, byte(n.Kind))
	for i, item := range n.Items {
		if i > 0 {
			out = append(out, ',')
		}
		if n.Kind == '{' {
			out, _ = jsontext.AppendQuote(out, n.Names[i])
			out = append(out, ':')
		}
		out = item.append(out)
	}
	return append(out, byte(n.Kind)+2)
}

// Member returns the value of an object's member, or nil. A nil node has none.
func (n *Node) Member(name string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Names {
		if n.Names[i] == name {
			return n.Items[i]
		}
	}
	return nil
}

// Members yields the members of an object, nothing of anything else or a nil node.
func (n *Node) Members() iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) {
		if n == nil || n.Kind != '{' {
			return
		}
		for i, name := range n.Names {
			if !yield(name, n.Items[i]) {
				return
			}
		}
	}
}

// Set adds or replaces an object's member.
func (n *Node) Set(name string, value *Node) {
	for i := range n.Names {
		if n.Names[i] == name {
			n.Items[i] = value
			return
		}
	}
	n.Names, n.Items = append(n.Names, name), append(n.Items, value)
}

// Text returns the text of a string, and "" for anything else or a nil node.
func (n *Node) Text() string {
	if n == nil || n.Kind != '"' {
		return ""
	}
	if bytes.IndexByte(n.Raw, '\\') < 0 {
		return string(n.Raw[1 : len(n.Raw)-1])
	}
	text, _ := strictjson.String(n.Raw)
	return text
}

// At returns the value that a JSON Pointer (RFC 6901) leads to, or nil.
func (n *Node) At(pointer string) *Node {
	if pointer != "" && pointer[0] != '/' {
		return nil
	}
	for token := range Tokens(pointer) {
		if n = n.Child(token); n == nil {
			return nil
		}
	}
	return n
}

// Tokens yields the reference tokens of a JSON Pointer, which is "" or begins with "/", unescaped.
func Tokens(pointer string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if pointer == "" {
			return
		}
		unescape := strings.NewReplacer("~1", "/", "~0", "~")
		for token := range strings.SplitSeq(pointer[1:], "/") {
			if !yield(unescape.Replace(token)) {
				return
			}
		}
	}
}

// Child returns what a reference token leads to, or nil.
func (n *Node) Child(token string) *Node {
	if n.Kind != '[' {
		return n.Member(token)
	}
	if index, err := strconv.Atoi(token); err == nil && index >= 0 && index < len(n.Items) {
		return n.Items[index]
	}
	return nil
}

// Token returns the reference token that leads from an object or an array to its i-th item.
func (n *Node) Token(i int) string {
	if n.Kind == '{' {
		return n.Names[i]
	}
	return strconv.Itoa(i)
}

// Pointer appends reference tokens to a JSON Pointer (RFC 6901).
func Pointer(pointer string, tokens ...string) string {
	for _, token := range tokens {
		if strings.ContainsAny(token, "~/") {
			token = strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
		}
		pointer += "/" + token
	}
	return pointer
}
