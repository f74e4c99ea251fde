package render

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// The colours of JSON, as select graphic rendition sequences.
const (
	colorName   = "\x1b[1;34m"
	colorString = "\x1b[32m"
	colorNumber = "\x1b[36m"
	colorWord   = "\x1b[33m" // true, false
	colorNull   = "\x1b[90m"
	colorHeader = "\x1b[1m"
	colorError  = "\x1b[1;31m"
	colorHint   = "\x1b[36m"
	colorReset  = "\x1b[0m"
)

func isNotJSON(err error) bool {
	_, ok := errors.AsType[*strictjson.Error](err)
	return ok
}

// Pretty prints a JSON value with two spaces of indentation and a final newline. Digits, member order and the spelling of
// strings stay; what must not reach a terminal is escaped, so the output is safe and still the same value. When raw is not
// acceptable to [strictjson.Check] its error is returned and nothing printed.
func Pretty(w io.Writer, raw []byte, color bool) error {
	if err := strictjson.Check(raw); err != nil {
		return err
	}
	out := newSink(w)
	p := prettyPrinter{in: jsontext.NewDecoder(bytes.NewBuffer(raw)), out: out, color: color}
	p.value()
	out.byte('\n')
	return out.flush()
}

// prettyPrinter walks a document that was checked, so it meets no syntax error.
type prettyPrinter struct {
	in      *jsontext.Decoder
	out     sink
	color   bool
	depth   int
	scratch []byte
}

func (p *prettyPrinter) value() {
	switch kind := p.in.PeekKind(); kind {
	case '{', '[':
		p.container()
	case '"':
		p.scalar(colorString)
	case '0':
		p.scalar(colorNumber)
	case 't', 'f':
		p.scalar(colorWord)
	default:
		p.scalar(colorNull)
	}
}

func (p *prettyPrinter) container() {
	open := p.token()
	isObject := open == '{'
	p.out.byte(open)
	p.depth++
	first := true
	for k := p.in.PeekKind(); k != '}' && k != ']' && k != 0; k = p.in.PeekKind() {
		if !first {
			p.out.byte(',')
		}
		first = false
		p.newline()
		if isObject {
			p.scalar(colorName)
			p.out.text(": ")
		}
		p.value()
	}
	p.depth--
	if !first {
		p.newline()
	}
	p.out.byte(p.token())
}

func (p *prettyPrinter) token() byte {
	t, _ := p.in.ReadToken()
	return byte(t.Kind())
}

func (p *prettyPrinter) scalar(color string) {
	raw, _ := p.in.ReadValue()
	if p.color {
		p.out.text(color)
		defer p.out.text(colorReset)
	}
	p.scratch, _ = appendClean(p.scratch[:0], raw, escapeUnsafe, true)
	p.out.bytes(p.scratch)
}

func (p *prettyPrinter) newline() {
	p.out.byte('\n')
	for range p.depth {
		p.out.text("  ")
	}
}
