package arguments

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
)

func TestWhereArgumentsGo(t *testing.T) {
	values := &manifest.Values{}
	values.Set("a b", jsontext.Value(`["x&y",1.00]`))
	values.Set("o", jsontext.Value(`{"k":null}`))
	const query = "a%20b=x%26y&a%20b=1.00&o=%7B%22k%22%3Anull%7D"
	for name, test := range map[string]struct {
		method, url, media string
		values             *manifest.Values
		want               string // URL, content type, body
	}{
		"a query":                      {"GET", "https://a.example/x", JSON, values, "https://a.example/x?" + query + "  "},
		"deleting has a query":         {"DELETE", "https://a.example/x", JSON, values, "https://a.example/x?" + query + "  "},
		"a query that goes on":         {"HEAD", "https://a.example/x?v=1#part", JSON, values, "https://a.example/x?v=1&" + query + "  "},
		"a query that is begun":        {"GET", "https://a.example/x?", JSON, values, "https://a.example/x?" + query + "  "},
		"no arguments, no question":    {"GET", "https://a.example/x", JSON, &manifest.Values{}, "https://a.example/x  "},
		"a body":                       {"POST", "https://a.example/x?v=1", JSON, values, `https://a.example/x?v=1 application/json {"a b":["x&y",1.00],"o":{"k":null}}`},
		"no arguments, an empty body":  {"PUT", "https://a.example/x", JSON, &manifest.Values{}, "https://a.example/x application/json {}"},
		"a form":                       {"PATCH", "https://a.example/x", Form, values, "https://a.example/x application/x-www-form-urlencoded " + query},
		"no arguments, and empty form": {"POST", "https://a.example/x", Form, &manifest.Values{}, "https://a.example/x application/x-www-form-urlencoded "},
	} {
		t.Run(name, func(t *testing.T) {
			r := &call.Request{Method: test.method, URL: test.url, Header: make(http.Header)}
			Put(r, test.values, test.media)
			if got := r.URL + " " + r.Header.Get("Content-Type") + " " + string(r.Body); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if HasBody(test.method) != (r.Body != nil) {
				t.Errorf("the body is %q", r.Body)
			}
		})
	}
}

func TestRequiredScalarsMayBeGivenByPosition(t *testing.T) {
	set, err := input.CompileObject(jsontext.Value(`{"required":["c","list","a","o","any"],"properties":{"a":{"type":"string"},"b":{"type":"string"},
		"c":{"type":"integer"},"list":{"type":"array"},"o":{"type":"object"},"any":true}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(Positional(set), " "); got != "c a" {
		t.Errorf("got %q", got)
	}
}
