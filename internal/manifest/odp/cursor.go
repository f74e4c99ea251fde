package odp

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Cursor stands on one value of a document. Its methods read parts of the value and judge them; the first fault is kept,
// with the way to it, and everything after reads as zero values. So a parser reads straight down and asks for
// [Cursor.Issue] once, at its end. A nil Cursor stands on a member that is absent: it reads as zero values, without fault.
type Cursor struct {
	node  *jsontree.Node // nil when a fault was found on the way here
	up    *Cursor
	token string // the member's name; for elements of an array "", and index counts
	index int
	scope *scope
}

// scope is the smallest thing that a fault spoils: a document, or a part of it.
type scope struct {
	code  string
	issue *Issue
}

// NewCursor starts at the top of a document. Faults carry the code.
func NewCursor(root *jsontree.Node, code string) *Cursor {
	return &Cursor{node: root, scope: &scope{code: code}}
}

// Scope returns a cursor on the same value whose faults are kept apart, under a code of their own: they spoil this value
// only, not the document around it (ODP-6, ODP-96).
func (c *Cursor) Scope(code string) *Cursor {
	if c == nil {
		return nil
	}
	scoped := *c
	scoped.scope = &scope{code: code}
	return &scoped
}

// Issue returns the first fault that was found in the cursor's scope, or nil.
func (c *Cursor) Issue() *Issue {
	if c == nil {
		return nil
	}
	return c.scope.issue
}

// Failed reports whether a fault was found in the cursor's scope.
func (c *Cursor) Failed() bool { return c.Issue() != nil }

// Fail records that the value breaks a rule: "must be …". Only the first fault of a scope is kept.
func (c *Cursor) Fail(format string, args ...any) {
	if c != nil && c.scope.issue == nil {
		c.scope.issue = &Issue{Code: c.scope.code, Pointer: c.Pointer(), Message: fmt.Sprintf(format, args...)}
	}
}

// Pointer returns the JSON Pointer of the value; "" is the whole document.
func (c *Cursor) Pointer() string {
	if c == nil || c.up == nil {
		return ""
	}
	token := c.token
	if c.up.node.IsArray() {
		token = strconv.Itoa(c.index)
	}
	return jsontree.Pointer(c.up.Pointer(), token)
}

// Node returns the value itself, or nil where there is none.
func (c *Cursor) Node() *jsontree.Node {
	if c == nil {
		return nil
	}
	return c.node
}

// Raw returns the value as compact JSON, or nil where there is none.
func (c *Cursor) Raw() jsontext.Value {
	if c == nil || c.node == nil {
		return nil
	}
	return c.node.Value()
}

// Is reports whether the value is there and of that kind.
func (c *Cursor) Is(kind jsontext.Kind) bool { return c != nil && c.node != nil && c.node.Kind == kind }

// expect reports whether the value is of that kind; any other value that is there is a fault.
func (c *Cursor) expect(kind jsontext.Kind, name string) bool {
	if c == nil || c.node == nil {
		return false
	}
	if c.node.Kind != kind {
		c.Fail("must be %s", name)
		return false
	}
	return true
}

// Object reports whether the value is an object; if not, that is a fault.
func (c *Cursor) Object() bool { return c.expect('{', "an object") }

// Closed allows no other members than these; the value must be an object.
func (c *Cursor) Closed(names ...string) {
	if !c.Object() {
		return
	}
	for i, name := range c.node.Names {
		if !slices.Contains(names, name) {
			c.child(name, i, c.node.Items[i]).Fail("is not allowed here")
		}
	}
}

// Forbid records a fault for each of these members that is there.
func (c *Cursor) Forbid(names ...string) {
	for _, name := range names {
		c.Optional(name).Fail("is not allowed here")
	}
}

// Member returns a member that must be there; the value must be an object.
func (c *Cursor) Member(name string) *Cursor {
	if member := c.Optional(name); member != nil {
		return member
	}
	if c == nil {
		return nil
	}
	missing := c.child(name, 0, nil)
	if c.node != nil {
		missing.Fail("is missing")
	}
	return missing
}

// Optional returns a member that may be there, or nil; the value must be an object.
func (c *Cursor) Optional(name string) *Cursor {
	if !c.Object() {
		return nil
	}
	if node := c.node.Member(name); node != nil {
		return c.child(name, 0, node)
	}
	return nil
}

func (c *Cursor) child(token string, index int, node *jsontree.Node) *Cursor {
	return &Cursor{node: node, up: c, token: token, index: index, scope: c.scope}
}

