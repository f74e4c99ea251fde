package strictjson

import (
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// SharedMembers is [Members] with values that are parts of doc, for large documents that passed [Check]: what is kept of
// a value keeps all of doc in memory, unless it is a copy.
func SharedMembers(doc jsontext.Value) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		s := scanner{doc: doc}
		for ok := s.take('{') && s.next() == '"'; ok; ok = s.take(',') && s.next() == '"' {
			name, ok := unquote(s.value())
			if !ok || !s.take(':') {
				return
			}
			if value := s.value(); value == nil || !yield(name, value) {
				return
			}
		}
	}
}

// SharedElements is [Elements] with values that are parts of doc, as those of [SharedMembers] are.
func SharedElements(doc jsontext.Value) iter.Seq2[int, jsontext.Value] {
	return func(yield func(int, jsontext.Value) bool) {
		s := scanner{doc: doc}
		for i, ok := 0, s.take('[') && s.next() != ']'; ok; i, ok = i+1, s.take(',') {
			if value := s.value(); value == nil || !yield(i, value) {
				return
			}
		}
	}
}

// AppendCompact appends a value that passed [Check] without its insignificant white space.
func AppendCompact(out []byte, value jsontext.Value) []byte {
	s := scanner{doc: value}
	for s.next() != 0 {
		begin := s.at
		if s.doc[begin] == '"' {
			s.text()
		} else {
			for s.at < len(s.doc) && s.doc[s.at] != '"' && !isSpace(s.doc[s.at]) {
				s.at++
			}
		}
		out = append(out, s.doc[begin:s.at]...)
	}
	return out
}
