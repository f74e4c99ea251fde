package batch

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// readAll shows each line in a few words.
func readAll(t *testing.T, in io.Reader, format string) (header []string, lines []string, err error) {
	t.Helper()
	r, err := NewReader(in, format)
	if err != nil {
		return nil, nil, err
	}
	for {
		input, err := r.Next()
		if problem, ok := errors.AsType[*LineError](err); ok {
			lines = append(lines, problem.Error())
			continue
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return r.Header, lines, err
		}
		text := string(input.Object)
		if input.Object == nil {
			text = strings.Join(input.Cells, "|")
		}
		lines = append(lines, fmt.Sprintf("%d %s", input.Number, text))
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", maxLineText)
	for name, test := range map[string]struct {
		in, format string
		header     string
		want       []string
	}{
		"objects":                        {in: "{\"a\": 1}\n{\"b\":0.1000}\n", want: []string{`1 {"a":1}`, `2 {"b":0.1000}`}},
		"no last line break":             {in: `{"a":1}`, want: []string{`1 {"a":1}`}},
		"empty lines are left out":       {in: "\n \t\r\n{}\r\n\n{}\n", want: []string{"3 {}", "5 {}"}},
		"a byte order mark":              {in: "\ufeff{}", want: []string{"1 {}"}},
		"nothing":                        {in: "", want: nil},
		"white space":                    {in: " \n ", want: nil},
		"what is no object":              {in: "{}\n[1]\n{}\n7", want: []string{"1 {}", "line 2: must be a JSON object", "3 {}", "line 4: must be a JSON object"}},
		"what is no JSON":                {in: "{}\n{\"a\":\n{}", want: []string{"1 {}", "line 2: is no JSON that can be used: the document is cut short at /a (byte 5)", "3 {}"}},
		"a member twice":                 {in: `{"a":1,"a":2}`, want: []string{"line 1: is no JSON that can be used: duplicate member at /a (byte 7)"}},
		"a line that is too long":        {in: "{}\n{\"a\":\"" + long + "\"}\n{}", want: []string{"1 {}", "line 2: is longer than 1048576 bytes", "3 {}"}},
		"records":                        {in: "qty,note\n1,x\n2,\"a, b\"\n", header: "qty,note", want: []string{"2 1|x", "3 2|a, b"}},
		"a record of two lines":          {in: "a,b\n\"1\n2\",x\n3,y\n", header: "a,b", want: []string{"2 1\n2|x", "4 3|y"}},
		"CR LF, a mark, spaces in names": {in: "\ufeffa, b\r\n1,2\r\n", header: "a,b", want: []string{"2 1|2"}},
		"too few and too many cells":     {in: "a,b\n1\n1,2\n1,2,3\n", header: "a,b", want: []string{"line 2: has 1 cells, and the header 2", "3 1|2", "line 4: has 3 cells, and the header 2"}},
		"a quote in the middle":          {in: "a\nx\"y\nz\n", header: "a", want: []string{`line 2: is no CSV: bare " in non-quoted-field`, "3 z"}},
		"a cell that is not UTF-8":       {in: "a\n\xff\nz\n", header: "a", want: []string{"line 2: is not UTF-8", "3 z"}},
		"a record that is too long":      {in: "a\n" + long + "y\nz\n", header: "a", want: []string{"line 2: is longer than 1048576 bytes", "3 z"}},
		"objects by name":                {in: "7\n", format: JSONLines, want: []string{"line 1: must be a JSON object"}},
		"CSV by name":                    {in: "{a\n1\n", format: CSV, header: "{a", want: []string{"2 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			header, lines, err := readAll(t, strings.NewReader(test.in), test.format)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(header, ","); got != test.header {
				t.Errorf("the header is %q", got)
			}
			if got, want := strings.Join(lines, "\n"), strings.Join(test.want, "\n"); got != want {
				t.Errorf("got\n%.400s\nwant\n%s", got, want)
			}
		})
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	for name, in := range map[string]io.Reader{
		"an empty name":      strings.NewReader("a,,b\n1,2,3\n"),
		"a name twice":       strings.NewReader("a,a\n1,2\n"),
		"a broken header":    strings.NewReader("a\"b\n1\n"),
		"not UTF-8":          strings.NewReader("a,\xff\n"),
		"an endless header":  io.MultiReader(strings.NewReader(`"`), endless('x')),
		"a quote that stays": io.MultiReader(strings.NewReader("a\n\""), endless('x')),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := readAll(t, in, "")
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Usage || e.Code != "invalid_input" {
				t.Errorf("got %v", err)
			}
		})
	}
}

type endless byte

func (b endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

func TestTooManyLinesAreRefused(t *testing.T) {
	for name, in := range map[string]string{"objects": "{}\n7\n{}\n{}\n", "records": "a\n1\n1,2\n3\n4\n"} {
		r, err := NewReader(strings.NewReader(in), "")
		if err != nil {
			t.Fatal(err)
		}
		r.count = MaxLines - 3
		for range 3 {
			if _, err := r.Next(); err != nil && !isLineError(err) {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if _, err := r.Next(); fault.From(err).Code != "invalid_input" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{"{\"a\":1}\n{}\n", "a,b\n1,\"x\ny\"\n", "\ufeff{}", "{\n", "a\n\"", "\n\n7", "a,a\n"} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, asCSV bool) {
		format := JSONLines
		if asCSV {
			format = CSV
		}
		r, err := NewReader(strings.NewReader(string(text)), format)
		if err != nil {
			if fault.From(err).Code != "invalid_input" {
				t.Fatal(err)
			}
			return
		}
		last, most := 0, strings.Count(string(text), "\n")+strings.Count(string(text), "\r")+1
		for range most + 1 {
			input, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if problem, ok := errors.AsType[*LineError](err); ok {
				if problem.Number < last || problem.Number > most {
					t.Fatalf("line %d of %d, behind %d", problem.Number, most, last)
				}
				last = problem.Number
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if input.Number <= last && last > 0 && input.Number < last || input.Number > most {
				t.Fatalf("line %d of %d, behind %d", input.Number, most, last)
			}
			last = input.Number
			if asCSV && len(input.Cells) != len(r.Header) {
				t.Fatalf("%d cells of %d", len(input.Cells), len(r.Header))
			}
			if !asCSV && (strictjson.Check(input.Object) != nil || jsontext.Value(input.Object).Kind() != '{') {
				t.Fatalf("%q is no object", input.Object)
			}
		}
		t.Fatal("there are more lines than line breaks")
	})
}
