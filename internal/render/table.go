package render

import (
	"bytes"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxTableColumns keeps a table readable, and the memory for rows of ever new names within bounds.
const maxTableColumns = 100

// Table prints a JSON value as a table:
//
//   - an array of objects with a header, a column for each name in the order of first appearance;
//   - an object as two columns, name and value, unless it wraps a list: an object with one array of objects among its
//     members, and without an "id" of its own, is that array, and its other members (totals, cursors) are left out;
//   - another array as one column, and a scalar as itself.
//
// Strings are shown as text, nested values as compact JSON, absent members as nothing. When raw is not acceptable to
// [strictjson.Check] its error is returned and nothing printed. More than 100 different names are the fault
// "not_tabular".
func Table(w io.Writer, raw []byte, o ColumnOptions) error {
	if err := strictjson.Check(raw); err != nil {
		return err
	}
	rows, hasHeader, err := tabulate(bytes.TrimSpace(raw))
	if err != nil {
		return err
	}
	o.Header = o.Header && hasHeader
	return Columns(w, rows, o)
}

func tabulate(value jsontext.Value) (rows [][]string, hasHeader bool, err error) {
	if list, ok := wrappedList(value); ok {
		value = list
	}
	switch {
	case value.Kind() == '{':
		for name, member := range strictjson.Members(value) {
			rows = append(rows, []string{name, cellText(member)})
		}
	case value.Kind() != '[':
		rows = [][]string{{cellText(value)}}
	case isListOfObjects(value):
		rows, err = objectRows(value)
		return rows, true, err
	default:
		for _, element := range strictjson.Elements(value) {
			rows = append(rows, []string{cellText(element)})
		}
	}
	return rows, false, nil
}

// wrappedList finds the list in an answer such as {"items":[…],"total":3}.
func wrappedList(value jsontext.Value) (list jsontext.Value, ok bool) {
	members := 0
	for name, member := range strictjson.Members(value) {
		members++
		if name == "id" {
			return nil, false
		}
		if member.Kind() == '[' {
			if list != nil {
				return nil, false
			}
			list = member
		}
	}
	return list, list != nil && (members == 1 || !isBlock(list) || isListOfObjects(list))
}

func isListOfObjects(list jsontext.Value) bool {
	some := false
	for _, element := range strictjson.Elements(list) {
		if element.Kind() != '{' {
			return false
		}
		some = true
	}
	return some
}

func objectRows(list jsontext.Value) ([][]string, error) {
	var header []string
	column := map[string]int{}
	rows := [][]string{nil}
	for _, element := range strictjson.Elements(list) {
		row := make([]string, len(header))
		for name, member := range strictjson.Members(element) {
			at, known := column[name]
			if !known {
				if len(header) == maxTableColumns {
					return nil, fault.New(fault.Internal, "not_tabular", "the answer has more than %d different members, too many for a table",
						maxTableColumns).WithHint("-o json")
				}
				at = len(header)
				column[name] = at
				header = append(header, name)
				row = append(row, "")
			}
			row[at] = cellText(member)
		}
		rows = append(rows, row)
	}
	rows[0] = header
	if len(header) == 0 { // only empty objects
		return nil, nil
	}
	return slices.Clip(rows), nil
}

func cellText(value jsontext.Value) string {
	if text, ok := strictjson.String(value); ok {
		return text
	}
	return string(strictjson.Compact(value))
}
