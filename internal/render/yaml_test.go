package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/agentctl/agentctl/internal/strictjson"
)

func TestYAML(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"order and digits stay":   {`{"b":12345678901234567890,"a":0.1000}`, "b: 12345678901234567890\na: 0.1000\n"},
		"nesting":                 {`{"a":{"b":[1,{"c":2,"d":[3]}],"e":{}},"l":[]}`, "a:\n  b:\n  - 1\n  - c: 2\n    d:\n    - 3\n  e: {}\nl: []\n"},
		"a list of lists":         {`[[1,[2]],[]]`, "- - 1\n  - - 2\n- []\n"},
		"words and nothing":       {`[true,false,null]`, "- true\n- false\n- null\n"},
		"a scalar":                {` "x" `, "x\n"},
		"numbers as text":         {`["1","0.1000","1e3","0x1f",".inf","-","1_000","012"]`, `- "1"` + "\n" + `- "0.1000"` + "\n" + `- "1e3"` + "\n" + `- "0x1f"` + "\n" + `- ".inf"` + "\n" + `- "-"` + "\n" + `- "1_000"` + "\n" + `- "012"` + "\n"},
		"words as text":           {`["true","No","null","~","y","ON"]`, `- "true"` + "\n" + `- "No"` + "\n" + `- "null"` + "\n" + `- "~"` + "\n" + `- "y"` + "\n" + `- "ON"` + "\n"},
		"dates as text":           {`["2020-01-01","12:30:45"]`, `- "2020-01-01"` + "\n" + `- "12:30:45"` + "\n"},
		"marks as text":           {`["a: b","a #b","- a","# x","a:","","*a","x "," x","{","a, b"]`, `- "a: b"` + "\n" + `- "a #b"` + "\n" + `- "- a"` + "\n" + `- "# x"` + "\n" + `- "a:"` + "\n" + `- ""` + "\n" + `- "*a"` + "\n" + `- "x "` + "\n" + `- " x"` + "\n" + `- "{"` + "\n" + `- "a, b"` + "\n"},
		"plain text":              {`["https://x.y/z?a=b","Popcorn Club","ord_8fJ2","été"]`, "- https://x.y/z?a=b\n- Popcorn Club\n- ord_8fJ2\n- été\n"},
		"lines":                   {`{"a":"one\ntwo\n\nthree\n","b":"x\ny"}`, "a: |\n  one\n  two\n\n  three\nb: |-\n  x\n  y\n"},
		"lines that need quotes":  {`["\n","\na"," a\nb","a\n\n","a\n \nb","a\r\nb"]`, `- "\n"` + "\n" + `- "\na"` + "\n" + `- " a\nb"` + "\n" + `- "a\n\n"` + "\n" + `- "a\n \nb"` + "\n" + `- "a\u000d\nb"` + "\n"},
		"what is unsafe":          {`["\u001b[31m","\u202e","\udb40\udc41"]`, `- "\u001b[31m"` + "\n" + `- "\u202e"` + "\n" + `- "\U000e0041"` + "\n"},
		"names are quoted alike":  {`{"1":1,"a b":2,"yes":3,"a: b":4,"":5,"x\ny":6}`, `"1": 1` + "\na b: 2\n" + `"yes": 3` + "\n" + `"a: b": 4` + "\n" + `"": 5` + "\n" + `"x\ny": 6` + "\n"},
		"lines inside a list":     {`[{"a":"x\ny"}]`, "- a: |-\n    x\n    y\n"},
		"a text of lines alone":   {`"x\ny"`, "|-\n  x\n  y\n"},
		"lines in a list of text": {`["x\ny"]`, "- |-\n  x\n  y\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := YAML(&out, []byte(test.in)); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), test.want)
			}
		})
	}
}

// FuzzYAML holds the strings, the hard part of YAML, against a reader that somebody else wrote.
func FuzzYAML(f *testing.F) {
	for _, seed := range []string{"x", "1e3", "a: b", "a\nb\n", "\n", " a", "null", "\u202e\U000e0041", "a\tb", "'", "\"\\", "\u0085\u2028\ufeff", "0o7", "a #", "?", "a:\tb"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		name, text = mustString(strictjson.Quote(name)), mustString(strictjson.Quote(text)) // valid UTF-8
		doc := `{"k":[` + string(strictjson.Quote(text)) + `,{` + string(strictjson.Quote(name)) + `:` + string(strictjson.Quote(text)) + `}]}`
		var out bytes.Buffer
		if err := YAML(&out, []byte(doc)); err != nil {
			t.Fatal(err)
		}
		if !isSafe(out.String()) {
			t.Fatalf("unsafe: %q", out.String())
		}
		var back struct{ K []any }
		if err := yaml.Unmarshal(out.Bytes(), &back); err != nil {
			t.Fatalf("%q is not YAML: %v", out.String(), err)
		}
		if len(back.K) != 2 || back.K[0] != text {
			t.Fatalf("%q reads back as %#v", out.String(), back)
		}
		if m, ok := back.K[1].(map[string]any); !ok || len(m) != 1 || m[name] != text {
			t.Fatalf("%q reads back as %#v", out.String(), back)
		}
	})
}

func mustString(value []byte) string {
	text, ok := strictjson.String(value)
	if !ok {
		panic("not a string: " + string(value))
	}
	return strings.Clone(text)
}
