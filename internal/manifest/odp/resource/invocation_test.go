package resource

import (
	"net/http"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/schema"
)

const service = "https://a.example"

// values puts an object of arguments together.
func values(pairs ...string) *manifest.Values {
	v := &manifest.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], jsontext.Value(pairs[i+1]))
	}
	return v
}

func TestEffects(t *testing.T) {
	fixed := &Price{Type: Fixed, Amount: "9.50", Currency: "EUR"}
	free, none := &Price{Type: Free}, (*Price)(nil)
	for _, c := range []struct {
		rel, method string
		price       *Price
		effect      manifest.Effect
		asks        bool
		amount      string
	}{
		{Download, "GET", none, manifest.Read, false, ""},
		{Download, "GET", free, manifest.Read, false, ""},
		{Download, "GET", fixed, manifest.Read, false, ""},
		{Download, "POST", none, manifest.Write, false, ""},
		{GetQuote, "GET", fixed, manifest.Read, false, ""},
		{GetQuote, "POST", fixed, manifest.Write, false, ""},
		{GetQuote, "DELETE", fixed, manifest.Delete, true, ""},
		{Reserve, "POST", none, manifest.Write, true, ""},
		{Reserve, "GET", free, manifest.Write, true, ""},
		{Purchase, "POST", fixed, manifest.Spend, true, "9.50"},
		{Purchase, "GET", free, manifest.Spend, true, ""},
		{Invoke, "POST", none, Unknown, true, ""},
		{Invoke, "GET", fixed, Unknown, true, "9.50"},
		{Invoke, "POST", free, manifest.Write, false, ""},
		{Invoke, "GET", free, manifest.Read, false, ""},
		{"read", "GET", none, Unknown, true, ""},
		{"read", "GET", &Price{Type: Quote}, Unknown, true, ""},
		{"future-operation", "GET", free, manifest.Read, false, ""},
	} {
		s := Subject{service, &Offering{Price: c.price}}
		i, err := s.invocation(&Action{ID: "x", Rel: c.rel}, c.method, service+"/x", service)
		if err != nil {
			t.Fatal(err)
		}
		facts := policy.Facts{Effect: i.Effect, Risk: i.Risk, Cost: i.Cost}
		amount := ""
		if i.Cost != nil {
			amount = i.Cost.Amount
		}
		if i.Effect != c.effect || facts.AsksFirst() != c.asks || amount != c.amount {
			t.Errorf("%s by %s at %q: effect %q, asks %v, amount %q", c.rel, c.method, c.price, i.Effect, facts.AsksFirst(), amount)
		}
	}
}

// A price preview is the price of one: it is what is paid only where nothing can be said that changes that (ODP-93).
func TestAnAmountIsKnownWhereNothingCanBeAskedFor(t *testing.T) {
	s := Subject{service, &Offering{Price: &Price{Type: Fixed, Amount: "0.50", Currency: "EUR"}}}
	a := &Action{ID: "buy", Rel: Purchase, HTTP: &HTTPTarget{Method: "POST", Href: "/x", Request: &BodyRules{ContentType: "application/json", SchemaURL: "/s"}}}
	for rule, amount := range map[string]string{
		`{"type":"object","additionalProperties":false}`:                                               "0.50",
		`{"title":"Nothing","type":"object","properties":{},"additionalProperties":false}`:             "0.50",
		`{"type":"object","properties":{"qty":{"type":"integer"}},"additionalProperties":false}`:       "",
		`{"type":"object","patternProperties":{"^q":{"type":"integer"}},"additionalProperties":false}`: "",
		`{"type":"object","additionalProperties":{}}`:                                                  "",
		`{"type":"object"}`: "",
		`true`:              "",
	} {
		i, err := s.HTTP(a, jsontext.Value(rule))
		if err != nil {
			t.Fatal(err)
		}
		if i.Cost.Amount != amount {
			t.Errorf("%s: the amount is %q, want %q", rule, i.Cost.Amount, amount)
		}
	}
}

