package mcp

import (
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxNameBytes bounds the name of a tool. The protocol recommends 128 characters at most.
const maxNameBytes = 256

// readTools reads a list of tools. What has no name is left out: nobody could call it. Names that are listed more than once,
// on whatever pages, make all tools of that name unusable, as nobody knows which one would be called.
func readTools(list []jsontext.Value) []Tool {
	tools := make([]Tool, 0, len(list))
	count := map[string]int{}
	for _, raw := range list {
		if tool := readTool(raw); tool.Name != "" {
			tools = append(tools, tool)
			count[tool.Name]++
		}
	}
	for i := range tools {
		if count[tools[i].Name] > 1 {
			tools[i].Unusable = "the server lists it more than once"
		}
	}
	return tools
}

func readTool(raw jsontext.Value) (t Tool) {
	problem := strictjson.Check(raw)
	for name, value := range strictjson.Members(raw) {
		switch name {
		case "name":
			t.Name, _ = strictjson.String(value)
		case "title":
			t.Title, _ = strictjson.String(value)
		case "description":
			t.Description, _ = strictjson.String(value)
		case "inputSchema":
			t.Input = strictjson.Compact(value)
		case "outputSchema":
			t.Output = strictjson.Compact(value)
		case "annotations":
			t.Annotations = readAnnotations(value)
			if title, ok := strictjson.Member(value, "title"); ok && t.Title == "" {
				t.Title, _ = strictjson.String(title)
			}
		}
	}
	switch {
	case problem != nil:
		t.Unusable = problem.Error()
	case !printableName(t.Name):
		t.Unusable = "its name is too long, or holds characters that no name needs"
	}
	return t
}

// printableName reports whether a name can be shown and typed.
func printableName(name string) bool {
	for _, r := range name {
		if r == utf8.RuneError || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return false
		}
	}
	return len(name) <= maxNameBytes
}

func readAnnotations(value jsontext.Value) (a Annotations) {
	hints := map[string]**bool{
		"readOnlyHint": &a.ReadOnly, "destructiveHint": &a.Destructive, "idempotentHint": &a.Idempotent,
	}
	for name, value := range strictjson.Members(value) {
		if hint, ok := hints[name]; ok && (value.Kind() == 't' || value.Kind() == 'f') {
			*hint = new(value.Kind() == 't')
		}
	}
	return a
}

// checkSchemas makes a tool unusable when nobody can know what arguments it takes. An output schema that is no schema is
// dropped: it would only check what has been done already.
func (t *Tool) checkSchemas() {
	if t.Unusable != "" {
		return
	}
	if t.Input.Kind() != '{' {
		t.Unusable = "it has no input schema"
	} else if _, err := schema.Compile(t.Input); err != nil {
		t.Unusable = "its input schema: " + err.Error()
	}
	if t.Output == nil {
		return
	}
	if _, err := schema.Compile(t.Output); err != nil {
		t.Output = nil
	}
}
