package openapi

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema"
)

func TestArgumentsOfOperations(t *testing.T) {
	d := shop(t)
	for id, want := range map[string]struct{ input, args string }{
		"listOrders": {
			`{"type":"object","properties":{"X-Tenant":{"type":"string"},"status":{"type":"array","items":{"$ref":"#/$defs/schema1"}},` +
				`"filter":{"type":"object","properties":{"min":{"type":"number"}}}},"additionalProperties":false,` +
				`"$defs":{"schema1":{"type":["string","null"],"enum":["open","paid",null]}}}`, "",
		},
		"replaceOrder": {
			`{"type":"object","properties":{"id":{"type":"integer"},"X-Tenant":{"type":"string"},"price":{"type":"number","exclusiveMinimum":0,"examples":[9.50]},` +
				`"note":{"type":["string","null"]},"parent":{"$ref":"#/$defs/schema1"}},"required":["id","price"],"$defs":{"schema1":` +
				`{"type":"object","required":["price"],"properties":{"price":{"type":"number","exclusiveMinimum":0,"examples":[9.50]},"note":{"type":["string","null"]},"parent":{"$ref":"#/$defs/schema1"}}}}}`, "id",
		},
	} {
		a := action(t, d, id)
		if diff := cmp.Diff(want.input, string(a.Input)); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
		if got := strings.Join(a.Args, " "); got != want.args {
			t.Errorf("%s: got %q", id, got)
		}
		if a.Issues != nil {
			t.Errorf("%s: %v", id, a.Issues)
		}
	}
	if list := action(t, d, "listOrders"); !list.NextLink || action(t, d, "getOrder").NextLink {
		t.Error("lists are not told apart")
	}
}

