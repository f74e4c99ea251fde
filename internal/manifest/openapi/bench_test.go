package openapi

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// large returns a document of n operations, some 500 bytes each: 5,000 are 2.4 MB.
func large(n int) []byte {
	var out strings.Builder
	out.WriteString(`{"openapi":"3.0.3","info":{"title":"Large"},"paths":{"/":{}`)
	for i := range n {
		fmt.Fprintf(&out, `,
  "/things%d/{id}": {"post": {"operationId": "changeThing%d", "tags": ["things%d"], "summary": "Change a thing", "description": "It is changed at once.",
    "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}, {"$ref": "#/components/parameters/page"}],
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
    "responses": {"200": {"description": "Done", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}}}}`, i, i, i%50)
	}
	out.WriteString(`},"components":{"parameters":{"page":{"name":"page","in":"query","schema":{"type":"integer","minimum":1}}},"schemas":{
		"Thing":{"type":"object","required":["name"],"properties":{"id":{"type":"string","readOnly":true},"name":{"type":"string","maxLength":80},"parts":{"type":"array","items":{"$ref":"#/components/schemas/Part"}}}},
		"Part":{"type":"object","properties":{"number":{"type":"integer"},"whole":{"$ref":"#/components/schemas/Thing"}}}}}}`)
	return []byte(out.String())
}

func BenchmarkSite(b *testing.B) {
	doc := large(5000)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		d, err := Parse(doc, "application/json", from, "")
		if err != nil || len(d.Site().Actions) != 5000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkYAML(b *testing.B) {
	doc := large(500) // YAML too
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromYAML(doc); err != nil {
			b.Fatal(err)
		}
	}
}

// The warm path: one operation out of what was compiled, to its request.
func BenchmarkParseAction(b *testing.B) {
	d := parse(b, string(large(10)))
	s, err := d.Operation("changeThing7")
	if err != nil {
		b.Fatal(err)
	}
	parts := maps.Collect(d.Parts())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseAction(s, func(ref string) (jsontext.Value, error) { return parts[ref], nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRequest(b *testing.B) {
	a := action(b, parse(b, string(large(10))), "changeThing7")
	v := values(b, `{"id":"a","page":2,"name":"x","parts":[{"number":1}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if request, problems := a.Request(v, Own{}); request == nil {
			b.Fatal(problems)
		}
	}
}
