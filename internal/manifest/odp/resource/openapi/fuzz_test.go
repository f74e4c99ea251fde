package openapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	standard "github.com/agentctl/agentctl/internal/manifest/openapi"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// A value never changes where a request goes, nor its path beyond its own place.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"openapi":"3.1.0","servers":[{"url":"https://{r}.b.example/v1","variables":{"r":{"default":"eu"}}}],"paths":{"/a/{id}.{ext}":{"post":{"operationId":"x","parameters":[
		{"name":"id","in":"path","required":true},{"name":"ext","in":"path","required":true},{"name":"q","in":"query"},{"name":"X","in":"header"}],
		"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"}}}}}}},"components":{"schemas":{"S":{"type":"object","properties":{"s":{"$ref":"#/components/schemas/S"}}}}}}`),
		[]byte(`{"id":"..","ext":"/","q":["a&b"],"X":"y","s":{}}`))
	f.Add([]byte(`{"openapi":"3.1.0","paths":{"/":{"get":{"operationId":"x"}}}}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, doc, arguments []byte) {
		d, err := Parse(doc, from)
		if err != nil {
			return
		}
		o, err := d.Operation("x")
		if err != nil {
			if fault.From(err).Kind != fault.Manifest {
				t.Errorf("got %v", err)
			}
			return
		}
		if strictjson.Check(o.Input) != nil {
			t.Errorf("its schema is %s", o.Input)
		}
		if strictjson.Check(arguments) != nil {
			return
		}
		v := &manifest.Values{}
		for name, value := range strictjson.Members(arguments) {
			v.Set(name, strictjson.Compact(value))
		}
		request, problems := o.Request(v, nil)
		if (request == nil) == (len(problems) == 0) {
			t.Fatalf("got %v, %v", request, problems)
		}
		if request == nil {
			return
		}
		path, _, _ := strings.Cut(strings.TrimPrefix(request.URL, o.plan.Base), "?")
		if !strings.HasPrefix(request.URL, o.plan.Base+"/") || odp.OriginOf(request.URL) != o.Origin || strings.Count(path, "/") != strings.Count(o.plan.Path, "/") || standard.HasDotSegment(path) {
			t.Errorf("%q became %q", o.Endpoint, request.URL)
		}
		for name, values := range request.Header {
			if strings.ContainsAny(name+strings.Join(values, ""), "\r\n\x00") {
				t.Errorf("a header %q: %q", name, values)
			}
		}
	})
}

func BenchmarkOperation(b *testing.B) {
	var paths strings.Builder
	for i := range 500 {
		fmt.Fprintf(&paths, `,"/things/%d/{id}":{"post":{"operationId":"op%d","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],`+
			`"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"}}}}}}`, i, i)
	}
	doc := []byte(`{"openapi":"3.1.0","paths":{` + paths.String()[1:] + `},"components":{"schemas":{"S":{"type":"object","properties":{"a":{"type":"string"}}}}}}`)
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		d, err := Parse(doc, from)
		if err != nil {
			b.Fatal(err)
		}
		o, err := d.Operation("op499")
		if err != nil {
			b.Fatal(err)
		}
		if request, problems := o.Request(values("id", `"1"`, "a", `"x"`), nil); request == nil {
			b.Fatal(problems)
		}
	}
}
