package agentactions

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// severity says what a fault takes away.
type severity bool

const (
	flaw  severity = false // nothing: the member is ignored
	fatal severity = true  // the action or flow that has it
)

// record is one action, flow or other object while it is read, with what was found wrong in it.
type record struct {
	pointer string // to the object
	issues  []manifest.Issue
	worst   *manifest.Issue // the first fatal one
}

// add records what is wrong with a member, or with a part of one.
func (r *record) add(s severity, member, code, format string, args ...any) {
	issue := manifest.Issue{Code: code, Pointer: r.pointer + member, Message: fmt.Sprintf(format, args...)}
	r.issues = append(r.issues, issue)
	if s == fatal && r.worst == nil {
		r.worst = &issue
	}
}

// conclude returns why the action of a command, or a flow, cannot be used; nil when it can.
func (r *record) conclude(command []string) *manifest.Issue {
	if r.worst != nil {
		r.worst.Command = command
	}
	return r.worst
}

// is reports whether a member is there and of a kind.
func (r *record) is(kind jsontext.Kind, s severity, name string, value jsontext.Value) bool {
	switch value.Kind() {
	case kind:
		return true
	case 'n':
	default:
		r.add(s, jsontree.Pointer("", name), "wrong_type", "%q must be %s", fault.Word(name), kindName(kind))
	}
	return false
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	default:
		return "a string"
	}
}

// text reads a member that is a string; it is "" when it is none.
func (r *record) text(s severity, name string, value jsontext.Value) string {
	if !r.is('"', s, name, value) {
		return ""
	}
	text, _ := strictjson.String(value)
	return text
}
