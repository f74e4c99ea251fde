package template

import (
	"strings"
)

const hexDigits = "0123456789ABCDEF"

// AppendPath renders the text as the path of a URL, perhaps with a query behind it. Arguments are percent-encoded but for
// the unreserved characters of RFC 3986, so none can leave its segment (T-3). A [*ValueError] is an argument that is not
// given, or that would make its segment empty, "." or "..", which servers and proxies resolve away; or that holds a NUL.
//
// Literal parts are the site's own and stand as they are, except for characters that no URL may hold: they are encoded.
func (t *Text) AppendPath(dst []byte, l Lookup) ([]byte, error) {
	w := pathWriter{out: dst, segment: len(dst)}
	for i := range t.parts {
		var err error
		if p := &t.parts[i]; p.isRef() {
			err = w.value(&p.ref, l)
		} else {
			err = w.literal(p.literal)
		}
		if err != nil {
			return dst, err
		}
	}
	return w.out, w.endSegment()
}

type pathWriter struct {
	out     []byte
	segment int  // where the current segment begins in out
	query   bool // behind the "?", where segments no longer matter
	ref     *Ref // the last argument in the current segment
}

func (w *pathWriter) value(ref *Ref, l Lookup) error {
	value, ok := l.resolve(ref)
	if !ok {
		return &ValueError{ref.Name, "is needed for the URL, which uses " + ref.String()}
	}
	plain := string(appendPlain(nil, value))
	if strings.Contains(plain, "\x00") {
		return &ValueError{ref.Name, "must not hold a NUL character: it goes into a URL"}
	}
	w.out = appendEscaped(w.out, plain)
	w.ref = ref
	return checkSize(w.out, ref)
}

func (w *pathWriter) literal(s string) error {
	for s != "" && !w.query {
		end := strings.IndexAny(s, "/?")
		if end < 0 {
			break
		}
		w.out = appendURLLiteral(w.out, s[:end])
		if err := w.endSegment(); err != nil {
			return err
		}
		w.query = s[end] == '?'
		w.out = append(w.out, s[end])
		w.segment = len(w.out)
		s = s[end+1:]
	}
	w.out = appendURLLiteral(w.out, s)
	return nil
}

func (w *pathWriter) endSegment() error {
	ref := w.ref
	w.ref = nil
	if ref == nil || w.query {
		return nil
	}
	switch segment := string(w.out[w.segment:]); {
	case segment == "":
		return &ValueError{ref.Name, "must not be empty: it is a part of the URL's path"}
	case IsDotSegment(segment):
		return &ValueError{ref.Name, `must not make a part of the URL's path "." or ".."`}
	}
	return nil
}

// IsDotSegment reports whether a segment of an encoded path is "." or "..", also when written with %2e.
func IsDotSegment(segment string) bool {
	if len(segment) > len("%2e%2e") {
		return false
	}
	segment = strings.ReplaceAll(strings.ToLower(segment), "%2e", ".")
	return segment == "." || segment == ".."
}

// appendEscaped percent-encodes everything but the unreserved characters of RFC 3986, section 2.3.
func appendEscaped(dst []byte, s string) []byte {
	for i := range len(s) {
		dst = appendByte(dst, s[i], isUnreserved(s[i]))
	}
	return dst
}

// appendURLLiteral encodes only what no URL may hold, for example the braces of {{NAME}}.
func appendURLLiteral(dst []byte, s string) []byte {
	for i := range len(s) {
		dst = appendByte(dst, s[i], isUnreserved(s[i]) || strings.IndexByte("!$&'()*+,;=:@/?%", s[i]) >= 0)
	}
	return dst
}

func appendByte(dst []byte, c byte, plain bool) []byte {
	if plain {
		return append(dst, c)
	}
	return append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}
