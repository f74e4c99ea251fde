package template

import (
	"fmt"
	"strings"
)

// Text is a parsed string: literal text and uses of arguments.
type Text struct {
	parts []part
}

// part is a literal, or a reference when ref.Name is not empty.
type part struct {
	literal string
	ref     Ref
}

func (p *part) isRef() bool { return p.ref.Name != "" }

func (t *Text) addLiteral(s string) {
	if s != "" {
		t.parts = append(t.parts, part{literal: s})
	}
}

// single returns the reference of a text that is exactly one template (T-2), or nil.
func (t *Text) single() *Ref {
	if len(t.parts) == 1 && t.parts[0].isRef() {
		return &t.parts[0].ref
	}
	return nil
}

func (t *Text) isLiteral() bool {
	return len(t.parts) == 0 || len(t.parts) == 1 && !t.parts[0].isRef()
}

// Refs returns the arguments that the text uses, in order, repeated as they are repeated.
func (t *Text) Refs() []Ref {
	var refs []Ref
	for i := range t.parts {
		if t.parts[i].isRef() {
			refs = append(refs, t.parts[i].ref)
		}
	}
	return refs
}

// Shape returns the text with a stand-in for each template, so that a caller can judge the literal parts in their places.
func (t *Text) Shape(standIn string) string {
	var b strings.Builder
	for i := range t.parts {
		if t.parts[i].isRef() {
			b.WriteString(standIn)
		} else {
			b.WriteString(t.parts[i].literal)
		}
	}
	return b.String()
}

// Header renders the text as a header field's value. It is ok=false when an argument is not given, which leaves out the
// whole field (T-4). A control character is a [*ValueError]: it could begin another field (T-3).
func (t *Text) Header(l Lookup) (value string, ok bool, err error) {
	var out []byte
	for i := range t.parts {
		p := &t.parts[i]
		start := len(out)
		if out, ok, err = p.appendPlain(out, l); !ok || err != nil {
			return "", false, err
		}
		switch {
		case !p.isRef():
		case strings.ContainsFunc(string(out[start:]), isControl):
			return "", false, &ValueError{p.ref.Name, "must not hold line breaks or other control characters: it goes into a header"}
		case len(out) > MaxHeaderBytes:
			return "", false, &ValueError{p.ref.Name, fmt.Sprintf("makes a header longer than %d bytes", MaxHeaderBytes)}
		}
	}
	return string(out), true, nil
}

// appendText renders the text without any escaping. It is ok=false when an argument is not given.
func (t *Text) appendText(dst []byte, l Lookup) (out []byte, ok bool, err error) {
	for i := range t.parts {
		if dst, ok, err = t.parts[i].appendPlain(dst, l); !ok || err != nil {
			return dst, false, err
		}
	}
	return dst, true, nil
}

func (p *part) appendPlain(dst []byte, l Lookup) (out []byte, ok bool, err error) {
	if !p.isRef() {
		return append(dst, p.literal...), true, nil
	}
	value, ok := l.resolve(&p.ref)
	if !ok {
		return dst, false, nil
	}
	dst = appendPlain(dst, value)
	return dst, true, checkSize(dst, &p.ref)
}

// String is for messages and tests.
func (r Ref) String() string {
	return fmt.Sprintf("$%s", strings.Join(append([]string{r.Name}, r.Path...), "."))
}