// What a body says in words of OpenAPI, the validator understands.
func TestSchemasAreTranslated(t *testing.T) {
	const schemas = `,"components":{"schemas":{
		"Cat":{"type":"object","properties":{"kind":{"type":"string"},"lives":{"type":"integer"}},"required":["kind"]},
		"Dog":{"type":"object","properties":{"kind":{"type":"string"},"bark":{"type":"string"}},"required":["kind"]},
		"Stamp":{"type":"string","readOnly":true},
		"Base":{"type":"object","properties":{"id":{"$ref":"#/components/schemas/Stamp"},"name":{"type":"string"}},"required":["id"]}}}`
	for name, c := range map[string]struct{ version, schema, good, bad string }{
		"nullable":                       {"3.0.3", `{"type":"string","nullable":true}`, `null`, `1`},
		"nullable beside a reference":    {"3.0.3", `{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Cat"}]}`, `null`, `{}`},
		"nullable with an enum":          {"3.0.3", `{"type":"string","enum":["a"],"nullable":true}`, `null`, `"b"`},
		"a limit that is out":            {"3.0.3", `{"type":"number","maximum":5,"exclusiveMaximum":true}`, `4.9`, `5`},
		"a limit that is in":             {"3.0.3", `{"type":"number","maximum":5,"exclusiveMaximum":false}`, `5`, `5.1`},
		"a limit of 3.1":                 {"3.1.0", `{"type":"number","exclusiveMaximum":5}`, `4.9`, `5`},
		"what is beside a reference":     {"3.0.3", `{"$ref":"#/components/schemas/Stamp","maxLength":1}`, `"long"`, `1`},
		"… of 3.1":                       {"3.1.0", `{"$ref":"#/components/schemas/Stamp","maxLength":1}`, `"l"`, `"long"`},
		"alternatives told apart":        {"3.0.3", `{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind","mapping":{"cat":"Cat","dog":"#/components/schemas/Dog"}}}`, `{"kind":"cat"}`, `{"kind":"cow"}`},
		"… by their names":               {"3.0.3", `{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind"}}`, `{"kind":"Cat"}`, `{"kind":1}`},
		"alternatives":                   {"3.1.0", `{"oneOf":[{"type":"string"},{"type":"integer"}]}`, `1`, `true`},
		"what is not for callers":        {"3.0.3", `{"$ref":"#/components/schemas/Base"}`, `{"name":"x"}`, `{"name":1}`},
		"… through a combination":        {"3.0.3", `{"allOf":[{"$ref":"#/components/schemas/Base"},{"required":["name"]}]}`, `{"name":"x"}`, `{}`},
		"a pattern that nobody knows":    {"3.0.3", `{"type":"string","pattern":"[a-"}`, `"x"`, `1`},
		"a pattern that explodes":        {"3.0.3", `{"type":"string","pattern":"^(a+)+$"}`, `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`, `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"`},
		"required as a truth":            {"3.0.3", `{"type":"object","properties":{"a":{"type":"string","required":true}}}`, `{}`, `{"a":1}`},
		"a type that is none":            {"3.0.3", `{"type":"file"}`, `"x"`, ""},
		"a keyword of a wrong shape":     {"3.0.3", `{"type":"string","minLength":"3","enum":"x","description":1,"maxLength":2}`, `"x"`, `"xxx"`},
		"combinations of a wrong shape":  {"3.0.3", `{"type":"string","allOf":[],"anyOf":{},"properties":[]}`, `"x"`, `1`},
		"a schema that is a text":        {"3.0.3", `{"type":"array","items":"string"}`, `[1]`, `1`},
		"a schema elsewhere":             {"3.0.3", `{"type":"array","items":{"$ref":"file:///etc/passwd"}}`, `[1]`, `1`},
		"a private address":              {"3.0.3", `{"type":"array","items":{"$ref":"http://169.254.169.254/x"}}`, `[1]`, `1`},
		"a schema that is not there":     {"3.0.3", `{"type":"array","items":{"$ref":"#/components/schemas/No"}}`, `[1]`, `1`},
		"a reference to itself":          {"3.1.0", `{"$ref":"#/components/schemas/Loop"}`, `1`, ""},
		"a place deep in the document":   {"3.1.0", `{"$ref":"#/components/schemas/Cat/properties/lives"}`, `9`, `"9"`},
		"a dynamic reference":            {"3.1.0", `{"type":"array","items":{"$dynamicRef":"#x"}}`, `[1]`, `1`},
		"another dialect, $id and names": {"3.1.0", `{"$schema":"http://json-schema.org/draft-04/schema#","$id":"https://b.example/x","type":"string","$anchor":"a"}`, `"x"`, `1`},
		"constants":                      {"3.1.0", `{"const":12345678901234567890}`, `12345678901234567890`, `12345678901234567891`},
	} {
		t.Run(name, func(t *testing.T) {
			schemas := strings.Replace(schemas, `"Cat":`, `"Loop":{"allOf":[{"$ref":"#/components/schemas/Loop"}]},"Cat":`, 1)
			doc := documentOf(c.version, "post", "/x", `,"parameters":[{"name":"v","in":"query","schema":`+c.schema+`}]`, schemas)
			a := action(t, parse(t, doc), "x")
			if !accepts(t, a, `{"v":`+c.good+`}`) {
				t.Errorf("%s is refused by %s", c.good, a.Input)
			}
			if c.bad != "" && accepts(t, a, `{"v":`+c.bad+`}`) {
				t.Errorf("%s is accepted by %s", c.bad, a.Input)
			}
		})
	}
}

