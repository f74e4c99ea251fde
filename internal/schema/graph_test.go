package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

const first = "https://shop.example/schemas/tool.json"

// web is what a test has published, by URL. Paths are of https://shop.example.
type web map[string]string

func (w web) graph(loads *[]string) Graph {
	return Graph{URL: first, Load: func(url string) (jsontext.Value, error) {
		if loads != nil {
			*loads = append(*loads, url)
		}
		text, ok := w[url]
		if !ok {
			text, ok = w[strings.TrimPrefix(url, "https://shop.example")]
		}
		if !ok {
			return nil, fs.ErrNotExist
		}
		return jsontext.Value(text), nil
	}}
}

func TestReferencesLeadToOtherDocuments(t *testing.T) {
	const integer = `{"type":"integer"}`
	for name, test := range map[string]struct {
		web   web
		valid string
		wrong string
	}{
		"by a relative reference":      {web{"/schemas/tool.json": `{"$ref":"size.json"}`, "/schemas/size.json": integer}, `1`, `"a"`},
		"by an absolute path":          {web{"/schemas/tool.json": `{"$ref":"/size.json"}`, "/size.json": integer}, `1`, `"a"`},
		"by going up":                  {web{"/schemas/tool.json": `{"$ref":"../size.json"}`, "/size.json": integer}, `1`, `"a"`},
		"by a query":                   {web{"/schemas/tool.json": `{"$ref":"?v=2"}`, "/schemas/tool.json?v=2": integer}, `1`, `"a"`},
		"by another host":              {web{"/schemas/tool.json": `{"$ref":"//units.example/mm"}`, "https://units.example/mm": integer}, `1`, `"a"`},
		"by a host in capitals":        {web{"/schemas/tool.json": `{"$ref":"https://UNITS.example/mm"}`, "https://units.example/mm": integer}, `1`, `"a"`},
		"by an absolute URL":           {web{"/schemas/tool.json": `{"$ref":"https://units.example/mm"}`, "https://units.example/mm": integer}, `1`, `"a"`},
		"by a pointer":                 {web{"/schemas/tool.json": `{"$ref":"size.json#/$defs/a~1b%25"}`, "/schemas/size.json": `{"$defs":{"a/b%":{"type":"integer"}}}`}, `1`, `"a"`},
		"by a pointer to what is none": {web{"/schemas/tool.json": `{"$ref":"size.json#/x-mine/0"}`, "/schemas/size.json": `{"x-mine":[{"$ref":"#/x-other"}],"x-other":{"type":"integer"}}`}, `1`, `"a"`},
		"by an anchor":                 {web{"/schemas/tool.json": `{"$ref":"size.json#mm"}`, "/schemas/size.json": `{"$defs":{"x":{"$anchor":"mm","type":"integer"}}}`}, `1`, `"a"`},
		"by a dynamic anchor":          {web{"/schemas/tool.json": `{"$dynamicRef":"size.json#mm"}`, "/schemas/size.json": `{"$defs":{"x":{"$dynamicAnchor":"mm","type":"integer"}}}`}, `1`, `"a"`},
		"anchors are of their document": {web{
			"/schemas/tool.json": `{"$defs":{"x":{"$anchor":"mm","type":"string"}},"allOf":[{"$ref":"size.json#mm"}]}`,
			"/schemas/size.json": `{"$defs":{"x":{"$anchor":"mm","type":"integer"}}}`,
		}, `1`, `"a"`},
		"the root changes the base": {web{
			"/schemas/tool.json": `{"$id":"https://units.example/deep/v7.json","$ref":"mm"}`, "https://units.example/deep/mm": integer,
		}, `1`, `"a"`},
		"a part changes the base": {web{
			"/schemas/tool.json": `{"properties":{"a":{"$id":"/units/x.json","$ref":"mm"}}}`, "/units/mm": integer,
		}, `{"a":1}`, `{"a":"a"}`},
		"a part is named by its $id": {web{
			"/schemas/tool.json": `{"$ref":"mm.json","$defs":{"x":{"$id":"mm.json","type":"integer"}}}`,
		}, `1`, `"a"`},
		"a name in a value is none": {web{
			"/schemas/tool.json": `{"$ref":"mm.json","$defs":{"x":{"enum":[{"$id":"mm.json","type":"string"}]}}}`, "/schemas/mm.json": integer,
		}, `1`, `"a"`},
		"a reference in a value is none": {web{"/schemas/tool.json": `{"const":{"$ref":"nowhere.json","$id":"x"}}`}, `{"$ref":"nowhere.json","$id":"x"}`, `{}`},
		"in a circle": {web{
			"/schemas/tool.json": `{"type":"object","properties":{"part":{"$ref":"part.json"}}}`,
			"/schemas/part.json": `{"type":"object","properties":{"of":{"$ref":"tool.json"}}}`,
		}, `{"part":{"of":{"part":{}}}}`, `{"part":{"of":{"part":1}}}`},
		"the first document may have $defs of that name": {web{
			"/schemas/tool.json": `{"$defs":{"external-1":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/external-1"},"b":{"$ref":"mm"}}}`, "/schemas/mm": integer,
		}, `{"a":"a","b":1}`, `{"a":1}`},
		"false":                       {web{"/schemas/tool.json": `{"properties":{"a":{"$ref":"no"}}}`, "/schemas/no": `false`}, `{}`, `{"a":1}`},
		"the meta-schema":             {web{"/schemas/tool.json": `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`}, `{"properties":{"a":{"minLength":1}}}`, `{"properties":{"a":{"minLength":-1}}}`},
		"a part of the meta-schema":   {web{"/schemas/tool.json": `{"$ref":"https://json-schema.org/draft/2020-12/meta/validation#/$defs/stringArray"}`}, `["a"]`, `[1]`},
		"2019's recursion is nothing": {web{"/schemas/tool.json": `{"properties":{"a":{"$ref":"b"}}}`, "/schemas/b": `{"$recursiveRef":"#","type":"integer"}`}, `{"a":1}`, `{"a":"a"}`},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := test.web.graph(nil).Bundle()
			if err != nil {
				t.Fatal(err)
			}
			s, err := Compile(raw) // as anybody does who is handed the bundle
			if err != nil {
				t.Fatalf("%v in %s", err, raw)
			}
			if failures, err := s.Validate(jsontext.Value(test.valid)); err != nil || len(failures) > 0 {
				t.Errorf("%s: %s, %v (%s)", test.valid, show(failures), err, raw)
			}
			if failures, err := s.Validate(jsontext.Value(test.wrong)); err != nil || len(failures) == 0 {
				t.Errorf("%s is valid, %v (%s)", test.wrong, err, raw)
			}
		})
	}
}

