package render

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/strictjson"
)

func TestCSV(t *testing.T) {
	for name, test := range map[string]struct{ columns, in, want string }{
		"a list":                   {"", `[{"id":1,"name":"x"},{"name":"y, z","new":true}]`, "id,name,new\r\n1,x,\r\n,\"y, z\",true\r\n"},
		"a wrapped list":           {"", `{"items":[{"id":1}],"total":1}`, "id\r\n1\r\n"},
		"an object":                {"", `{"id":1,"name":"x"}`, "id,name\r\n1,x\r\n"},
		"chosen columns":           {"b.c,a", `[{"a":0.1000,"b":{"c":[1, 2]}}]`, "b.c,a\r\n\"[1,2]\",0.1000\r\n"},
		"numbers":                  {"", `[12345678901234567890,-1]`, "value\r\n12345678901234567890\r\n-1\r\n"},
		"quotes and line breaks":   {"", `["say \"hi\"\nthere"]`, "value\r\n\"say \"\"hi\"\"\r\nthere\"\r\n"},
		"null is nothing":          {"", `[{"a":null,"b":1}]`, "a,b\r\n,1\r\n"},
		"formulas lose their sign": {"", `["=1+1","+cmd|x","-2+3","@SUM(A1)","\t=1"]`, "value\r\n'=1+1\r\n'+cmd|x\r\n'-2+3\r\n'@SUM(A1)\r\n'\t=1\r\n"},
		"numbers in strings stay":  {"", `["-5.00","+4915112345","-"]`, "value\r\n-5.00\r\n+4915112345\r\n'-\r\n"},
		"a name can be a formula":  {"", `[{"=A1":1}]`, "'=A1\r\n1\r\n"},
		"an empty list":            {"", `[]`, ""},
		"no line is empty":         {"a", `[{"a":1},{"a":null},{"b":2},{"a":3}]`, "a\r\n1\r\n\"\"\r\n\"\"\r\n3\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var columns []ColumnPath
			if test.columns != "" {
				var err error
				if columns, err = ParseColumns(test.columns); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			if err := CSV(&out, []byte(test.in), columns, nil); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got %q, want %q", out.String(), test.want)
			}
		})
	}
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{`[{"a":1,"b":"x"},{"c":[]}]`, `{"items":[{}]}`, `["=1","\r\n\"",""]`, `{"a":"b"}`, `[{"":""}]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var out bytes.Buffer
		if err := CSV(&out, doc, nil, nil); err != nil || out.Len() == 0 {
			return
		}
		set, err := rowsOf(bytes.TrimSpace(doc), nil)
		if err != nil {
			t.Fatal(err)
		}
		read := csv.NewReader(&out)
		read.FieldsPerRecord = len(set.head)
		records, err := read.ReadAll()
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if len(records) != len(set.rows)+1 {
			t.Fatalf("%d records of %d rows", len(records), len(set.rows))
		}
		for _, record := range records {
			for _, text := range record {
				if text != "" && strings.ContainsRune("=@\t\r", rune(text[0])) {
					t.Fatalf("%q begins like a formula", text)
				}
			}
		}
	})
}

func TestNDJSON(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"a list":         {`[{"a": 1}, 0.1000, "x y"]`, "{\"a\":1}\n0.1000\n\"x y\"\n"},
		"a wrapped list": {`{"items": [{"id": 1}], "next": null}`, "{\"id\":1}\n"},
		"an object":      {`{"id": 1, "tags": ["a"]}`, "{\"id\":1,\"tags\":[\"a\"]}\n"},
		"a scalar":       {` 7 `, "7\n"},
		"an empty list":  {`[]`, ""},
		"kept unsafe":    {"[\"\u202e\"]", "\"\\u202e\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := NDJSON(&out, []byte(test.in)); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got %q, want %q", out.String(), test.want)
			}
			for line := range strings.Lines(out.String()) {
				if err := strictjson.Check([]byte(line)); err != nil {
					t.Errorf("%q: %v", line, err)
				}
			}
		})
	}
}
