package odp

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Placed is a Collection with its parents, or an Offering with the Collections that it is directly in.
type Placed struct {
	ID string
	In []string
}

// Apply returns the Collections that a search finds, in the order of the Service (ODP-57). The Service decides what a
// query matches: matches are the identifiers of those, and mean nothing without a query.
func (s CollectionSearch) Apply(collections []Placed, matches []string) []string {
	var found []string
	for _, c := range collections {
		switch {
		case s.Query != "" && !slices.Contains(matches, c.ID):
		case s.Parent != nil && *s.Parent == "" && len(c.In) > 0:
		case s.Parent != nil && *s.Parent != "" && !slices.Contains(c.In, *s.Parent):
		default:
			found = append(found, c.ID)
		}
	}
	return found
}

// Apply returns the Offerings that a search finds, each once and in the order of the Service, or ok=false when there is no
// such Collection (ODP-60, ODP-61). Matches are as of [CollectionSearch.Apply].
func (s OfferingSearch) Apply(collections, offerings []Placed, matches []string) (found []string, ok bool) {
	scope, ok := s.scope(collections)
	if !ok {
		return nil, false
	}
	seen := make(map[string]bool)
	for _, o := range offerings {
		inside := s.Collection == "" || slices.ContainsFunc(o.In, func(id string) bool { return scope[id] })
		if seen[o.ID] || !inside || s.Query != "" && !slices.Contains(matches, o.ID) {
			continue
		}
		seen[o.ID] = true
		found = append(found, o.ID)
	}
	return found, true
}

// scope returns the Collections that are searched. Edges that close a circle, or lie beyond [MaxHierarchyEdges], add none.
func (s OfferingSearch) scope(collections []Placed) (scope map[string]bool, ok bool) {
	if s.Collection == "" {
		return nil, true
	}
	if !slices.ContainsFunc(collections, func(c Placed) bool { return c.ID == s.Collection }) {
		return nil, false
	}
	scope = map[string]bool{s.Collection: true}
	if !s.Descendants {
		return scope, true
	}
	children := make(map[string][]string)
	for _, c := range collections {
		for _, parent := range c.In {
			children[parent] = append(children[parent], c.ID)
		}
	}
	level := []string{s.Collection}
	for range MaxHierarchyEdges {
		var next []string
		for _, id := range level {
			for _, child := range children[id] {
				if !scope[child] {
					scope[child] = true
					next = append(next, child)
				}
			}
		}
		level = next
	}
	return scope, true
}

// Counts returns how many Offerings have each value of a filter, by the value as it was first written, among those that
// all other filters of the search let through (ODP-72). An Offering counts once for each of its different values.
func (cat *Catalogue) Counts(filter string, filters []Expression, offerings []map[string][]jsontext.Value) (map[string]int, error) {
	f, err := cat.Filter(filter)
	if err != nil {
		return nil, err
	}
	counts, spelling := make(map[string]int), make(map[string]string)
	for _, values := range offerings {
		if ok, err := cat.passes(filter, filters, values); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		seen := make(map[string]bool)
		for _, value := range values[filter] {
			s, err := newScalar(f.Type, value)
			if err != nil {
				return nil, filterFault("a value of %q %w", filter, err)
			}
			if _, known := spelling[s.key]; !known {
				spelling[s.key] = string(value)
			}
			if !seen[s.key] {
				seen[s.key] = true
				counts[spelling[s.key]]++
			}
		}
	}
	return counts, nil
}

// passes reports whether an Offering is what all filters but one ask for.
func (cat *Catalogue) passes(except string, filters []Expression, values map[string][]jsontext.Value) (bool, error) {
	for _, e := range filters {
		if e.ID == except {
			continue
		}
		f, err := cat.Filter(e.ID)
		if err != nil {
			return false, err
		}
		if ok, err := e.Matches(f, values[e.ID]); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}
