package agentmanifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// report collects what is wrong with a value.
type report struct{ issues []manifest.Issue }

func (r *report) add(pointer, code, format string, args ...any) {
	if len(r.issues) <= MaxIssues { // one more than is kept tells that there are more
		r.issues = append(r.issues, manifest.Issue{Code: code, Pointer: pointer, Message: fmt.Sprintf(format, args...)})
	}
}

// rule holds a value to a part of the format's schema.
type rule func(r *report, pointer string, n *jsontree.Node)

// member is a rule for a member of an object.
type member struct {
	name     string
	required bool
	rule     rule
}

func need(name string, rule rule) member { return member{name, true, rule} }

func may(name string, rule rule) member { return member{name, false, rule} }

// object is the rule for an object with these members and any others (AM-3).
func object(members ...member) rule {
	return func(r *report, pointer string, n *jsontree.Node) {
		if !r.is('{', pointer, n) {
			return
		}
		for _, m := range members {
			switch value := n.Member(m.name); {
			case value != nil:
				m.rule(r, jsontree.Pointer(pointer, m.name), value)
			case m.required:
				r.add(pointer, "member_missing", "%q is missing", m.name)
			}
		}
	}
}

// list is the rule for an array of at least so many elements.
func list(least int, each rule) rule {
	return func(r *report, pointer string, n *jsontree.Node) {
		if !r.is('[', pointer, n) {
			return
		}
		if len(n.Items) < least {
			r.add(pointer, "empty", "must not be empty")
		}
		for i, item := range n.Items {
			each(r, jsontree.Pointer(pointer, strconv.Itoa(i)), item)
		}
	}
}

func anything(*report, string, *jsontree.Node) {}

func text(r *report, pointer string, n *jsontree.Node) { r.is('"', pointer, n) }

// words is the rule for a string that is not empty.
func words(r *report, pointer string, n *jsontree.Node) {
	if r.is('"', pointer, n) && n.Text() == "" {
		r.add(pointer, "empty", "must not be empty")
	}
}

func oneOf(known ...string) rule {
	return func(r *report, pointer string, n *jsontree.Node) {
		if r.is('"', pointer, n) && !slices.Contains(known, n.Text()) {
			r.add(pointer, "value_unknown", "%q is none of %s", fault.Word(n.Text()), strings.Join(known, ", "))
		}
	}
}

func boolean(r *report, pointer string, n *jsontree.Node) {
	if n.Kind != 't' && n.Kind != 'f' {
		r.add(pointer, "wrong_type", "must be a boolean")
	}
}

// name is the rule for an identifier: small letters, digits and some others, which do not come first.
func name(others string) rule {
	return func(r *report, pointer string, n *jsontree.Node) {
		if r.is('"', pointer, n) && !isName(n.Text(), others) {
			r.add(pointer, "name_invalid", "%q must be small letters, digits and any of %q, beginning with a letter or a digit", fault.Word(n.Text()), others)
		}
	}
}

func isName(text, others string) bool {
	plain := func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' }
	for i, r := range text {
		if !plain(r) && (i == 0 || !strings.ContainsRune(others, r)) {
			return false
		}
	}
	return text != ""
}

// idOthers are the characters of an id beside letters and digits.
const idOthers = "._-"

// positive is the rule for a whole number from 1.
func positive(r *report, pointer string, n *jsontree.Node) {
	if value, err := decimal.NewFromString(string(n.Raw)); n.Kind != '0' || err != nil || !value.IsInteger() || !value.IsPositive() {
		r.add(pointer, "wrong_type", "must be a whole number from 1")
	}
}

// is reports whether a value is of a kind.
func (r *report) is(kind jsontext.Kind, pointer string, n *jsontree.Node) bool {
	if n.Kind == kind {
		return true
	}
	r.add(pointer, "wrong_type", "must be %s", map[jsontext.Kind]string{'{': "an object", '[': "an array", '"': "a string"}[kind])
	return false
}
