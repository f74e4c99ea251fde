package odp

import "slices"

// Sort is a Sort Definition: an order that a search can ask for by its identifier (ODP-69). Its keys are only shown.
type Sort struct {
	ID          string
	Title       string
	Description string
	Keys        []SortKey
}

// SortKey is one step of an order.
type SortKey struct {
	Filter     string // identifier of the filter whose values decide
	Descending bool
	Missing    string // where Offerings without a value go: "first" or "last"
}

func (s Sort) identifier() string { return s.ID }

// ParseSort reads one Sort Definition of version 1.0. Faults are left with the cursor.
func ParseSort(c *Cursor) Sort {
	s, _ := (&later{}).sort(c)
	return s
}

// sort reads a definition, or ok=false when it uses words of a later version.
func (l *later) sort(c *Cursor) (s Sort, ok bool) {
	s = Sort{
		ID:          c.Member("id").CapabilityID(),
		Title:       c.Member("title").Text(1, 128),
		Description: c.Member("description").Text(1, 1024),
	}
	for _, item := range c.Member("keys").Elements(1, 3) {
		direction, missing := item.Member("direction"), item.Member("missing")
		if l.skips(direction, "ascending", "descending") || l.skips(missing, "first", "last") {
			return s, false
		}
		key := SortKey{
			Filter:     item.Member("filter_id").CapabilityID(),
			Descending: direction.OneOf("ascending", "descending") == "descending",
			Missing:    missing.OneOf("first", "last"),
		}
		if slices.ContainsFunc(s.Keys, func(k SortKey) bool { return k.Filter == key.Filter }) {
			item.Member("filter_id").Fail("is there twice: %q", key.Filter)
		}
		s.Keys = append(s.Keys, key)
	}
	return s, true
}