func TestABundleIsWholeAndKeepsAnnotations(t *testing.T) {
	raw, err := web{
		"/schemas/tool.json": `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"v1.json","title":"Tool","x-unit":{"$id":"mm"},
			"properties":{"$id":{"$ref":"a.json#size"},"n":{"default":1.50,"$anchor":"n"}}}`,
		"/schemas/a.json": `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"s":{"$anchor":"size","const":1e2}}}`,
	}.graph(nil).Bundle()
	want := `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Tool","x-unit":{"$id":"mm"},` +
		`"properties":{"$id":{"$ref":"#/$defs/external-1/$defs/s"},"n":{"default":1.50}},` +
		`"$defs":{"external-1":{"$defs":{"s":{"const":1e2}}}}}`
	if err != nil || string(raw) != want {
		t.Errorf("%s, %v; want\n%s", raw, err, want)
	}
}

func TestEveryDocumentIsLoadedOnce(t *testing.T) {
	var loads []string
	_, err := web{
		"/schemas/tool.json": `{"$id":"https://shop.example/schemas/v2.json","allOf":[{"$ref":"a.json"},{"$ref":"a.json#"},{"$ref":"v2.json#/$defs/x"},{"$ref":"tool.json#/$defs/x"}],"$defs":{"x":true}}`,
		"/schemas/a.json":    `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`,
	}.graph(&loads).Bundle()
	if want := []string{first, "https://shop.example/schemas/a.json"}; err != nil || fmt.Sprint(loads) != fmt.Sprint(want) {
		t.Errorf("loaded %q, %v", loads, err)
	}
}

