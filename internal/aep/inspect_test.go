package aep_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

const full = `{"aep_version":"1.0","bindings":{"supported":["http"]},"commands":{"supported":["inspect","enroll"],"grant_types":["basic"],
	"grant_types_config":{"api-key":{"header_names":["x-api-key"]}}},"authentication":{"methods":["aep-jwt","basic"]},
	"claims":{"required":["contact.email"],"preferred":[],"optional":["x"]},"core":{"signing_algorithms":["EdDSA"]},
	"extensions":{"supported":["x"]},"http":{"endpoint_base":"/aep","openapi":{"url":"/o.json","path_matching":{"trailing_slash":"strict"}}},
	"identity":{"methods":["did:web"]},"service":{"did":"did:web:shop.example"}}`

// The published schema is the second opinion: of the full document with each of its values, one at a time, left out or
// replaced. Where we differ from it, the rules do.
func TestInspectAgreesWithTheSchema(t *testing.T) {
	published(t) // skips where there is no published data
	dir := os.Getenv("AGENTCTL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "data", "aep", "schemas", "inspect-document.schema.json"))
	must(t, err)
	compiled, err := schema.Compile(raw)
	must(t, err)
	replacements := []string{`null`, `true`, `7`, `""`, `"x"`, `"A B"`, `"/"`, `"1"`, `"did:web:shop.example"`, `[]`, `["x"]`, `["http"]`, `["X","x"]`, `["x","x"]`, `[1]`, `{}`, `{"x":1}`}
	compared, known := 0, differences()
	met := make([]bool, len(known))
	judge := func(name string, doc jsontext.Value) {
		failures, err := compiled.Validate(doc)
		must(t, err)
		_, ours := aep.ParseInspect(doc, shopInspect)
		compared++
		taken := ours == nil
		if e, ok := errors.AsType[*fault.Error](ours); ok && (e.Code == "aep_unsupported" || e.Code == "service_identity_mismatch") {
			taken = true // as a document; what it asks for is another matter
		}
		if taken == (len(failures) == 0) {
			return
		}
		if i := slices.IndexFunc(known, func(d string) bool { return strings.HasPrefix(name, d) }); i >= 0 {
			met[i] = true
		} else {
			t.Errorf("%s: we say %v, the schema %+v", name, ours, failures)
		}
	}
	var walk func(root, n *jsontree.Node, pointer string)
	walk = func(root, n *jsontree.Node, pointer string) {
		if n.Kind != '{' {
			return
		}
		n.Names, n.Items = append(n.Names, "more"), append(n.Items, jsontree.Null())
		judge(pointer+" with more", root.Value())
		n.Names, n.Items = n.Names[:len(n.Names)-1], n.Items[:len(n.Items)-1]
		for i := range n.Items {
			here := jsontree.Pointer(pointer, n.Names[i])
			name, item := n.Names[i], n.Items[i]
			n.Names[i] = "other"
			judge(here+" left out", root.Value())
			n.Names[i] = name
			for _, text := range replacements {
				n.Items[i] = jsontree.Parse(jsontext.Value(text))
				judge(here+" "+text, root.Value())
			}
			n.Items[i] = item
			walk(root, item, here)
		}
	}
	root := jsontree.Parse(jsontext.Value(full))
	walk(root, root, "")
	if i := slices.Index(met, false); i >= 0 || compared < 300 {
		t.Errorf("%d documents; the difference %q was not met", compared, known[max(i, 0)])
	}
}

// differences are where we do not follow the schema, by the beginning of a case's name.
func differences() []string {
	return []string{
		"/http/endpoint_base left out", "/http {", // means /aep/ (AEP-6)
		"/commands/supported [", "/bindings/supported [", "/identity/methods [", // names that are unknown are ignored (AEP-6)
		"/authentication with more", "/http/openapi with more", "/http/openapi/path_matching with more", // additions too
		"/commands/grant_types_config ", // the schema does not know it
	}
}

func TestInspectReads(t *testing.T) {
	in, err := aep.ParseInspect([]byte(full), "https://shop.example/deep/doc?x")
	must(t, err)
	if in.Origin != "https://shop.example" || in.Service.String() != shopDID || in.OpenAPI.URL != "https://shop.example/o.json" {
		t.Errorf("got %+v", in)
	}
	if algorithm, ok := in.Algorithm(); !ok || algorithm != aep.EdDSA {
		t.Errorf("algorithm %s", algorithm)
	}
	method, ok := in.Method(func(m string) bool { return m == "basic" || m == "api-key" })
	if !ok || method != "basic" {
		t.Errorf("method %q", method)
	}
	if _, ok := in.Method(func(string) bool { return false }); ok {
		t.Error("a method that cannot be served")
	}
	must(t, in.Supports(aep.OpEnroll))
	for _, op := range []aep.Op{aep.OpStatus, aep.OpGrant, aep.OpAuthenticate, "inspect", ""} { // AEP-7
		wantFault(t, in.Supports(op), fault.Manifest, "aep_unsupported")
	}
	for name, text := range map[string]string{
		"grant without types": strings.Replace(strings.Replace(full, `"inspect","enroll"`, `"grant","authenticate"`, 1), `"grant_types":["basic"],`, ``, 1),
		"grant of nothing":    strings.Replace(strings.Replace(full, `"inspect","enroll"`, `"grant","authenticate"`, 1), `["basic"],`, `[],`, 1),
	} {
		in, err := aep.ParseInspect([]byte(text), shopInspect)
		must(t, err)
		if in.Supports(aep.OpGrant) == nil || in.Supports(aep.OpAuthenticate) == nil {
			t.Errorf("%s is supported", name)
		}
	}
}

func FuzzInspect(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte(vectorInspect))
	f.Add([]byte(strings.Replace(full, `"/aep"`, `"//evil.example/%2e%2e/"`, 1)))
	f.Fuzz(func(t *testing.T, doc []byte) {
		in, err := aep.ParseInspect(doc, shopInspect)
		if err != nil {
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Manifest {
				t.Errorf("refused with %v", err)
			}
			return
		}
		if in.Service.Origin() != "https://shop.example" || len(in.Methods) > 16 {
			t.Errorf("taken: %+v", in)
		}
		if in.OpenAPI != nil && !strings.HasPrefix(in.OpenAPI.URL, "https://") {
			t.Errorf("the OpenAPI document is at %q", in.OpenAPI.URL)
		}
	})
}

func FuzzPlan(f *testing.F) {
	f.Add([]byte(`{"openapi":"3.1.0","security":[{"a":[]}],"components":{"securitySchemes":{"a":{"x-aep-authentication-method":"aep-jwt"}}},"paths":{"/x/{y}":{"get":{}}}}`), "/x/1")
	f.Add([]byte(`{"openapi":"3.1.0","paths":{"/x":{"get":{"security":[{}]}},"x":null,"/":{"get":[]}}}`), "/x/")
	f.Fuzz(func(t *testing.T, doc []byte, path string) {
		for _, slash := range []string{"strict", "equivalent"} {
			plan, err := aep.ParsePlan(doc, aep.OpenAPI{TrailingSlash: slash})
			if err != nil {
				continue
			}
			access, methods := plan.For("get", path)
			if access == aep.Needed != (len(methods) > 0 && access != aep.Optional) || access == aep.Open && methods != nil {
				t.Errorf("%s %v", access, methods)
			}
		}
	})
}

func BenchmarkInspect(b *testing.B) {
	doc := []byte(full)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := aep.ParseInspect(doc, shopInspect); err != nil {
			b.Fatal(err)
		}
	}
}
