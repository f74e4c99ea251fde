package odp

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestOfferingSearchesAreSent(t *testing.T) {
	cat := every()
	for want, s := range map[string]OfferingSearch{
		`{"odp_version":"1.0","query":"<é>"}`: {Query: "<é>"},
		`{"odp_version":"1.0","query":"saw","collection_id":"drills","include_descendants":true,"filters":[{"id":"decimal","operator":"gte","value":"1.50"},{"id":"decimal","operator":"lte","value":"4"},` +
			`{"id":"number","operator":"in","value":[1,2.0]}],"sort":"by-date","refinements":["string","boolean"],"limit":50}`: {
			Query: "saw", Collection: "drills", Descendants: true, Sort: "by-date", Refinements: []string{"string", "boolean"}, Limit: 50,
			Filters: []Expression{{"decimal", GreaterEqual, jsontext.Value(`"1.50"`)}, {"decimal", LessEqual, jsontext.Value(`"4"`)}, {"number", In, jsontext.Value(`[1,2.0]`)}},
		},
	} {
		body, err := s.Body(cat)
		if err != nil || string(body) != want {
			t.Errorf("got  %s %v\nwant %s", body, err, want)
		}
		again, c := parseWhole(t, string(body), ParseOfferingSearch)
		requireIssue(t, c, "-")
		if !reflect.DeepEqual(again, s) {
			t.Errorf("read back: %+v", again)
		}
	}
}

func TestAllProblemsOfASearchAreTold(t *testing.T) {
	cat := every()
	eq := func(id, value string) Expression { return Expression{id, Equal, jsontext.Value(value)} }
	for _, c := range []struct {
		name     string
		search   OfferingSearch
		pointers []string
	}{
		{"nothing to search for", OfferingSearch{Collection: "c"}, []string{""}},
		{"white space", OfferingSearch{Query: " \u00a0\ufeff"}, []string{"/query"}},
		{"long query", OfferingSearch{Query: strings.Repeat("é", 257)}, []string{"/query"}},
		{"query that is no text", OfferingSearch{Query: "\xff"}, []string{"/query"}},
		{"descendants of nothing", OfferingSearch{Query: "x", Descendants: true}, []string{"/include_descendants"}},
		{"everything", OfferingSearch{
			Query: "x", Collection: "..", Sort: "best", Refinements: []string{"string", "only-in", "string", "gone"}, Limit: 101,
			Filters: []Expression{eq("gone", `1`), {"string", Less, jsontext.Value(`"x"`)}, eq("date", `"2026-02-30"`), eq("decimal", `"1.0"`), eq("decimal", `"1.00"`)},
		}, []string{"/limit", "/collection_id", "/sort", "/filters/0/id", "/filters/1/operator", "/filters/2/value", "/filters/4", "/refinements/1", "/refinements/2", "/refinements/3"}},
		{"33 filters", OfferingSearch{Filters: make([]Expression, 33)}, []string{"/filters"}},
		{"65,537 bytes", OfferingSearch{Filters: []Expression{eq("string", `"`+strings.Repeat("x", 65_536)+`"`)}}, []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.search.Body(cat)
			f := requireFault(t, err, fault.Usage, "invalid_search", "-")
			var got []string
			for _, p := range f.Problems {
				got = append(got, p.Pointer)
			}
			if !reflect.DeepEqual(got, c.pointers) {
				t.Errorf("got %q, want %q", got, c.pointers)
			}
		})
	}
}

