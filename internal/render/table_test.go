package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

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
			if err := Table(&out, []byte(test.in), TableOptions{}); err != nil {
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
	err := Table(io.Discard, []byte("["+doc.String()[1:]+"]"), TableOptions{})
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

func TestTableOfChosenColumns(t *testing.T) {
	for name, test := range map[string]struct{ columns, in, want, note string }{
		"in the order of the line":        {"name,id", `[{"id":1,"name":"x"}]`, "name  id\nx     1\n", ""},
		"members of members":              {"id,buyer.name,lines.1.sku", `[{"id":1,"buyer":{"name":"Ada"},"lines":[{"sku":"a"},{"sku":"b"}]},{"id":2}]`, "id  buyer.name  lines.1.sku\n1   Ada         b\n2\n", ""},
		"a wrapped list":                  {"id", `{"items":[{"id":1}],"total":1}`, "id\n1\n", ""},
		"an object is one row":            {"id,total", `{"id":"x","total":4.50,"l":[1]}`, "id  total\nx   4.50\n", ""},
		"a name with a dot wins":          {"a.b", `[{"a":{"b":1},"a.b":2}]`, "a.b\n2\n", ""},
		"a comma in a name":               {`a\,b`, `[{"a,b":2}]`, "a,b\n2\n", ""},
		"a place that is no number":       {"a.01", `[{"a":[1,2]}]`, "a.01\n\n", "no row has a.01; there are a"},
		"one that no row has is told":     {"id,other", `[{"id":1,"name":"x"}]`, "id  other\n1\n", "no row has other; there are id, name"},
		"no rows, nothing to tell":        {"id", `[]`, "id\n", ""},
		"white space around is left out":  {" id , name ", `[{"id":1,"name":"x"}]`, "id  name\n1   x\n", ""},
		"more than 100 names do not stop": {"n100", manyNames(101), "n100\n1\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			columns, err := ParseColumns(test.columns)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			note := ""
			if err := Table(&out, []byte(test.in), TableOptions{Columns: columns, Note: func(text string) { note = text }}); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want || note != test.note {
				t.Errorf("got\n%s%q\nwant\n%s%q", out.String(), note, test.want, test.note)
			}
		})
	}
}

func manyNames(n int) string {
	var doc strings.Builder
	for i := range n {
		fmt.Fprintf(&doc, `,"n%d":1`, i)
	}
	return "[{" + doc.String()[1:] + "}]"
}

