package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

func TestTable(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"a list of objects":             {`[{"id":1,"name":"x"},{"name":"longer","new":true}]`, "id  name    new\n1   x\n    longer  true\n"},
		"digits and nested values":      {`[{"a":0.1000,"b":{"c":[1, 2]},"d":null}]`, "a       b            d\n0.1000  {\"c\":[1,2]}  null\n"},
		"an object":                     {`{"id":"x","total":4.50,"l":["a", 1]}`, "id     x\ntotal  4.50\nl      [\"a\",1]\n"},
		"a list of scalars":             {`["a",1,null,[2]]`, "a\n1\nnull\n[2]\n"},
		"a scalar":                      {` "x" `, "x\n"},
		"a wrapped list":                {`{"items":[{"id":1}]}`, "id\n1\n"},
		"a wrapped list with totals":    {`{"total":1,"items":[{"id":1}],"next":null}`, "id\n1\n"},
		"a wrapped list of scalars":     {`{"names":["a","b"]}`, "a\nb\n"},
		"a thing with a list stays":     {`{"id":7,"lines":[{"sku":"a"}]}`, "id     7\nlines  [{\"sku\":\"a\"}]\n"},
		"a thing with tags stays":       {`{"name":"x","tags":["a"]}`, "name  x\ntags  [\"a\"]\n"},
		"two lists stay":                {`{"a":[{}],"b":[{}]}`, "a  [{}]\nb  [{}]\n"},
		"an empty list":                 {`[]`, ""},
		"an empty wrapped list":         {`{"items":[],"total":0}`, ""},
		"an empty object":               {`{}`, ""},
		"empty objects":                 {`[{},{}]`, ""},
		"a cell stays on its line":      {`[{"a":"x\ny\u001b[2J\tz","b":1}]`, "a      b\nx y z  1\n"},
		"wide characters stay in line":  {`[{"a":"漢字","b":1},{"a":"👩‍👩‍👧","b":2},{"a":"é","b":3}]`, "a     b\n漢字  1\n👩‍👩‍👧    2\ne\u0301     3\n"},
		"names are cleaned and escaped": {`{"a\u202e\u001b[31mb":1}`, "a\ufffdb  1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "wide characters stay in line" {
				test.want = strings.ReplaceAll(test.want, "e\u0301", "é")
			}
			var out bytes.Buffer
			if err := Table(&out, []byte(test.in), ColumnOptions{}); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), test.want)
			}
		})
	}
}

func TestTableOfTooManyNamesIsRefused(t *testing.T) {
	var doc strings.Builder
	for i := range maxTableColumns + 1 {
		fmt.Fprintf(&doc, `,{"n%d":1}`, i)
	}
	err := Table(io.Discard, []byte("["+doc.String()[1:]+"]"), ColumnOptions{})
	if e, ok := errors.AsType[*fault.Error](err); !ok || e.Code != "not_tabular" {
		t.Errorf("got %v", err)
	}
}

func TestColumns(t *testing.T) {
	rows := [][]string{{"orders create", "Order popcorn for delivery to an address"}, {"menu", "What there is"}}
	for name, test := range map[string]struct {
		rows [][]string
		o    ColumnOptions
		want string
	}{
		"in a pipe nothing is cut":  {rows, ColumnOptions{}, "orders create  Order popcorn for delivery to an address\nmenu           What there is\n"},
		"indent and gap":            {rows, ColumnOptions{Indent: 2, Gap: 3}, "  orders create   Order popcorn for delivery to an address\n  menu            What there is\n"},
		"the widest column is cut":  {rows, ColumnOptions{Width: 40, Indent: 2}, "  orders create  Order popcorn for deli…\n  menu           What there is\n"},
		"no space before the cut":   {[][]string{{"a", "Order popcorn"}}, ColumnOptions{Width: 10}, "a  Order…\n"},
		"characters are never cut":  {[][]string{{"漢字漢字"}, {"👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧"}}, ColumnOptions{Width: 5}, "漢字…\n👩‍👩‍👧👩‍👩‍👧…\n"},
		"a narrow screen":           {[][]string{{"abc", "def", "ghi"}}, ColumnOptions{Width: 3}, "…  …  …\n"},
		"rows of different length":  {[][]string{{"a"}, {"b", "c"}, {}, {"", "", "d"}}, ColumnOptions{}, "a\nb  c\n\n      d\n"},
		"empty cells leave nothing": {[][]string{{"a", "", ""}, {"b", "c", ""}}, ColumnOptions{}, "a\nb  c\n"},
		"no rows":                   {nil, ColumnOptions{Width: 10}, ""},
		"the header is bold":        {[][]string{{"h"}, {"x"}}, ColumnOptions{Header: true}, "\x1b[1mh\x1b[0m\nx\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Columns(&out, test.rows, test.o); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), test.want)
			}
		})
	}
}

func FuzzTable(f *testing.F) {
	for _, seed := range []string{`[{"a":1,"b":"x"},{"c":[]}]`, `{"items":[{}]}`, `["\u202e漢字"]`, `{"a":"b"}`, `"x"`, `[{"":""}]`} {
		f.Add([]byte(seed), uint8(20))
	}
	f.Fuzz(func(t *testing.T, doc []byte, width uint8) {
		var whole, cut bytes.Buffer
		err := Table(&whole, doc, ColumnOptions{})
		if err != nil {
			if whole.Len() > 0 || (!isNotJSON(err) || strictjson.Check(doc) == nil) && fault.From(err).Code != "not_tabular" {
				t.Fatalf("%q: %v, %q", doc, err, whole.String())
			}
			return
		}
		if err := Table(&cut, doc, ColumnOptions{Width: int(width)}); err != nil {
			t.Fatal(err)
		}
		if !isSafe(whole.String()) || !isSafe(cut.String()) {
			t.Fatalf("unsafe: %q", whole.String())
		}
		if a, b := strings.Count(whole.String(), "\n"), strings.Count(cut.String(), "\n"); a != b {
			t.Fatalf("%d lines, cut %d", a, b)
		}
		for line := range strings.Lines(cut.String()) {
			columns := 0
			if rows, _, _ := tabulate(doc); len(rows) > 0 {
				columns = len(rows[0])
			}
			if line = strings.TrimSuffix(line, "\n"); columns > 0 && int(width) >= 3*columns && uniseg.StringWidth(line) > int(width) {
				t.Fatalf("%q is wider than %d", line, width)
			}
		}
	})
}
