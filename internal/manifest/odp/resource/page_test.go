package resource

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

func TestPagesThatAreRefused(t *testing.T) {
	item := `{"id":"a","name":"A"}`
	for name, c := range map[string]struct{ doc, pointer string }{
		"no version":                   {`{"items":[]}`, "/odp_version"},
		"another major version":        {`{"odp_version":"2.0","items":[]}`, "/odp_version"},
		"no items":                     {`{"odp_version":"1.0"}`, "/items"},
		"items that are no list":       {`{"odp_version":"1.0","items":{}}`, "/items"},
		"101 items":                    {`{"odp_version":"1.0","items":[` + strings.Repeat(item+",", 100) + item + `]}`, "/items"},
		"an empty next (ODP-43)":       {`{"odp_version":"1.0","items":[],"next":""}`, "/next"},
		"a next that is null":          {`{"odp_version":"1.0","items":[],"next":null}`, "/next"},
		"a next elsewhere (ODP-44)":    {`{"odp_version":"1.0","items":[],"next":"https://b.example/p"}`, "/next"},
		"a next on another port":       {`{"odp_version":"1.0","items":[],"next":"https://a.example:444/p"}`, "/next"},
		"a next with two slashes":      {`{"odp_version":"1.0","items":[],"next":"//b.example/p"}`, "/next"},
		"a next of 2049 characters":    {`{"odp_version":"1.0","items":[],"next":"/` + strings.Repeat("x", 2048) + `"}`, "/next"},
		"a next with a letter like é":  {`{"odp_version":"1.0","items":[],"next":"/é"}`, "/next"},
		"auth_expands false (ODP-40)":  {`{"odp_version":"1.0","items":[],"auth_expands":false}`, "/auth_expands"},
		"refinements nobody asked for": {`{"odp_version":"1.0","items":[],"refinements":[]}`, "/refinements"},
	} {
		t.Run(name, func(t *testing.T) {
			rules := PageRules{Origin: "https://a.example", Representation: odp.Terse}
			_, err := ParseOfferings([]byte(c.doc), rules)
			requireAt(t, err, c.pointer)
			_, err = ParseCollections([]byte(c.doc), rules)
			requireAt(t, err, c.pointer)
		})
	}
}

func TestPagesKeepWhatTheyHold(t *testing.T) {
	page, err := ParseOfferings([]byte(`{"odp_version":"1.3","items":[{"id":"a","name":"A","z":1.50,"price":{"type":"barter"}}],
		"next":"https://a.example:443/p?x=%2f","auth_expands":true,"refinements":[{"filter_id":"maker"}],"total":9}`),
		PageRules{Origin: "https://a.example", Representation: odp.Terse, Refinements: anyRefinements})
	if err != nil {
		t.Fatal(err)
	}
	if page.Next != "https://a.example:443/p?x=%2f" || !page.AuthExpands || len(page.Refinements) != 1 || len(page.Issues) != 1 || page.Issues[0].Pointer != "/items/0/price" {
		t.Errorf("got %+v", page)
	}
	if got := string(page.Items[0].Node.Value()); got != `{"id":"a","name":"A","z":1.50,"price":{"type":"barter"}}` {
		t.Errorf("got %s", got)
	}
	_, err = ParseOfferings([]byte(`{"odp_version":"1.0","items":[],"refinements":[1]}`),
		PageRules{Refinements: func(c *odp.Cursor) []odp.Refinement { c.Fail("are bad"); return nil }})
	requireAt(t, err, "/refinements")
}

func TestAFullListHasFullItems(t *testing.T) {
	doc := `{"odp_version":"1.0","items":[{"id":"a","name":"A","actions":[` + goodAction + `]},{"id":"b","name":"B","detail_fields":["/x"]}]}`
	page, err := ParseOfferings([]byte(doc), PageRules{Representation: odp.Full})
	if err != nil || len(page.Items) != 1 || len(page.Items[0].Value.Actions) != 1 || len(page.Issues) != 1 {
		t.Errorf("got %+v, %v", page, err)
	}
}

func TestTraversals(t *testing.T) {
	type page struct {
		items []string
		next  string
	}
	for name, c := range map[string]struct {
		most     int
		pages    []page
		kept     string
		complete bool
		code     string // of the fault that ends it
		issues   int
	}{
		"to the end":                      {0, []page{{[]string{"a"}, "/2"}, {nil, "/3"}, {[]string{"b"}, ""}}, "ab", true, "", 0},
		"as many as wanted (ODP-48)":      {2, []page{{[]string{"a", "b", "c"}, "/2"}}, "ab", false, "", 0},
		"as many as there are":            {2, []page{{[]string{"a", "b"}, ""}}, "ab", true, "", 0},
		"a repeated item (ODP-49)":        {0, []page{{[]string{"a", "b"}, "/2"}, {[]string{"b", "c"}, ""}}, "abc", true, "", 1},
		"a page that names itself":        {0, []page{{[]string{"a"}, "/1"}}, "a", false, CodePageLoop, 0},
		"… by its whole address":          {0, []page{{[]string{"a"}, "https://a.example/1"}}, "a", false, CodePageLoop, 0},
		"a loop of two pages":             {0, []page{{[]string{"a"}, "/2"}, {[]string{"b"}, "/3"}, {[]string{"c"}, "/2"}}, "abc", false, CodePageLoop, 0},
		"identities differ by their case": {0, []page{{[]string{"a", "A"}, ""}}, "aA", true, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			way := NewTraversal("https://a.example", "https://a.example/1", c.most)
			kept, code := "", ""
			for _, p := range c.pages {
				for _, id := range p.items {
					if way.Keep(id) {
						kept += id
					}
				}
				url, err := way.Next(p.next)
				if err != nil {
					code = fault.From(err).Code
					if fault.From(err).Kind != fault.Unavailable {
						t.Errorf("got %v", err)
					}
				}
				if url == "" {
					break
				}
			}
			if kept != c.kept || way.Complete() != c.complete || code != c.code || len(way.Issues) != c.issues || way.Items() != len(c.kept) {
				t.Errorf("kept %q, complete %v, code %q, issues %v", kept, way.Complete(), code, way.Issues)
			}
		})
	}
}

// A catalogue of millions costs no more memory than what is remembered of it.
func TestLongSequencesTakeBoundedMemory(t *testing.T) {
	way := NewTraversal("https://a.example", "", 0)
	var before, after runtime.MemStats
	for i := range 3 * maxSeen {
		if i == 2*maxSeen {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
		if !way.Keep(fmt.Sprint(i)) {
			t.Fatal("an item was taken for another one")
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+1<<20 {
		t.Errorf("%d bytes more", after.HeapAlloc-before.HeapAlloc)
	}
	for range 1000 {
		way.Keep(fmt.Sprint(3*maxSeen - 1))
	}
	if way.Repeats() != 1000 || len(way.Issues) != maxRepeatIssues {
		t.Errorf("%d repeats, %d issues", way.Repeats(), len(way.Issues))
	}
	runtime.KeepAlive(way)
}

// anyRefinements takes refinements of all kinds.
func anyRefinements(c *odp.Cursor) []odp.Refinement { return make([]odp.Refinement, c.Len()) }