func TestColumnsThatAreRefused(t *testing.T) {
	for _, list := range []string{"", ",", "a,", "a..b", ".", `a\`, strings.Repeat("a.", maxColumnSteps) + "a", strings.Repeat("a,", maxTableColumns) + "a", strings.Repeat("a", maxColumnBytes+1)} {
		_, err := ParseColumns(list)
		if e, ok := errors.AsType[*fault.Error](err); !ok || e.Code != "invalid_columns" || e.Kind != fault.Usage {
			t.Errorf("%.40q: got %v", list, err)
		}
	}
	columns, err := ParseColumns("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := Table(io.Discard, []byte(`[1,2]`), TableOptions{Columns: columns}); fault.From(err).Code != "not_tabular" {
		t.Errorf("columns of numbers: got %v", err)
	}
}

func TestTableForAPerson(t *testing.T) {
	now := time.Date(2027, 3, 15, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		in    string
		width int
		want  string
		note  string
	}{
		"numbers stand to the right":            {`[{"n":1,"t":"a"},{"n":1000,"t":"b"},{"n":null,"t":"c"}]`, 80, "   n  t\n   1  a\n1000  b\nnull  c\n", ""},
		"text among numbers stays left":         {`[{"n":1},{"n":"x"}]`, 80, "n\n1\nx\n", ""},
		"times are told from now":               {`[{"at":"2027-03-12T12:00:00Z"},{"at":"2027-03-15T14:30:00+01:00"},{"at":"2027-03-12"}]`, 80, "at\n3 days ago\nin 1 hour\n2027-03-12\n", ""},
		"an object too":                         {`{"id":7,"at":"2027-03-12T12:00:00Z","size_bytes":1536}`, 80, "id          7\nat          3 days ago\nsize_bytes  1.5 KiB\n", ""},
		"bytes by name, and nothing else":       {`[{"sizeBytes":2048,"size":42,"kilobytes":2048,"mega_bytes":2048,"bytesPerSecond":2048,"bytes":2.5}]`, 120, "sizeBytes  size  kilobytes  mega_bytes  bytesPerSecond  bytes\n  2.0 KiB    42       2048        2048            2048    2.5\n", ""},
		"an amount and its currency":            {`[{"id":"a","total_amount":9.50,"total_currency":"EUR"},{"id":"b"}]`, 80, "id  total_amount\na       9.50 EUR\nb\n", ""},
		"an amount that may be in cents":        {`[{"amount":950,"currency":"EUR"}]`, 80, "amount  currency\n   950  EUR\n", ""},
		"one amount in cents spoils the column": {`[{"amount":9.50,"currency":"EUR"},{"amount":950,"currency":"EUR"}]`, 80, "amount  currency\n  9.50  EUR\n   950  EUR\n", ""},
		"an object of the two":                  {`[{"price":{"amount":"9.50","currency":"EUR"}},{"price":{"amount":"10.00","currency":"EUR"}}]`, 80, "    price\n 9.50 EUR\n10.00 EUR\n", ""},
		"an object of more":                     {`[{"price":{"amount":"9.50","currency":"EUR","tax":1}}]`, 80, "price\n{\"amount\":\"9.50\",\"currency\":\"EUR\",\"tax\":1}\n", ""},
		"single values come first":              {`[{"tags":["x"],"id":1}]`, 80, "id  tags\n 1  x\n", ""},
		"a list of single values":               {`[{"tags":["a","b,c",3]},{"tags":[]},{"tags":[["a"]]}]`, 80, "tags\na, b,c, 3\n\n[[\"a\"]]\n", ""},
		"what does not fit is told":             {`[{"a":"aaaaaaaaaaaa","b":"bbbbbbbbbbbb","c":[1,2,3,4,5,6,7,8]}]`, 30, "a             b\naaaaaaaaaaaa  bbbbbbbbbbbb\n", "not shown: c; --columns chooses, -o json has everything"},
		"one column is always there":            {`[{"a":"aaaaaaaaaaaaaaa"}]`, 5, "a\naaaa…\n", ""},
		"times beyond what a duration holds":    {`[{"at":"0001-01-01T00:00:00Z"},{"at":"9999-12-31T23:59:59Z"}]`, 80, "at\n292 years ago\nin 292 years\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			note := ""
			o := TableOptions{ColumnOptions: ColumnOptions{Width: test.width}, Person: &Person{Now: now}, Note: func(text string) { note = text }}
			if err := Table(&out, []byte(test.in), o); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want || note != test.note {
				t.Errorf("got\n%s%q\nwant\n%s%q", out.String(), note, test.want, test.note)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	for text, want := range map[string]string{
		"https://shop.example/a?b=c#d":                           "https://shop.example/a?b=c#d",
		"http://shop.example/":                                   "",
		"https://bank.example@evil.example/":                     "",
		"https://shop.example/\x1b\\":                            "",
		"https://shop.example/ü":                                 "",
		"https://":                                               "",
		"javascript:alert(1)":                                    "",
		"see https://shop.example/":                              "",
		"https://a.example/" + strings.Repeat("a", maxLinkBytes): "",
	} {
		if got := linkTarget(text); got != want {
			t.Errorf("%.40q leads to %q", text, got)
		}
	}
	var out bytes.Buffer
	o := TableOptions{ColumnOptions: ColumnOptions{Width: 20}, Person: &Person{Links: true}}
	if err := Table(&out, []byte(`[{"u":"https://shop.example/a/long/way"}]`), o); err != nil {
		t.Fatal(err)
	}
	if want := "u\n\x1b]8;;https://shop.example/a/long/way\x1b\\https://shop.exampl…\x1b]8;;\x1b\\\n"; out.String() != want {
		t.Errorf("got %q", out.String())
	}
}

func FuzzColumns(f *testing.F) {
	for _, seed := range []string{"id,buyer.name", `a\,b.c\.d`, "a..b", "lines.0.sku", " x ,y"} {
		f.Add(seed, []byte(`[{"id":1,"buyer":{"name":"x"},"lines":[{"sku":"a"}],"a,b":{"c.d":1}}]`))
	}
	f.Fuzz(func(t *testing.T, list string, doc []byte) {
		columns, err := ParseColumns(list)
		if err != nil {
			if fault.From(err).Code != "invalid_columns" {
				t.Fatal(err)
			}
			return
		}
		for _, column := range columns { // what a name stands for does not depend on how it is written
			quoted := strings.NewReplacer(`\`, `\\`, ".", `\.`, ",", `\,`, " ", `\ `, "\t", "\\\t", "\n", "\\\n").Replace(column.steps[0])
			again, err := ParseColumns(quoted)
			if strings.TrimSpace(column.steps[0]) == column.steps[0] && (err != nil || len(again) != 1 || again[0].steps[0] != column.steps[0]) {
				t.Fatalf("%q became %q: %v", column.steps[0], quoted, err)
			}
		}
		var out bytes.Buffer
		if err := Table(&out, doc, TableOptions{Columns: columns}); err == nil && !isSafe(out.String()) {
			t.Fatalf("unsafe: %q", out.String())
		}
	})
}

// withoutLinks takes away the sequences that are ours: each leads to printable ASCII.
func withoutLinks(text string) string {
	return regexp.MustCompile("\x1b]8;;[!-~]*\x1b\\\\").ReplaceAllString(text, "")
}

func FuzzTable(f *testing.F) {
	for _, seed := range []string{`[{"a":1,"b":"x"},{"c":[]}]`, `{"items":[{}]}`, `["\u202e漢字"]`, `{"a":"b"}`, `"x"`, `[{"":""}]`} {
		f.Add([]byte(seed), uint8(20))
	}
	f.Fuzz(func(t *testing.T, doc []byte, width uint8) {
		var whole, cut bytes.Buffer
		err := Table(&whole, doc, TableOptions{})
		if err != nil {
			if whole.Len() > 0 || (!isNotJSON(err) || strictjson.Check(doc) == nil) && fault.From(err).Code != "not_tabular" {
				t.Fatalf("%q: %v, %q", doc, err, whole.String())
			}
			return
		}
		if err := Table(&cut, doc, TableOptions{ColumnOptions: ColumnOptions{Width: int(width)}}); err != nil {
			t.Fatal(err)
		}
		person := TableOptions{ColumnOptions: ColumnOptions{Width: int(width)}, Person: &Person{Links: true}}
		var told bytes.Buffer
		if err := Table(&told, doc, person); err != nil {
			t.Fatal(err)
		}
		if !isSafe(withoutLinks(told.String())) {
			t.Fatalf("unsafe: %q", told.String())
		}
		if !isSafe(whole.String()) || !isSafe(cut.String()) {
			t.Fatalf("unsafe: %q", whole.String())
		}
		if a, b := strings.Count(whole.String(), "\n"), strings.Count(cut.String(), "\n"); a != b {
			t.Fatalf("%d lines, cut %d", a, b)
		}
		for line := range strings.Lines(cut.String()) {
			columns := 2 // name and value
			if set, err := rowsOf(bytes.TrimSpace(doc), nil); err == nil {
				columns = max(columns, len(set.head))
			}
			if line = strings.TrimSuffix(line, "\n"); columns > 0 && int(width) >= 3*columns && uniseg.StringWidth(line) > int(width) {
				t.Fatalf("%q is wider than %d", line, width)
			}
		}
	})
}
