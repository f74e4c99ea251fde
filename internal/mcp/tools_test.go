package mcp

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func raws(texts ...string) (out []jsontext.Value) {
	for _, text := range texts {
		out = append(out, jsontext.Value(text))
	}
	return out
}

func TestTools(t *testing.T) {
	tools := readTools(raws(
		`{"name":"a","title":"A","description":"does a","inputSchema":{ "type": "object", "maximum": 1.0 },"outputSchema":{},"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":"yes"}}`,
		`{"name":"b","inputSchema":{},"annotations":{"title":"B"}}`,
	))
	if len(tools) != 2 {
		t.Fatalf("got %+v", tools)
	}
	a, b := tools[0], tools[1]
	if a.checkSchemas(); a.Unusable != "" || a.Title != "A" || string(a.Input) != `{"type":"object","maximum":1.0}` || string(a.Output) != "{}" {
		t.Errorf("got %+v", a)
	}
	if h := a.Annotations; h.ReadOnly == nil || !*h.ReadOnly || h.Destructive == nil || *h.Destructive || h.Idempotent != nil {
		t.Errorf("got %+v", h)
	}
	if b.Title != "B" {
		t.Errorf("got %+v", b)
	}
}

// Lies about a tool make that tool unusable, and no other.
func TestToolsThatCannotBeUsed(t *testing.T) {
	for name, test := range map[string]struct {
		list []jsontext.Value
		want string // in the reason; "": the tool is left out
	}{
		"twice":                   {raws(`{"name":"x","inputSchema":{}}`, `{"name":"x","inputSchema":{}}`), "more than once"},
		"twice, in another way":   {raws(`{"name":"x","inputSchema":{}}`, `{"name":"x"}`), "more than once"},
		"no schema":               {raws(`{"name":"x"}`), "no input schema"},
		"a schema that is none":   {raws(`{"name":"x","inputSchema":{"type":"thing"}}`), "its input schema"},
		"a schema that is a list": {raws(`{"name":"x","inputSchema":[]}`), "no input schema"},
		"a schema from elsewhere": {raws(`{"name":"x","inputSchema":{"$ref":"https://evil.example/x"}}`), "its input schema"},
		"a member twice":          {raws(`{"name":"x","inputSchema":{},"inputSchema":{}}`), "duplicate"},
		"a long name":             {raws(`{"name":"` + strings.Repeat("x", 300) + `","inputSchema":{}}`), "its name"},
		"a name that hides":       {raws(`{"name":"x\u001b[2J","inputSchema":{}}`), "its name"},
		"no name":                 {raws(`{"inputSchema":{}}`, `{"name":7}`, `7`, `null`, ``), ""},
	} {
		t.Run(name, func(t *testing.T) {
			tools := readTools(append(test.list, raws(`{"name":"good","inputSchema":{}}`)...))
			for i := range tools {
				tools[i].checkSchemas()
			}
			last := len(tools) - 1
			if tools[last].Name != "good" || tools[last].Unusable != "" {
				t.Errorf("the other tool: %+v", tools[last])
			}
			if (test.want == "") != (last == 0) {
				t.Fatalf("got %+v", tools)
			}
			for _, tool := range tools[:last] {
				if !strings.Contains(tool.Unusable, test.want) {
					t.Errorf("got %q", tool.Unusable)
				}
			}
		})
	}
}

func TestAnOutputSchemaThatIsNoneIsDropped(t *testing.T) {
	tools := readTools(raws(`{"name":"x","inputSchema":{},"outputSchema":{"type":"thing"}}`))
	if tools[0].checkSchemas(); tools[0].Unusable != "" || tools[0].Output != nil {
		t.Errorf("got %+v", tools[0])
	}
}

// Usable tools have names of their own, which can be typed, and schemas.
func FuzzTools(f *testing.F) {
	f.Add([]byte(`{"name":"a","inputSchema":{}}`), []byte(`{"name":"a","annotations":{"readOnlyHint":true}}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		names := map[string]bool{}
		for _, tool := range readTools([]jsontext.Value{first, second}) {
			tool.checkSchemas()
			if tool.Unusable != "" {
				continue
			}
			if names[tool.Name] || tool.Name == "" || tool.Input.Kind() != '{' || !printableName(tool.Name) {
				t.Fatalf("got %+v", tool)
			}
			names[tool.Name] = true
		}
	})
}
