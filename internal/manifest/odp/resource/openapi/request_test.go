package openapi

import (
	"net/http"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema"
)

// values puts an object of arguments together.
func values(pairs ...string) *manifest.Values {
	v := &manifest.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], jsontext.Value(pairs[i+1]))
	}
	return v
}

// operation returns "x" at a path with these further members.
func operation(t testing.TB, method, path, members string) *Operation {
	t.Helper()
	o, err := parse(t, `{"openapi":"3.1.0","paths":{"`+path+`":{"`+method+`":{"operationId":"x"`+members+`}}},
		"components":{"schemas":{"Order":{"type":"object","properties":{"qty":{"$ref":"#/components/schemas/Qty"}},"required":["qty"]},"Qty":{"type":"integer","minimum":1}},
		"parameters":{"Limit":{"name":"limit","in":"query","schema":{"$ref":"#/components/schemas/Qty"}}},
		"requestBodies":{"Order":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Order"}}}}}}}`).Operation("x")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestParametersInTheirPlaces(t *testing.T) {
	const list, object = `["a b","c,d",1.50]`, `{"k":"v w","n":2}`
	for name, c := range map[string]struct {
		path, parameter string
		value           string
		url, header     string // what is behind https://a.example, or the header X
	}{
		"a text in a path":            {"/f/{p}", `{"name":"p","in":"path","required":true}`, `"a/b?c#d%2e é"`, "/f/a%2Fb%3Fc%23d%252e%20%C3%A9", ""},
		"a number in a path":          {"/f/{p}.pdf", `{"name":"p","in":"path","required":true}`, `12345678901234567890`, "/f/12345678901234567890.pdf", ""},
		"a list in a path":            {"/f/{p}", `{"name":"p","in":"path","required":true}`, list, "/f/a%20b,c%2Cd,1.50", ""},
		"an object in a path":         {"/f/{p}", `{"name":"p","in":"path","required":true}`, object, "/f/k,v%20w,n,2", ""},
		"… exploded":                  {"/f/{p}", `{"name":"p","in":"path","required":true,"style":"simple","explode":true}`, object, "/f/k=v%20w,n=2", ""},
		"JSON in a path":              {"/f/{p}", `{"name":"p","in":"path","required":true,"content":{"application/json":{}}}`, object, "/f/%7B%22k%22%3A%22v%20w%22%2C%22n%22%3A2%7D", ""},
		"a path part twice":           {"/f/{p}/{p}", `{"name":"p","in":"path","required":true}`, `"a"`, "/f/a/a", ""},
		"a text in a query":           {"/f", `{"name":"p q","in":"query"}`, `"a&b=c+d"`, "/f?p%20q=a%26b%3Dc%2Bd", ""},
		"an empty text in a query":    {"/f", `{"name":"p","in":"query"}`, `""`, "/f?p=", ""},
		"a truth in a query":          {"/f", `{"name":"p","in":"query"}`, `true`, "/f?p=true", ""},
		"a list in a query":           {"/f", `{"name":"p","in":"query"}`, list, "/f?p=a%20b&p=c%2Cd&p=1.50", ""},
		"an empty list in a query":    {"/f", `{"name":"p","in":"query"}`, `[]`, "/f", ""},
		"… not exploded":              {"/f", `{"name":"p","in":"query","explode":false}`, list, "/f?p=a%20b,c%2Cd,1.50", ""},
		"an object in a query":        {"/f", `{"name":"p","in":"query"}`, object, "/f?k=v%20w&n=2", ""},
		"an object, not exploded":     {"/f", `{"name":"p","in":"query","style":"form","explode":false}`, object, "/f?p=k,v%20w,n,2", ""},
		"JSON in a query":             {"/f", `{"name":"p","in":"query","content":{"application/json":{}}}`, `[1]`, "/f?p=%5B1%5D", ""},
		"a text in a header":          {"/f", `{"name":"X","in":"header"}`, `"a b, c"`, "/f", "a b, c"},
		"a list in a header":          {"/f", `{"name":"X","in":"header"}`, `["a b",1]`, "/f", "a b,1"},
		"an object in a header":       {"/f", `{"name":"X","in":"header","explode":true}`, object, "/f", "k=v w,n=2"},
		"a header that means nothing": {"/f", `{"name":"authorization","in":"header"},{"name":"X","in":"header"}`, `"a"`, "/f", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			o := operation(t, "get", c.path, `,"parameters":[`+c.parameter+`]`)
			request, problems := o.Request(values(o.plan.Parameters[0].Argument, c.value), nil)
			if request == nil {
				t.Fatal(problems)
			}
			if request.URL != "https://a.example"+c.url || request.Header.Get("X") != c.header || request.Body != nil {
				t.Errorf("got %+v", request)
			}
		})
	}
}