// chain is a graph in which each document refers to the next one.
func chain(documents int) web {
	w := web{"/schemas/tool.json": `{"$ref":"1.json"}`}
	for i := 1; i < documents; i++ {
		w[fmt.Sprintf("/schemas/%d.json", i)] = fmt.Sprintf(`{"$ref":"%d.json"}`, i+1)
	}
	w[fmt.Sprintf("/schemas/%d.json", documents-1)] = `true`
	return w
}

// star is a graph in which the first document refers to all others, which have so many bytes each.
func star(others, size int) web {
	w := web{}
	var refs []string
	for i := range others {
		refs = append(refs, fmt.Sprintf(`{"$ref":"%d.json"}`, i))
		w[fmt.Sprintf("/schemas/%d.json", i)] = `{"title":"` + strings.Repeat("x", max(size-12, 0)) + `"}`
	}
	w["/schemas/tool.json"] = `{"allOf":[` + strings.Join(refs, ",") + `]}`
	return w
}

// nested is a document of so many levels (ODP-2).
func nested(levels int) web {
	return web{"/schemas/tool.json": strings.Repeat(`{"x":`, levels-1) + `1` + strings.Repeat("}", levels-1)}
}

func TestLimitsOfGraphs(t *testing.T) {
	long := strings.Repeat("n", maxPath)
	for name, test := range map[string]struct {
		web  web
		want string // of the message; empty: it is within the limits
	}{
		"16 documents":                 {star(15, 0), ""},
		"17 documents":                 {star(16, 0), "more than 16 documents"},
		"eight references away":        {chain(9), ""},
		"nine references away":         {chain(10), "more than 8 references"},
		"the shortest way counts":      {merge(chain(10), web{"/schemas/tool.json": `{"allOf":[{"$ref":"1.json"},{"$ref":"9.json"}]}`}), ""},
		"a document of 262,144 bytes":  {star(1, 262_144), ""},
		"a document of 262,145 bytes":  {star(1, 262_145), "larger than 256 KiB"},
		"documents of less than 1 MiB": {star(3, 262_144), ""},
		"documents of more than 1 MiB": {star(4, 262_144), "larger than 1024 KiB together"},
		"16 levels":                    {nested(16), ""},
		"17 levels":                    {nested(17), "deeper than 16 levels"},
		"a name of four KiB":           {web{"/schemas/tool.json": `{"$defs":{"` + long[:maxPath-7] + `":{}}}`}, ""},
		"a longer name":                {web{"/schemas/tool.json": `{"$defs":{"` + long + `":{}}}`}, "longer than 4096 bytes"},
		"names that references multiply": {web{"/schemas/tool.json": `{"$defs":{"` + long[:maxPath-7] + `":{"$anchor":"a"}},"allOf":[` +
			strings.Repeat(`{"$ref":"#a"},`, 600) + `true]}`}, "too long together"},
		"schemas": {web{"/schemas/tool.json": `{"allOf":[` + strings.Repeat(`{},`, maxAllSchemas) + `{}]}`}, "more than 4000 schemas"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.web.graph(nil).Bundle()
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantGraphError(t, err, CodeTooComplex, test.want)
		})
	}
}

func merge(a, b web) web {
	maps.Copy(a, b)
	return a
}

func wantGraphError(t *testing.T, err error, code, message string) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("got %v, want %q", err, message)
	}
	if e.Code != code || !strings.Contains(e.Error(), message) || e.URL == "" {
		t.Errorf("got %s: %v, want %s: %q", e.Code, e, code, message)
	}
	return e
}

