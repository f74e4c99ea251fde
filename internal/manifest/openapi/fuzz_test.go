package openapi

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Whatever a document says: names are words, definitions are JSON, what can be parsed builds a command, and arguments never
// change where a request goes.
func FuzzDocument(f *testing.F) {
	shop, err := os.ReadFile("testdata/shop.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(shop, []byte(`{"id":1,"price":"..","file":"x","X-Tenant":"a"}`))
	f.Add([]byte(documentOf("3.0.0", "post", "/a/{p}.{q}", `,"tags":["T"],"parameters":[{"name":"p","in":"path","style":"matrix"},{"name":"c","in":"cookie"},{"$ref":"#/components/parameters/q"}],
		"requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"$ref":"#/components/schemas/S"},"encoding":{"s":{"style":"deepObject"}}}}}`,
		`,"components":{"parameters":{"q":{"name":"q","in":"query"}},"schemas":{"S":{"oneOf":[{"$ref":"#/components/schemas/S"},{"nullable":true,"properties":{"s":{"readOnly":true}}}],"discriminator":{"propertyName":"s","mapping":{"a":"S"}}}}}`)),
		[]byte(`{"p":"..","q":"/","c":["a"],"s":{"t":1}}`))
	f.Add([]byte("openapi: 3.1.0\npaths: {/x: &a {get: {x-cli-aliases: [a]}}, /y: *a}\n"), []byte(`{}`))
	f.Fuzz(func(t *testing.T, doc, arguments []byte) {
		d, err := Parse(doc, "", from, "")
		if err != nil {
			if fault.From(err).Kind != fault.Manifest {
				t.Errorf("got %v", err)
			}
			return
		}
		site := d.Site()
		parts := map[string]jsontext.Value{}
		for ref, value := range d.Parts() {
			if parts[ref] = value; strictjson.Check(value) != nil {
				t.Errorf("%s is %s", ref, value)
			}
		}
		seen := map[string]bool{}
		for _, s := range site.Actions {
			name := strings.Join(s.Command, " ")
			if seen[name] {
				t.Errorf("%q is there twice", name)
			}
			seen[name] = true
			for _, word := range s.Command {
				if !manifest.ValidSegment(word) || word != strings.ToLower(word) {
					t.Errorf("%q", s.Command)
				}
			}
			if strictjson.Check(s.Definition) != nil {
				t.Errorf("the definition is %s", s.Definition)
			}
			a, err := ParseAction(s, func(ref string) (jsontext.Value, error) { return parts[ref], nil })
			if err != nil {
				if fault.From(err).Kind != fault.Manifest {
					t.Errorf("got %v", err)
				}
				continue
			}
			if _, err := input.CompileObject(a.Input, a.Args); err != nil {
				t.Errorf("%v in %s", err, a.Input)
			}
			requireTame(t, a, arguments)
		}
	})
}

func requireTame(t *testing.T, a *Action, arguments []byte) {
	t.Helper()
	if strictjson.Check(arguments) != nil {
		return
	}
	v := &manifest.Values{}
	for name, value := range strictjson.Members(arguments) {
		v.Set(name, strictjson.Compact(value))
	}
	request, problems := a.Request(v, Own{Open: open})
	if (request == nil) == (len(problems) == 0) {
		t.Fatalf("got %v, %v", request, problems)
	}
	if request == nil {
		return
	}
	path, _, _ := strings.Cut(strings.TrimPrefix(request.URL, a.plan.Base), "?")
	published, _, _ := strings.Cut(a.plan.Path, "?")
	if !strings.HasPrefix(request.URL, a.plan.Base+"/") || strings.Count(path, "/") != strings.Count(published, "/") || HasDotSegment(path) {
		t.Errorf("%q became %q", a.plan.Base+a.plan.Path, request.URL)
	}
	for name, values := range request.Header {
		if strings.ContainsAny(name+strings.Join(values, ""), "\r\n\x00") {
			t.Errorf("a header %q: %q", name, values)
		}
	}
}

// What YAML becomes is JSON, and JSON stays as it is.
func FuzzYAML(f *testing.F) {
	f.Add([]byte("a: &a [1, *a]"))
	f.Add([]byte("<<: [{a: 0x1}, {b: .5}]\n? 1\n: ~\n"))
	f.Add([]byte(`{"a":1.0,"b":"\u00e9"}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		out, err := fromYAML(doc)
		if err != nil {
			if fault.From(err).Kind != fault.Manifest {
				t.Errorf("got %v", err)
			}
			return
		}
		if !jsontext.Value(out).IsValid() && !strings.Contains(strictjson.Check(out).Error(), "duplicate member") {
			t.Errorf("got %s: %v", out, strictjson.Check(out))
		}
	})
}
