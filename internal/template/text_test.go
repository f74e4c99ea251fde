package template

import (
	"errors"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// given makes a Lookup of a JSON object.
func given(object string) Lookup {
	return func(name string) ([]byte, bool) {
		value, ok := strictjson.Member([]byte(object), name)
		return strictjson.Compact(value), ok
	}
}

func mustText(t testing.TB, s string) *Text {
	t.Helper()
	text, err := ParseText(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// T-3: an argument can never leave its segment of the path.
func TestAppendPath(t *testing.T) {
	for name, test := range map[string]struct{ text, given, want, refused string }{
		"unreserved stays":                    {text: "/{{$a}}", given: `{"a":"aZ09-._~"}`, want: "/aZ09-._~"},
		"everything else is encoded":          {text: "/{{$a}}", given: `{"a":"/?#% &=+:@!'\u00e9"}`, want: "/%2F%3F%23%25%20%26%3D%2B%3A%40%21%27%C3%A9"},
		"line breaks are encoded":             {text: "/{{$a}}", given: `{"a":"x\r\ny"}`, want: "/x%0D%0Ay"},
		"a number keeps its digits":           {text: "/{{$a}}", given: `{"a":12345678901234567890.10}`, want: "/12345678901234567890.10"},
		"a boolean and null":                  {text: "/{{$a}}/{{$b}}", given: `{"a":true,"b":null}`, want: "/true/null"},
		"an object as compact JSON":           {text: "/{{$a}}", given: `{"a":{"b": [1, 2]}}`, want: "/%7B%22b%22%3A%5B1%2C2%5D%7D"},
		"a member":                            {text: "/{{$a.b}}", given: `{"a":{"b":"c"}}`, want: "/c"},
		"not expanded again":                  {text: "/{{$a}}", given: `{"a":"{{$b}}","b":"secret"}`, want: "/%7B%7B%24b%7D%7D"},
		"an encoded dot in a value":           {text: "/{{$a}}/x", given: `{"a":"%2e%2e"}`, want: "/%252e%252e/x"},
		"a partly literal segment":            {text: "/v{{$a}}/x", given: `{"a":""}`, want: "/v/x"},
		"dots with something":                 {text: "/{{$a}}x", given: `{"a":".."}`, want: "/..x"},
		"three dots":                          {text: "/{{$a}}", given: `{"a":"..."}`, want: "/..."},
		"literals are kept":                   {text: "/a%2Fb/c;d=1/{{$a}}", given: `{"a":"x"}`, want: "/a%2Fb/c;d=1/x"},
		"literals that no URL holds":          {text: "/{{NAME}}/é/{{$a}}", given: `{"a":"x"}`, want: "/%7B%7BNAME%7D%7D/%C3%A9/x"},
		"a query of the endpoint":             {text: "/a?b={{$a}}&c=.", given: `{"a":"x&y=/"}`, want: "/a?b=x%26y%3D%2F&c=."},
		"empty in a query of the endpoint":    {text: "/a?b={{$a}}", given: `{"a":""}`, want: "/a?b="},
		"dots in a query of the endpoint":     {text: "/a?/{{$a}}/", given: `{"a":".."}`, want: "/a?/../"},
		"empty":                               {text: "/x/{{$a}}", given: `{"a":""}`, refused: "must not be empty"},
		"empty in the middle":                 {text: "/x/{{$a}}/y", given: `{"a":""}`, refused: "must not be empty"},
		"empty before a query":                {text: "/x/{{$a}}?y=1", given: `{"a":""}`, refused: "must not be empty"},
		"two that are empty":                  {text: "/{{$a}}{{$b}}", given: `{"a":"","b":""}`, refused: "must not be empty"},
		"a dot":                               {text: "/{{$a}}/x", given: `{"a":"."}`, refused: `"."`},
		"two dots":                            {text: "/{{$a}}", given: `{"a":".."}`, refused: `".."`},
		"dots of two values":                  {text: "/{{$a}}{{$b}}", given: `{"a":".","b":"."}`, refused: `".."`},
		"a literal dot and a dot":             {text: "/.{{$a}}", given: `{"a":"."}`, refused: `".."`},
		"a literal encoded dot and a dot":     {text: "/%2E{{$a}}", given: `{"a":"."}`, refused: `".."`},
		"a literal encoded dot and nothing":   {text: "/%2e{{$a}}/x", given: `{"a":""}`, refused: `".."`},
		"NUL":                                 {text: "/{{$a}}", given: `{"a":"x\u0000"}`, refused: "NUL"},
		"not given":                           {text: "/{{$a}}", given: `{}`, refused: "is needed for the URL"},
		"a member that is not there":          {text: "/{{$a.b}}", given: `{"a":{}}`, refused: "uses $a.b"},
		"a path through something structured": {text: "/{{$a.b.c}}", given: `{"a":{"b":1}}`, refused: "uses $a.b.c"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := mustText(t, test.text).AppendPath([]byte("https://h"), given(test.given))
			if test.refused != "" {
				requireValueError(t, err, test.refused)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := "https://h" + test.want; string(got) != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func requireValueError(t *testing.T, err error, message string) {
	t.Helper()
	e, ok := errors.AsType[*ValueError](err)
	if !ok {
		t.Fatalf("got %v, want a *ValueError", err)
	}
	if e.Name == "" || !strings.Contains(e.Message, message) {
		t.Errorf("got %q of %q, want %q", e.Message, e.Name, message)
	}
}

// T-3 and T-4 in headers.
func TestHeader(t *testing.T) {
	for name, test := range map[string]struct {
		text, given, want, refused string
		omitted                    bool
	}{
		"a literal":                {text: "2026-09", want: "2026-09"},
		"a text around":            {text: "v{{$a}}; {{$b}}", given: `{"a":1.50,"b":{"c":[]}}`, want: `v1.50; {"c":[]}`},
		"beyond ASCII":             {text: "{{$a}}", given: `{"a":"\u00e9"}`, want: "é"},
		"empty is sent":            {text: "{{$a}}", given: `{"a":""}`, want: ""},
		"left alone":               {text: "Bearer {{TOKEN}}", want: "Bearer {{TOKEN}}"},
		"not given":                {text: "{{$a}}", given: `{}`, omitted: true},
		"one of two not given":     {text: "{{$a}} {{$b}}", given: `{"a":1}`, omitted: true},
		"CR LF":                    {text: "{{$a}}", given: `{"a":"x\r\nHost: evil"}`, refused: "line breaks"},
		"LF":                       {text: "x {{$a}}", given: `{"a":"\n"}`, refused: "line breaks"},
		"NUL":                      {text: "{{$a}}", given: `{"a":"\u0000"}`, refused: "control characters"},
		"DEL":                      {text: "{{$a}}", given: `{"a":"\u007f"}`, refused: "control characters"},
		"escaped inside an object": {text: "{{$a}}", given: `{"a":{"b":"\n"}}`, want: `{"b":"\n"}`},
		"too long":                 {text: "{{$a}}", given: `{"a":"` + strings.Repeat("x", MaxHeaderBytes+1) + `"}`, refused: "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok, err := mustText(t, test.text).Header(given(test.given))
			if test.refused != "" {
				requireValueError(t, err, test.refused)
				return
			}
			if err != nil || ok == test.omitted || got != test.want {
				t.Errorf("got %q %v %v, want %q", got, ok, err, test.want)
			}
		})
	}
}

// A value must not show up in an error: it may be a secret.
func TestErrorsNeverHoldTheValue(t *testing.T) {
	_, _, err := mustText(t, "{{$a}}").Header(given(`{"a":"hunter2\n"}`))
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}