func TestWhatIsNotUnderstoodIsTold(t *testing.T) {
	parameter := func(p string) string { return `,"parameters":[` + p + `]` }
	for name, c := range map[string]struct{ method, members, want string }{
		"a schema elsewhere":    {"get", parameter(`{"name":"a","in":"query","schema":{"$ref":"s.json#/a"}}`), "schema_remote_ref /paths/~1x/get/parameters/0/schema/$ref"},
		"a pattern":             {"get", parameter(`{"name":"a","in":"query","schema":{"pattern":"("}}`), "schema_incomplete /paths/~1x/get/parameters/0/schema/pattern"},
		"a parameter twice":     {"get", parameter(`{"name":"a","in":"query"},{"name":"a","in":"query"}`), "openapi_invalid /paths/~1x/get/parameters/1"},
		"a place of Swagger":    {"post", parameter(`{"name":"a","in":"formData"}`), "feature_unsupported /paths/~1x/post/parameters/0"},
		"a style elsewhere":     {"get", parameter(`{"name":"a","in":"query","style":"matrix"}`), "feature_unsupported /paths/~1x/get/parameters/0"},
		"a header of ours":      {"get", parameter(`{"name":"Referer","in":"header"}`), "feature_unsupported /paths/~1x/get/parameters/0"},
		"a part of no path":     {"get", parameter(`{"name":"a","in":"path","required":true}`), "openapi_invalid /paths/~1x/get/parameters/0"},
		"a body of GET":         {"get", `,"requestBody":{"required":true,"content":{"application/json":{}}}`, "openapi_invalid /paths/~1x/get/requestBody"},
		"a body of no type":     {"post", `,"requestBody":{"content":{"text":{}}}`, "openapi_invalid /paths/~1x/post/requestBody"},
		"… that must be there":  {"post", `,"requestBody":{"required":true,"content":{"":{}}}`, "openapi_invalid /paths/~1x/post/requestBody"},
		"a form that is a list": {"post", `,"requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"type":"array"}}}}`, "openapi_invalid /paths/~1x/post/requestBody/content/application~1x-www-form-urlencoded/schema"},
		"a form of one file":    {"post", `,"requestBody":{"content":{"multipart/form-data":{"schema":{"type":"string","format":"binary"}}}}`, "openapi_invalid /paths/~1x/post/requestBody/content/multipart~1form-data/schema"},
		"a scheme not there":    {"get", `,"security":[{"k":[]}]`, "ref_missing /components/securitySchemes/k"},
		"a form's style":        {"post", `,"requestBody":{"content":{"application/x-www-form-urlencoded":{"encoding":{"a":{"style":"simple"}}}}}`, "feature_unsupported /paths/~1x/post/requestBody/content/application~1x-www-form-urlencoded/encoding/a"},
	} {
		t.Run(name, func(t *testing.T) {
			a := action(t, parse(t, documentOf("3.1.0", c.method, "/x", c.members, "")), "x")
			if got := codes(a.Issues); got != c.want {
				t.Errorf("got %q", got)
			}
			if _, problems := a.Request(&manifest.Values{}, Own{}); len(problems) > 0 {
				t.Errorf("got %v", problems)
			}
		})
	}
}

