package strictjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner goes through a document that passed [Check], and so only has to find where values end: to read them once more
// would be most of the time that a large document takes. What it makes of any other document means nothing.
type scanner struct {
	doc jsontext.Value
	at  int
}

// next skips white space, and returns the byte behind it; 0 at the end.
func (s *scanner) next() byte {
	for ; s.at < len(s.doc); s.at++ {
		if c := s.doc[s.at]; !isSpace(c) {
			return c
		}
	}
	return 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// take skips a byte, and white space before it, if it is that one.
func (s *scanner) take(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}

// value skips a value and returns it as it stands in the document; nil when there is none.
func (s *scanner) value() jsontext.Value {
	first := s.next()
	begin := s.at
	switch first {
	case '"':
		s.text()
	case '{', '[':
		s.nested()
	default:
		for s.at < len(s.doc) && !isSpace(s.doc[s.at]) && s.doc[s.at] != ',' && s.doc[s.at] != ']' && s.doc[s.at] != '}' {
			s.at++
		}
	}
	if s.at == begin {
		return nil
	}
	return s.doc[begin:s.at:s.at]
}

// text skips a string.
func (s *scanner) text() {
	for s.at++; s.at < len(s.doc); s.at++ {
		end := bytes.IndexByte(s.doc[s.at:], '"')
		if end < 0 {
			break
		}
		escapes := 0
		for escapes < end && s.doc[s.at+end-1-escapes] == '\\' {
			escapes++
		}
		s.at += end
		if escapes%2 == 0 {
			s.at++
			return
		}
	}
	s.at = len(s.doc)
}

// nested skips an object or an array.
func (s *scanner) nested() {
	for depth := 0; s.at < len(s.doc); {
		switch s.doc[s.at] {
		case '"':
			s.text()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if s.at++; depth == 0 {
			return
		}
	}
}

// unquote returns the text of a string.
func unquote(value jsontext.Value) (text string, ok bool) {
	if bytes.IndexByte(value, '\\') < 0 && len(value) > 1 {
		return string(value[1 : len(value)-1]), true
	}
	out, err := jsontext.AppendUnquote(nil, value)
	return string(out), err == nil
}
