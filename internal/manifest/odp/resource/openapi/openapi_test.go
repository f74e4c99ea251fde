package openapi

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

const from = "https://a.example/api/openapi.json"

func parse(t testing.TB, doc string) *Document {
	t.Helper()
	d, err := Parse([]byte(doc), from)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// document returns one with an operation "x" of these members at GET or POST /things, and further members of its own.
func document(method, operation, more string) string {
	return fmt.Sprintf(`{"openapi":"3.1.0","paths":{"/things":{%q:{"operationId":"x"%s}}}%s}`, method, operation, more)
}

func requireUnusable(t *testing.T, err error, pointer string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.Manifest || e.Code != codeUnusable {
		t.Fatalf("want a fault at %q, got %v", pointer, err)
	}
	if e.Details["pointer"] != pointer {
		t.Errorf("want %q to be named, got %q: %v", pointer, e.Details["pointer"], e)
	}
}

func TestMediaTypes(t *testing.T) {
	for header, want := range map[string]bool{
		"application/json":                                           true,
		"Application/JSON; charset=utf-8":                            true,
		"application/vnd.oai.openapi+json;version=3.1":               true,
		`application/vnd.oai.openapi+json; charset=x; version="3.1"`: true,
		"application/vnd.oai.openapi+json":                           false,
		"application/vnd.oai.openapi+json; version=3.0":              false,
		"application/vnd.oai.openapi+json; version=3.1.0":            false,
		"application/vnd.oai.openapi; version=3.1":                   false,
		"application/odp+json":                                       false,
		"text/html":                                                  false,
		"":                                                           false,
	} {
		if got := CheckMediaType(header) == nil; got != want {
			t.Errorf("%q: got %v", header, got)
		}
	}
}

func TestVersions(t *testing.T) {
	for version, want := range map[string]bool{
		`"3.1.0"`: true, `"3.1.12"`: true, `"3.0.3"`: false, `"3.2.0"`: false, `"3.1"`: false, `"3.1."`: false, `"3.1.x"`: false, `"3.10.1"`: false,
		`3.1`: false, `"2.0"`: false, `null`: false,
	} {
		if _, err := Parse([]byte(`{"openapi":`+version+`}`), from); (err == nil) != want {
			t.Errorf("%s: got %v", version, err)
		}
	}
	if _, err := Parse([]byte(`{}`), from); err == nil {
		t.Error("a document without a version is accepted")
	}
	large := `{"openapi":"3.1.0"` + strings.Repeat(" ", 1_048_576-19) + `}`
	if _, err := Parse([]byte(large), from); err != nil {
		t.Error(err)
	}
	for name, doc := range map[string]string{
		"a byte too many": large + " ",
		"33 levels":       `{"openapi":"3.1.0","x":` + strings.Repeat("[", 31) + "1" + strings.Repeat("]", 31) + `}`,
	} {
		if _, err := Parse([]byte(doc), from); err == nil || fault.From(err).Kind != fault.Unavailable {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestAnOperationIsFoundOnceOrNotAtAll(t *testing.T) {
	op := `{"post":{"operationId":"x"}}`
	for name, c := range map[string]struct {
		doc     string
		pointer string
		found   bool
	}{
		"under paths":                  {`{"openapi":"3.1.0","paths":{"/a":` + op + `}}`, "", true},
		"nowhere":                      {`{"openapi":"3.1.0","paths":{"/a":{"post":{"operationId":"X"}}}}`, "", false},
		"no paths":                     {`{"openapi":"3.1.0"}`, "", false},
		"on two paths":                 {`{"openapi":"3.1.0","paths":{"/a":` + op + `,"/b":` + op + `}}`, "/paths/~1b/post", false},
		"by two methods":               {`{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":"x"},"put":{"operationId":"x"}}}}`, "/paths/~1a/put", false},
		"and in a webhook":             {`{"openapi":"3.1.0","paths":{"/a":` + op + `},"webhooks":{"w":` + op + `}}`, "/webhooks/w/post", false},
		"in a webhook only":            {`{"openapi":"3.1.0","webhooks":{"w":` + op + `}}`, "/webhooks/w/post", false},
		"and in a component":           {`{"openapi":"3.1.0","paths":{"/a":` + op + `},"components":{"pathItems":{"p":` + op + `}}}`, "/components/pathItems/p/post", false},
		"in a component only":          {`{"openapi":"3.1.0","paths":{"/a":{"$ref":"#/components/pathItems/p"}},"components":{"pathItems":{"p":` + op + `}}}`, "/components/pathItems/p/post", false},
		"and in a callback":            {`{"openapi":"3.1.0","paths":{"/a":{"post":{"operationId":"x","callbacks":{"c":{"{$url}":` + op + `}}}}}}`, "/paths/~1a/post/callbacks/c/{$url}/post", false},
		"and in a shared callback":     {`{"openapi":"3.1.0","paths":{"/a":` + op + `},"components":{"callbacks":{"c":{"u":` + op + `}}}}`, "/components/callbacks/c/u/post", false},
		"in an extension":              {`{"openapi":"3.1.0","paths":{"x-a":` + op + `}}`, "/paths/x-a/post", false},
		"an example is no operation":   {`{"openapi":"3.1.0","paths":{"/a":` + op + `},"components":{"examples":{"e":{"value":` + op + `}}}}`, "", true},
		"a method in capitals is none": {`{"openapi":"3.1.0","paths":{"/a":{"POST":{"operationId":"x"}}}}`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			path, method, err := parse(t, c.doc).Locate("x")
			if c.found {
				if err != nil || path != "/a" || method != "POST" {
					t.Errorf("got %s %s, %v", method, path, err)
				}
				return
			}
			requireUnusable(t, err, c.pointer)
		})
	}
}

func TestServers(t *testing.T) {
	for name, c := range map[string]struct{ server, want string }{
		"none":                     {``, "https://a.example/things"},
		"an empty list":            {`,"servers":[]`, "https://a.example/things"},
		"a path":                   {`,"servers":[{"url":"/v1/"},{"url":"/v2"}]`, "https://a.example/v1/things"},
		"relative to the document": {`,"servers":[{"url":"v1"}]`, "https://a.example/api/v1/things"},
		"two dots":                 {`,"servers":[{"url":"../v1"}]`, "https://a.example/v1/things"},
		"another origin":           {`,"servers":[{"url":"https://b.example"}]`, "https://b.example/things"},
		"another port":             {`,"servers":[{"url":"https://b.example:8443/x"}]`, "https://b.example:8443/x/things"},
		"variables":                {`,"servers":[{"url":"https://{region}.b.example/{v}","variables":{"region":{"default":"eu","enum":["us","eu"]},"v":{"default":"v1"}}}]`, "https://eu.b.example/v1/things"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := parse(t, document("post", "", c.server)).Operation("x")
			if err != nil || o.Endpoint != c.want {
				t.Errorf("got %+v, %v", o, err)
			}
		})
	}
	for name, server := range map[string]string{
		"plain http":                         `[{"url":"http://b.example"}]`,
		"another scheme":                     `[{"url":"ftp://b.example"}]`,
		"a user":                             `[{"url":"https://u:p@b.example"}]`,
		"a query":                            `[{"url":"/v1?x=1"}]`,
		"a fragment":                         `[{"url":"/v1#x"}]`,
		"a variable without a default":       `[{"url":"/{v}","variables":{"v":{"enum":["a"]}}}]`,
		"a variable that is not there":       `[{"url":"/{v}"}]`,
		"a default that is none of the enum": `[{"url":"/{v}","variables":{"v":{"default":"b","enum":["a"]}}}]`,
		"a brace that is left open":          `[{"url":"/{v"}]`,
		"a space":                            `[{"url":"https://b example/"}]`,
		"no URL":                             `[{}]`,
		"no list":                            `{"url":"/v1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(t, document("post", "", `,"servers":`+server)).Operation("x")
			requireUnusable(t, err, "/paths/~1things/post")
		})
	}
	nearest := `{"openapi":"3.1.0","servers":[{"url":"/root"}],"paths":{"/a":{"servers":[{"url":"/item"}],"get":{"operationId":"a"},"put":{"operationId":"b","servers":[{"url":"/own"}]}}}}`
	for id, want := range map[string]string{"a": "https://a.example/item/a", "b": "https://a.example/own/a"} {
		if o, err := parse(t, nearest).Operation(id); err != nil || o.Endpoint != want {
			t.Errorf("%s: got %+v, %v", id, o, err)
		}
	}
}

func TestOperationsThatCannotBeBuilt(t *testing.T) {
	parameter := func(p string) string { return document("get", `,"parameters":[`+p+`]`, "") }
	body := func(b string) string { return document("post", `,"requestBody":`+b, "") }
	const at = "/paths/~1things/get/parameters/0"
	for name, c := range map[string]struct{ doc, pointer string }{
		"trace":                                {document("trace", "", ""), "/paths/~1things/trace"},
		"a path item that refers":              {`{"openapi":"3.1.0","paths":{"/a":{"$ref":"#/x","get":{"operationId":"x"}}}}`, "/paths/~1a/get"},
		"another dialect":                      {document("get", "", `,"jsonSchemaDialect":"http://json-schema.org/draft-07/schema#"`), "/jsonSchemaDialect"},
		"a parameter elsewhere (ODP-110)":      {parameter(`{"$ref":"https://b.example/p.json"}`), at},
		"a parameter that is not there":        {parameter(`{"$ref":"#/components/parameters/p"}`), at},
		"references in a circle":               {document("get", `,"parameters":[{"$ref":"#/components/parameters/a"}]`, `,"components":{"parameters":{"a":{"$ref":"#/components/parameters/b"},"b":{"$ref":"#/components/parameters/a"}}}`), "/components/parameters/b"},
		"a cookie":                             {parameter(`{"name":"a","in":"cookie"}`), at + "/in"},
		"a parameter without a name":           {parameter(`{"in":"query"}`), at + "/name"},
		"an invisible name":                    {parameter(`{"in":"query","name":"a\u0000"}`), at + "/name"},
		"a style that is not supported":        {parameter(`{"name":"a","in":"query","style":"deepObject"}`), at + "/style"},
		"a style of another place":             {parameter(`{"name":"a","in":"query","style":"simple"}`), at + "/style"},
		"content of another type":              {parameter(`{"name":"a","in":"query","content":{"text/csv":{}}}`), at + "/content"},
		"content of two types":                 {parameter(`{"name":"a","in":"query","content":{"application/json":{},"text/csv":{}}}`), at + "/content"},
		"a header that carries messages":       {parameter(`{"name":"Content-Length","in":"header"}`), at + "/name"},
		"a header that carries secrets":        {parameter(`{"name":"cookie","in":"header"}`), at + "/name"},
		"a header that is no name":             {parameter(`{"name":"a b","in":"header"}`), at + "/name"},
		"a parameter twice":                    {parameter(`{"name":"a","in":"query"},{"name":"a","in":"query"}`), "/paths/~1things/get/parameters/1"},
		"parameters that are no list":          {document("get", `,"parameters":{}`, ""), "/paths/~1things/get"},
		"a schema elsewhere":                   {parameter(`{"name":"a","in":"query","schema":{"$ref":"s.json"}}`), at + "/schema/$ref"},
		"a schema that is not there":           {parameter(`{"name":"a","in":"query","schema":{"$ref":"#/components/schemas/S"}}`), "/components/schemas/S"},
		"a schema that is a text":              {parameter(`{"name":"a","in":"query","schema":"string"}`), at + "/schema"},
		"a dynamic reference":                  {parameter(`{"name":"a","in":"query","schema":{"items":{"$dynamicRef":"#x"}}}`), at + "/schema/items/$dynamicRef"},
		"a reference below an $id":             {parameter(`{"name":"a","in":"query","schema":{"$id":"https://b.example/","not":{"$ref":"#/x"}}}`), at + "/schema/not/$ref"},
		"a schema of another dialect":          {parameter(`{"name":"a","in":"query","schema":{"$schema":"http://json-schema.org/draft-04/schema#"}}`), at + "/schema/$schema"},
		"an optional part of the path":         {`{"openapi":"3.1.0","paths":{"/a/{b}":{"get":{"operationId":"x","parameters":[{"name":"b","in":"path"}]}}}}`, "/paths/~1a~1{b}/get/parameters/0/required"},
		"a part of the path that is not there": {`{"openapi":"3.1.0","paths":{"/a/{b}":{"get":{"operationId":"x"}}}}`, "/paths/~1a~1{b}/get"},
		"a part of another path":               {parameter(`{"name":"a","in":"path","required":true}`), at},
		"a path with a query":                  {`{"openapi":"3.1.0","paths":{"/a?b=c":{"get":{"operationId":"x"}}}}`, "/paths/~1a?b=c/get"},
		"a path with dot segments":             {`{"openapi":"3.1.0","paths":{"/a/../b":{"get":{"operationId":"x"}}}}`, "/paths/~1a~1..~1b/get"},
		"a path with a brace":                  {`{"openapi":"3.1.0","paths":{"/a{":{"get":{"operationId":"x"}}}}`, "/paths/~1a{/get"},
		"a body elsewhere":                     {body(`{"$ref":"b.json"}`), "/paths/~1things/post/requestBody"},
		"a body without types":                 {body(`{"content":{}}`), "/paths/~1things/post/requestBody"},
		"a body that GET must have":            {document("get", `,"requestBody":{"required":true,"content":{"application/json":{}}}`, ""), "/paths/~1things/get/requestBody"},
		"a body that shares its name": {
			document("post", `,"parameters":[{"name":"body","in":"query"}],"requestBody":{"content":{"application/json":{"schema":{"type":"array"}}}}`, ""), "",
		},
		"too many parameters": {parameter(strings.Repeat(`{"name":"a","in":"query"},`, 1000) + `{}`), "/paths/~1things/get"},
		"two places for one name, and that taken": {
			parameter(`{"name":"query-a","in":"query"},{"name":"a","in":"header"},{"name":"a","in":"query"}`), "/paths/~1things/get/parameters/2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := parse(t, c.doc).Operation("x")
			if err == nil {
				t.Fatalf("it can be called: %+v", o)
			}
			requireUnusable(t, err, c.pointer)
		})
	}
}

// One schema may be named in endless ways, each of which would be another copy.
func TestCopiesOfSchemasAreCounted(t *testing.T) {
	var few strings.Builder
	for i := range 600 {
		fmt.Fprintf(&few, `{"$ref":"#/components/schemas/S/allOf/%0*d"},`, i+1, 0)
	}
	doc := document("post", `,"requestBody":{"content":{"application/json":{"schema":{"anyOf":[`+few.String()+`{}]}}}}`,
		`,"components":{"schemas":{"S":{"allOf":[{"anyOf":[`+strings.Repeat("{},", 999)+`{}]}]}}}`)
	_, err := parse(t, doc).Operation("x")
	if err == nil || !strings.Contains(err.Error(), "its schemas are more than") {
		t.Errorf("got %v", err)
	}
}