func TestOperationsThatCannotBeCalled(t *testing.T) {
	parameter := func(p string) string { return documentOf("3.1.0", "get", "/x", `,"parameters":[`+p+`]`, "") }
	loop := `,"components":{"parameters":{"a":{"$ref":"#/components/parameters/b"},"b":{"$ref":"#/components/parameters/a"}}}`
	for name, c := range map[string]struct{ doc, code string }{
		"trace":                            {documentOf("3.1.0", "trace", "/x", "", ""), CodeUnknown},
		"a parameter elsewhere":            {parameter(`{"$ref":"https://b.example/p.json"}`), CodeRemoteRef},
		"a parameter in a file":            {parameter(`{"$ref":"./p.yaml#/a"}`), CodeRemoteRef},
		"a parameter that is not there":    {parameter(`{"$ref":"#/components/parameters/p"}`), CodeMissingRef},
		"references in a circle":           {documentOf("3.1.0", "get", "/x", `,"parameters":[{"$ref":"#/components/parameters/a"}]`, loop), CodeCircular},
		"a body elsewhere":                 {documentOf("3.1.0", "post", "/x", `,"requestBody":{"$ref":"b.json"}`, ""), CodeRemoteRef},
		"a path with dot segments":         {documentOf("3.1.0", "get", "/a/%2e%2e/b", "", ""), CodeInvalid},
		"a path with a line break":         {documentOf("3.1.0", "get", "/a\\nb", "", ""), CodeInvalid},
		"a header that is for the client":  {parameter(`{"name":"Cookie","in":"header","required":true}`), CodeUnknown},
		"a path with a brace":              {documentOf("3.1.0", "get", "/a{", "", ""), CodeInvalid},
		"a path that is none":              {documentOf("3.1.0", "get", "a", "", ""), CodeInvalid},
		"parameters that are no list":      {documentOf("3.1.0", "get", "/x", `,"parameters":{}`, ""), CodeInvalid},
		"too many parameters":              {parameter(strings.Repeat(`{"name":"a","in":"query"},`, MaxParameters) + `{}`), CodeInvalid},
		"a body of a type that is none":    {documentOf("3.1.0", "post", "/x", `,"requestBody":{"required":true,"content":{"applicationjson":{}}}`, ""), CodeInvalid},
		"a parameter that cannot be given": {parameter(`{"name":"a","in":"querystring","required":true}`), CodeUnknown},
		"a name that nobody sees":          {parameter(`{"name":"a\u200b","in":"query","required":true}`), CodeInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tryAction(parse(t, c.doc), "x")
			requireFault(t, err, c.code)
		})
	}
	d := parse(t, `{"openapi":"3.1.0","paths":{"/a":{"$ref":"#/paths/~1b"},"/b":{"$ref":"#/paths/~1a"},"/c":{"$ref":"c.json"},"/d":{"$ref":"#/components/pathItems/d"}},"components":{"pathItems":{"d":{"get":{"operationId":"d"}}}}}`)
	site := d.Site()
	if got := codes(site.Issues); got != "ref_circular /paths/~1a, ref_circular /paths/~1b, schema_remote_ref /paths/~1c" || len(site.Actions) != 1 {
		t.Errorf("got %s and %+v", got, site.Actions)
	}
	action(t, d, "d")
}

// What is beyond the limit is there all the same: a document of many large parts is told from one that has holes.
func TestPartsBeyondTheLimitAreTooLarge(t *testing.T) {
	large := `"` + strings.Repeat("x", maxReached/2) + `"`
	doc := documentOf("3.1.0", "get", "/x", `,"parameters":[{"name":"a","in":"query","schema":{"allOf":[{"$ref":"#/components/schemas/a"},{"$ref":"#/components/schemas/b"}]}}%s]`,
		`,"components":{"schemas":{"a":{"type":"string","description":`+large+`},"b":{"type":"string","description":`+large+`}},"parameters":{"c":{"name":"c","in":"query","required":true}}}`)
	a := action(t, parse(t, strings.Replace(doc, "%s", "", 1)), "x")
	if got := codes(a.Issues); !strings.Contains(got, "too_large /components/schemas/b") || strings.Contains(got, CodeMissingRef) {
		t.Errorf("got %q", got)
	}
	s, err := parse(t, strings.Replace(doc, "%s", `,{"$ref":"#/components/parameters/c"}`, 1)).Operation("x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = ParseAction(s, func(string) (jsontext.Value, error) {
		return jsontext.Value(`{"name":"c","in":"query","example":"` + strings.Repeat("x", maxReached) + `"}`), nil
	})
	requireFault(t, err, CodeTooLarge)
}

func TestWhatPartsFailWithIsTheError(t *testing.T) {
	s, err := shop(t).Operation("listOrders")
	if err != nil {
		t.Fatal(err)
	}
	damaged := errors.New("damaged")
	if _, err = ParseAction(s, func(string) (jsontext.Value, error) { return nil, damaged }); !errors.Is(err, damaged) {
		t.Errorf("got %v", err)
	}
}