func TestGraphsThatAreRefused(t *testing.T) {
	const draft7 = `{"$schema":"http://json-schema.org/draft-07/schema#"}`
	for name, test := range map[string]struct {
		web           web
		code, message string
	}{
		"a document that is not there":      {web{"/schemas/tool.json": `{"$ref":"a.json"}`}, CodeRemoteRef, "cannot be had"},
		"one that is no JSON":               {web{"/schemas/tool.json": `{"$ref":"a.json"}`, "/schemas/a.json": `{`}, CodeInvalid, "cannot be read"},
		"one with two members of a name":    {web{"/schemas/tool.json": `{"type":"string","type":"number"}`}, CodeInvalid, "duplicate member"},
		"another draft":                     {web{"/schemas/tool.json": draft7}, CodeUnsupported, "at /$schema"},
		"another draft further away":        {web{"/schemas/tool.json": `{"$ref":"a.json"}`, "/schemas/a.json": draft7}, CodeUnsupported, "a.json"},
		"another draft's meta-schema":       {web{"/schemas/tool.json": `{"$ref":"http://json-schema.org/draft-07/schema#"}`}, CodeUnsupported, "none is ever fetched"},
		"a vocabulary that is not known":    {web{"/schemas/tool.json": `{"$vocabulary":{"https://x.example/vocab":true}}`}, CodeUnsupported, `"https://x.example/vocab" is not known`},
		"a pointer to nowhere":              {web{"/schemas/tool.json": `{"$ref":"a.json#/x"}`, "/schemas/a.json": `{}`}, CodeInvalid, "leads nowhere at /$ref"},
		"an anchor that is not there":       {web{"/schemas/tool.json": `{"$ref":"a.json#x"}`, "/schemas/a.json": `{}`}, CodeInvalid, "leads nowhere"},
		"a reference that is none":          {web{"/schemas/tool.json": `{"$ref":"https://[::1"}`}, CodeInvalid, "not well formed"},
		"a reference with a bad escape":     {web{"/schemas/tool.json": `{"$ref":"#/%zz"}`}, CodeInvalid, "not well formed"},
		"a reference that is no text":       {web{"/schemas/tool.json": `{"$ref":1}`}, CodeInvalid, "must be a string at /$ref"},
		"a name with a fragment":            {web{"/schemas/tool.json": `{"$id":"#a"}`}, CodeInvalid, "without a fragment at /$id"},
		"two schemas of one name":           {web{"/schemas/tool.json": `{"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}}`}, CodeInvalid, "another schema at /$defs/b/$id"},
		"a document that takes one's name":  {web{"/schemas/tool.json": `{"$ref":"https://evil.example/"}`, "https://evil.example/": `{"$id":"https://shop.example/schemas/tool.json"}`}, CodeInvalid, "another schema"},
		"a document in the standard's name": {web{"/schemas/tool.json": `{"$id":"https://json-schema.org/draft/2020-12/schema"}`}, CodeInvalid, "another schema"},
		"a place that depends on the way": {web{
			"/schemas/tool.json": `{"$ref":"list.json","$defs":{"x":{"$dynamicAnchor":"item","type":"string"}}}`,
			"/schemas/list.json": `{"items":{"$dynamicRef":"#item"},"$defs":{"x":{"$dynamicAnchor":"item"}}}`,
		}, CodeUnsupported, "more than one place to go"},
		"$defs that are none":                {web{"/schemas/tool.json": `{"$defs":1,"$ref":"a.json"}`, "/schemas/a.json": `{}`}, CodeInvalid, "must be an object of schemas at /$defs"},
		"a keyword in a document far away":   {web{"/schemas/tool.json": `{"$ref":"a.json"}`, "/schemas/a.json": `{"not":{"type":"text"}}`}, CodeInvalid, `/not/type (in "https://shop.example/schemas/a.json")`},
		"a keyword in the first document":    {web{"/schemas/tool.json": `{"type":"text"}`}, CodeInvalid, `/type (in "https://shop.example/schemas/tool.json")`},
		"documents that are nothing but one": {web{"/schemas/tool.json": `{"$ref":"a.json"}`, "/schemas/a.json": `{"$ref":"tool.json"}`}, CodeInvalid, "refers to itself without end"},
		"a document that is no schema":       {web{"/schemas/tool.json": `[]`}, CodeInvalid, "must be an object, true or false"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.web.graph(nil).Compile()
			e := wantGraphError(t, err, test.code, test.message)
			if test.code == CodeRemoteRef && !errors.Is(e, fs.ErrNotExist) {
				t.Error("the reason is lost")
			}
		})
	}
	_, err := Graph{URL: "/schemas/tool.json"}.Bundle()
	wantGraphError(t, err, CodeInvalid, "must be absolute")
}

