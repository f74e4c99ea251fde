package template

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// JSON is a parsed JSON value: its string values may hold templates, its keys are never templates (T-1).
type JSON struct {
	root node
}

// node is one value. Parts without templates, however large, are one literal.
type node struct {
	kind jsontext.Kind  // '{', '[', '"' for a string with templates; 0 for a literal
	raw  jsontext.Value // a literal: compact JSON
	text *Text          // a string with templates
	keys [][]byte       // of an object: quoted, with the colon
	kids []node         // of an object or an array
}

// ParseJSON reads any JSON value. Its error is a [SyntaxErrors] with one for each string that is not well formed.
func ParseJSON(raw []byte) (*JSON, error) {
	p := parser{d: jsontext.NewDecoder(bytes.NewBuffer(raw))}
	root := p.value()
	p.end()
	return &JSON{root}, p.err()
}

// parser builds nodes. After the first error of the JSON itself it only winds up.
type parser struct {
	d    *jsontext.Decoder
	errs SyntaxErrors
	dead bool
}

func (p *parser) value() node {
	if p.d.StackDepth() >= strictjson.MaxDepth && (p.d.PeekKind() == '{' || p.d.PeekKind() == '[') {
		p.fail(fmt.Errorf("nested deeper than %d levels", strictjson.MaxDepth))
		return node{}
	}
	switch p.d.PeekKind() {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return p.str()
	default:
		return node{raw: p.raw()}
	}
}

func (p *parser) object() node {
	n := node{kind: '{'}
	p.members(func(key jsontext.Value) {
		n.keys = append(n.keys, append(key, ':'))
		n.kids = append(n.kids, p.value())
	})
	return n.simplify()
}

// members walks an object; read is called behind each name and reads the value.
func (p *parser) members(read func(key jsontext.Value)) {
	p.token()
	for !p.dead && p.d.PeekKind() != '}' {
		read(p.raw())
	}
	p.token()
}

func (p *parser) array() node {
	n := node{kind: '['}
	p.token()
	for !p.dead && p.d.PeekKind() != ']' {
		n.kids = append(n.kids, p.value())
	}
	p.token()
	return n.simplify()
}

func (p *parser) str() node {
	raw := p.raw()
	s, _ := strictjson.String(raw)
	text, err := ParseText(s)
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		syntax.Pointer = string(p.d.StackPointer())
		p.errs = append(p.errs, syntax)
		return node{}
	}
	if text.isLiteral() {
		return node{raw: raw}
	}
	return node{kind: '"', text: text}
}

// raw reads the next scalar or name, as a copy.
func (p *parser) raw() jsontext.Value {
	raw, err := p.d.ReadValue()
	if err != nil {
		p.fail(err)
	}
	return bytes.Clone(raw)
}

func (p *parser) err() error {
	if len(p.errs) == 0 {
		return nil
	}
	return p.errs
}

// end makes sure that nothing stands behind the value.
func (p *parser) end() {
	if p.dead {
		return
	}
	if _, err := p.d.ReadToken(); !errors.Is(err, io.EOF) {
		p.fail(errors.New("there is more behind the value"))
	}
}

func (p *parser) token() {
	if p.dead {
		return
	}
	if _, err := p.d.ReadToken(); err != nil {
		p.fail(err)
	}
}

func (p *parser) fail(err error) {
	if p.dead {
		return
	}
	p.dead = true
	p.errs = append(p.errs, &SyntaxError{
		Offset: int(p.d.InputOffset()), Pointer: string(p.d.StackPointer()), Message: "not valid JSON: " + err.Error(),
	})
}

// simplify turns a node without any template into a literal.
func (n node) simplify() node {
	for i := range n.kids {
		if n.kids[i].kind != 0 {
			return n
		}
	}
	raw, _, _ := n.append(nil, nil) // literals alone ask for no argument and cannot fail
	return node{raw: raw}
}

// Refs returns the arguments that the value uses, in document order, each with its pointer.
func (j *JSON) Refs() []Ref { return j.root.refs(nil, "") }

func (n *node) refs(refs []Ref, at jsontext.Pointer) []Ref {
	if n.kind == '"' {
		for _, ref := range n.text.Refs() {
			ref.Pointer = string(at)
			refs = append(refs, ref)
		}
	}
	for i := range n.kids {
		step := strconv.Itoa(i)
		if n.kind == '{' {
			key := n.keys[i]
			step, _ = strictjson.String(key[:len(key)-1])
		}
		refs = n.kids[i].refs(refs, at.AppendToken(step))
	}
	return refs
}

// Append renders the value as compact JSON; order and digits are kept. A string that is exactly one template becomes the
// argument's own typed value, a longer one stays a string (T-2). A member or an element whose own string uses an argument
// that is not given is left out; the object around it stays (T-4). It is ok=false when that is so of the whole value.
// The error is a [*ValueError].
func (j *JSON) Append(dst []byte, l Lookup) (out []byte, ok bool, err error) {
	return j.root.append(dst, l)
}

func (n *node) append(dst []byte, l Lookup) (out []byte, ok bool, err error) {
	switch n.kind {
	case '{':
		return n.appendKids(dst, l, '{', '}')
	case '[':
		return n.appendKids(dst, l, '[', ']')
	case '"':
		return n.appendString(dst, l)
	default:
		return append(dst, n.raw...), true, nil
	}
}

func (n *node) appendKids(dst []byte, l Lookup, open, end byte) (out []byte, ok bool, err error) {
	dst = append(dst, open)
	first := true
	for i := range n.kids {
		mark := len(dst)
		if !first {
			dst = append(dst, ',')
		}
		if n.keys != nil {
			dst = append(dst, n.keys[i]...)
		}
		if dst, ok, err = n.kids[i].append(dst, l); err != nil {
			return dst, false, err
		}
		if ok {
			first = false
		} else {
			dst = dst[:mark]
		}
	}
	return append(dst, end), true, nil
}

func (n *node) appendString(dst []byte, l Lookup) (out []byte, ok bool, err error) {
	if ref := n.text.single(); ref != nil {
		value, ok := l.resolve(ref)
		dst = append(dst, value...)
		return dst, ok, checkSize(dst, ref)
	}
	text, ok, err := n.text.appendText(nil, l)
	if !ok || err != nil {
		return dst, false, err
	}
	dst, _ = jsontext.AppendQuote(dst, text) // its error tells of invalid UTF-8, which it has replaced
	return dst, true, nil
}