func TestArgumentsThatShareAName(t *testing.T) {
	const body = `,"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"id":{"type":"integer"},"n":{}}}}}}`
	for name, c := range map[string]struct{ path, members, arguments, request string }{
		"two places":         {"/x/{id}", `,"parameters":[{"name":"id","in":"path"},{"name":"id","in":"query"}]`, `{"id":1,"query-id":2}`, "/x/1?id=2 "},
		"a member of a body": {"/x/{id}", `,"parameters":[{"name":"id","in":"path"}]` + body, `{"path-id":1,"id":2}`, `/x/1 {"id":2}`},
		"a body that is one": {"/x", `,"parameters":[{"name":"body","in":"query"}],"requestBody":{"content":{"application/json":{"schema":{"type":"array"}}}}`, `{"query-body":"a","body":[1]}`, `/x?body=a [1]`},
		"restish's name":     {"/x/{id}", `,"parameters":[{"name":"id","in":"path","x-cli-name":"thing"}]` + body, `{"thing":1,"id":2}`, `/x/1 {"id":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			a := action(t, parse(t, documentOf("3.1.0", "post", c.path, c.members, "")), "x")
			if !accepts(t, a, c.arguments) {
				t.Errorf("refused by %s", a.Input)
			}
			request, problems := a.Request(values(t, c.arguments), Own{})
			if problems != nil {
				t.Fatal(problems)
			}
			if got := strings.TrimPrefix(request.URL, "https://a.example") + " " + string(request.Body); got != c.request {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A body's members are arguments wherever that means the same.
func TestBodiesBecomeArguments(t *testing.T) {
	const id = `,"parameters":[{"name":"q","in":"query"}]`
	for name, c := range map[string]struct {
		parameters, schema string
		required           bool
		good, bad, body    string
	}{
		"members":                      {id, `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, true, `{"q":1,"a":2}`, `{"q":1}`, `{"a":2}`},
		"nothing else":                 {id, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, true, `{"a":2}`, `{"b":1}`, `{"a":2}`},
		"anything else":                {id, `{"type":"object","additionalProperties":{"type":"integer"}}`, true, `{"q":"x","b":1}`, `{"b":"x"}`, `{"b":1}`},
		"combinations":                 {id, `{"allOf":[{"type":"object","properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"integer"}},"required":["b"]}]}`, true, `{"q":"x","b":1}`, `{"a":1}`, `{"b":1}`},
		"combinations that are closed": {id, `{"allOf":[{"type":"object","properties":{"a":{}},"additionalProperties":false}]}`, true, `{"q":"x","body":{"a":1}}`, `{"a":1}`, `{"a":1}`},
		"alternatives":                 {id, `{"oneOf":[{"type":"object","properties":{"a":{}},"required":["a"]},{"type":"object","properties":{"b":{}},"required":["b"]}]}`, true, `{"q":"x","b":1}`, `{"q":1}`, `{"b":1}`},
		"alone":                        {"", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, true, `{"a":1}`, `{"q":1}`, `{"a":1}`},
		"a list":                       {id, `{"type":"array"}`, true, `{"body":[1]}`, `{"q":1}`, `[1]`},
		"an empty one":                 {id, `{"type":"object","properties":{"a":{}}}`, true, `{}`, `{"body":`, `{}`},
		"one that need not be":         {id, `{"type":"object","properties":{"a":{},"b":{}},"required":["a"]}`, false, `{"q":1}`, `{"b":1}`, ``},
		"… alone":                      {"", `{"type":"object","properties":{"a":{},"b":{}},"required":["a"]}`, false, `{}`, `{"b":1}`, ``},
		"… and is":                     {id, `{"type":"object","properties":{"a":{},"b":{}},"required":["a"]}`, false, `{"q":1,"a":1}`, `{"b":1}`, `{"a":1}`},
		"an object without its type":   {id, `{"properties":{"a":{"type":"integer"}}}`, true, `{"q":1,"a":1}`, `{"a":"x"}`, `{"a":1}`},
		"no schema that says anything": {id, `{}`, true, `{"body":"x"}`, `{"q":1}`, `"x"`},
	} {
		t.Run(name, func(t *testing.T) {
			a := action(t, parse(t, documentOf("3.1.0", "post", "/x", c.parameters+fmt.Sprintf(`,"requestBody":{"required":%v,"content":{"application/json":{"schema":%s}}}`, c.required, c.schema), "")), "x")
			if a.Issues != nil {
				t.Error(a.Issues)
			}
			if !accepts(t, a, c.good) || accepts(t, a, c.bad) {
				t.Errorf("the input is %s", a.Input)
			}
			request, problems := a.Request(values(t, c.good), Own{})
			if problems != nil {
				t.Fatal(problems)
			}
			if string(request.Body) != c.body || (c.body != "") != (request.Header.Get("Content-Type") == "application/json") {
				t.Errorf("got %q, %v", request.Body, request.Header)
			}
		})
	}
}

