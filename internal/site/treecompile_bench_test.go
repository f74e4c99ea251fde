package site

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

// BenchmarkFirstLoad takes an OpenAPI document of 5,000 operations to the file that calls look it up in.
func BenchmarkFirstLoad(b *testing.B) {
	var paths strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&paths, `,"/group%d/things%d/{id}":{"put":{"tags":["group%d"],"operationId":"updateThing%d","summary":"Change a thing",`+
			`"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],"requestBody":{"content":{"application/json":`+
			`{"schema":{"$ref":"#/components/schemas/Thing"}}}},"responses":{"200":{"description":"Done"}}}}`, i/10, i, i/10, i)
	}
	doc := &fetch.Document{URL: "https://a.example/openapi.json", ContentType: "application/json", Body: []byte(
		`{"openapi":"3.1.0","paths":{` + paths.String()[1:] + `},"components":{"schemas":{"Thing":{"type":"object","properties":{"name":{"type":"string"}}}}}}`)}
	d := openAPI("")
	b.SetBytes(int64(len(doc.Body)))
	b.ReportAllocs()
	for b.Loop() {
		m, err := d.parse(doc, "https://a.example")
		if err != nil || len(m.Actions) != 5000 {
			b.Fatal(err)
		}
		if _, err := compileTree([]Source{{Format: d.format}}, []*manifest.Site{m}); err != nil {
			b.Fatal(err)
		}
	}
}
