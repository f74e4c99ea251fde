package odp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

// gather adds pages until one is refused or the last was read; more pages than the source asked for are an error of the test.
func gather[D Definition](t *testing.T, source *Linked[D], pages ...string) error {
	t.Helper()
	for i, page := range pages {
		next, err := source.Add([]byte(page))
		if err != nil {
			return err
		}
		if (next == "") != (i == len(pages)-1) {
			t.Fatalf("page %d: next is %q", i, next)
		}
	}
	return nil
}

// definitionPage is a page with one filter, and a next one perhaps.
func definitionPage(number int, more bool) string {
	next := ""
	if more {
		next = fmt.Sprintf(`,"next":"/f?page=%d"`, number+1)
	}
	return fmt.Sprintf(`{"odp_version":"1.0","items":[{"id":"f%d","title":"F","description":"F.","type":"date","operators":["eq"]}]%s}`, number, next)
}

func TestLinkedSourceIsAllOrNothing(t *testing.T) {
	source := LinkedFilters(origin, "/f", MaxFilters)
	if next, err := source.Add([]byte(definitionPage(0, true))); err != nil || next != "/f?page=1" {
		t.Fatalf("%q %v", next, err)
	}
	if _, ok := source.Definitions(); ok {
		t.Fatal("definitions are there before the last page")
	}
	if _, err := source.Add([]byte(definitionPage(0, false))); err == nil {
		t.Fatal("an identifier twice")
	}
	if list, ok := source.Definitions(); ok {
		t.Fatalf("definitions of a bad source: %v", list)
	}
}

func TestLinkedSourcesThatAreRefused(t *testing.T) {
	good := definitionPage(0, true)
	for _, c := range []struct{ name, pointer, value, at string }{
		{"no version", "/odp_version", "", "/odp_version"},
		{"version 2", "/odp_version", `"2.0"`, "/odp_version"},
		{"no items", "/items", "", "/items"},
		{"101 items", "/items", "[" + strings.Repeat("1,", 100) + "1]", "/items"},
		{"items that are no array", "/items", "{}", "/items"},
		{"bad definition", "/items/0/type", `"money"`, "/items/0/type"},
		{"version inside an item", "/items/0/odp_version", `"1.0"`, "/items/0/odp_version"},
		{"definition that is no object", "/items/-", `null`, "/items/1"},
		{"identifier twice", "/items/-", `{"id":"f0","title":"F","description":"F.","type":"date","operators":["eq"]}`, "/items/1/id"},
		{"empty next", "/next", `""`, "/next"},
		{"null next", "/next", `null`, "/next"},
		{"relative next", "/next", `"page2"`, "/next"},
		{"next on another origin", "/next", `"https://shed.example:8443/f"`, "/next"},
		{"next is the page itself", "/next", `"/f"`, "/next"},
		{"next is the page itself, absolute", "/next", `"https://shed.example/f"`, "/next"},
		{"next of 2049 characters", "/next", `"/` + strings.Repeat("a", 2048) + `"`, "/next"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := LinkedFilters(origin, "/f", MaxFilters).Add([]byte(edit(t, good, c.pointer, c.value)))
			requireFault(t, err, fault.Manifest, "source_invalid", c.at)
		})
	}
	sort := `{"odp_version":"1.0","items":[` + anySort[:1] + `"id":"s",` + anySort[1:] + `]}`
	if err := gather(t, LinkedSorts(origin, "/s", MaxSorts), sort); err != nil {
		t.Error(err)
	}
	_, err := LinkedFilters(origin, "/s", MaxFilters).Add([]byte(sort))
	requireFault(t, err, fault.Manifest, "source_invalid", "/items/0/type") // one kind only
}

func TestLinkedSourcesEnd(t *testing.T) {
	pages := func(n int) (list []string) {
		for i := range n {
			list = append(list, definitionPage(i, true))
		}
		return list
	}
	sixteen := append(pages(15), definitionPage(15, false))
	if err := gather(t, LinkedFilters(origin, "/f", MaxFilters), sixteen...); err != nil {
		t.Errorf("16 pages are allowed: %v", err)
	}
	source := LinkedFilters(origin, "/f", MaxFilters)
	var err error
	for i, page := range pages(16) {
		if _, err = source.Add([]byte(page)); (err != nil) != (i == 15) {
			t.Fatalf("page %d: %v", i, err)
		}
	}
	requireFault(t, err, fault.Manifest, "source_too_long", "-")

	source = LinkedFilters(origin, "/f", 2)
	_, _ = source.Add([]byte(definitionPage(0, true)))
	_, _ = source.Add([]byte(definitionPage(1, true)))
	_, err = source.Add([]byte(definitionPage(2, true)))
	requireFault(t, err, fault.Manifest, "source_too_large", "-")

	source = LinkedFilters(origin, "/f", MaxFilters)
	_, _ = source.Add([]byte(definitionPage(0, true)))
	_, err = source.Add([]byte(edit(t, definitionPage(1, true), "/next", `"/f?page=1"`)))
	requireFault(t, err, fault.Manifest, "source_invalid", "/next") // a loop
}