// Documents refer to more than a schema may hold: then the innermost references stand for anything.
func TestLargeSchemasAreCut(t *testing.T) {
	var schemas strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&schemas, `"S%d":{"type":"object","description":"%0200d","properties":{"a":{"$ref":"#/components/schemas/S%d"},"n":{"type":"integer"}}},`, i, 0, i+1)
	}
	doc := documentOf("3.0.0", "post", "/x", `,"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S0"}}}}`,
		`,"components":{"schemas":{`+schemas.String()+`"S3000":{"type":"string"}}}`)
	a := action(t, parse(t, doc), "x")
	if got := codes(a.Issues); !strings.HasPrefix(got, CodeIncomplete+" ") || len(a.Issues) != 1 {
		t.Errorf("got %s", got)
	}
	if !accepts(t, a, `{"a":{"a":{"n":1}}}`) || accepts(t, a, `{"a":{"a":{"n":"x"}}}`) {
		t.Error("the outer schemas are not checked")
	}
	if len(a.Input) > schema.MaxBytes {
		t.Errorf("the input has %d bytes", len(a.Input))
	}
}

func TestSchemasThatMultiply(t *testing.T) {
	var schemas strings.Builder
	for i := range 100 {
		next := fmt.Sprintf(`{"$ref":"#/components/schemas/S%d"}`, i+1)
		fmt.Fprintf(&schemas, `"S%d":{"allOf":[%s,%s]},`, i, next, next)
	}
	doc := documentOf("3.0.0", "post", "/x", `,"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S0"}}}}`,
		`,"components":{"schemas":{`+schemas.String()+`"S100":{"type":"object","properties":{"n":{"type":"integer"}}}}}`)
	a := action(t, parse(t, doc), "x")
	if len(a.Issues) == 0 {
		t.Error("nothing is said of what is not checked")
	}
	if _, err := schema.Compile(a.Input); err != nil {
		t.Error(err)
	}
}

