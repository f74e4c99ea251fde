package odp

import (
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// Most definitions of a merged catalogue (ODP-79).
const (
	MaxFilters = 1024
	MaxSorts   = 128
)

// Codes of the issues of a merge.
const (
	FiltersConflict = "filters-conflict"
	SortsConflict   = "sorts-conflict"
	SortReference   = "sort-reference"
	FiltersLimit    = "filters-limit"
	SortsLimit      = "sorts-limit"
)

// Definitions are the filters and sorts of one scope with linked sources fetched: a Service's or one Collection's. A
// source that failed is left empty.
type Definitions struct {
	Filters []Filter
	Sorts   []Sort
}

// Catalogue is what a search can use: the definitions of the Service, and of the Collection that is searched (ODP-73,
// ODP-81).
type Catalogue struct {
	Filters []Filter // in the order of the sources, Service first
	Sorts   []Sort
	Issues  []MergeIssue

	filters map[string]int
	sorts   map[string]int
}

// MergeIssue tells what a merge had to leave out.
type MergeIssue struct {
	Code string
	ID   string // of the definition; "" when a whole source is left out
}

// String returns the issue in short: "filters-conflict:weight", "sorts-limit".
func (i MergeIssue) String() string {
	if i.ID == "" {
		return i.Code
	}
	return i.Code + ":" + i.ID
}

// Merge joins the definitions of the scopes of a search, Service first (ODP-73, ODP-79, ODP-80). A source with which
// there would be too many definitions is left out. An identifier in two sources is in neither, even if the definitions are
// equal; neither is a sort that uses a filter that is not there.
func Merge(scopes ...Definitions) *Catalogue {
	c := &Catalogue{}
	var filters [][]Filter
	var sorts [][]Sort
	for _, scope := range scopes {
		filters, sorts = append(filters, scope.Filters), append(sorts, scope.Sorts)
	}
	c.Filters, c.filters = merge(c, filters, MaxFilters, FiltersLimit, FiltersConflict)
	c.Sorts, _ = merge(c, sorts, MaxSorts, SortsLimit, SortsConflict)
	c.Sorts = slices.DeleteFunc(c.Sorts, func(s Sort) bool {
		broken := slices.ContainsFunc(s.Keys, func(k SortKey) bool { _, ok := c.filters[k.Filter]; return !ok })
		if broken {
			c.Issues = append(c.Issues, MergeIssue{SortReference, s.ID})
		}
		return broken
	})
	c.sorts = index(c.Sorts)
	slices.SortFunc(c.Issues, func(a, b MergeIssue) int { return strings.Compare(a.String(), b.String()) })
	return c
}

// merge joins sources of one kind and returns what is left, with its index.
func merge[D Definition](c *Catalogue, sources [][]D, most int, limit, conflict string) ([]D, map[string]int) {
	count := make(map[string]int)
	var all []D
	for _, source := range sources {
		if len(all)+len(source) > most {
			c.Issues = append(c.Issues, MergeIssue{Code: limit})
			continue
		}
		all = append(all, source...)
		for _, d := range source {
			if count[d.identifier()]++; count[d.identifier()] == 2 {
				c.Issues = append(c.Issues, MergeIssue{conflict, d.identifier()})
			}
		}
	}
	all = slices.DeleteFunc(all, func(d D) bool { return count[d.identifier()] > 1 })
	return all, index(all)
}

func index[D Definition](list []D) map[string]int {
	m := make(map[string]int, len(list))
	for i, d := range list {
		m[d.identifier()] = i
	}
	return m
}

// Filter returns the definition of a filter, or an error of kind [fault.Usage].
func (cat *Catalogue) Filter(id string) (Filter, error) {
	if i, ok := cat.filters[id]; ok {
		return cat.Filters[i], nil
	}
	return Filter{}, filterFault("%q is %s", fault.Word(id), cat.absence(id, "filter", FiltersConflict))
}

// Sort returns the definition of a sort, or an error of kind [fault.Usage].
func (cat *Catalogue) Sort(id string) (Sort, error) {
	if i, ok := cat.sorts[id]; ok {
		return cat.Sorts[i], nil
	}
	return Sort{}, fault.New(fault.Usage, "invalid_sort", "%q is %s", fault.Word(id), cat.absence(id, "sort", SortsConflict))
}

// absence says why a definition cannot be used.
func (cat *Catalogue) absence(id, kind, conflict string) string {
	for _, issue := range cat.Issues {
		switch {
		case issue.ID != id:
		case issue.Code == conflict:
			return "defined twice and cannot be used as a " + kind
		case issue.Code == SortReference && kind == "sort":
			return "a sort by a filter that is not there"
		}
	}
	return "no " + kind + " of this search"
}
