package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// What definitions have that a case does not speak of.
const (
	anyFilter = `{"title":"T","description":"D.","type":"string","operators":["eq"]}`
	anySort   = `{"title":"T","description":"D.","keys":[{"filter_id":"f","direction":"ascending","missing":"last"}]}`
)

// capabilityAdvertisement: ODP-75 and ODP-76.
func capabilityAdvertisement(t testcase) error {
	advertisement := t.first("advertisement", "search_capabilities")
	if advertisement == nil {
		return missing("advertisement")
	}
	completeAll(advertisement.Member("filters").Member("inline"), anyFilter)
	completeAll(advertisement.Member("sorts").Member("inline"), anySort)
	_, refusal := odp.ParseService(serviceWith("search_capabilities", advertisement, elements(t.first("operations"))), t.origin())
	return t.valid(refusal)
}

// completeAll completes the objects in an array.
func completeAll(list *jsontree.Node, defaults string) {
	for i, item := range elements(list) {
		if item.Kind == '{' {
			list.Items[i] = complete(item, defaults)
		}
	}
}

// linkedSource: ODP-77 and ODP-78. The pages of a case are those that the Service answers one after another.
func linkedSource(t testcase) error {
	if !t.has("pages") {
		return missing("pages")
	}
	href := t.text("href", "first")
	if t.first("method") != nil && t.text("method") != http.MethodGet {
		return t.valid(errors.New("a source is only ever asked with GET"))
	}
	if n := t.first("content_type"); n != nil {
		if err := odp.CheckMediaType(n.Text(), odp.MediaType); err != nil {
			return t.valid(err)
		}
	}
	if err := linkFault(t.origin(), href); err != nil {
		return t.valid(err)
	}
	var pages [][]byte
	sorts := ofSorts(t)
	for _, page := range elements(t.first("pages")) {
		defaults := anyFilter
		if sorts {
			defaults = anySort
		}
		completeAll(page.Member("items"), defaults)
		pages = append(pages, page.Value())
	}
	if sorts {
		return t.valid(gather(odp.LinkedSorts(t.origin(), href, odp.MaxSorts), pages))
	}
	return t.valid(gather(odp.LinkedFilters(t.origin(), href, odp.MaxFilters), pages))
}

// linkFault returns why a link to a source is refused where it is advertised.
func linkFault(origin odp.Origin, href string) error {
	advertisement := odp.NewCursor(tree(`{"filters":{"linked":{"href":%s}}}`, quoted(href)), "case")
	odp.ParseCapabilities(advertisement, origin, 0)
	return faultOf(advertisement)
}

// ofSorts reports whether the source of a case holds sorts.
func ofSorts(t testcase) bool {
	if kind := t.text("kind", "source", "type", "definition_type"); kind != "" {
		return strings.HasPrefix(kind, "sort")
	}
	for _, page := range elements(t.first("pages")) {
		for _, item := range elements(page.Member("items")) {
			if item.Member("keys") != nil {
				return true
			}
		}
	}
	return false
}

// source is [odp.Linked] for filters or for sorts.
type source interface {
	Add(doc []byte) (next string, err error)
}

// gather reads pages until the source says that there are no more. It is an error when the Service has fewer or more.
func gather(s source, pages [][]byte) error {
	for i, page := range pages {
		next, err := s.Add(page)
		switch more := i+1 < len(pages); {
		case err != nil:
			return err
		case next == "" && more:
			return errors.New("the source ended before its last page")
		case next != "" && !more:
			return errors.New("the source did not end")
		}
	}
	return nil
}

// linkedPageCount: ODP-77. The pages are made here, each with a definition of its own.
func linkedPageCount(t testcase) error {
	count, err := t.number("page_count", "pages", "count")
	if err != nil {
		return err
	}
	if count < 1 {
		return t.valid(errors.New("there is no page"))
	}
	var pages [][]byte
	for i := range min(count, 2*odp.MaxSourcePages) {
		page := tree(`{"odp_version":"1.0","items":[%s]}`, complete(tree(`"f%d"`, i), anyFilter).Value())
		if i+1 < count {
			page.Set("next", tree(`"/filters/%d"`, i+1))
		}
		pages = append(pages, page.Value())
	}
	return t.valid(gather(odp.LinkedFilters(t.origin(), "/filters", odp.MaxFilters), pages))
}

