package agentmanifest

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest"
)

// given are the arguments {"q":"a b&c","tags":["x","y"],"n":12345678901234567890}.
func given() *manifest.Values {
	values := &manifest.Values{}
	values.Set("q", jsontext.Value(`"a b&c"`))
	values.Set("tags", jsontext.Value(`["x","y"]`))
	values.Set("n", jsontext.Value(`12345678901234567890`))
	return values
}

func TestRequests(t *testing.T) {
	const (
		query = "q=a%20b%26c&tags=x&tags=y&n=12345678901234567890"
		body  = `{"q":"a b&c","tags":["x","y"],"n":12345678901234567890}`
		get   = `"endpoint": "/api/tools", "priority": 1, "schemaMode": "inherits", "method": "GET", "contentType": "application/json"`
		post  = `"endpoint": "/api/borrow", "method": "POST"`
	)
	for name, test := range map[string]struct {
		change      []string
		id, binding string
		want        string // method, URL, content type, body
	}{
		"a query":              {nil, "find_tools", "http", "GET https://shed.example/api/tools?" + query + "  "},
		"a query behind one":   {[]string{`"/api/tools"`, `"/api/tools?v=1"`}, "find_tools", "http", "GET https://shed.example/api/tools?v=1&" + query + "  "},
		"a query that is open": {[]string{`"/api/tools"`, `"/api/tools?v=1&"`}, "find_tools", "http", "GET https://shed.example/api/tools?v=1&" + query + "  "},
		"a fragment goes":      {[]string{`"/api/tools"`, `"/api/tools#top"`}, "find_tools", "http", "GET https://shed.example/api/tools?" + query + "  "},
		"GET where none is said": {
			[]string{get, `"endpoint": "./tools", "priority": 1, "schemaMode": "inherits"`}, "find_tools", "http", "GET https://shed.example/.well-known/tools?" + query + "  ",
		},
		"a body":            {nil, "borrow", "http", "POST https://shed.example/api/borrow application/json " + body},
		"a search by POST":  {[]string{get, `"endpoint": "/s", "priority": 1, "schemaMode": "none", "method": "POST"`}, "find_tools", "http", "POST https://shed.example/s application/json " + body},
		"a body of a kind":  {[]string{post, post + `, "contentType": "application/vnd.shed+json; v=1"`}, "borrow", "http", "POST https://shed.example/api/borrow application/vnd.shed+json; v=1 " + body},
		"a form":            {[]string{post, post + `, "contentType": "application/x-www-form-urlencoded"`}, "borrow", "http", "POST https://shed.example/api/borrow application/x-www-form-urlencoded " + query},
		"deleting":          {[]string{post, `"endpoint": "/api/borrow", "method": "DELETE"`}, "borrow", "http", "DELETE https://shed.example/api/borrow?" + query + "  "},
		"a page":            {nil, "find_tools", "html", "GET https://shed.example/tools  "},
		"a file":            {nil, "find_tools", "static", "GET https://shed.example/tools.json  "},
		"up and to the top": {[]string{`"/api/tools"`, `"../../../api/tools"`}, "find_tools", "http", "GET https://shed.example/api/tools?" + query + "  "},
	} {
		t.Run(name, func(t *testing.T) {
			c := capability(t, edit(t, test.change...), test.id, test.binding)
			r, problems := c.Request(given())
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			got := strings.Join([]string{r.Method, r.URL, r.Header.Get("Content-Type"), string(r.Body)}, " ")
			if got != test.want || r.Effect != c.Effect || r.Idempotent != c.Idempotent {
				t.Errorf("got %q, want %q; %+v", got, test.want, r)
			}
		})
	}
}

func TestKindsWithoutARequestOfTheirOwn(t *testing.T) {
	for id, bindings := range map[string][]string{"borrow": {"mcp", "openapi"}, "buy": {"hosted-checkout"}} {
		for _, binding := range bindings {
			if r, problems := capability(t, full, id, binding).Request(given()); r != nil || len(problems) != 1 {
				t.Errorf("%s: %+v, %v", binding, r, problems)
			}
		}
	}
}
