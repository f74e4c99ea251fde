package strictjson

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner walks the members of an object or the elements of an array in a document that passed [Check]. It neither copies
// values nor looks for duplicates once more, which is most of the time that a large document takes.
type scanner struct {
	doc jsontext.Value
	d   *jsontext.Decoder
}

// scan stands before the first item of a value; ok=false when it is no object, or array, as kind says.
func scan(doc jsontext.Value, kind jsontext.Kind) (s scanner, ok bool) {
	s = scanner{doc, jsontext.NewDecoder(bytes.NewBuffer(doc), jsontext.AllowDuplicateNames(true))}
	if s.d.PeekKind() != kind {
		return s, false
	}
	_, err := s.d.ReadToken()
	return s, err == nil
}

func (s *scanner) value() (jsontext.Value, error) {
	value, err := s.d.ReadValue()
	end := int(s.d.InputOffset())
	return s.doc[end-len(value) : end : end], err // value itself is the decoder's
}

// SharedMembers is [Members] with values that are parts of doc, for large documents that passed [Check]: what is kept of
// a value keeps all of doc in memory, unless it is a copy.
func SharedMembers(doc jsontext.Value) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		s, ok := scan(doc, '{')
		for ok && s.d.PeekKind() == '"' {
			name, err := s.d.ReadToken()
			if err != nil {
				return
			}
			key := name.String()
			value, err := s.value()
			ok = err == nil && yield(key, value)
		}
	}
}

// SharedElements is [Elements] with values that are parts of doc, as those of [SharedMembers] are.
func SharedElements(doc jsontext.Value) iter.Seq2[int, jsontext.Value] {
	return func(yield func(int, jsontext.Value) bool) {
		s, ok := scan(doc, '[')
		for i := 0; ok && s.d.PeekKind() != ']'; i++ {
			value, err := s.value()
			ok = err == nil && yield(i, value)
		}
	}
}