func TestSecurity(t *testing.T) {
	const schemes = `,"security":[{"bearer":[]}],"components":{"securitySchemes":{
		"bearer":{"type":"http","scheme":"Bearer"},"basic":{"type":"http","scheme":"basic"},"digest":{"type":"http","scheme":"digest"},
		"key":{"type":"apiKey","in":"header","name":"X-Key"},"session":{"$ref":"#/components/securitySchemes/cookie"},"cookie":{"type":"apiKey","in":"cookie","name":"s"},
		"bad":{"type":"apiKey","in":"header","name":"a b"},"tls":{"type":"mutualTLS"},
		"oauth":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"/token","scopes":{"r":"read"}},"authorizationCode":{"authorizationUrl":"/a","tokenUrl":"https://id.example/t","x-deviceAuthorizationUrl":"https://id.example/d","scopes":{}},
			"deviceAuthorization":{"deviceAuthorizationUrl":"https://id.example/device","tokenUrl":"http://id.example/plain","scopes":{}}}}}}`
	bearer := manifest.Scheme{Name: "bearer", Type: manifest.Bearer}
	for name, c := range map[string]struct {
		security string
		want     [][]manifest.Scheme
	}{
		"the document's":     {"", [][]manifest.Scheme{{bearer}}},
		"taken back":         {`,"security":[]`, [][]manifest.Scheme{{}}},
		"both of two":        {`,"security":[{"basic":[],"key":[]}]`, [][]manifest.Scheme{{{Name: "basic", Type: manifest.Basic}, {Name: "key", Type: manifest.APIKey, In: "header", Field: "X-Key"}}}},
		"the usable first":   {`,"security":[{"tls":[]},{},{"digest":[]},{"bad":[]},{"bearer":[]}]`, [][]manifest.Scheme{{bearer}, {}, {{Name: "tls", Type: "mutualTLS"}}, {{Name: "digest", Type: "http-digest"}}, {{Name: "bad", Type: manifest.APIKey, In: "header"}}}},
		"through references": {`,"security":[{"session":[]}]`, [][]manifest.Scheme{{{Name: "session", Type: manifest.APIKey, In: "cookie", Field: "s"}}}},
		"OAuth": {`,"security":[{"oauth":["r"]}]`, [][]manifest.Scheme{{{Name: "oauth", Type: manifest.OAuth2, Scopes: []string{"r"}, Flows: []manifest.OAuthFlow{
			{Grant: "client_credentials", TokenURL: "https://a.example/token", Scopes: []string{"r"}},
			{Grant: "device_code", TokenURL: "https://id.example/t", DeviceURL: "https://id.example/d"},
			{Grant: "authorization_code", TokenURL: "https://id.example/t"},
			{Grant: "device_code", DeviceURL: "https://id.example/device"},
		}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := action(t, parse(t, documentOf("3.1.0", "get", "/x", c.security, schemes)), "x")
			if diff := cmp.Diff(c.want, a.Security); diff != "" {
				t.Error(diff)
			}
		})
	}
	if a := action(t, parse(t, documentOf("3.1.0", "get", "/x", "", "")), "x"); a.Security != nil {
		t.Errorf("got %v", a.Security)
	}
}

func TestWhatOperationsSayForAgents(t *testing.T) {
	doc := documentOf("3.1.0", "post", "/x", `,"x-agent-effect":"spend","x-agent-scope":"pay","x-agent-cost":{"field":"price","currency":"EUR"},
		"description":"Pays.\n\nAt once.","requestBody":{"required":true,"content":{"application/json":{"schema":{"properties":{"price":{"type":"number"}}}}}}`, "")
	d := parse(t, doc)
	a := action(t, d, "x")
	if a.Effect != manifest.Spend || a.Scope != "pay" || a.Description != "Pays.\n\nAt once." || d.Site().Actions[0].Description != "Pays." {
		t.Errorf("got %+v", a.Summary)
	}
	request, _ := a.Request(values(t, `{"price":12.50}`), Own{})
	if diff := cmp.Diff(&manifest.Cost{Amount: "12.50", Currency: "EUR"}, request.Cost); diff != "" || request.Effect != manifest.Spend || request.Idempotent {
		t.Error(diff, request)
	}
	site := parse(t, documentOf("3.1.0", "post", "/x", `,"x-agent-effect":"wipe it","x-agent-cost":5`, "")).Site()
	if got := codes(site.Issues); got != "wrong_type /paths/~1x/post/x-agent-cost, effect_unknown /paths/~1x/post/x-agent-effect" || site.Actions[0].Effect != "unknown" {
		t.Errorf("got %s, %q", got, site.Actions[0].Effect)
	}
}

func TestIdempotencyIsDeclaredByItsHeader(t *testing.T) {
	a := action(t, shop(t), "orders.create")
	request, problems := a.Request(values(t, `{"price":1}`), Own{})
	if problems != nil || !request.Idempotent {
		t.Errorf("got %+v, %v", request, problems)
	}
	request, _ = a.Request(values(t, `{"price":1,"Idempotency-Key":"k"}`), Own{})
	if request.Idempotent || request.Header.Get("Idempotency-Key") != "k" {
		t.Errorf("got %+v", request)
	}
}
