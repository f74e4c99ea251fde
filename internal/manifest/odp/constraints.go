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

// Apply returns the Collections that a search finds, each once and in the order of the Service (ODP-57). What a query matches
// is the Service's to decide: matches are the identifiers of those, in its order. A search without a query may have none, and
// is then about all Collections as they come.
func (s CollectionSearch) Apply(collections []Placed, matches []string) []string {
	return found(collections, matches, s.Query != "", func(c Placed) bool {
		switch {
		case s.Parent == nil:
			return true
		case *s.Parent == "":
			return len(c.In) == 0
		}
		return slices.Contains(c.In, *s.Parent)
	})
}

// Apply returns the Offerings that a search finds, each once and in the order of the Service, or ok=false when there is no
// such Collection (ODP-60, ODP-61). Matches are as of [CollectionSearch.Apply], by the filters too.
func (s OfferingSearch) Apply(collections, offerings []Placed, matches []string) (list []string, ok bool) {
	scope, ok := s.scope(collections)
	if !ok {
		return nil, false
	}
	return found(offerings, matches, s.Query != "" || len(s.Filters) > 0, func(o Placed) bool {
		return s.Collection == "" || slices.ContainsFunc(o.In, func(id string) bool { return scope[id] })
	}), true
}

// found returns what is wanted of the matches, each once; what comes twice is in the places of both. Without matches it is
// about everything, unless they decide.
func found(all []Placed, matches []string, decide bool, wanted func(Placed) bool) []string {
	pending := make(map[string]bool, len(all)) // what is there, and whether it is wanted
	everything := make([]string, 0, len(all))
	for _, p := range all {
		everything = append(everything, p.ID)
		pending[p.ID] = pending[p.ID] || wanted(p)
	}
	if len(matches) == 0 && !decide {
		matches = everything
	}
	var list []string
	for _, id := range matches {
		if pending[id] {
			list = append(list, id)
		}
		delete(pending, id)
	}
	return list
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
