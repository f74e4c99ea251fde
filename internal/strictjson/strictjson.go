// Package strictjson reads JSON that comes from strangers: valid UTF-8, no duplicate names, a bounded depth, numbers that
// are cheap to compute with, and nothing behind the value. It keeps values raw, so digits and member order survive.
package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of what Check accepts in any document. They are far beyond honest use.
const (
	MaxDepth       = 64   // nested arrays and objects
	MaxNumberBytes = 1100 // characters of one number
	MaxExponent    = 1000 // absolute value of a number's exponent; 1e999999999 would cost gigabytes as an exact number
)

// Error says what is wrong with a document and where.
type Error struct {
	Pointer string // JSON Pointer to the innermost value reached
	Offset  int64  // byte offset in the document
	Message string // lower case, without a full stop
}

func (e *Error) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("%s at byte %d", e.Message, e.Offset)
	}
	return fmt.Sprintf("%s at %s (byte %d)", e.Message, e.Pointer, e.Offset)
}

// Check reports whether doc is one JSON value within the limits. Its error is an [*Error].
func Check(doc []byte) error {
	if jsontext.Value(doc).IsValid() && modest(doc) { // nearly all are, and this takes a third of the time
		return nil
	}
	return examine(doc)
}

// examine says what is wrong with a document; nil for nothing.
func examine(doc []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(doc))
	fail := func(message string) error {
		return &Error{Pointer: string(d.StackPointer()), Offset: d.InputOffset(), Message: message}
	}
	for {
		token, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF) && d.StackDepth() == 0 && d.InputOffset() > 0:
			return nil
		case err != nil:
			return syntaxError(err, d)
		case d.StackDepth() > MaxDepth:
			return fail(fmt.Sprintf("nested deeper than %d levels", MaxDepth))
		case token.Kind() == '0' && !cheapNumber(token.String()):
			return fail("a number is too long or its exponent too large")
		}
		if d.StackDepth() == 0 && token.Kind() != '{' && token.Kind() != '[' || d.StackDepth() == 0 && (token.Kind() == '}' || token.Kind() == ']') {
			if _, err := d.ReadToken(); errors.Is(err, io.EOF) {
				return nil
			}
			return fail("there is more behind the value")
		}
	}
}

func syntaxError(err error, d *jsontext.Decoder) error {
	e := &Error{Pointer: string(d.StackPointer()), Offset: d.InputOffset(), Message: "not valid JSON"}
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if ok {
		e.Offset, e.Pointer = syntax.ByteOffset, string(syntax.JSONPointer)
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Message = "duplicate member"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Message = "the document is cut short"
		if d.InputOffset() == 0 && e.Offset == 0 {
			e.Message = "the document is empty"
		}
	case ok && syntax.Err != nil:
		e.Message = "not valid JSON: " + syntax.Err.Error()
	}
	return e
}

// modest reports whether a document that is valid JSON is surely within the limits as well.
func modest(doc []byte) bool {
	s := scanner{doc: doc}
	for depth := 0; ; {
		switch c := s.next(); c {
		case 0:
			return true
		case '"':
			s.text()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			if !cheapNumber(s.value()) {
				return false
			}
			continue
		}
		if s.at++; depth > MaxDepth {
			return false
		}
	}
}

func cheapNumber[Text string | jsontext.Value](text Text) bool {
	if len(text) > MaxNumberBytes {
		return false
	}
	for i := range len(text) {
		if text[i] == 'e' || text[i] == 'E' {
			exponent, err := strconv.Atoi(string(text[i+1:]))
			return err == nil && -MaxExponent <= exponent && exponent <= MaxExponent
		}
	}
	return true
}

// Members yields the members of a JSON object in document order, with raw values that are copies.
// It yields nothing for any other value, and stops silently at a syntax error: call [Check] first.
func Members(doc jsontext.Value) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		d := jsontext.NewDecoder(bytes.NewReader(doc))
		if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
			return
		}
		for d.PeekKind() == '"' {
			name, err := d.ReadToken()
			if err != nil {
				return
			}
			key := name.String()
			value, err := d.ReadValue()
			if err != nil || !yield(key, bytes.Clone(value)) {
				return
			}
		}
	}
}

// Elements yields the elements of a JSON array. It yields nothing for any other value, and stops silently at a syntax
// error: call [Check] first.
func Elements(doc jsontext.Value) iter.Seq2[int, jsontext.Value] {
	return func(yield func(int, jsontext.Value) bool) {
		d := jsontext.NewDecoder(bytes.NewReader(doc))
		if token, err := d.ReadToken(); err != nil || token.Kind() != '[' {
			return
		}
		for i := 0; d.PeekKind() != ']' && d.PeekKind() != 0; i++ {
			value, err := d.ReadValue()
			if err != nil || !yield(i, bytes.Clone(value)) {
				return
			}
		}
	}
}

// Member returns one member of a JSON object, or ok=false.
func Member(doc jsontext.Value, name string) (value jsontext.Value, ok bool) {
	for key, value := range Members(doc) {
		if key == name {
			return value, true
		}
	}
	return nil, false
}

// String returns the text of a JSON string, or ok=false for any other value.
func String(value jsontext.Value) (text string, ok bool) {
	if value.Kind() != '"' {
		return "", false
	}
	out, err := jsontext.AppendUnquote(nil, value)
	return string(out), err == nil
}

// Compact returns the value without insignificant white space, digits and member order as they were. The value must
// have passed [Check].
func Compact(value jsontext.Value) jsontext.Value {
	return AppendCompact(make([]byte, 0, len(value)), value)
}

// Quote returns text as a JSON string. Invalid UTF-8 becomes U+FFFD.
func Quote(text string) jsontext.Value {
	out, _ := jsontext.AppendQuote(nil, text)
	return out
}
