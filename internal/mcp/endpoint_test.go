package mcp

import (
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// AM-15: the server URL may be metadata that names the endpoint, on the same origin (AM-4).
func TestEndpoint(t *testing.T) {
	const from = "https://example.com/ai/server.json"
	for name, test := range map[string]struct {
		doc  string
		want string // "": none is named
		bad  bool
	}{
		"the draft's example":    {doc: `{"mcpVersion":"0.1-draft","server":{"name":"x","url":"https://example.com/ai/mcp"},"tools":[]}`, want: "https://example.com/ai/mcp"},
		"from the origin":        {doc: `{"server":{"url":"/mcp?a=1#x"}}`, want: "https://example.com/mcp?a=1"},
		"from the document":      {doc: `{"endpoint":"./mcp"}`, want: "https://example.com/ai/mcp"},
		"above the document":     {doc: `{"url":"../mcp"}`, want: "https://example.com/mcp"},
		"the server's first":     {doc: `{"url":"/b","server":{"url":"/a"}}`, want: "https://example.com/a"},
		"the port of the scheme": {doc: `{"url":"https://EXAMPLE.com:443/mcp"}`, want: "https://EXAMPLE.com:443/mcp"},
		"no JSON":                {doc: `<html>`},
		"no object":              {doc: `["/mcp"]`},
		"nothing named":          {doc: `{"server":{"name":"x"}}`},
		"not a string":           {doc: `{"server":{"url":7}}`},
		"an answer to a GET":     {doc: `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Method not allowed."},"id":null}`},
		"another host":           {doc: `{"url":"https://evil.example/mcp"}`, bad: true},
		"another port":           {doc: `{"url":"https://example.com:444/mcp"}`, bad: true},
		"without TLS":            {doc: `{"url":"http://example.com/mcp"}`, bad: true},
		"without a scheme":       {doc: `{"url":"//example.com/mcp"}`, bad: true},
		"backslashes":            {doc: `{"url":"\\\\evil.example/mcp"}`, bad: true},
		"a script":               {doc: `{"url":"javascript:alert(1)"}`, bad: true},
		"a file":                 {doc: `{"url":"file:///etc/passwd"}`, bad: true},
		"a password":             {doc: `{"url":"https://a:b@example.com/mcp"}`, bad: true},
		"no URL":                 {doc: `{"url":"https://[::1"}`, bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok, err := Endpoint([]byte(test.doc), from)
			if got != test.want || ok != (test.want != "") || (err != nil) != test.bad {
				t.Errorf("got %q, %v, %v", got, ok, err)
			}
			if test.bad && fault.From(err).Kind != fault.Manifest {
				t.Errorf("%v is of kind %s", err, fault.From(err).Kind)
			}
		})
	}
}

// Whatever a document says, an endpoint is on the origin of the document.
func FuzzEndpoint(f *testing.F) {
	f.Add([]byte(`{"server":{"url":"https://example.com/ai/mcp"}}`))
	f.Add([]byte(`{"url":"\t//x"}`))
	f.Add([]byte(`{"endpoint":"?a"}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		const from = "https://example.com/ai/server.json"
		got, ok, err := Endpoint(doc, from)
		if ok != (got != "") || ok && err != nil {
			t.Fatalf("%q, %v, %v", got, ok, err)
		}
		if ok && (fetch.SameOriginRedirect(from, got) != nil || strings.Contains(got, "#")) {
			t.Fatalf("%q is somewhere else", got)
		}
	})
}
