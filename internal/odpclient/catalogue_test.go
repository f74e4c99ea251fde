package odpclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// sortsPage is a page of sorts by weight with those ids.
func sortsPage(next string, ids ...string) answer {
	items := make([]string, len(ids))
	for i, id := range ids {
		items[i] = `{"id":"` + id + `","title":"T","description":"D","keys":[{"filter_id":"weight","direction":"ascending","missing":"last"}]}`
	}
	return pageOf(next, items)
}

// replaced is an answer with other words in it.
func replaced(a answer, words ...string) answer {
	a.body = strings.NewReplacer(words...).Replace(a.body)
	return a
}

// namesIn are the filters and sorts of a catalogue.
func namesIn(catalogue *odp.Catalogue) string {
	var names []string
	for _, f := range catalogue.Filters {
		names = append(names, f.ID)
	}
	for _, s := range catalogue.Sorts {
		names = append(names, s.ID)
	}
	return strings.Join(names, " ")
}

// A source of definitions is taken whole or not at all, and takes nothing else away (ODP-77 to ODP-80).
func TestLinkedDefinitions(t *testing.T) {
	long := map[string][]answer{"/sorts": once(sortsPage("/sorts?2", "s1"))}
	for i := 2; i <= 17; i++ {
		long[fmt.Sprintf("/sorts?%d", i)] = once(sortsPage(fmt.Sprintf("/sorts?%d", i+1), fmt.Sprintf("s%d", i)))
	}
	for name, test := range map[string]struct {
		answers map[string][]answer
		want    string
		issue   string
		asks    int
	}{
		"two pages":                 {map[string][]answer{"/sorts": once(sortsPage("/s2", "a")), "/s2": once(sortsPage("", "b"))}, "weight a b", "", 2},
		"a bad second page":         {map[string][]answer{"/sorts": once(sortsPage("/s2", "a")), "/s2": once(answer{body: `{}`})}, "weight", "source_invalid", 2},
		"one defined twice":         {map[string][]answer{"/sorts": once(sortsPage("/s2", "a")), "/s2": once(sortsPage("", "a"))}, "weight", "source_invalid", 2},
		"it is not there":           {nil, "weight", "http_404", 1},
		"it is of another type":     {map[string][]answer{"/sorts": once(answer{mediaType: "application/json", body: sortsPage("").body})}, "weight", "wrong_media_type", 1},
		"signing in is wanted":      {map[string][]answer{"/sorts": once(answer{status: 401})}, "weight", "http_401", 1},
		"it goes round in circles":  {map[string][]answer{"/sorts": once(sortsPage("/sorts", "a"))}, "weight", "source_invalid", 1},
		"it leads somewhere else":   {map[string][]answer{"/sorts": once(sortsPage("https://elsewhere.example/", "a"))}, "weight", "source_invalid", 1},
		"no page 17 is asked for":   {long, "weight", "source_too_long", 16},
		"there are more than 128":   {map[string][]answer{"/sorts": once(sortsPage("/s2", many("a", 100)...)), "/s2": once(sortsPage("/s3", many("b", 29)...))}, "weight", odp.SortsLimit, 2},
		"sorts by unknown filters":  {map[string][]answer{"/sorts": once(replaced(sortsPage("", "a"), "weight", "height"))}, "weight", "sort-reference:a", 1},
		"a later version's, partly": {map[string][]answer{"/sorts": once(replaced(sortsPage("", "a"), "ascending", "random", "1.0", "1.1"))}, "weight", "unsupported", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShed(t, test.answers, nil)
			catalogue, err := s.Catalogue(t.Context(), "")
			if err != nil || namesIn(catalogue) != test.want || len(s.log) != test.asks {
				t.Fatalf("%+v, %v\n%s", catalogue, err, s.lines())
			}
			if told := strings.Join(s.issues, "\n"); (told == "") != (test.issue == "") || !strings.Contains(told, test.issue) {
				t.Errorf("told %q, want %q", told, test.issue)
			}
		})
	}
}

func many(prefix string, n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprint(prefix, i))
	}
	return ids
}

// A Collection adds its own definitions to the Service's, and takes none of those away when it cannot be read (ODP-73,
// ODP-78, ODP-80).
func TestDefinitionsOfACollection(t *testing.T) {
	own := func(filter string) answer {
		return answer{body: `{"odp_version":"1.0","id":"drills","name":"Drills","search_capabilities":{"filters":{"inline":[
			{"id":"` + filter + `","title":"T","description":"D","type":"string","operators":["eq"]}]}}}`}
	}
	for name, test := range map[string]struct {
		collection answer
		want       string
		issue      string
		fails      bool
	}{
		"it adds to them":              {own("chuck"), "weight chuck", "", false},
		"one that both define":         {own("weight"), "", "filters-conflict:weight", false},
		"it defines none":              {answer{body: `{"odp_version":"1.0","id":"drills","name":"Drills"}`}, "weight", "", false},
		"it cannot be read":            {answer{body: `{"odp_version":"1.0","id":"drills"}`}, "weight", "collection_filters_unknown", false},
		"it is another one":            {answer{body: `{"odp_version":"1.0","id":"saws","name":"Saws"}`}, "weight", "collection_filters_unknown", false},
		"the Service is out of order":  {answer{status: 500}, "weight", "collection_filters_unknown", false},
		"signing in is wanted":         {answer{status: 401}, "weight", "collection_filters_unknown", false},
		"there is no such Collection":  {answer{status: 404}, "", "", true},
		"its definitions are no array": {answer{body: `{"odp_version":"1.0","id":"drills","name":"D","search_capabilities":{"filters":{"inline":{}}}}`}, "weight", "collection_filters_unknown", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShed(t, map[string][]answer{"/shed/collections/drills": once(test.collection), "/sorts": once(sortsPage(""))}, nil)
			catalogue, err := s.Catalogue(t.Context(), "drills")
			if (err != nil) != test.fails || err == nil && namesIn(catalogue) != test.want {
				t.Fatalf("%+v, %v", catalogue, err)
			}
			if told := strings.Join(s.issues, "\n"); (told == "") != (test.issue == "") || !strings.Contains(told, test.issue) {
				t.Errorf("told %q, want %q", told, test.issue)
			}
		})
	}
	s := openShed(t, nil, nil)
	if _, err := s.Catalogue(t.Context(), "../x"); err == nil || fault.From(err).Kind != fault.Usage || len(s.log) > 0 {
		t.Errorf("%v\n%s", err, s.lines())
	}
}