func TestSearchRequestsThatAreRefused(t *testing.T) {
	const good = `{"odp_version":"1.0","query":"x","collection_id":"c","include_descendants":false,"filters":[{"id":"a","operator":"eq","value":1}],"sort":"s","refinements":["r"],"limit":1,"future":1}`
	_, c := parseWhole(t, good, ParseOfferingSearch)
	requireIssue(t, c, "-")
	for _, c := range []struct{ pointer, value, at string }{
		{"/odp_version", "", "/odp_version"},
		{"/odp_version", `"2.0"`, "/odp_version"},
		{"/query", `""`, "/query"},
		{"/query", `" \t"`, "/query"},
		{"/query", `null`, "/query"},
		{"/query", `"` + strings.Repeat("x", 257) + `"`, "/query"},
		{"/collection_id", `null`, "/collection_id"},
		{"/collection_id", `"."`, "/collection_id"},
		{"/collection_id", "", "/include_descendants"},
		{"/include_descendants", `"yes"`, "/include_descendants"},
		{"/filters", `[]`, "/filters"},
		{"/filters", `[` + strings.Repeat(`1,`, 32) + `1]`, "/filters"},
		{"/filters/-", `{"id":"a","operator":"eq","value":1.0}`, "/filters"},
		{"/filters/-", `{"value":1,"operator":"eq","id":"a"}`, "/filters"},
		{"/filters/0/id", `"a b"`, "/filters/0/id"},
		{"/filters/0/operator", `"like"`, "/filters/0/operator"},
		{"/filters/0/operator", `"in"`, "/filters/0/value"},
		{"/filters/0/operator", `"exists"`, "/filters/0/value"},
		{"/filters/0/value", "", "/filters/0/value"},
		{"/filters/0/value", `null`, "/filters/0/value"},
		{"/filters/0/value", `[1]`, "/filters/0/value"},
		{"/filters/0", `{"id":"a","operator":"in","value":["x","\u0078"]}`, "/filters/0/value/1"},
		{"/filters/0", `{"id":"a","operator":"in","value":[]}`, "/filters/0/value"},
		{"/filters/0", `{"id":"a","operator":"in","value":[{}]}`, "/filters/0/value/0"},
		{"/sort", `""`, "/sort"},
		{"/sort", `["s"]`, "/sort"},
		{"/refinements", `[]`, "/refinements"},
		{"/refinements", `["r","r"]`, "/refinements/1"},
		{"/refinements", "[" + numbered(17, `,"r%d"`)[1:] + "]", "/refinements"},
		{"/limit", `0`, "/limit"},
		{"/limit", `101`, "/limit"},
		{"/limit", `"5"`, "/limit"},
		{"/limit", `1.5`, "/limit"},
	} {
		_, cursor := parseWhole(t, edit(t, good, c.pointer, c.value), ParseOfferingSearch)
		if issue := cursor.Issue(); issue == nil || issue.Pointer != c.at {
			t.Errorf("%s = %s: got %v, want %s", c.pointer, c.value, issue, c.at)
		}
	}
	_, c = parseWhole(t, `{"odp_version":"1.0","collection_id":"c"}`, ParseOfferingSearch)
	requireIssue(t, c, "")
	for doc, at := range map[string]string{
		`{"odp_version":"1.0"}`:                            "",
		`{"odp_version":"1.0","parent_id":""}`:             "/parent_id",
		`{"odp_version":"1.0","parent_id":".."}`:           "/parent_id",
		`{"odp_version":"1.0","parent_id":7}`:              "/parent_id",
		`{"odp_version":"1.0","query":"x","limit":0}`:      "/limit",
		`{"query":"x"}`:                                    "/odp_version",
		`{"odp_version":"1.0","query":"","parent_id":"a"}`: "/query",
		`[]`: "",
	} {
		_, c := parseWhole(t, doc, ParseCollectionSearch)
		requireIssue(t, c, at)
	}
}

func TestCollectionSearchesAreSent(t *testing.T) {
	roots, id, bad := "", "drills", "a/b"
	for want, s := range map[string]CollectionSearch{
		`{"odp_version":"1.0","query":"garden","parent_id":null,"limit":20}`: {"garden", &roots, 20},
		`{"odp_version":"1.0","parent_id":"drills"}`:                         {"", &id, 0},
		`{"odp_version":"1.0","query":"x"}`:                                  {"x", nil, 0},
	} {
		body, err := s.Body()
		if err != nil || string(body) != want {
			t.Errorf("got %s %v, want %s", body, err, want)
		}
		again, c := parseWhole(t, string(body), ParseCollectionSearch)
		requireIssue(t, c, "-")
		if !reflect.DeepEqual(again, s) {
			t.Errorf("read back: %+v", again)
		}
	}
	for _, s := range []CollectionSearch{{}, {Limit: 5}, {Query: " "}, {Parent: &bad}, {Query: "x", Limit: -1}} {
		_, err := s.Body()
		requireFault(t, err, fault.Usage, "invalid_search", "-")
	}
}

