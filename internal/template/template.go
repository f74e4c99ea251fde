// Package template holds request templates: text and JSON in which {{$name}} stands for an argument. A template is parsed
// once and rendered many times; what an argument contains is data and is never read as a template.
//
// The grammar and the rules T-1 to T-11 are those of the client rules for Interagentic services. It is a leaf: where the
// arguments come from and where the request goes is somebody else's business.
package template

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// Limits of what one rendering may add up to: a site could otherwise repeat a large argument without end.
const (
	MaxBytes       = 32 << 20
	MaxHeaderBytes = 16 << 10 // of one header's value; servers take about as much for all of them
)

// Lookup gives the raw compact JSON of a given argument, and ok=false for one that was not given.
type Lookup func(name string) (raw []byte, ok bool)

// Ref is one use of an argument.
type Ref struct {
	Name    string   // the argument
	Path    []string // what is read from inside a structured argument: member names, or decimal indexes of arrays
	Pointer string   // JSON Pointer to the string that holds the template; empty in a [Text]
}

// SyntaxError is a template that is not well formed (T-11).
type SyntaxError struct {
	Offset  int    // byte offset in the string that holds the template
	Pointer string // JSON Pointer to that string; empty outside JSON
	Message string // lower case, without a full stop
}

func (e *SyntaxError) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("%s (at byte %d)", e.Message, e.Offset)
	}
	return fmt.Sprintf("%s (at byte %d of %s)", e.Message, e.Offset, e.Pointer)
}

// SyntaxErrors are all that is wrong with a document, in its order; never empty.
type SyntaxErrors []*SyntaxError

func (list SyntaxErrors) Error() string {
	if len(list) == 1 {
		return list[0].Error()
	}
	return fmt.Sprintf("%s, and %d more", list[0], len(list)-1)
}

// Unwrap makes each of them found by errors.As.
func (list SyntaxErrors) Unwrap() []error {
	errs := make([]error, len(list))
	for i, e := range list {
		errs[i] = e
	}
	return errs
}

// ValueError is an argument that must not go where its template puts it (T-3).
type ValueError struct {
	Name    string // the argument
	Message string // lower case, without a full stop; never holds the value
}

func (e *ValueError) Error() string { return fmt.Sprintf("argument %q %s", e.Name, e.Message) }

// resolve finds what a reference stands for. A path that leads nowhere counts as not given (T-4).
func (l Lookup) resolve(ref *Ref) (value jsontext.Value, ok bool) {
	raw, ok := l(ref.Name)
	value = raw
	for _, segment := range ref.Path {
		if !ok {
			break
		}
		value, ok = child(value, segment)
	}
	return value, ok && len(value) > 0
}

func child(value jsontext.Value, segment string) (jsontext.Value, bool) {
	if value.Kind() == '{' {
		return strictjson.Member(value, segment)
	}
	if !isIndex(segment) { // in an array; everything else has no elements to yield
		return nil, false
	}
	for i, element := range strictjson.Elements(value) {
		if strconv.Itoa(i) == segment {
			return element, true
		}
	}
	return nil, false
}

func isIndex(segment string) bool {
	for i := range len(segment) {
		if segment[i] < '0' || segment[i] > '9' {
			return false
		}
	}
	return segment == "0" || segment[0] != '0'
}

// appendPlain appends a value as text: strings as they are, everything else as its compact JSON (T-2).
func appendPlain(dst []byte, value jsontext.Value) []byte {
	if value.Kind() != '"' {
		return append(dst, value...)
	}
	out, err := jsontext.AppendUnquote(dst, value)
	if err != nil { // not the JSON that a Lookup promises: keep it a visible literal
		return append(dst, value...)
	}
	return out
}

func checkSize(dst []byte, ref *Ref) error {
	if len(dst) > MaxBytes {
		return &ValueError{ref.Name, fmt.Sprintf("makes the request larger than %d bytes", MaxBytes)}
	}
	return nil
}
