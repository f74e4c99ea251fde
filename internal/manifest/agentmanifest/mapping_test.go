package agentmanifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

func TestMapping(t *testing.T) {
	const value = `{"a":{"b":[1.00,{"c":"x"}]},"d/e":null,"~":12345678901234567890}`
	for name, test := range map[string]struct{ mapping, want string }{
		"nothing":                      {`{}`, `{}`},
		"members and elements":         {`{"/x":"/a/b/0","/y":"/a/b/1/c"}`, `{"x":1.00,"y":"x"}`},
		"the whole":                    {`{"/all":""}`, `{"all":` + value + `}`},
		"escapes on both sides":        {`{"/t~0~1t":"/d~1e","/u":"/~0"}`, `{"t~/t":null,"u":12345678901234567890}`},
		"targets within an object":     {`{"/o/p/q":"/a/b/0","/o/r":"/d~1e"}`, `{"o":{"p":{"q":1.00},"r":null}}`},
		"a number as a target's name":  {`{"/0":"/a/b/0"}`, `{"0":1.00}`},
		"an empty name":                {`{"/":"/a/b/0"}`, `{"":1.00}`},
		"a source twice":               {`{"/x":"/a/b/0","/y":"/a/b/0"}`, `{"x":1.00,"y":1.00}`},
		"a source that is not there":   {`{"/x":"/nosuch/y","/y":"/a/b/7","/z":"/a/b/-1"}`, `{}`},
		"an object only where it goes": {`{"/o/p":"/nosuch"}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := ParseMapping([]byte(test.mapping))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(m.Map(jsontext.Value(value))); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestMappedArguments(t *testing.T) {
	m, err := ParseMapping([]byte(`{"/search/text":"/q","/number":"/n","/none":"/nosuch"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(m.Input(given()).Object()); got != `{"search":{"text":"a b&c"},"number":12345678901234567890}` {
		t.Errorf("got %s", got)
	}
	if got := string(m.Input(&manifest.Values{}).Object()); got != `{}` {
		t.Errorf("got %s", got)
	}
}

func TestMappingsThatAreNone(t *testing.T) {
	var many strings.Builder
	many.WriteString(`{"/x":""`)
	for i := range maxMappings {
		fmt.Fprintf(&many, `,"/%d":""`, i)
	}
	for name, test := range map[string]struct{ doc, code string }{
		"no JSON":                  {`q = text`, "not_json"},
		"no object":                {`[["/x","/y"]]`, "wrong_type"},
		"too large":                {`{"/x":"/` + strings.Repeat("y", MaxMappingBytes) + `"}`, "too_large"},
		"the same target twice":    {`{"/x":"/a","/x":"/b"}`, "duplicate_member"},
		"an expression":            {`{"/x":"$.a"}`, "mapping_unsupported"},
		"a literal":                {`{"/x":1}`, "mapping_unsupported"},
		"a name for a target":      {`{"x":"/a"}`, "mapping_unsupported"},
		"the whole as the target":  {`{"":"/a"}`, "mapping_unsupported"},
		"a bad escape":             {`{"/x":"/~2"}`, "mapping_unsupported"},
		"a bad escape at the end":  {`{"/x~":"/a"}`, "mapping_unsupported"},
		"a target within another":  {`{"/x/y":"/a","/x":"/b"}`, "mapping_unsupported"},
		"one that is far off":      {`{"/x":"/a","/x!":"/c","/x/y":"/b"}`, "mapping_unsupported"},
		"a target that is too far": {`{"` + strings.Repeat("/x", maxSteps+1) + `":"/a"}`, "mapping_unsupported"},
		"too many":                 {many.String() + `}`, "mapping_unsupported"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseMapping([]byte(test.doc))
			if e := fault.From(err); e == nil || e.Kind != fault.Manifest || e.Code != test.code {
				t.Errorf("got %v", err)
			}
		})
	}
}

func FuzzMapping(f *testing.F) {
	f.Add(`{"/x/y":"/a/0","/z":""}`, `{"a":[1]}`)
	f.Fuzz(func(t *testing.T, doc, value string) {
		m, err := ParseMapping([]byte(doc))
		if err != nil || strictjson.Check([]byte(value)) != nil {
			return
		}
		if out := m.Map(jsontext.Value(value)); out.Kind() != '{' || !out.IsValid() {
			t.Errorf("%s of %s is %s", doc, value, out)
		}
	})
}
