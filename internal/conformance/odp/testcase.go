package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// vector is the file that a case stands in.
type vector struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Subject  string `json:"subject"`
}

// testcase is one case: what goes in, and what is expected to come out.
type testcase struct {
	vector
	root *jsontree.Node
}

// errSkipped is why a case is not for this role.
var errSkipped = errors.New("this is an agent: the case is for a service")

// judge runs a case. Whatever it holds, there is a verdict.
func judge(r request) (verdict status, message string) {
	defer func() {
		if trouble := recover(); trouble != nil {
			verdict, message = failed, fmt.Sprintf("the code broke down: %v", trouble)
		}
	}()
	err := errSkipped
	if role := r.root.Member("role").Text(); r.role == agent && (role == "" || role == agent) {
		err = r.run()
	}
	switch {
	case err == nil:
		return passed, ""
	case errors.Is(err, errSkipped):
		return skipped, err.Error()
	}
	return failed, err.Error()
}

// run finds the code that a case is for, and compares what it does with what is expected.
func (t testcase) run() error {
	for _, s := range suites() {
		if s.matches(t) {
			return s.check(t)
		}
	}
	return fmt.Errorf("there is no code for such a case: %s, operation %q", t.ID, t.text("operation"))
}

// has reports whether a member is there.
func (t testcase) has(name string) bool { return t.root.Member(name) != nil }

// first returns the first of the members that is there, or nil. Test cases are written by people, and spellings differ.
func (t testcase) first(names ...string) *jsontree.Node { return first(t.root, names...) }

func first(n *jsontree.Node, names ...string) *jsontree.Node {
	for _, name := range names {
		if member := n.Member(name); member != nil {
			return member
		}
	}
	return nil
}

// text returns a string, and "" where there is none.
func (t testcase) text(names ...string) string { return t.first(names...).Text() }

// flag returns whether the first of the members that is there is true, and otherwise where none is.
func (t testcase) flag(otherwise bool, names ...string) bool {
	if n := t.first(names...); n != nil {
		return n.Kind == 't'
	}
	return otherwise
}

// number returns a whole number that a case has to have.
func (t testcase) number(names ...string) (int, error) {
	n := t.first(names...)
	if n == nil {
		return 0, missing(names...)
	}
	return number(n)
}

func number(n *jsontree.Node) (int, error) {
	c := odp.NewCursor(n, "case")
	value := c.Integer(-1<<53, 1<<53)
	return int(value), faultOf(c)
}

// httpStatus returns a number that may be the status of an answer.
func httpStatus(n *jsontree.Node) (int, error) {
	status, err := number(n)
	if err == nil && (status < 200 || status > 599) {
		err = fmt.Errorf("%d is no status of an answer", status)
	}
	return status, err
}

// cursor stands on an input as on a document of its own.
func (t testcase) cursor(names ...string) (*odp.Cursor, error) {
	n := t.first(names...)
	if n == nil {
		return nil, missing(names...)
	}
	return odp.NewCursor(n, "case"), nil
}

// document returns an input as the bytes of a document.
func (t testcase) document(names ...string) ([]byte, error) {
	n := t.first(names...)
	if n == nil {
		return nil, missing(names...)
	}
	return n.Value(), nil
}

func missing(names ...string) error { return fmt.Errorf("the case has no %q", names[0]) }

// faultOf is the first fault that was left with a cursor, as an error.
func faultOf(c *odp.Cursor) error {
	if issue := c.Issue(); issue != nil {
		return fmt.Errorf("%q %s", issue.Pointer, issue.Message)
	}
	return nil
}

// valid compares whether the code accepted something with what the case says about it.
func (t testcase) valid(refusal error) error {
	want := t.first("valid", "expected")
	if want == nil || want.Kind != 't' && want.Kind != 'f' {
		return missing("valid")
	}
	switch accepted := want.Kind == 't'; {
	case accepted && refusal != nil:
		return fmt.Errorf("it is valid, but was refused: %w", refusal)
	case !accepted && refusal == nil:
		return errors.New("it is not valid, but was accepted")
	}
	return nil
}

// wants is [testcase.valid] for code that says yes or no.
func (t testcase) wants(got bool) error {
	if got {
		return t.valid(nil)
	}
	return t.valid(errors.New("the code says no"))
}

// equal compares what the code returned with a member of the case.
func (t testcase) equal(got any, names ...string) error {
	want := t.first(names...)
	if want == nil {
		return missing(names...)
	}
	return same(names[0], want, got)
}

// results compares each of the named results that the case expects; it has to expect one. They stand in the case or in its
// member "expected".
func (t testcase) results(got map[string]any) error {
	from := t.root
	if expected := t.first("expected"); expected != nil && expected.Kind == '{' {
		from = expected
	}
	compared := false
	for name, value := range got {
		want := from.Member(name)
		if want == nil {
			continue
		}
		compared = true
		if err := same(name, want, value); err != nil {
			return err
		}
	}
	if !compared {
		return errors.New("the case expects nothing that is known")
	}
	return nil
}

// same compares as JSON, where the order of members means nothing.
func same(name string, want *jsontree.Node, got any) error {
	if list, unordered := got.(set); unordered && want.IsArray() {
		want = &jsontree.Node{Kind: '[', Items: slices.SortedFunc(slices.Values(want.Items), func(a, b *jsontree.Node) int {
			return strings.Compare(a.Text(), b.Text())
		})}
		got = append([]string{}, slices.Sorted(slices.Values(list))...)
	}
	text, err := json.Marshal(got)
	if err != nil {
		return err
	}
	if expected := want.Value(); !reflect.DeepEqual(generic(expected), generic(text)) {
		return fmt.Errorf("%s is %s, want %s", name, text, expected)
	}
	return nil
}

func generic(text []byte) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return err
	}
	return value
}

// elements returns the elements of an array, and none of anything else.
func elements(n *jsontree.Node) []*jsontree.Node {
	if !n.IsArray() {
		return nil
	}
	return n.Items
}

// texts returns the strings of an array.
func texts(n *jsontree.Node) []string {
	list := make([]string, 0, len(elements(n)))
	for _, item := range elements(n) {
		list = append(list, item.Text())
	}
	return list
}

// ids returns the identifiers in an array, whose elements are strings, or objects with an "id".
func ids(n *jsontree.Node) []string {
	var list []string
	for _, item := range elements(n) {
		list = append(list, identifier(item))
	}
	return list
}

func identifier(n *jsontree.Node) string {
	if n.Kind == '{' {
		return n.Member("id").Text()
	}
	return n.Text()
}

// complete returns an object with the members that it lacks: some cases hold the members alone that they are about. A
// string is an object's identifier.
func complete(n *jsontree.Node, defaults string) *jsontree.Node {
	whole := jsontree.Parse([]byte(defaults))
	if n.Kind == '"' {
		whole.Set("id", n)
	}
	for i, name := range n.Names {
		whole.Set(name, n.Items[i])
	}
	return whole
}

// tree returns a tree of JSON text of this package's own.
func tree(format string, args ...any) *jsontree.Node {
	return jsontree.Parse(fmt.Appendf(nil, format, args...))
}

// quoted returns texts as JSON strings with commas between them.
func quoted(texts ...string) string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = string(strictjson.Quote(text))
	}
	return strings.Join(list, ",")
}

// values returns the elements of an array as they stand there.
func values(n *jsontree.Node) []jsontext.Value {
	var list []jsontext.Value
	for _, item := range elements(n) {
		list = append(list, item.Value())
	}
	return list
}

// anyOf reports whether a word holds one of the parts.
func anyOf(word string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(word, part) })
}