func TestCompactTargets(t *testing.T) {
	rule := jsontext.Value(`{"type":"object","properties":{"qty":{"type":"integer"}},"required":["qty"]}`)
	withSchema := func(contentType string) *BodyRules { return &BodyRules{ContentType: contentType, SchemaURL: "/s"} }
	for name, c := range map[string]struct {
		target  HTTPTarget
		rule    jsontext.Value
		values  *manifest.Values
		body    *openapi.Body
		want    string // the body that is sent; "-" for none
		media   string
		problem string // its keyword
	}{
		"nothing given":                         {HTTPTarget{Method: "POST"}, nil, values(), nil, "-", "", ""},
		"nothing given where a schema is":       {HTTPTarget{Method: "POST", Request: withSchema("")}, rule, values(), nil, "-", "", ""},
		"arguments":                             {HTTPTarget{Method: "POST"}, nil, values("a", "1.50", "b", `"x"`), nil, `{"a":1.50,"b":"x"}`, "application/json", ""},
		"arguments of a named JSON type":        {HTTPTarget{Method: "POST", Request: withSchema("application/vnd.x+json; v=1")}, rule, values("qty", "2"), nil, `{"qty":2}`, "application/vnd.x+json; v=1", ""},
		"arguments as a form":                   {HTTPTarget{Method: "POST", Request: &BodyRules{ContentType: "application/x-www-form-urlencoded"}}, nil, values("a b", `"c&d"`, "l", "[1,true]"), nil, "a%20b=c%26d&l=1&l=true", "application/x-www-form-urlencoded", ""},
		"a form cannot hold objects":            {HTTPTarget{Method: "POST", Request: &BodyRules{ContentType: "application/x-www-form-urlencoded"}}, nil, values("a", `{}`), nil, "", "", "style"},
		"arguments where only bytes fit":        {HTTPTarget{Method: "POST", Request: &BodyRules{ContentType: "text/csv"}}, nil, values("a", "1"), nil, "", "", "body"},
		"bytes":                                 {HTTPTarget{Method: "POST", Request: &BodyRules{ContentType: "text/csv"}}, nil, values(), &openapi.Body{Data: []byte("a,b")}, "a,b", "text/csv", ""},
		"bytes of another type":                 {HTTPTarget{Method: "POST", Request: &BodyRules{ContentType: "text/csv"}}, nil, values(), &openapi.Body{Type: "text/html", Data: []byte("a")}, "", "", "body"},
		"bytes of the same type":                {HTTPTarget{Method: "POST", Request: &BodyRules{ContentType: "text/csv"}}, nil, values(), &openapi.Body{Type: "Text/CSV; header=present", Data: []byte("a")}, "a", "text/csv", ""},
		"bytes without a type":                  {HTTPTarget{Method: "POST"}, nil, values(), &openapi.Body{Data: []byte("a,b")}, "", "", "body"},
		"JSON without a type":                   {HTTPTarget{Method: "POST"}, nil, values(), &openapi.Body{Data: []byte("[1]")}, "[1]", "application/json", ""},
		"bytes of a type of the caller's":       {HTTPTarget{Method: "POST"}, nil, values(), &openapi.Body{Type: "image/png", Data: []byte("x")}, "x", "image/png", ""},
		"a type that splits a header":           {HTTPTarget{Method: "POST"}, nil, values(), &openapi.Body{Type: "image/png;a=\r\nX: y", Data: []byte("x")}, "", "", "body"},
		"JSON that matches the schema":          {HTTPTarget{Method: "POST", Request: withSchema("application/json")}, rule, values(), &openapi.Body{Data: []byte(`{ "qty": 2 }`)}, `{ "qty": 2 }`, "application/json", ""},
		"JSON that does not":                    {HTTPTarget{Method: "POST", Request: withSchema("")}, rule, values(), &openapi.Body{Data: []byte(`{"qty":"2"}`)}, "", "", "type"},
		"no JSON where JSON is wanted":          {HTTPTarget{Method: "POST", Request: withSchema("application/json")}, rule, values(), &openapi.Body{Data: []byte(`{`)}, "", "", "json"},
		"bytes that no schema can judge":        {HTTPTarget{Method: "POST", Request: withSchema("text/csv")}, rule, values(), &openapi.Body{Data: []byte("a")}, "", "", "body"},
		"both":                                  {HTTPTarget{Method: "POST"}, nil, values("a", "1"), &openapi.Body{Data: []byte("1")}, "", "", "body"},
		"a body on GET without request":         {HTTPTarget{Method: "GET"}, nil, values(), &openapi.Body{Data: []byte("1")}, "", "", "body"},
		"arguments on GET without request":      {HTTPTarget{Method: "GET"}, nil, values("a", "1"), nil, "", "", "body"},
		"a body on GET where the request is so": {HTTPTarget{Method: "GET", Request: &BodyRules{ContentType: "application/json"}}, nil, values("a", "1"), nil, `{"a":1}`, "application/json", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.target.Href = "/orders?x=%2F"
			i, err := Subject{service, &Offering{}}.HTTP(&Action{ID: "x", Rel: Invoke, HTTP: &c.target}, c.rule)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := schema.Compile(i.Input); err != nil {
				t.Errorf("its schema: %v", err)
			}
			request, problems := i.Request(c.values, c.body)
			if c.problem != "" {
				if request != nil || len(problems) != 1 || problems[0].Keyword != c.problem {
					t.Errorf("want a problem %q, got %v", c.problem, problems)
				}
				return
			}
			if request == nil {
				t.Fatal(problems)
			}
			got := string(request.Body)
			if request.Body == nil {
				got = "-"
			}
			if got != c.want || request.Header.Get("Content-Type") != c.media || request.URL != service+"/orders?x=%2F" || request.Method != c.target.Method || request.Effect != Unknown {
				t.Errorf("got %q, %+v", got, request)
			}
		})
	}
}

