package odp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

func filtersNamed(ids ...string) (list []Filter) {
	for _, id := range ids {
		list = append(list, Filter{ID: id, Type: DateFilter, Operators: []Operator{Equal}})
	}
	return list
}

func sortBy(id string, filters ...string) Sort {
	s := Sort{ID: id}
	for _, f := range filters {
		s.Keys = append(s.Keys, SortKey{Filter: f, Missing: "last"})
	}
	return s
}

// summary tells a catalogue in the notation of the protocol's vectors.
func summary(c *Catalogue) string {
	var filters, sorts []string
	for _, f := range c.Filters {
		filters = append(filters, f.ID)
	}
	for _, s := range c.Sorts {
		sorts = append(sorts, s.ID)
	}
	return fmt.Sprint(filters, sorts, c.Issues)
}

func TestCataloguesAreMerged(t *testing.T) {
	many := func(prefix string, n int) []string { return strings.Fields(numbered(n, " "+prefix+"%d")) }
	manySorts := func(n int) (list []Sort) {
		for _, id := range many("s", n) {
			list = append(list, sortBy(id, "a"))
		}
		return list
	}
	for _, c := range []struct {
		name                string
		service, collection Definitions
		want                string
	}{
		{"nothing", Definitions{}, Definitions{}, "[] [] []"},
		{"Service first", Definitions{filtersNamed("z"), nil}, Definitions{filtersNamed("a"), []Sort{sortBy("s", "z", "a")}}, "[z a] [s] []"},
		{"a Service's sort by a Collection's filter", Definitions{nil, []Sort{sortBy("s", "a")}}, Definitions{filtersNamed("a"), nil}, "[a] [s] []"},
		{"one identifier of filter and sort", Definitions{filtersNamed("a"), []Sort{sortBy("a", "a")}}, Definitions{}, "[a] [a] []"},
		{
			"conflicts, even of equals",
			Definitions{filtersNamed("b", "a", "c"), []Sort{sortBy("s", "c"), sortBy("u", "a", "c")}},
			Definitions{filtersNamed("c", "d"), []Sort{sortBy("s", "d"), sortBy("t", "d")}},
			"[b a d] [t] [filters-conflict:c sort-reference:u sorts-conflict:s]",
		},
		{"a filter that is nowhere", Definitions{nil, []Sort{sortBy("s", "a")}}, Definitions{}, "[] [] [sort-reference:s]"},
		{
			"too many filters",
			Definitions{filtersNamed(many("f", 1000)...), nil},
			Definitions{filtersNamed(many("g", 25)...), []Sort{sortBy("s", "g0"), sortBy("t", "f0")}},
			fmt.Sprint(many("f", 1000), " [t] [filters-limit sort-reference:s]"),
		},
		{"as many filters as may be", Definitions{filtersNamed(many("f", 1000)...), nil}, Definitions{filtersNamed(many("g", 24)...), nil}, fmt.Sprint(append(many("f", 1000), many("g", 24)...), " [] []")},
		{"too many sorts", Definitions{filtersNamed("a"), []Sort{sortBy("x", "a")}}, Definitions{nil, manySorts(128)}, "[a] [x] [sorts-limit]"},
		{"the source of the Service alone is too large", Definitions{filtersNamed(many("f", 1025)...), nil}, Definitions{filtersNamed("a", "f0"), nil}, "[a f0] [] [filters-limit]"},
	} {
		if got := summary(Merge(c.service, c.collection)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestQuarantinedDefinitionsAreNotUsed(t *testing.T) {
	c := Merge(Definitions{filtersNamed("a", "b"), []Sort{sortBy("s", "b"), sortBy("u", "a")}}, Definitions{filtersNamed("a"), []Sort{sortBy("s", "b")}})
	for id, why := range map[string]string{"a": "defined twice", "gone": "no filter"} {
		_, err := c.Filter(id)
		requireFault(t, err, fault.Usage, "invalid_filter", "-")
		if !strings.Contains(err.Error(), why) {
			t.Error(err)
		}
	}
	for id, why := range map[string]string{"s": "defined twice", "u": "a sort by a filter", "gone": "no sort"} {
		_, err := c.Sort(id)
		requireFault(t, err, fault.Usage, "invalid_sort", "-")
		if !strings.Contains(err.Error(), why) {
			t.Error(err)
		}
	}
	if f, err := c.Filter("b"); err != nil || f.ID != "b" {
		t.Errorf("%+v %v", f, err)
	}
}

func TestRefinements(t *testing.T) {
	cat := every()
	const good = `{"r":[{"filter_id":"string","values":[{"value":"a","count":0},{"value":"A","count":9007199254740991,"count_relation":"lower_bound"}]},
		{"filter_id":"decimal","values":[{"value":"1.0","count":3.0}]}]}`
	requested := []string{"decimal", "string", "boolean"}
	groups, c := parseWhole(t, good, func(c *Cursor) []Refinement { return cat.ParseRefinements(c.Member("r"), requested) })
	requireIssue(t, c, "-")
	if len(groups) != 2 || !groups[0].Buckets[1].AtLeast || groups[0].Buckets[1].Count != 1<<53-1 || groups[1].Filter.Type != DecimalFilter {
		t.Errorf("got %+v", groups)
	}
	for _, row := range []struct{ pointer, value, at string }{
		{"/r", `[]`, "/r"},
		{"/r", `{}`, "/r"},
		{"/r/0/filter_id", "", "/r/0/filter_id"},
		{"/r/0/filter_id", `"date"`, "/r/0/filter_id"},
		{"/r/0/filter_id", `"decimal"`, "/r/0/values/0/value"},
		{"/r/1/filter_id", `"string"`, "/r/1/filter_id"},
		{"/r/0/values", `[]`, "/r/0/values"},
		{"/r/0/values", "[" + numbered(33, `,{"value":"%d","count":1}`)[1:] + "]", "/r/0/values"},
		{"/r/0/values/0/value", `1`, "/r/0/values/0/value"},
		{"/r/0/values/0/value", `["a"]`, "/r/0/values/0/value"},
		{"/r/0/values/0/value", `null`, "/r/0/values/0/value"},
		{"/r/0/values/0/value", "", "/r/0/values/0/value"},
		{"/r/0/values/0/value", `"A"`, "/r/0/values/1/value"},
		{"/r/1/values/-", `{"value":"1.00","count":1}`, "/r/1/values/1/value"},
		{"/r/0/values/0/count", `-1`, "/r/0/values/0/count"},
		{"/r/0/values/0/count", `9007199254740992`, "/r/0/values/0/count"},
		{"/r/0/values/0/count", `1.5`, "/r/0/values/0/count"},
		{"/r/0/values/0/count", `"1"`, "/r/0/values/0/count"},
		{"/r/0/values/0/count_relation", `"exact"`, "/r/0/values/0/count_relation"},
	} {
		_, c := parseWhole(t, edit(t, good, row.pointer, row.value), func(c *Cursor) []Refinement { return cat.ParseRefinements(c.Member("r"), requested) })
		if issue := c.Issue(); issue == nil || issue.Pointer != row.at {
			t.Errorf("%s = %s: got %v, want %s", row.pointer, row.value, issue, row.at)
		}
	}
	_, c = parseWhole(t, good, func(c *Cursor) []Refinement { return cat.ParseRefinements(c.Member("r"), nil) })
	requireIssue(t, c, "/r") // of a continuation
	if err := cat.CheckRefinements([]string{"date", "string"}); err != nil {
		t.Error(err)
	}
	if err := cat.CheckRefinements([]string{"only-in"}); err == nil {
		t.Error("a filter that is not refinable")
	}
}

func TestLifetimes(t *testing.T) {
	for op, want := range map[Operation]time.Duration{
		SearchOfferings: 0, SearchCollections: 0, ListCollections: time.Hour, GetCollection: time.Hour, ListOfferings: 5 * time.Minute,
		ListCollectionOfferings: 5 * time.Minute, GetOffering: 5 * time.Minute,
	} {
		if got := op.Lifetime(); got != want {
			t.Errorf("%s: got %v", op, got)
		}
	}
}

// What is accepted is safe to use: addresses stay on the origin, whatever the document says.
func FuzzParseService(f *testing.F) {
	f.Add([]byte(toolShed))
	f.Add([]byte(`{"odp_version":"1.7","name":"x","description":"y","language":"en","localizations":["en"],"operations":[{"name":"list-offerings","authentication":"not-required"},{"name":"get-offering","authentication":"not-required"},{"name":"z"}],"http":{"endpoint_base":"/a%2f/"}}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		s, err := ParseService(doc, origin)
		if err != nil {
			requireFault(t, err, fault.Manifest, "service_invalid", "-")
			return
		}
		if address, err := s.Address(GetOffering, "x", View{}); err == nil {
			checkAgainstURL(t, address, true)
		}
		for _, a := range s.Operations {
			if a.Name.path("x") == "" || a.Authentication == "" {
				t.Errorf("%+v", a)
			}
		}
		Merge(Definitions{s.Capabilities.Filters.Inline, s.Capabilities.Sorts.Inline}, Definitions{})
	})
}
