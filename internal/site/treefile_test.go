package site

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func compiled(t testing.TB, m *manifest.Site) *tree {
	t.Helper()
	file, err := compileTree(m, "sum")
	if err != nil {
		t.Fatal(err)
	}
	opened, err := openTree(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func TestTreeFindsWhatWasPublished(t *testing.T) {
	tr := compiled(t, popcorn())
	if h := tr.header; h.Source != "sum" || h.Name != "Popcorn Club" || h.BaseURL != "/api/v1" || h.Actions != 4 || h.Unusable != 1 {
		t.Errorf("header %+v", h)
	}
	find := func(words ...string) *Node {
		t.Helper()
		n, err := tr.find(words)
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
	issues, err := tr.issues()
	if err != nil || len(issues) != 1 || issues[0].Pointer != "/actions/3" {
		t.Errorf("issues %v, %v", issues, err)
	}
}

func TestTreeOfManyActionsFindsEach(t *testing.T) {
	m := manyActions(5000)
	tr := compiled(t, m)
	for _, action := range m.Actions {
		if n, err := tr.find(action.Command); err != nil || n == nil || n.Action.Endpoint != action.Endpoint {
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
	good, err := compileTree(popcorn(), "sum")
	if err != nil {
		t.Fatal(err)
	}
	want, err := compiled(t, popcorn()).find([]string{"orders", "create"})
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, file []byte) {
		t.Helper()
		tr, err := openTree(bytes.NewReader(file))
		if err != nil {
			return
		}
		got, err := tr.find([]string{"orders", "create"})
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
	good, err := compileTree(popcorn(), "sum")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, "orders create")
	f.Add([]byte(treeMagic), "")
	f.Fuzz(func(t *testing.T, file []byte, command string) {
		tr, err := openTree(bytes.NewReader(file))
		if err != nil {
			return
		}
		if n, err := tr.find(strings.Fields(command)); err == nil && n != nil {
			_, _ = tr.children(n)
		}
		_, _ = tr.issues()
	})
}

func BenchmarkFind(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		tr := compiled(b, manyActions(n))
		command := []string{"group0", "action7"}
		b.Run(fmt.Sprintf("%d actions", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n, err := tr.find(command); err != nil || n == nil {
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
		if _, err := compileTree(m, "sum"); err != nil {
			b.Fatal(err)
		}
	}
}