func TestCompactTargetsElsewhere(t *testing.T) {
	o := &Offering{Head: Head{ID: "drill"}}
	a := &Action{ID: "hold", Rel: Reserve, Description: "Hold it.", HTTP: &HTTPTarget{
		Href: "https://book.example:443/holds", Method: "POST", ResponseTypes: []string{"application/pdf", "image/*", "no\r\ntype"},
	}}
	i, err := Subject{service, o}.HTTP(a, nil)
	if err != nil || !i.Foreign || i.Origin != "https://book.example" {
		t.Fatal(i, err)
	}
	want := manifest.Summary{
		Format: "odp", Command: []string{"offerings", "do", "drill", "hold"}, Description: "Hold it.", Method: "POST",
		Endpoint: "https://book.example:443/holds", Effect: manifest.Write, Risk: "medium",
	}
	if diff := cmp.Diff(want, i.Summary); diff != "" {
		t.Error(diff)
	}
	request, _ := i.Request(values(), nil)
	if got := request.Header; !cmp.Equal(got, http.Header{"Accept": {"application/pdf, image/*"}}) {
		t.Error(got)
	}
	a.HTTP.Href = "https://A.example:443/holds" // the Service itself, spelled otherwise
	if i, _ := (Subject{service, o}).HTTP(a, nil); i.Foreign {
		t.Error("the Service is taken for another origin")
	}
}

func TestWithoutItsSchemaAnActionIsNotCalled(t *testing.T) {
	s := Subject{service, &Offering{}}
	_, err := s.HTTP(&Action{ID: "x", HTTP: &HTTPTarget{Href: "/x", Method: "POST", Request: &BodyRules{SchemaURL: "/s"}}}, nil)
	if e := fault.From(err); e == nil || e.Kind != fault.Manifest || e.Code != "action_unusable" {
		t.Error(err)
	}
	if _, err := s.HTTP(&Action{OpenAPI: &OpenAPITarget{}}, nil); err == nil {
		t.Error("a target of another kind is called")
	}
	if _, err := s.OpenAPI(&Action{HTTP: &HTTPTarget{}}, nil); err == nil {
		t.Error("a target of another kind is called")
	}
}

func TestOpenAPITargets(t *testing.T) {
	d, err := openapi.Parse([]byte(`{"openapi":"3.1.0","servers":[{"url":"https://rent.example/v1/"}],"paths":{"/tools/{id}/rentals":{"post":{"operationId":"rentTool",
		"summary":"Rent a tool","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],
		"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"days":{"type":"integer"}},"required":["days"]}}}}}}}}`),
		service+"/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	s := Subject{service, &Offering{Head: Head{ID: "drill"}, Price: &Price{Type: Fixed, Amount: "6.50", Currency: "EUR"}}}
	i, err := s.OpenAPI(&Action{ID: "rent", Rel: Purchase, OpenAPI: &OpenAPITarget{OperationID: "rentTool"}}, d)
	if err != nil {
		t.Fatal(err)
	}
	request, problems := i.Request(values("id", `"a/b"`, "days", "3"), nil)
	if request == nil {
		t.Fatal(problems)
	}
	if request.URL != "https://rent.example/v1/tools/a%2Fb/rentals" || string(request.Body) != `{"days":3}` || request.Effect != manifest.Spend ||
		request.Cost.Amount != "" || request.Cost.Mode != Fixed || !i.Foreign || i.Description != "Rent a tool" || !slices.Equal(i.Args, []string{"id"}) {
		t.Errorf("got %+v of %+v", request, i)
	}
	if _, err := s.OpenAPI(&Action{OpenAPI: &OpenAPITarget{OperationID: "renttool"}}, d); err == nil {
		t.Error("an id of another case is found")
	}
}
