package schema

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// The codes of [Error].
const (
	CodeInvalid    = "schema_invalid"     // not a JSON Schema, or one without a meaning
	CodeTooComplex = "schema_too_complex" // beyond what one parameter, or one action, may cost
	CodeRemoteRef  = "schema_remote_ref"  // it needs a document that is not part of it, or cannot be had

	CodeUnsupported = "schema_unsupported" // of a [Graph]: it needs a draft, a vocabulary or a kind of reference beyond this package
)

// Error says why a schema cannot be used, and where in it.
type Error struct {
	Code    string // one of the codes above
	Pointer string // JSON Pointer into the schema
	Message string // lower case, without a full stop
	URL     string // of the document that Pointer is about, in a [Graph]
	Err     error  // why that cannot be had
}

func (e *Error) Error() string {
	text := e.Message
	if e.Pointer != "" {
		text += " at " + e.Pointer
	}
	if e.URL != "" {
		text = fmt.Sprintf("%s (in %q)", text, e.URL)
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

func invalid(pointer, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Pointer: pointer, Message: fmt.Sprintf(format, args...)}
}

func tooComplex(pointer, format string, args ...any) *Error {
	return &Error{Code: CodeTooComplex, Pointer: pointer, Message: fmt.Sprintf(format, args...)}
}

func remote(pointer, format string, args ...any) *Error {
	return &Error{Code: CodeRemoteRef, Pointer: pointer, Message: fmt.Sprintf(format, args...)}
}

// ErrTooMuchWork is the error of a check whose [Budget] ran out: nothing is known about the value.
var ErrTooMuchWork = errors.New("the value takes too long to check against the schema")

// SlowPatternError is the error of a check in which matching a pattern took too long: nothing is known about the value.
type SlowPatternError struct{ Pattern string }

func (e *SlowPatternError) Error() string {
	return fmt.Sprintf("the pattern %q takes too long", cut(e.Pattern))
}

// maxWord is how much of one word from outside a message repeats, in characters.
const maxWord = 80

func cut(s string) string {
	for i, n := 0, 0; i < len(s); n++ {
		if n == maxWord {
			return s[:i] + "…"
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s
}
