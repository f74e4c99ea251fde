package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/explore"
)

// Objects of objects can have a million members in a document of a few lines. A form has room for some, and says so.
func TestAFormIsBounded(t *testing.T) {
	p := newPuppet(t, explore.Hello{}, nil)
	var members []string
	for i := range 100 {
		members = append(members, fmt.Sprintf(`"m%d": {"$ref": "#/components/schemas/%%s"}`, i))
	}
	level := func(below string) string {
		return `{"type": "object", "properties": {` + strings.ReplaceAll(strings.Join(members, ", "), "%s", below) + `}}`
	}
	document := `{"openapi": "3.1.0", "info": {"title": "Big", "version": "1"}, "servers": [{"url": "https://big.example"}],
  "components": {"schemas": {"a": ` + level("b") + `, "b": ` + level("c") + `, "c": ` + level("d") + `, "d": {"type": "string"}}},
  "paths": {"/x": {"post": {"operationId": "build", "requestBody": {"content": {"application/json": {"schema": ` + level("a") + `}}}}}}}`
	file := filepath.Join(t.TempDir(), "big.json")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	if status := Run(t.Context(), []string{"site", "add", "big", "--openapi", file}, p.session.Env); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	r := p.ask(explore.Request{Op: explore.Action, Site: "big", Command: []string{"build"}})
	if r.Action == nil {
		t.Fatalf("%+v", r)
	}
	if got := len(r.Action.Fields); got != maxScreenFields {
		t.Errorf("%d fields", got)
	}
	if text := strings.Join(r.Action.Issues, "\n"); !strings.Contains(text, "a form has 1000 arguments at most") {
		t.Errorf("it says %q", text)
	}
}
