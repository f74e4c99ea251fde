package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// rowSet is a document as rows: what tables, CSV and lines have in common.
type rowSet struct {
	head  []string           // the names of the columns
	rows  [][]jsontext.Value // may be shorter than head
	known []string           // all names that some row has, where columns were asked for by name
}

// cell is nil where a row has none.
func (s *rowSet) cell(row, column int) jsontext.Value {
	if column < len(s.rows[row]) {
		return s.rows[row][column]
	}
	return nil
}

// listed returns the elements of a list, or of the list that a document wraps; ok is false for any other value.
func listed(value jsontext.Value) (list jsontext.Value, ok bool) {
	if wrapped, ok := wrappedList(value); ok {
		return wrapped, true
	}
	return value, value.Kind() == '['
}

// rowsOf makes rows of a checked document: one for each element of its list, or a single one. Without columns there is
// one for each name in the order of first appearance, or "value" where the elements are no objects. More than 100
// different names are the fault "not_tabular", as are columns of elements that have none.
func rowsOf(document jsontext.Value, columns []ColumnPath) (*rowSet, error) {
	elements := []jsontext.Value{document}
	if list, ok := listed(document); ok {
		elements = elements[:0]
		for _, element := range strictjson.SharedElements(list) {
			elements = append(elements, element)
		}
	}
	switch {
	case columns != nil:
		return selected(elements, columns)
	case len(elements) > 0 && slices.ContainsFunc(elements, func(v jsontext.Value) bool { return v.Kind() != '{' }):
		set := &rowSet{head: []string{"value"}}
		for _, element := range elements {
			set.rows = append(set.rows, []jsontext.Value{element})
		}
		return set, nil
	}
	return everyMember(elements)
}

// selected takes the cells that the columns lead to.
func selected(elements []jsontext.Value, columns []ColumnPath) (*rowSet, error) {
	set := &rowSet{}
	for _, column := range columns {
		set.head = append(set.head, column.Text)
	}
	some := len(elements) == 0
	for _, element := range elements {
		some = some || element.Kind() == '{' || element.Kind() == '['
		row := make([]jsontext.Value, len(columns))
		for i, column := range columns {
			row[i] = column.in(element)
		}
		set.rows = append(set.rows, row)
		if len(set.known) < maxTableColumns {
			set.note(element)
		}
	}
	if !some {
		return nil, fault.New(fault.Internal, "not_tabular", "the answer has no members, so it has no columns to choose").WithHint("-o json")
	}
	return set, nil
}

// note remembers the names that a row has.
func (s *rowSet) note(row jsontext.Value) {
	for name := range strictjson.SharedMembers(row) {
		if !slices.Contains(s.known, name) && len(s.known) < maxTableColumns {
			s.known = append(s.known, name)
		}
	}
}

// tellVain tells, in a line, which of the chosen columns no row has, where there are rows: they are misspelt, as a rule.
func (s *rowSet) tellVain(note func(string)) {
	var out []string
	for i, name := range s.head {
		found := len(s.rows) == 0
		for row := range s.rows {
			found = found || s.cell(row, i) != nil
		}
		if !found {
			out = append(out, name)
		}
	}
	if len(out) > 0 {
		note(fmt.Sprintf("no row has %s; there are %s", strings.Join(out, ", "), strings.Join(s.known, ", ")))
	}
}

// everyMember makes a column of each name.
func everyMember(elements []jsontext.Value) (*rowSet, error) {
	set := &rowSet{}
	column := map[string]int{}
	for _, element := range elements {
		row := make([]jsontext.Value, len(set.head))
		for name, member := range strictjson.SharedMembers(element) {
			at, known := column[name]
			if !known {
				if len(set.head) == maxTableColumns {
					return nil, fault.New(fault.Internal, "not_tabular", "the answer has more than %d different members, too many for a table",
						maxTableColumns).WithHint("-o json")
				}
				at = len(set.head)
				column[name] = at
				set.head = append(set.head, name)
				row = append(row, nil)
			}
			row[at] = member
		}
		set.rows = append(set.rows, row)
	}
	return set, nil
}

// wrappedList finds the list in an answer such as {"items":[…],"total":3}: the one list of objects, or the only member.
func wrappedList(value jsontext.Value) (list jsontext.Value, ok bool) {
	members := 0
	var all []jsontext.Value
	for name, member := range strictjson.SharedMembers(value) {
		members++
		if name == "id" {
			return nil, false
		}
		if member.Kind() != '[' {
			continue
		}
		all = append(all, member)
		if isListOfObjects(member) {
			if ok {
				return nil, false
			}
			list, ok = member, true
		}
	}
	switch {
	case ok:
		return list, true
	case len(all) == 1 && (members == 1 || !isBlock(all[0])):
		return all[0], true
	}
	return nil, false
}

func isListOfObjects(list jsontext.Value) bool {
	some := false
	for _, element := range strictjson.SharedElements(list) {
		if element.Kind() != '{' {
			return false
		}
		some = true
	}
	return some
}

func cellText(value jsontext.Value) string {
	if value == nil {
		return ""
	}
	if text, ok := strictjson.String(value); ok {
		return text
	}
	return string(strictjson.Compact(value))
}

// checked returns a document without the white space around it, or the error of [strictjson.Check].
func checked(raw []byte) (jsontext.Value, error) {
	if err := strictjson.Check(raw); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(raw), nil
}