// mergeCapabilities: ODP-73, ODP-79 and ODP-80.
func mergeCapabilities(t testcase) error {
	scopes := scopesOf(t)
	if len(scopes) == 0 {
		return missing("service")
	}
	merged := odp.Merge(scopes...)
	filters, sorts, issues := []string{}, []string{}, []string{}
	for _, f := range merged.Filters {
		filters = append(filters, f.ID)
	}
	for _, s := range merged.Sorts {
		sorts = append(sorts, s.ID)
	}
	for _, issue := range merged.Issues {
		issues = append(issues, issue.String())
	}
	return t.results(map[string]any{"filter_ids": set(filters), "sort_ids": set(sorts), "issues": issues})
}

// set is a list whose order means nothing.
type set []string

// scopesOf reads the scopes of a search, the Service's first. They stand in an array, in members that are named after the
// scopes, or in members such as "service_filters".
func scopesOf(t testcase) []odp.Definitions {
	var scopes []odp.Definitions
	for _, scope := range elements(t.first("sources", "scopes")) {
		scopes = append(scopes, odp.Definitions{Filters: filtersOf(scope.Member("filters")), Sorts: sortsOf(scope.Member("sorts"))})
	}
	for _, name := range []string{"service", "collection"} {
		filters := t.first(name+"_filters", name+"_filter_ids", name+"_filter_count")
		sorts := t.first(name+"_sorts", name+"_sort_ids", name+"_sort_count")
		if scope := t.first(name, name+"_capabilities", name+"_scope", name+"_search_capabilities"); scope != nil && scope.Kind == '{' {
			filters, sorts = scope.Member("filters"), scope.Member("sorts")
		}
		if filters != nil || sorts != nil {
			scopes = append(scopes, odp.Definitions{Filters: filtersOf(filters), Sorts: sortsOf(sorts)})
		}
	}
	return scopes
}

// filtersOf reads filters of which the identifiers matter alone. A number stands for that many, each with an identifier
// of its own.
func filtersOf(n *jsontree.Node) []odp.Filter {
	var list []odp.Filter
	for _, item := range definitionsIn(n, "filter") {
		list = append(list, odp.Filter{ID: identifier(item)})
	}
	return list
}

// sortsOf reads sorts of which the identifiers and the filters of their keys matter.
func sortsOf(n *jsontree.Node) []odp.Sort {
	var list []odp.Sort
	for _, item := range definitionsIn(n, "sort") {
		s := odp.Sort{ID: identifier(item)}
		for _, key := range elements(first(item, "keys", "filter_ids")) {
			filter := key.Text()
			if key.Kind == '{' {
				filter = key.Member("filter_id").Text()
			}
			s.Keys = append(s.Keys, odp.SortKey{Filter: filter})
		}
		if filter := item.Member("filter_id").Text(); filter != "" {
			s.Keys = append(s.Keys, odp.SortKey{Filter: filter})
		}
		list = append(list, s)
	}
	return list
}

func definitionsIn(n *jsontree.Node, kind string) []*jsontree.Node {
	if n == nil {
		return nil
	}
	if inline := first(n, "inline", "definitions", "items"); inline != nil {
		n = inline
	}
	if n.Kind != '0' {
		return elements(n)
	}
	count := odp.NewCursor(n, "case").Integer(0, 1<<16)
	list := make([]*jsontree.Node, count)
	for i := range list {
		list[i] = tree(`"%s-%p-%d"`, kind, n, i) // of this source alone
	}
	return list
}

// catalogue merges the definitions of a case into what a search can use.
func catalogue(t testcase) (*odp.Catalogue, error) {
	var d odp.Definitions
	list := elements(t.first("definitions", "filter_definitions"))
	if definition := t.first("definition"); definition != nil {
		list = append(list, definition)
	}
	for _, definition := range list {
		c := odp.NewCursor(complete(definition, anyFilter), "case")
		f := odp.ParseFilter(c)
		if err := faultOf(c); err != nil {
			return nil, fmt.Errorf("a definition of the case: %w", err)
		}
		d.Filters = append(d.Filters, f)
	}
	return odp.Merge(d), nil
}