func TestDocumentsMayHaveToSayWhichDraftTheyAreOf(t *testing.T) {
	const says, silent = `{"$schema":"https://json-schema.org/draft/2020-12/schema","$ref":"a.json"}`, `{"type":"integer"}`
	for name, test := range map[string]struct {
		web web
		ok  bool
	}{
		"all do":                 {web{"/schemas/tool.json": says, "/schemas/a.json": `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`}, true},
		"the first one does not": {web{"/schemas/tool.json": silent}, false},
		"another one does not":   {web{"/schemas/tool.json": says, "/schemas/a.json": silent}, false},
		"one cannot":             {web{"/schemas/tool.json": says, "/schemas/a.json": `true`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := test.web.graph(nil)
			if _, err := g.Bundle(); err != nil {
				t.Errorf("unasked: %v", err)
			}
			g.Declared = true
			if _, err := g.Bundle(); test.ok != (err == nil) {
				t.Errorf("asked: %v", err)
			}
		})
	}
}

func TestTheMetaSchemasAreSchemas(t *testing.T) {
	for name, raw := range strictjson.Members(metaSchemas) {
		s, err := Graph{URL: draft2020 + name}.Compile()
		if err != nil {
			t.Fatal(name, err)
		}
		if failures, err := s.Validate(raw); err != nil || len(failures) > 0 {
			t.Errorf("%s: %s, %v", name, show(failures), err)
		}
	}
}

// What can be bundled is whole, and bundling it again changes nothing.
func FuzzBundle(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"$ref":"a.json#/$defs/x"}`, `{"$defs":{"x":{"$anchor":"y"}}}`},
		{`{"$id":"/b/","$ref":"#y","$defs":{"a":{"$id":"a.json","$dynamicAnchor":"y"}}}`, `{"$ref":"tool.json"}`},
		{`{"$defs":{"external-1":{"$dynamicRef":"https://json-schema.org/draft/2020-12/schema#"}}}`, `true`},
		{`{"$ref":"urn:x:y#/a~1%25","$schema":"https://json-schema.org/draft/2020-12/schema"}`, `{"a/%":false}`},
		{`{"enum":[{"$ref":"x"}],"$ref":"#/enum/0"}`, `{"$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/core":true}}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		graph := func(raw string) Graph {
			return Graph{URL: first, Load: func(url string) (jsontext.Value, error) {
				if url == first {
					return jsontext.Value(raw), nil
				}
				return jsontext.Value(two), nil
			}}
		}
		raw, err := graph(one).Bundle()
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		if err := strictjson.Check(raw); err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		if _, err := Compile(raw); err != nil && err.(*Error).Code == CodeRemoteRef { //nolint:errorlint // promised
			t.Errorf("%v in %s", err, raw)
		}
		g := graph(string(raw))
		g.Load = func(url string) (jsontext.Value, error) {
			if url != first {
				t.Errorf("the bundle refers to %s: %s", url, raw)
			}
			return raw, nil
		}
		if again, err := g.Bundle(); err == nil && string(again) != string(raw) {
			t.Errorf("%s became %s", raw, again)
		}
	})
}

// BenchmarkGraph bundles and compiles 16 documents of 20 properties each.
func BenchmarkGraph(b *testing.B) {
	w := web{}
	for i := range 16 {
		var properties []string
		for p := range 20 {
			properties = append(properties, fmt.Sprintf(`"p%d":{"type":"string","minLength":1,"description":"Property %d of a document, in a few words."}`, p, p))
		}
		properties = append(properties, fmt.Sprintf(`"next":{"$ref":"%d.json"}`, (i*2+1)%16), fmt.Sprintf(`"other":{"$ref":"%d.json#/properties/p3"}`, (i*2+2)%16))
		w[fmt.Sprintf("/schemas/%d.json", i)] = `{"$schema":"` + dialect2020 + `","type":"object","properties":{` + strings.Join(properties, ",") + `}}`
	}
	g := w.graph(nil)
	g.URL = "https://shop.example/schemas/0.json"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Compile(); err != nil {
			b.Fatal(err)
		}
	}
}
