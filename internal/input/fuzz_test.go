package input

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Whatever is typed, it does not panic; what is accepted is JSON that checks, numbers are byte for byte as typed, and
// strings say the same text.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{"", "2", "0.1000", "-1e3", "007", "true", "null", `{"a":[1,2.50]}`, "[1,2]", "@x", "-", "\xff", "a\r\n", `"x"`, "1 ", "[[1]]"} {
		f.Add(seed, seed, "city")
	}
	set := compile(f, []string{"n"}, `n={"type":"number"}`, `s={"type":"string"}`, "a", "l="+listOfInts, "o="+address, `u={"type":["string","integer","array","null"]}`)
	f.Fuzz(func(t *testing.T, text, other, path string) {
		if values, problems := set.Values(Words{Positional: []string{text}}); len(problems) == 0 {
			if got, _ := values.Get("n"); string(got) != text {
				t.Errorf("number %q became %s", text, got)
			}
		}
		if values, problems := set.Values(Words{Flags: []Flag{{Name: "s", Text: text}}}); len(problems) == 0 {
			raw, _ := values.Get("s")
			if got, ok := strictjson.String(raw); !ok || got != text {
				t.Errorf("string %q became %s", text, raw)
			}
		} else if utf8.ValidString(text) {
			t.Errorf("string %q: %v", text, problems)
		}
		for _, flag := range []string{"a", "l", "u", "o"} {
			words := Words{
				Flags:  []Flag{{Name: flag, Text: text}, {Name: flag, Text: other}, {Name: "o", Path: strings.Split(path, "."), Text: other}},
				Pairs:  []string{text},
				Object: []byte(other),
				Read:   files(map[string]string{"x": text, "-": other}),
			}
			checkValues(t, set, words)
			checkValues(t, set, Words{Flags: words.Flags[1:]})
			checkValues(t, set, Words{Flags: words.Flags[1:2]})
		}
	})
}

func checkValues(t *testing.T, set *Set, words Words) {
	values, problems := set.Values(words)
	for _, p := range problems {
		if p.Message == "" || strings.ToLower(p.Message[:1]) != p.Message[:1] || strings.HasSuffix(p.Message, ".") && !strings.Contains(p.Message, "…") {
			t.Errorf("odd message %q", p.Message)
		}
	}
	if len(problems) == 0 {
		if err := strictjson.Check(values.Object()); err != nil {
			t.Errorf("%v in %s", err, values.Object())
		}
	}
}

// Any schema is either refused with the promised error, or describes itself and checks values without a panic.
func FuzzSchema(f *testing.F) {
	for _, seed := range []string{
		`true`, address, listOfInts, `{"$ref":"#"}`, `{"$ref":"#a","$defs":{"b":{"$anchor":"a","type":["integer","null"]}}}`,
		`{"oneOf":[{"const":1},{"enum":["a"]}],"not":{"pattern":"^(?=a)b"}}`, `{"type":"array","prefixItems":[{}],"contains":false,"uniqueItems":true}`,
		`{"patternProperties":{"^a":{"minimum":1}},"propertyNames":{"maxLength":2},"unevaluatedProperties":false,"dependentSchemas":{"a":{"minProperties":2}}}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"#x","dependencies":{"a":["b"]},"items":[{"type":"string"}],"additionalItems":false}`,
		`{"$id":"x","properties":{"a":{"$id":"y","$dynamicRef":"#"}},"$recursiveRef":"#"}`, `{"if":{"type":"object"},"then":{"required":["a"]},"else":{"multipleOf":0.1}}`,
	} {
		f.Add(seed, `{"a":1}`)
		f.Add(seed, `5`)
	}
	f.Fuzz(func(t *testing.T, schema, text string) {
		set, err := Compile([]manifest.Param{{Name: "x", Schema: jsontext.Value(schema)}}, []string{"x"})
		if err != nil {
			requireManifestFault(t, err, "")
			return
		}
		description := set.Describe("x")
		for _, member := range description.Members {
			set.DescribePath("x", []string{member.Name, "0"})
		}
		checkValues(t, set, Words{Positional: []string{text}})
		checkValues(t, set, Words{Flags: []Flag{{Name: "x", Path: []string{"a", "0"}, Text: text}}})
	})
}

// The path of an upload is relative and stays below where it is put, on whatever system the site runs.
func FuzzUploadPath(f *testing.F) {
	for _, seed := range []string{"a.txt", "../a", "/etc/passwd", `..\a`, "C:a", "dir/../a", "a/b/../../..", ".", "..", "", "a\x00b", "\xff", "a/", "é.TXT"} {
		f.Add(seed)
	}
	rule := &manifest.Files{Format: []manifest.FileKey{{Key: "path"}}}
	f.Fuzz(func(t *testing.T, path string) {
		value, err := Upload(rule, []string{path}, oneFile{})
		if err != nil {
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Usage || len(e.Problems) == 0 {
				t.Fatalf("got %#v", err)
			}
			return
		}
		raw, _ := strictjson.Member(value, "path")
		sent, ok := strictjson.String(raw)
		if !ok || !fs.ValidPath(sent) || sent == "." || strings.ContainsAny(sent, "/\\\x00") {
			t.Errorf("%q is sent as %s", path, fmt.Sprintf("%q", sent))
		}
	})
}

// Arguments that pass are what the whole schema allows, and an object that it allows passes as it is.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{
		`true`, order, `{"properties":{"a":{"type":"integer"}},"patternProperties":{"^x":{"type":"string"}},"minProperties":1}`,
		`{"oneOf":[{"required":["a"]},{"required":["b"]}],"not":{"required":["c"]}}`, `{"unevaluatedProperties":false,"allOf":[{"properties":{"a":{}}}]}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"n":{"$ref":"#"}},"required":["n"]}}}`, `{"if":{"required":["a"]},"then":false}`,
	} {
		f.Add(seed, `{"a":1,"b":[2.50],"x":"s"}`, "a=1")
		f.Add(seed, `{"product_id":"p_1","quantity":2}`, "to.city=x")
	}
	f.Fuzz(func(t *testing.T, whole, doc, pair string) {
		set, err := CompileObject(jsontext.Value(whole), []string{"a", "product_id"})
		if err != nil {
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Manifest || e.Code == "" {
				t.Fatalf("got %#v", err)
			}
			return
		}
		for _, p := range set.Params() {
			set.Describe(p.Name)
		}
		check, err := schema.Compile(jsontext.Value(whole))
		if err != nil {
			t.Fatal(err)
		}
		checkValues(t, set, Words{Pairs: []string{pair}, Flags: []Flag{{Name: "a", Text: pair}}, Positional: []string{doc}})
		for _, words := range []Words{{Object: []byte(doc)}, {Object: []byte(doc), Pairs: []string{pair}}, {Positional: []string{pair}}} {
			checkValues(t, set, words)
			values, problems := set.Values(words)
			if len(problems) > 0 {
				continue
			}
			if failures, err := check.Validate(values.Object()); err != nil || len(failures) > 0 {
				t.Errorf("%s passes, but: %v %v", values.Object(), failures, err)
			}
		}
		if object := jsontext.Value(doc); strictjson.Check(object) == nil && object.Kind() == '{' {
			failures, err := check.Validate(object)
			_, problems := set.Values(Words{Object: object})
			if err == nil && len(failures) > 0 != (len(problems) > 0) {
				t.Errorf("%s: failures %v, problems %v", object, failures, problems)
			}
		}
	})
}