func TestValuesThatFitNowhere(t *testing.T) {
	for name, c := range map[string]struct{ path, parameter, value string }{
		"an empty path part":          {"/f/{p}", `{"name":"p","in":"path","required":true}`, `""`},
		"a dot":                       {"/f/{p}", `{"name":"p","in":"path","required":true}`, `"."`},
		"two dots":                    {"/f/{p}/x", `{"name":"p","in":"path","required":true}`, `".."`},
		"a dot beside one":            {"/f/.{p}", `{"name":"p","in":"path","required":true}`, `"."`},
		"a NUL in a path":             {"/f/{p}", `{"name":"p","in":"path","required":true}`, `"a\u0000"`},
		"null in a path":              {"/f/{p}", `{"name":"p","in":"path","required":true}`, `null`},
		"an empty list in a path":     {"/f/{p}", `{"name":"p","in":"path","required":true}`, `[]`},
		"a list of lists in a path":   {"/f/{p}", `{"name":"p","in":"path","required":true}`, `[[1]]`},
		"null in a query":             {"/f", `{"name":"p","in":"query"}`, `null`},
		"objects in a list":           {"/f", `{"name":"p","in":"query"}`, `[{}]`},
		"an object in an object":      {"/f", `{"name":"p","in":"query","explode":false}`, `{"a":{}}`},
		"a line break in a header":    {"/f", `{"name":"p","in":"header"}`, `"a\r\nX: y"`},
		"an é in a header":            {"/f", `{"name":"p","in":"header"}`, `"é"`},
		"a comma in a list in one":    {"/f", `{"name":"p","in":"header"}`, `["a,b"]`},
		"a comma in an object's name": {"/f", `{"name":"p","in":"header"}`, `{"a,b":1}`},
		"a text that is too long":     {"/f", `{"name":"p","in":"query"}`, `"` + string(make65k()) + `"`},
	} {
		t.Run(name, func(t *testing.T) {
			o := operation(t, "get", c.path, `,"parameters":[`+c.parameter+`]`)
			if request, problems := o.Request(values("p", c.value), nil); request != nil || len(problems) == 0 {
				t.Errorf("got %+v", request)
			}
		})
	}
	o := operation(t, "get", "/f/{p}", `,"parameters":[{"name":"p","in":"path","required":true},{"name":"q","in":"query","required":true}]`)
	if _, problems := o.Request(values(), nil); len(problems) != 2 || problems[0].Keyword != "required" {
		t.Errorf("got %v", problems)
	}
}

func make65k() []byte {
	out := make([]byte, 65<<10)
	for i := range out {
		out[i] = 'a'
	}
	return out
}

