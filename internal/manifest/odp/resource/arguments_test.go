package resource

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
)

// What a person types becomes a request by way of the one schema of all arguments.
func TestArgumentsOfActions(t *testing.T) {
	d, err := openapi.Parse([]byte(`{"openapi":"3.1.0","paths":{"/tools/{id}/rentals":{"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],
		"post":{"operationId":"rent","parameters":[{"name":"dry_run","in":"query","schema":{"type":"boolean"}},{"name":"X-Tags","in":"header","schema":{"type":"array","items":{"type":"string"}}}],
		"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Rental"}}}}}}},
		"components":{"schemas":{"Rental":{"type":"object","required":["days"],"properties":{"days":{"$ref":"#/components/schemas/Days"},"note":{"type":"string"}},"additionalProperties":false},"Days":{"type":"integer","maximum":7}}}}`),
		"https://a.example/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	s := Subject{"https://a.example", &Offering{}}
	byOpenAPI, err := s.OpenAPI(&Action{ID: "rent", Rel: Purchase, OpenAPI: &OpenAPITarget{OperationID: "rent"}}, d)
	if err != nil {
		t.Fatal(err)
	}
	byHTTP, err := s.HTTP(&Action{ID: "hold", Rel: Reserve, HTTP: &HTTPTarget{Href: "/holds", Method: "POST", Request: &BodyRules{SchemaURL: "/s"}}},
		jsontext.Value(`{"type":"object","required":["days"],"properties":{"days":{"type":"integer"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	free, err := s.HTTP(&Action{ID: "go", Rel: Invoke, HTTP: &HTTPTarget{Href: "/go", Method: "POST"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		i         *Invocation
		arguments string
		want      string // URL and body; "" where there must be problems
	}{
		"all of an operation's":      {byOpenAPI, `{"id":"a b","dry_run":true,"X-Tags":["x","y"],"days":3}`, `https://a.example/tools/a%20b/rentals?dry_run=true {"days":3}`},
		"a body that is too much":    {byOpenAPI, `{"id":"a","days":8}`, ""},
		"a body that lacks a member": {byOpenAPI, `{"id":"a"}`, ""},
		"one that nobody declared":   {byOpenAPI, `{"id":"a","days":1,"color":"red"}`, ""},
		"no part of the path":        {byOpenAPI, `{"days":1}`, ""},
		"a compact body":             {byHTTP, `{"days":3}`, `https://a.example/holds {"days":3}`},
		"a compact body that lacks":  {byHTTP, `{}`, ""},
		"anything where all goes":    {free, `{"x":{"y":0.10}}`, `https://a.example/go {"x":{"y":0.10}}`},
		"nothing":                    {free, `{}`, "https://a.example/go "},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := input.CompileObject(c.i.Input, c.i.Args)
			if err != nil {
				t.Fatal(err)
			}
			given, problems := set.Values(input.Words{Object: jsontext.Value(c.arguments)})
			if len(problems) > 0 {
				if c.want != "" {
					t.Error(problems)
				}
				return
			}
			request, problems := c.i.Request(given, nil)
			if request == nil {
				t.Fatal(problems)
			}
			if got := request.URL + " " + string(request.Body); got != c.want {
				t.Errorf("got %s", got)
			}
		})
	}
}
