package resource

import (
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/manifest/odp"
)

const goodAction = `{"id":"good","rel":"quote","authentication":"optional","http":{"href":"/q","method":"GET"}}`

func TestActionsThatCannotBeUsed(t *testing.T) {
	for name, c := range map[string]struct{ action, pointer string }{
		"another member (ODP-94)":      {`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"GET"},"x":1}`, "/0/x"},
		"no id":                        {`{"rel":"quote","authentication":"optional","http":{"href":"/q","method":"GET"}}`, "/0/id"},
		"an id with a slash":           {`{"id":"a/b","rel":"quote","authentication":"optional","http":{"href":"/q","method":"GET"}}`, "/0/id"},
		"no relation":                  {`{"id":"a","authentication":"optional","http":{"href":"/q","method":"GET"}}`, "/0/rel"},
		"a relation in capitals":       {`{"id":"a","rel":"Quote","authentication":"optional","http":{"href":"/q","method":"GET"}}`, "/0/rel"},
		"a relation with a digit":      {`{"id":"a","rel":"1st","authentication":"optional","http":{"href":"/q","method":"GET"}}`, "/0/rel"},
		"a relation with two dashes":   {`{"id":"a","rel":"a--b","authentication":"optional","http":{"href":"/q","method":"GET"}}`, "/0/rel"},
		"a relation of 65 letters":     {`{"id":"a","rel":"` + strings.Repeat("a", 65) + `","authentication":"optional","http":{"href":"/q","method":"GET"}}`, "/0/rel"},
		"no authentication":            {`{"id":"a","rel":"quote","http":{"href":"/q","method":"GET"}}`, "/0/authentication"},
		"another authentication":       {`{"id":"a","rel":"quote","authentication":"maybe","http":{"href":"/q","method":"GET"}}`, "/0/authentication"},
		"a long description":           {`{"id":"a","rel":"quote","authentication":"optional","description":"` + strings.Repeat("x", 513) + `","http":{"href":"/q","method":"GET"}}`, "/0/description"},
		"no target":                    {`{"id":"a","rel":"quote","authentication":"optional"}`, "/0"},
		"two targets":                  {`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"GET"},"openapi":{"operation_id":"x"}}`, "/0"},
		"a target that is null":        {`{"id":"a","rel":"quote","authentication":"optional","http":null}`, "/0/http"},
		"another method":               {`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"PUT"}}`, "/0/http/method"},
		"a method in small letters":    {`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"get"}}`, "/0/http/method"},
		"no address":                   {`{"id":"a","rel":"quote","authentication":"optional","http":{"method":"GET"}}`, "/0/http/href"},
		"a relative address":           {`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"../q","method":"GET"}}`, "/0/http/href"},
		"an address over plain http":   {`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"http://a.example/q","method":"GET"}}`, "/0/http/href"},
		"another member of the target": {`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"GET","headers":{}}}`, "/0/http/headers"},
		"an empty request":             {`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"POST","request":{}}}`, "/0/http/request"},
		"another member of the request": {
			`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"POST","request":{"schema":{"url":"/s"},"cookie":"x"}}}`, "/0/http/request/cookie",
		},
		"a content type that splits a header": {
			`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"POST","request":{"content_type":"text/plain; a=\"\r\nX: y\""}}}`, "/0/http/request/content_type",
		},
		"no response type":          {`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"GET","response_content_types":[]}}`, "/0/http/response_content_types"},
		"a response type twice":     {`{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"GET","response_content_types":["a/b","a/b"]}}`, "/0/http/response_content_types/1"},
		"no operation":              {`{"id":"a","rel":"quote","authentication":"optional","openapi":{"url":"/o"}}`, "/0/openapi/operation_id"},
		"an empty operation":        {`{"id":"a","rel":"quote","authentication":"optional","openapi":{"operation_id":""}}`, "/0/openapi/operation_id"},
		"an operation by its path":  {`{"id":"a","rel":"quote","authentication":"optional","openapi":{"operation_id":"x","path":"/p"}}`, "/0/openapi/path"},
		"an action that is no text": {`7`, "/0"},
	} {
		t.Run(name, func(t *testing.T) {
			around := cursor(t, "["+c.action+","+goodAction+"]")
			usable, issues := ReadActions(around)
			if around.Failed() || len(usable) != 1 || usable[0].ID != "good" || len(issues) != 1 || issues[0].Pointer != c.pointer {
				t.Errorf("usable %v, issues %v, fault %v; want an issue at %q", usable, issues, around.Issue(), c.pointer)
			}
		})
	}
}

func TestAnIdThatIsThereTwiceSpoilsBothAndABadOneCountsToo(t *testing.T) {
	usable, issues := ReadActions(cursor(t, `[{"id":"a"},`+goodAction+`,{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"GET"}}]`))
	if len(usable) != 1 || len(issues) != 2 || issues[0].Command[0] != "a" || issues[1].Command[0] != "a" || issues[1].Pointer != "/2/id" {
		t.Errorf("usable %v, issues %v", usable, issues)
	}
	usable, issues = ReadActions(cursor(t, `[{"id":"a","rel":"quote","authentication":"optional","http":{"href":"/q","method":"GET"}},{"id":"\u0061"}]`))
	if len(usable) != 0 || len(issues) != 2 {
		t.Errorf("an escape hides a repetition: %v, %v", usable, issues)
	}
}

func TestTheDocumentOfAnOpenAPITarget(t *testing.T) {
	for name, c := range map[string]struct{ own, service, want string }{
		"its own":                  {"https://b.example/o", "/service", "https://b.example/o"},
		"that of the Service":      {"", "/service", "https://a.example/service"},
		"none (ODP-106)":           {"", "", ""},
		"one on the caller's side": {"http://localhost:8080/o", "/service", ""},
	} {
		got, err := (&OpenAPITarget{OperationID: "x", URL: c.own}).DocumentURL("https://a.example", c.service)
		if (err == nil) != (c.want != "") || err == nil && got != c.want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestOnlyALocalServiceLeadsToTheCallersMachine(t *testing.T) {
	for _, c := range []struct {
		service   odp.Origin
		reference string
		want      string
	}{
		{"https://a.example", "/x", "https://a.example/x"},
		{"https://a.example", "https://b.example/x", "https://b.example/x"},
		{"https://a.example", "http://127.0.0.1:9/x", ""},
		{"https://a.example", "https://localhost/x", ""},
		{"https://a.example", "https://[::1]/x", ""},
		{"http://localhost:8080", "/x", "http://localhost:8080/x"},
		{"http://localhost:8080", "http://127.0.0.1:9/x", "http://127.0.0.1:9/x"},
	} {
		if got, err := Follow(c.service, c.reference); (err == nil) != (c.want != "") || err == nil && got != c.want {
			t.Errorf("from %s to %s: got %q, %v", c.service, c.reference, got, err)
		}
	}
	a := &Action{ID: "x", HTTP: &HTTPTarget{Href: "http://127.0.0.1:9/admin", Method: "POST"}}
	if _, err := (Subject{"https://a.example", &Offering{}}).HTTP(a, nil); err == nil {
		t.Error("an Action leads to the caller's own machine")
	}
}

func TestKnownRelations(t *testing.T) {
	if !KnownRelation("invoke") || KnownRelation("read") {
		t.Error("relations are mixed up")
	}
}
