package openapi

import (
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

const from = "https://a.example/api/openapi.json"

func parse(t testing.TB, doc string) *Document {
	t.Helper()
	d, err := Parse([]byte(doc), "", from, "")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func shop(t testing.TB) *Document {
	t.Helper()
	doc, err := os.ReadFile("testdata/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(doc))
}

// operationOf returns a document of a version with one operation "x", whose members follow, and further members.
func documentOf(version, method, path, members, more string) string {
	return `{"openapi":"` + version + `","paths":{"` + path + `":{"` + method + `":{"operationId":"x"` + members + `}}}` + more + `}`
}

// action returns the action of one id.
func action(t testing.TB, d *Document, id string) *Action {
	t.Helper()
	a, err := tryAction(d, id)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// tryAction makes the action as the tree does that was compiled: with nothing of the document but its parts.
func tryAction(d *Document, id string) (*Action, error) {
	s, err := d.Operation(id)
	if err != nil {
		return nil, err
	}
	parts := maps.Collect(d.Parts())
	return ParseAction(s, func(ref string) (jsontext.Value, error) { return parts[ref], nil })
}

// object makes values of a JSON object.
func values(t testing.TB, object string) *manifest.Values {
	t.Helper()
	v := &manifest.Values{}
	if err := strictjson.Check([]byte(object)); err != nil {
		t.Fatal(err)
	}
	for name, value := range strictjson.Members(jsontext.Value(object)) {
		v.Set(name, strictjson.Compact(value))
	}
	return v
}

// accepts reports whether the action takes these arguments.
func accepts(t testing.TB, a *Action, object string) bool {
	t.Helper()
	set, err := input.CompileObject(a.Input, a.Args)
	if err != nil {
		t.Fatalf("%v in %s", err, a.Input)
	}
	_, problems := set.Values(input.Words{Object: []byte(object)})
	return len(problems) == 0
}

func requireFault(t *testing.T, err error, code string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.Manifest || e.Code != code {
		t.Fatalf("want %s, got %v", code, err)
	}
}

func codes(issues []manifest.Issue) string {
	var out []string
	for _, issue := range issues {
		out = append(out, issue.Code+" "+issue.Pointer)
	}
	return strings.Join(out, ", ")
}