func TestOneSchemaOfAllArguments(t *testing.T) {
	for name, c := range map[string]struct {
		method, members string
		input           string
	}{
		"nothing": {"get", ``, `{"type":"object","properties":{},"additionalProperties":false}`},
		"parameters": {
			"get", `,"parameters":[{"$ref":"#/components/parameters/Limit"},{"name":"q","in":"query","required":true,"description":"What to look for"}]`,
			`{"type":"object","properties":{"limit":{"$ref":"#/$defs/schema1"},"q":{"description":"What to look for"}},"required":["q"],"additionalProperties":false,` +
				`"$defs":{"schema1":{"type":"integer","minimum":1}}}`,
		},
		"a body alone is its schema": {
			"post", `,"requestBody":{"$ref":"#/components/requestBodies/Order"}`,
			`{"$ref":"#/$defs/schema1","$defs":{"schema1":{"type":"object","properties":{"qty":{"$ref":"#/$defs/schema2"}},"required":["qty"]},"schema2":{"type":"integer","minimum":1}}}`,
		},
		"a body and parameters": {
			"post", `,"parameters":[{"name":"dry","in":"query","schema":{"type":"boolean"}}],"requestBody":{"$ref":"#/components/requestBodies/Order"}`,
			`{"type":"object","properties":{"dry":{"type":"boolean"},"qty":{"$ref":"#/$defs/schema2"}},"required":["qty"],` +
				`"$defs":{"schema1":{"type":"object","properties":{"qty":{"$ref":"#/$defs/schema2"}},"required":["qty"]},"schema2":{"type":"integer","minimum":1}}}`,
		},
		"a name that is taken": {
			"post", `,"parameters":[{"name":"a","in":"query"}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"a":{}}}}}}`,
			`{"type":"object","properties":{"a":{},"body":{"type":"object","properties":{"a":{}}}},"required":["body"],"additionalProperties":false}`,
		},
		"two places for one name": {
			"get", `,"parameters":[{"name":"a","in":"query"},{"name":"a","in":"header"}]`,
			`{"type":"object","properties":{"a":{},"header-a":{}},"additionalProperties":false}`,
		},
		"a body that is no object": {
			"post", `,"requestBody":{"content":{"application/json":{"schema":{"type":"array"}}}}`,
			`{"type":"object","properties":{"body":{"type":"array"}},"additionalProperties":false}`,
		},
		"a body that may be missing but not incomplete": {
			"post", `,"requestBody":{"content":{"application/json":{"schema":{"type":"object","required":["a"]}}}}`,
			`{"type":"object","properties":{"body":{"type":"object","required":["a"]}},"additionalProperties":false}`,
		},
		"a closed body and parameters": {
			"post", `,"parameters":[{"name":"q","in":"query"}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"a":{}},"additionalProperties":false}}}}`,
			`{"type":"object","properties":{"q":{},"a":{}},"additionalProperties":false}`,
		},
		"a body with more to say, and parameters": {
			"post", `,"parameters":[{"name":"q","in":"query"}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","minProperties":1}}}}`,
			`{"type":"object","properties":{"q":{},"body":{"type":"object","minProperties":1}},"required":["body"],"additionalProperties":false}`,
		},
		"a body of bytes": {
			"post", `,"requestBody":{"required":true,"content":{"image/png":{}}}`, `{"type":"object","properties":{},"additionalProperties":false}`,
		},
		"references that go round": {
			"post", `,"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"$ref":{"$ref":"#/paths/~1f/post/requestBody/content/application~1json/schema"},"enum":{"enum":[{"$ref":"x"}]}}}}}}`,
			`{"type":"object","properties":{"$ref":{"$ref":"#/$defs/schema1"},"enum":{"enum":[{"$ref":"x"}]}},` +
				`"$defs":{"schema1":{"type":"object","properties":{"$ref":{"$ref":"#/$defs/schema1"},"enum":{"enum":[{"$ref":"x"}]}}}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := operation(t, c.method, "/f", c.members)
			if diff := cmp.Diff(c.input, string(o.Input)); diff != "" {
				t.Error(diff)
			}
			if _, err := schema.Compile(o.Input); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBodies(t *testing.T) {
	const order = `,"requestBody":{"$ref":"#/components/requestBodies/Order"}`
	const optional = `,"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"a":{}}}}}}`
	const form = `,"requestBody":{"required":true,"content":{"multipart/form-data":{},"application/x-www-form-urlencoded":{"schema":{"type":"object"}}}}`
	const picture = `,"requestBody":{"required":true,"content":{"image/*":{}}}`
	const list = `,"requestBody":{"required":true,"content":{"application/*":{"schema":{"type":"array"}}}}`
	for name, c := range map[string]struct {
		members string
		values  *manifest.Values
		own     *Body
		want    string // "-" for none
		media   string // "" where there must be a problem
	}{
		"members":                           {order, values("qty", "2", "note", `"x"`), nil, `{"qty":2,"note":"x"}`, "application/json"},
		"a body that must be, and is empty": {`,"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object"}}}}`, values(), nil, `{}`, "application/json"},
		"a body that need not be":           {optional, values(), nil, "-", "-"},
		"… and is":                          {optional, values("a", "1"), nil, `{"a":1}`, "application/json"},
		"a form":                            {form, values("a", `"b c"`), nil, "a=b%20c", "application/x-www-form-urlencoded"},
		"a list":                            {list, values("body", `[1]`), nil, "[1]", "application/json"},
		"no list":                           {list, values(), nil, "", ""},
		"bytes":                             {picture, values(), &Body{Type: "image/png", Data: []byte("x")}, "x", "image/png"},
		"bytes of no certain type":          {picture, values(), &Body{Data: []byte("x")}, "", ""},
		"bytes of another type":             {picture, values(), &Body{Type: "text/html", Data: []byte("x")}, "", ""},
		"bytes of a range":                  {picture, values(), &Body{Type: "image/*", Data: []byte("x")}, "", ""},
		"no bytes":                          {picture, values(), nil, "", ""},
		"a body of the caller's own":        {order, values(), &Body{Data: []byte(`{"qty": 2}`)}, `{"qty": 2}`, "application/json"},
		"… that does not match":             {order, values(), &Body{Data: []byte(`{"qty": 0}`)}, "", ""},
		"… beside members":                  {order, values("qty", "1"), &Body{Data: []byte(`{"qty": 2}`)}, "", ""},
		"… where there is none":             {"", values(), &Body{Data: []byte(`{}`)}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			request, problems := operation(t, "post", "/f", c.members).Request(c.values, c.own)
			if c.media == "" {
				if request != nil || len(problems) == 0 {
					t.Errorf("got %+v", request)
				}
				return
			}
			if request == nil {
				t.Fatal(problems)
			}
			got, media := string(request.Body), request.Header.Get("Content-Type")
			if request.Body == nil {
				got, media = "-", "-"
			}
			if got != c.want || media != c.media {
				t.Errorf("got %q of %q", got, media)
			}
		})
	}
}

func TestAnswersAreAskedForByTheirTypes(t *testing.T) {
	o := operation(t, "get", "/f", `,"responses":{"200":{"content":{"application/pdf":{},"text/csv":{}}},"201":{"content":{"text/csv; x=y":{}}},"404":{"content":{"text/html":{}}}}`)
	request, _ := o.Request(values(), nil)
	if got := request.Header; !cmp.Equal(got, http.Header{"Accept": {"application/pdf, text/csv"}}) {
		t.Error(got)
	}
	if got := operation(t, "get", "/f", "").Accept; got != "*/*" {
		t.Error(got)
	}
}