func TestConstraintsOfCollectionSearches(t *testing.T) {
	roots, tools := "", "tools"
	all := []Placed{{"tools", nil}, {"drills", []string{"tools"}}, {"saws", []string{"tools", "wood"}}, {"wood", nil}}
	for _, c := range []struct {
		search  CollectionSearch
		matches []string
		want    string
	}{
		{CollectionSearch{Parent: &roots}, nil, "[tools wood]"},
		{CollectionSearch{Parent: &tools}, nil, "[drills saws]"},
		{CollectionSearch{Query: "x"}, []string{"wood", "drills", "wood", "gone"}, "[wood drills]"}, // in the order of the Service
		{CollectionSearch{Parent: &tools}, []string{"saws", "drills", "wood"}, "[saws drills]"},
		{CollectionSearch{Query: "x", Parent: &tools}, []string{"wood", "drills"}, "[drills]"},
		{CollectionSearch{Query: "x"}, nil, "[]"},
	} {
		if got := fmt.Sprint(c.search.Apply(all, c.matches)); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.search, got, c.want)
		}
	}
}

func TestConstraintsOfOfferingSearches(t *testing.T) {
	collections := []Placed{{"a", []string{"c", "a", "gone"}}, {"b", []string{"a"}}, {"c", []string{"b"}}, {"empty", nil}} // a circle
	offerings := []Placed{{"3", []string{"c"}}, {"1", []string{"a", "b"}}, {"2", []string{"b", "gone"}}, {"1", []string{"a"}}, {"0", nil}}
	for _, c := range []struct {
		search  OfferingSearch
		matches []string
		want    string
	}{
		{OfferingSearch{}, nil, "[3 1 2 0]"},
		{OfferingSearch{Collection: "a"}, nil, "[1]"},
		{OfferingSearch{Collection: "a", Descendants: true}, nil, "[3 1 2]"},
		{OfferingSearch{Collection: "b", Descendants: true, Query: "x"}, []string{"2", "3", "0", "2"}, "[2 3]"},
		{OfferingSearch{Collection: "b", Filters: []Expression{{}}}, []string{"3", "1"}, "[1]"},
		{OfferingSearch{Filters: []Expression{{}}}, nil, "[]"},
		{OfferingSearch{Collection: "empty", Descendants: true}, nil, "[]"},
	} {
		if got, ok := c.search.Apply(collections, offerings, c.matches); !ok || fmt.Sprint(got) != c.want {
			t.Errorf("%+v: got %s, want %s", c.search, got, c.want)
		}
	}
	for _, id := range []string{"gone", "nowhere"} {
		if got, ok := (OfferingSearch{Collection: id, Descendants: true}).Apply(collections, offerings, nil); ok {
			t.Errorf("%q is found: %v", id, got)
		}
	}
	chain := []Placed{{"0", nil}}
	var deep []Placed
	for i := range 40 {
		chain = append(chain, Placed{fmt.Sprint(i + 1), []string{fmt.Sprint(i)}})
		deep = append(deep, Placed{fmt.Sprint("o", i+1), []string{fmt.Sprint(i + 1)}})
	}
	if got, _ := (OfferingSearch{Collection: "0", Descendants: true}).Apply(chain, deep, nil); len(got) != 32 {
		t.Errorf("%d edges were followed", len(got))
	}
}

func TestCountsLeaveOutTheFilterItself(t *testing.T) {
	cat := every()
	raw := func(values ...string) (list []jsontext.Value) {
		for _, v := range values {
			list = append(list, jsontext.Value(v))
		}
		return list
	}
	offerings := []map[string][]jsontext.Value{
		{"string": raw(`"a"`, `"b"`, `"\u0061"`), "decimal": raw(`"1.0"`)},
		{"string": raw(`"a"`), "decimal": raw(`"1.00"`)},
		{"string": raw(`"c"`), "decimal": raw(`"9"`)},
		{"decimal": raw(`"1"`)},
	}
	filters := []Expression{{"string", Equal, jsontext.Value(`"b"`)}, {"decimal", Less, jsontext.Value(`"5"`)}}
	for filter, want := range map[string]map[string]int{
		"string":  {`"a"`: 2, `"b"`: 1},
		"decimal": {`"1.0"`: 1},
		"date":    {},
	} {
		if got, err := cat.Counts(filter, filters, offerings); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v %v, want %v", filter, got, err, want)
		}
	}
	if got, err := cat.Counts("decimal", nil, offerings); err != nil || got[`"1.0"`] != 3 || got[`"9"`] != 1 {
		t.Errorf("equal values of other spelling: %v %v", got, err)
	}
	if _, err := cat.Counts("gone", nil, nil); err == nil {
		t.Error("an unknown filter has counts")
	}
}
