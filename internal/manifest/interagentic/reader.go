package interagentic

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// severity says what a fault takes away.
type severity bool

const (
	flaw  severity = false // nothing: the member is ignored
	fatal severity = true  // the action, group or document around it
)

// finding is an issue with its severity.
type finding struct {
	manifest.Issue
	severity severity
}

// reader walks a document that has passed [strictjson.Check], so syntax never fails it. Each method reads one value. A
// value of the wrong type is skipped and becomes a finding; null is skipped in silence, as if the member were absent.
type reader struct {
	d     *jsontext.Decoder
	found []finding
}

func newReader(doc []byte) *reader {
	return &reader{d: jsontext.NewDecoder(bytes.NewBuffer(doc))}
}

// at returns the pointer of the value read last.
func (r *reader) at() string { return string(r.d.StackPointer()) }

// add records a finding about the value that was read last.
func (r *reader) add(s severity, code, format string, args ...any) {
	r.addAt(r.at(), s, code, format, args...)
}

func (r *reader) addAt(pointer string, s severity, code, format string, args ...any) {
	r.found = append(r.found, finding{manifest.Issue{Code: code, Pointer: pointer, Message: fmt.Sprintf(format, args...)}, s})
}

// skip reads a value that nobody asked for. Like every read here it cannot fail: the syntax was checked before.
func (r *reader) skip() { _ = r.d.SkipValue() }

// next reports whether a value of that kind comes next. If not, it is skipped.
func (r *reader) next(kind jsontext.Kind, s severity) bool {
	switch r.d.PeekKind() {
	case kind:
		return true
	case 'n':
		r.skip()
	default:
		r.skip()
		r.add(s, "wrong_type", "%s must be %s", lastName(r.at()), kindName(kind))
	}
	return false
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	default:
		return "a number"
	}
}

// lastName names a value in a message: its member name, or its number in an array.
func lastName(pointer string) string {
	name := jsontext.Pointer(pointer).LastToken()
	if _, err := strconv.Atoi(name); err == nil {
		return "element " + name
	}
	return strconv.Quote(fault.Word(name))
}

// object yields the names of the object's members. The loop must read one value for each.
func (r *reader) object(s severity) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !r.next('{', s) {
			return
		}
		r.token()
		for r.d.PeekKind() == '"' {
			if name := r.token(); !yield(name.String()) {
				return
			}
		}
		r.token()
	}
}

// array yields the indexes of the array's elements. The loop must read one value for each.
func (r *reader) array(s severity) iter.Seq[int] {
	return func(yield func(int) bool) {
		if !r.next('[', s) {
			return
		}
		r.token()
		for i := 0; r.d.PeekKind() != ']'; i++ {
			if !yield(i) {
				return
			}
		}
		r.token()
	}
}

// text reads a string.
func (r *reader) text(s severity) (text string, ok bool) {
	if !r.next('"', s) {
		return "", false
	}
	return r.token().String(), true
}

// set reads a string that is only shown, and keeps what was there when there is none.
func (r *reader) set(text *string) {
	if s, ok := r.text(flaw); ok {
		*text = s
	}
}

// boolean reads true or false.
func (r *reader) boolean(s severity) bool {
	switch r.d.PeekKind() {
	case 't', 'f':
		return r.token().Bool()
	case 'n':
		r.skip()
	default:
		r.skip()
		r.add(s, "wrong_type", "%s must be true or false", lastName(r.at()))
	}
	return false
}

// raw reads any value as a compact copy, nil for null.
func (r *reader) raw() jsontext.Value {
	value, err := r.d.ReadValue()
	if err != nil || value.Kind() == 'n' {
		return nil
	}
	return strictjson.Compact(value)
}

func (r *reader) token() jsontext.Token {
	token, _ := r.d.ReadToken()
	return token
}

// texts reads an array of strings; other elements are left out with a finding.
func (r *reader) texts(s severity) []string {
	var list []string
	for range r.array(s) {
		if text, ok := r.text(s); ok {
			list = append(list, text)
		}
	}
	return list
}

// worst returns the first finding, from a mark on, that is fatal.
func (r *reader) worst(mark int) *manifest.Issue {
	for i := mark; i < len(r.found); i++ {
		if r.found[i].severity == fatal {
			return &r.found[i].Issue
		}
	}
	return nil
}

// issues returns all findings, or as many as are kept.
func (r *reader) issues() []manifest.Issue {
	var list []manifest.Issue
	for i := range r.found {
		if i == MaxIssues {
			return append(list, manifest.Issue{Code: "too_many_issues", Message: fmt.Sprintf("%d more issues are not listed", len(r.found)-i)})
		}
		list = append(list, r.found[i].Issue)
	}
	return list
}
