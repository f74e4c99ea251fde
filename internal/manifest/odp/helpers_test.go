package odp

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

const origin = Origin("https://shed.example")

// toolShed is a Service Document that uses every member.
const toolShed = `{
  "odp_version": "1.0",
  "name": "Tool Shed",
  "description": "Hand and power tools to borrow by the day.",
  "language": "en",
  "localizations": ["en", "fr"],
  "keywords": ["tools", "GPU", "gpu"],
  "operations": [
    {"name": "list-offerings", "authentication": "not-required"},
    {"name": "get-offering", "authentication": "optional"},
    {"name": "search-offerings", "authentication": "not-required"},
    {"name": "get-collection", "authentication": "not-required"},
    {"name": "list-collection-offerings", "authentication": "not-required"}
  ],
  "http": {"endpoint_base": "/shop/odp/", "openapi": {"url": "/api/openapi.json"}},
  "branding": {"icon": {"src": "/icon.svg", "type": "image/svg+xml"}, "logo": {"src": "https://cdn.example/logo"}},
  "protocols": {
    "enrollment": [{"name": "aep"}],
    "payments": [
      {"name": "x402", "authentication": "not-required", "options": ["base"]},
      {"name": "mpp", "authentication": "required"}
    ]
  },
  "search_capabilities": {
    "filters": {"inline": [
      {"id": "weight", "title": "Weight", "description": "Weight of the tool without packaging.",
       "type": "decimal", "operators": ["lte", "gte"], "unit": {"system": "ucum", "code": "kg"}},
      {"id": "maker", "title": "Maker", "description": "Name of the manufacturer.",
       "type": "string", "operators": ["eq", "in"], "refinable": true}
    ]},
    "sorts": {"inline": [
      {"id": "light-first", "title": "Lightest first", "description": "By weight, unknown weights last.",
       "keys": [{"filter_id": "weight", "direction": "ascending", "missing": "last"}]}
    ]}
  },
  "website_url": "/", "documentation_url": "/docs?x=1", "support_url": "https://help.example/", "status_url": "/status"
}`

// edit sets the value at a JSON Pointer of a document; "" takes the member away, and "/x/-" appends to an array.
func edit(t testing.TB, doc, pointer, value string) string {
	t.Helper()
	tree, err := Decode([]byte(doc), Limits{1 << 20, 64})
	if err != nil {
		t.Fatal(err)
	}
	slash := len(pointer) - 1
	for pointer[slash] != '/' {
		slash--
	}
	parent, name := tree.At(pointer[:slash]), pointer[slash+1:]
	if parent == nil {
		t.Fatalf("nothing at %q", pointer)
	}
	set := func(node *jsontree.Node) {
		switch {
		case parent.IsArray() && name == "-":
			parent.Items = append(parent.Items, node)
		case parent.IsArray():
			*parent.At("/" + name) = *node
		default:
			parent.Set(name, node)
		}
	}
	if value != "" {
		set(jsontree.Parse([]byte(value)))
		return string(tree.Value())
	}
	for i := range parent.Names {
		if parent.Names[i] == name {
			parent.Names = append(parent.Names[:i:i], parent.Names[i+1:]...)
			parent.Items = append(parent.Items[:i:i], parent.Items[i+1:]...)
			return string(tree.Value())
		}
	}
	t.Fatalf("no member %q", pointer)
	return ""
}

// requireFault checks kind and code of an error, and the pointer in its details unless that is "-".
func requireFault(t testing.TB, err error, kind fault.Kind, code, pointer string) *fault.Error {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != kind || f.Code != code {
		t.Fatalf("want a fault %q %q, got %#v", kind, code, err)
	}
	if got := f.Details["pointer"]; pointer != "-" && got != pointer {
		t.Fatalf("want the place %q, got %q: %v", pointer, got, err)
	}
	return f
}

// requireIssue checks the place of a cursor's first fault; "-" wants none.
func requireIssue(t testing.TB, c *Cursor, pointer string) {
	t.Helper()
	issue := c.Issue()
	switch {
	case pointer == "-" && issue != nil:
		t.Fatalf("want no fault, got %v", *issue)
	case pointer != "-" && issue == nil:
		t.Fatalf("want a fault at %q, got none", pointer)
	case pointer != "-" && issue.Pointer != pointer:
		t.Fatalf("want a fault at %q, got %v", pointer, *issue)
	}
}

func shed(t testing.TB) *Service {
	t.Helper()
	s, err := ParseService([]byte(toolShed), origin)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// parseWhole reads a document of one kind and returns its cursor.
func parseWhole[T any](t testing.TB, doc string, parse func(*Cursor) T) (T, *Cursor) {
	t.Helper()
	c := cursor(t, doc)
	return parse(c), c
}

// checkAgainstURL compares what we think of an absolute URL with what net/url, and so the HTTP client, makes of it.
func checkAgainstURL(t *testing.T, text string, ours bool) {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatalf("%q is accepted, but: %v", text, err)
	}
	host := strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, ":443")
	if u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Fragment != "" || u.Host == "" {
		t.Errorf("%q is %+v", text, u)
	}
	if ours != (u.Scheme == "https" && host == "shed.example") && !strings.Contains(u.Port(), "443") {
		t.Errorf("%q: ours is %v, its host %q", text, ours, u.Host)
	}
}
