package odp

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Refinement is a group of counts for the values of one filter. It describes the whole result, not the page (ODP-72).
type Refinement struct {
	Filter  Filter
	Buckets []Bucket
}

// Bucket is the number of Offerings with one value.
type Bucket struct {
	Value   jsontext.Value
	Count   int64
	AtLeast bool // there may be more
}

// Bounds of refinements in an answer (ODP-71).
const (
	maxBuckets = 32
	maxCount   = 1<<53 - 1
)

// ParseRefinementRequest reads the identifiers of filters to count values of (ODP-70); c may be nil.
func ParseRefinementRequest(c *Cursor) []string {
	var ids []string
	for _, item := range c.Elements(1, maxRefinements) {
		id := item.CapabilityID()
		if slices.Contains(ids, id) {
			item.Fail("is there twice: %q", id)
		}
		ids = append(ids, id)
	}
	return ids
}

// CheckRefinements returns an error of kind [fault.Usage] unless every identifier is a filter of the catalogue whose values
// can be counted, once each (ODP-70).
func (cat *Catalogue) CheckRefinements(ids []string) error {
	var p problems
	p.refinements(ids, cat)
	_, err := p.body(jsontree.Null())
	return err
}

func (p *problems) refinements(ids []string, cat *Catalogue) {
	if len(ids) > maxRefinements {
		p.add("refine", "/refinements", "must be %d filters at most, not %d", maxRefinements, len(ids))
	}
	for i, id := range ids {
		pointer := jsontree.Pointer("/refinements", strconv.Itoa(i))
		f, err := cat.Filter(id)
		switch {
		case err != nil:
			p.check("refine", pointer, err)
		case !f.Refinable:
			p.add("refine", pointer, "%q offers no counts of its values", id)
		case slices.Contains(ids[:i], id):
			p.add("refine", pointer, "%q is there twice", id)
		}
	}
}

// ParseRefinements reads the groups of the first page of a search (ODP-71), which asked for these filters; a continuation
// asked for none. Faults are left with the cursor, which may be nil.
func (cat *Catalogue) ParseRefinements(c *Cursor, requested []string) []Refinement {
	if c != nil && len(requested) == 0 {
		c.Fail("was not asked for")
		return nil
	}
	var groups []Refinement
	for _, item := range c.Elements(1, maxRefinements) {
		id := item.Member("filter_id")
		name := id.CapabilityID()
		f, err := cat.Filter(name)
		switch {
		case item.Failed():
			return groups
		case err != nil || !slices.Contains(requested, name):
			id.Fail("was not asked for: %q", name)
		case slices.ContainsFunc(groups, func(g Refinement) bool { return g.Filter.ID == name }):
			id.Fail("is there twice: %q", name)
		}
		groups = append(groups, Refinement{f, f.buckets(item.Member("values"))})
	}
	return groups
}

func (f Filter) buckets(c *Cursor) []Bucket {
	var list []Bucket
	seen := make(map[string]bool)
	for _, item := range c.Elements(1, maxBuckets) {
		value := item.Member("value")
		if s, err := newScalar(f.Type, value.Raw()); err != nil {
			value.Fail("%v", err)
		} else if seen[s.key] {
			value.Fail("is there twice")
		} else {
			seen[s.key] = true
		}
		relation := item.Optional("count_relation")
		if relation != nil {
			relation.OneOf("lower_bound")
		}
		list = append(list, Bucket{value.Raw(), item.Member("count").Integer(0, maxCount), relation != nil})
	}
	return list
}
