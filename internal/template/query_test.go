package template

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAppendQuery(t *testing.T) {
	for name, test := range map[string]struct{ doc, given, want string }{
		"empty":                              {doc: `{}`, want: ""},
		"T-3: values and keys are encoded":   {doc: `{"a b&":"{{$a}}"}`, given: `{"a":"x y&z=1+2#%é/?"}`, want: "a%20b%26=x%20y%26z%3D1%2B2%23%25%C3%A9%2F%3F"},
		"T-3: a line break":                  {doc: `{"a":"{{$a}}"}`, given: `{"a":"\r\n\u0000"}`, want: "a=%0D%0A%00"},
		"T-8: as declared":                   {doc: `{"z":"{{$z}}","a":"{{$a}}","m":"-"}`, given: `{"a":1,"z":2}`, want: "z=2&a=1&m=-"},
		"T-8: an array repeats the key":      {doc: `{"t":"{{$t}}","x":1}`, given: `{"t":["a b",1.0,{"c":2},[3]]}`, want: "t=a%20b&t=1.0&t=%7B%22c%22%3A2%7D&t=%5B3%5D&x=1"},
		"T-8: an empty array is no key":      {doc: `{"t":"{{$t}}","x":1}`, given: `{"t":[]}`, want: "x=1"},
		"T-8: an object is compact JSON":     {doc: `{"o":"{{$o}}"}`, given: `{"o":{"b": 1.0, "a": "é"}}`, want: "o=%7B%22b%22%3A1.0%2C%22a%22%3A%22%C3%A9%22%7D"},
		"T-4: a missing one removes its key": {doc: `{"a":"{{$a}}","b":"x{{$a}}","c":"1"}`, given: `{}`, want: "c=1"},
		"an empty string is sent":            {doc: `{"a":"{{$a}}"}`, given: `{"a":""}`, want: "a="},
		"T-2: booleans, numbers and null":    {doc: `{"a":"{{$a}}","b":"{{$b}}","c":"{{$c}}"}`, given: `{"a":false,"b":0.10,"c":null}`, want: "a=false&b=0.10&c=null"},
		"T-10: literals of every type":       {doc: `{"a":true,"b":1.50,"c":{"d":[]},"e":["x",2],"f":{},"g":"{{G}}"}`, want: "a=true&b=1.50&c=%7B%22d%22%3A%5B%5D%7D&e=x&e=2&f=%7B%7D&g=%7B%7BG%7D%7D"},
		"T-1: at any depth":                  {doc: `{"a":["{{$a}}","{{$b}}","y"],"o":{"p":"{{$a}}","q":"{{$b}}"}}`, given: `{"a":"x"}`, want: "a=x&a=y&o=%7B%22p%22%3A%22x%22%7D"},
		"T-1: keys are never templates":      {doc: `{"{{$a}}":"{{$a}}"}`, given: `{"a":1}`, want: "%7B%7B%24a%7D%7D=1"},
		"not expanded again":                 {doc: `{"a":"{{$a}}"}`, given: `{"a":"{{$b}}","b":"secret"}`, want: "a=%7B%7B%24b%7D%7D"},
		"a text of several values":           {doc: `{"a":"{{$a}}..{{$b}}"}`, given: `{"a":1,"b":[2]}`, want: "a=1..%5B2%5D"},
	} {
		t.Run(name, func(t *testing.T) {
			q, err := ParseQuery([]byte(test.doc))
			if err != nil {
				t.Fatal(err)
			}
			got, err := q.Append([]byte("/x?"), given(test.given))
			if err != nil || string(got) != "/x?"+test.want {
				t.Errorf("got %s %v, want /x?%s", got, err, test.want)
			}
		})
	}
}

func TestParseQueryRefuses(t *testing.T) {
	for _, doc := range []string{``, `[]`, `"{{$a}}"`, `null`, `{"a":"{{$}}"}`, `{"a":1`, `{} {}`, `{"a":1,"a":2}`} {
		if _, err := ParseQuery([]byte(doc)); err == nil {
			t.Errorf("accepted %q", doc)
		}
	}
}

func TestQueryRefsHavePointers(t *testing.T) {
	q, err := ParseQuery([]byte(`{"a/b":"{{$x}}","c":["{{$y.z}}"]}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ref := range q.Refs() {
		got = append(got, ref.Pointer+" "+ref.String())
	}
	if diff := cmp.Diff([]string{"/a~1b $x", "/c/0 $y.z"}, got); diff != "" {
		t.Error(diff)
	}
}
