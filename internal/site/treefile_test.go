package site

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentctl/agentctl/internal/manifest"
)

func popcorn() *manifest.Site {
	return &manifest.Site{
		Format: "interagentic", Name: "Popcorn Club", Description: "Popcorn, delivered.", Version: "1", BaseURL: "/api/v1",
		Groups: []manifest.Group{{Command: []string{"orders"}, Description: "Place and track orders"}, {Command: []string{"empty"}}},
		Actions: []manifest.Summary{
			{Command: []string{"orders", "create"}, Description: "Place an order", Method: "POST", Endpoint: "/orders", Effect: manifest.Write},
			{Command: []string{"orders"}, Description: "All of them", Method: "GET", Endpoint: "/orders", Effect: manifest.Read},
			{Command: []string{"a", "b", "c"}, Method: "GET", Endpoint: "/abc", Effect: manifest.Read},
			{Command: []string{"a", "b", "c"}, Method: "GET", Endpoint: "/second", Issue: &manifest.Issue{Code: "duplicate_command", Message: "is there twice"}},
		},
		Issues: []manifest.Issue{{Code: "duplicate_command", Pointer: "/actions/3", Message: "is there twice", Command: []string{"a", "b", "c"}}},
	}
}

// laidOut compiles what a site publishes in one or more formats.
func laidOut(t testing.TB, sites ...*manifest.Site) []byte {
	t.Helper()
	var sources []Source
	for _, m := range sites {
		sources = append(sources, Source{Format: m.Format, Sum: "sum of " + m.Format})
	}
	file, err := compileTree(sources, sites)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func compiled(t testing.TB, sites ...*manifest.Site) *tree {
	t.Helper()
	file := laidOut(t, sites...)
	opened, err := openTree(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// What a site's document says in JSON is handed out byte for byte.
func TestTreeKeepsJSONAsItIs(t *testing.T) {
	const raw = `{"a":"<&\u00e9\u2028>","n":1.50,"raw":{"of":null}}`
	m := popcorn()
	m.Actions[0].Definition = jsontext.Value(raw)
	m.Parts = func(yield func(string, jsontext.Value) bool) {
		_ = yield("#/x", jsontext.Value(raw)) && yield("#/y", jsontext.Value("null"))
	}
	tr := compiled(t, m, &manifest.Site{Format: "other"})
	for _, view := range []string{"", m.Format} {
		n, err := tr.find(view, []string{"orders", "create"})
		if err != nil || string(n.Action.Definition) != raw {
			t.Errorf("%q: got %+v, %v", view, n, err)
		}
	}
	if n, err := tr.find("", []string{"orders"}); err != nil || n.Action.Definition != nil {
		t.Errorf("got %+v, %v", n, err)
	}
	for name, want := range map[string]string{"#/x": raw, "#/y": "null", "#/z": ""} {
		if got, err := tr.part(m.Format, name); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
	if m.Actions[0].Definition == nil {
		t.Error("what was laid out was changed")
	}
}

func TestTreeFindsWhatWasPublished(t *testing.T) {
	tr := compiled(t, popcorn())
	if h := tr.header.Sources[0]; h.Sum != "sum of interagentic" || h.Name != "Popcorn Club" || h.BaseURL != "/api/v1" || h.Actions != 4 || h.Unusable != 1 {
		t.Errorf("header %+v", h)
	}
	find := func(words ...string) *Node {
		t.Helper()
		n, err := tr.find("", words)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := find("orders", "create"); n == nil || n.Action == nil || n.Action.Endpoint != "/orders" || n.Group {
		t.Errorf("orders create: %+v", n)
	}
	if n := find("orders"); n == nil || n.Action == nil || !n.Group || n.Description != "Place and track orders" { // IA-7
		t.Errorf("orders is a group and an action: %+v", n)
	}
	if n := find("a", "b"); n == nil || n.Action != nil || !n.Group { // implied by its action
		t.Errorf("a b: %+v", n)
	}
	if n := find("a", "b", "c"); n == nil || n.Action.Endpoint != "/abc" { // IA-6: the first one stands
		t.Errorf("a b c: %+v", n)
	}
	if n := find("empty"); n == nil || !n.Group {
		t.Errorf("empty: %+v", n)
	}
	for _, unknown := range [][]string{{"order"}, {"orders", "create", "x"}, {"create"}, {"orders create"}, {""}} {
		if n := find(unknown...); n != nil {
			t.Errorf("%q: found %+v", unknown, n)
		}
	}
	children, err := tr.children(find())
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{Word: "a", Group: true},
		{Word: "empty", Group: true},
		{Word: "orders", Description: "All of them", Group: true, Action: true, Effect: manifest.Read},
	}
	if diff := cmp.Diff(want, children); diff != "" {
		t.Errorf("children of the site (-want +got):\n%s", diff)
	}
	issues, err := tr.issues(&tr.header.Sources[0])
	if err != nil || len(issues) != 1 || issues[0].Pointer != "/actions/3" {
		t.Errorf("issues %v, %v", issues, err)
	}
}

func shop() *manifest.Site {
	return &manifest.Site{
		Format: "agent-actions", Name: "Shop", FoldNames: true,
		Actions: []manifest.Summary{
			{Command: []string{"add_to_cart"}, Description: "Add", Endpoint: "/cart", Definition: []byte(`{"name":"add_to_cart","n":1.50}`)},
			{Command: []string{"orders"}, Description: "of the other format", Endpoint: "/hidden"},
			{Command: []string{"a-b"}, Endpoint: "/a-b"},
		},
		Flows: []manifest.Flow{{Name: "buy", Steps: []manifest.Step{{Action: "orders", With: []byte(`{"id":1.50}`)}}}},
		Links: []manifest.Link{{Name: "receipts", URL: "/receipts"}},
	}
}

// One tree a site; on a clash the earlier format wins, and each is a view of its own (contract, section 1).
func TestTreeOfTwoFormats(t *testing.T) {
	tr := compiled(t, popcorn(), shop())
	for _, test := range []struct{ view, command, format, endpoint string }{
		{"", "orders", "interagentic", "/orders"},
		{"", "orders create", "interagentic", "/orders"},
		{"", "add_to_cart", "agent-actions", "/cart"},
		{"", "add-to-cart", "agent-actions", "/cart"}, // AA-3
		{"", "add-to_cart", "agent-actions", "/cart"},
		{"", "a_b", "agent-actions", "/a-b"},
		{"agent-actions", "orders", "agent-actions", "/hidden"},
		{"agent-actions", "add-to-cart", "agent-actions", "/cart"},
		{"agent-actions", "orders create", "", ""},
		{"interagentic", "orders", "interagentic", "/orders"},
		{"interagentic", "add_to_cart", "", ""},
		{"odp", "orders", "", ""},
		{"~", "add-to-cart", "", ""},
	} {
		n, err := tr.find(test.view, strings.Fields(test.command))
		switch {
		case err != nil:
			t.Errorf("%s %q: %v", test.view, test.command, err)
		case test.format == "" && n != nil:
			t.Errorf("%s %q: found %+v", test.view, test.command, n)
		case test.format != "" && (n == nil || n.Action == nil || n.Action.Format != test.format || n.Action.Endpoint != test.endpoint):
			t.Errorf("%s %q: got %+v, want %s of %s", test.view, test.command, n, test.endpoint, test.format)
		}
	}
	n, err := tr.find("", []string{"add_to_cart"})
	if err != nil || string(n.Action.Definition) != `{"name":"add_to_cart","n":1.50}` {
		t.Errorf("the definition became %s, %v", n.Action.Definition, err)
	}
	flows, err := tr.flows(&tr.header.Sources[1])
	if err != nil || len(flows) != 1 || string(flows[0].Steps[0].With) != `{"id":1.50}` {
		t.Errorf("flows %+v, %v", flows, err)
	}
	if links := tr.header.Sources[1].Links; len(links) != 1 || links[0].URL != "/receipts" {
		t.Errorf("links %+v", links)
	}
}

// A name that is the same but for '_' and '-' is taken by the format that goes before.
func TestAFoldedNameClashes(t *testing.T) {
	first := &manifest.Site{Format: "interagentic", Actions: []manifest.Summary{{Command: []string{"add-to-cart"}, Endpoint: "/first"}}}
	tr := compiled(t, first, shop())
	root, err := tr.find("", nil)
	if err != nil {
		t.Fatal(err)
	}
	children, err := tr.children(root)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, c := range children {
		words = append(words, c.Word)
	}
	if diff := cmp.Diff([]string{"a-b", "add-to-cart", "orders"}, words); diff != "" {
		t.Error(diff)
	}
}

// What is learnt of a format that is not there is noted without compiling anything again.
func TestATreeGetsOtherSources(t *testing.T) {
	tr := compiled(t, popcorn(), shop())
	sources := append(slices.Clone(tr.header.Sources), Source{Format: "odp", Until: time.Unix(1e9, 0)})
	file, err := tr.withSources(sources)
	if err != nil {
		t.Fatal(err)
	}
	again, err := openTree(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sources, again.header.Sources, cmpopts.IgnoreUnexported(Source{}), cmpopts.IgnoreFields(Source{}, "Document")); diff != "" {
		t.Error(diff)
	}
	if n, err := again.find("", []string{"add-to-cart"}); err != nil || n == nil {
		t.Errorf("found %v, %v", n, err)
	}
}

func TestTreeOfManyActionsFindsEach(t *testing.T) {
	m := manyActions(5000)
	tr := compiled(t, m)
	for _, action := range m.Actions {
		if n, err := tr.find("", action.Command); err != nil || n == nil || n.Action.Endpoint != action.Endpoint {
			t.Fatalf("%q: %+v, %v", action.Command, n, err)
		}
	}
}

func manyActions(n int) *manifest.Site {
	m := &manifest.Site{Format: "interagentic"}
	for i := range n {
		m.Actions = append(m.Actions, manifest.Summary{
			Command:     []string{fmt.Sprintf("group%d", i/20), fmt.Sprintf("action%d", i)},
			Description: "Does the thing with number " + fmt.Sprint(i), Method: "GET", Endpoint: fmt.Sprintf("/things/%d", i), Effect: manifest.Read,
		})
	}
	return m
}

// A damaged file is noticed wherever it is read: a lookup says so or is right, and never panics or hangs.
func TestTreeNoticesDamage(t *testing.T) {
	good := laidOut(t, popcorn())
	want, err := compiled(t, popcorn()).find("", []string{"orders", "create"})
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, file []byte) {
		t.Helper()
		tr, err := openTree(bytes.NewReader(file))
		if err != nil {
			return
		}
		got, err := tr.find("", []string{"orders", "create"})
		if err == nil && !cmp.Equal(got, want) {
			t.Errorf("%s: found %+v", name, got)
		}
	}
	for i := range good {
		damaged := bytes.Clone(good)
		damaged[i] ^= 0x55
		check(fmt.Sprintf("byte %d changed", i), damaged)
		check(fmt.Sprintf("cut at byte %d", i), good[:i])
	}
}

func FuzzOpenTree(f *testing.F) {
	good := laidOut(f, popcorn(), shop())
	f.Add(good, "orders create")
	f.Add([]byte(treeMagic), "")
	f.Fuzz(func(t *testing.T, file []byte, command string) {
		tr, err := openTree(bytes.NewReader(file))
		if err != nil {
			return
		}
		if n, err := tr.find("", strings.Fields(command)); err == nil && n != nil {
			_, _ = tr.children(n)
		}
		for i := range tr.header.Sources {
			_, _ = tr.issues(&tr.header.Sources[i])
			_, _ = tr.flows(&tr.header.Sources[i])
		}
	})
}

func BenchmarkFind(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		tr := compiled(b, manyActions(n))
		command := []string{"group0", "action7"}
		b.Run(fmt.Sprintf("%d actions", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n, err := tr.find("", command); err != nil || n == nil {
					b.Fatal("not found", err)
				}
			}
		})
	}
}

func BenchmarkCompileTree(b *testing.B) {
	m := manyActions(10_000)
	b.ReportAllocs()
	for b.Loop() {
		laidOut(b, m)
	}
}

// damage changes the last block of a file.
func damage(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(content) - 200; i < len(content); i++ {
		content[i] ^= 0x55
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