// Elements yields the elements of an array that must have from low to high of them.
func (c *Cursor) Elements(low, high int) iter.Seq2[int, *Cursor] {
	return func(yield func(int, *Cursor) bool) {
		if !c.expect('[', "an array") {
			return
		}
		if n := len(c.node.Items); n < low || n > high {
			c.Fail("must have %s elements, not %d", span(low, high), n)
			return
		}
		for i, item := range c.node.Items {
			if !yield(i, c.child("", i, item)) {
				return
			}
		}
	}
}

// Len returns the number of elements of an array, or of members of an object; 0 for anything else.
func (c *Cursor) Len() int {
	if c == nil || c.node == nil {
		return 0
	}
	return len(c.node.Items)
}

// Text returns a string of low to high code points (ODP-3).
func (c *Cursor) Text(low, high int) string {
	if !c.expect('"', "a string") {
		return ""
	}
	text := c.node.Text()
	if n := utf8.RuneCountInString(text); n < low || n > high {
		c.Fail("must have %s characters, not %d", span(low, high), n)
		return ""
	}
	return text
}

// String returns a string of any length.
func (c *Cursor) String() string {
	if !c.expect('"', "a string") {
		return ""
	}
	return c.node.Text()
}

// ID returns a local identifier (ODP-10).
func (c *Cursor) ID() string {
	return c.checked(ValidID, "must be 1 to 128 letters, digits, '.', '_', '~' or '-', and neither \".\" nor \"..\"")
}

// CapabilityID returns the identifier of a filter, a sort or a unit (ODP-63).
func (c *Cursor) CapabilityID() string {
	return c.checked(ValidCapabilityID, "must be 1 to 64 letters, digits, '.', '_', '~' or '-'")
}

// Tag returns a well-formed language tag (ODP-25) of 2 to 35 characters, as the published schemas have it.
func (c *Cursor) Tag() string {
	return c.checked(func(s string) bool { return len(s) >= 2 && len(s) <= 35 && ValidTag(s) },
		"must be a well-formed language tag (RFC 5646) of at most 35 characters")
}

// checked returns a string that passes a test.
func (c *Cursor) checked(valid func(string) bool, rule string) string {
	if !c.expect('"', "a string") {
		return ""
	}
	text := c.node.Text()
	if !valid(text) {
		c.Fail("%s, not %q", rule, fault.Word(text))
		return ""
	}
	return text
}

// Reference returns a Resource Reference (ODP-12).
func (c *Cursor) Reference() string {
	if !c.expect('"', "a string") {
		return ""
	}
	text := c.node.Text()
	if err := CheckReference(text); err != nil {
		c.Fail("%v", err)
		return ""
	}
	return text
}

// Version returns an odp_version that can be understood (ODP-16).
func (c *Cursor) Version() string {
	if !c.expect('"', "a string") {
		return ""
	}
	text := c.node.Text()
	if err := CheckVersion(text); err != nil {
		c.Fail("%v", err)
		return ""
	}
	return text
}

// OneOf returns a string that is one of the values.
func (c *Cursor) OneOf(values ...string) string {
	text := c.String()
	if c.Is('"') && !slices.Contains(values, text) {
		c.Fail("must be %s, not %q", strings.Join(values, " or "), fault.Word(text))
		return ""
	}
	return text
}

// Integer returns a whole number from low to high; 1.0 and 1e2 are whole numbers too.
func (c *Cursor) Integer(low, high int64) int64 {
	if !c.expect('0', "a number") {
		return 0
	}
	n, ok := wholeNumber(string(c.node.Raw))
	if !ok || n < low || n > high {
		c.Fail("must be a whole number from %d to %d", low, high)
		return 0
	}
	return n
}

// Bool returns true or false.
func (c *Cursor) Bool() bool {
	if c == nil || c.node == nil {
		return false
	}
	if c.node.Kind != 't' && c.node.Kind != 'f' {
		c.Fail("must be true or false")
	}
	return c.node.Kind == 't'
}

// True reports whether the member is there; its one legal value is true (ODP-40, ODP-64).
func (c *Cursor) True() bool {
	if c == nil || c.node == nil {
		return false
	}
	if c.node.Kind != 't' {
		c.Fail("must be true, or absent")
	}
	return c.node.Kind == 't'
}

// span words a range of counts.
func span(low, high int) string {
	if low == high {
		return strconv.Itoa(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}
