package odp

// Capabilities are where the filters and sorts of one scope are defined: of a whole Service or of one Collection. The
// two sources are independent (ODP-74); one that is not advertised is empty.
type Capabilities struct {
	Filters Source[Filter]
	Sorts   Source[Sort]
}

// Source is a set of definitions: given in place, or linked (ODP-75).
type Source[D Definition] struct {
	Inline []D
	Linked string // same-origin reference to the first page; "" when the definitions are inline
}

// Definition is a [Filter] or a [Sort].
type Definition interface {
	Filter | Sort
	identifier() string
}

// Most definitions that one document may hold in place.
const (
	maxInlineFilters = 32
	maxInlineSorts   = 16
)

// ParseCapabilities reads the search_capabilities of a Collection (ODP-75, ODP-76), in a document of that minor version
// and from that origin. Faults are left with the cursor; the issues tell what a later minor version made unusable.
func ParseCapabilities(c *Cursor, origin Origin, minor int) (Capabilities, []Issue) {
	p := serviceParser{later: later{minor: minor}, origin: origin}
	return p.capabilities(c), p.issues
}

func (p *serviceParser) capabilities(c *Cursor) Capabilities {
	filters, sorts := c.Optional("filters"), c.Optional("sorts")
	if filters == nil && sorts == nil {
		c.Fail("must have filters or sorts")
	}
	return Capabilities{
		Filters: source(p, filters, maxInlineFilters, (*later).filter),
		Sorts:   source(p, sorts, maxInlineSorts, (*later).sort),
	}
}

// source reads exactly one of inline and linked.
func source[D Definition](p *serviceParser, c *Cursor, most int, parse func(*later, *Cursor) (D, bool)) (s Source[D]) {
	if c == nil {
		return s
	}
	inline, linked := c.Optional("inline"), c.Optional("linked")
	switch {
	case inline != nil && linked != nil:
		c.Fail("must not have both inline and linked")
	case inline != nil:
		s.Inline = definitions(&p.later, inline, most, parse)
	case linked != nil:
		href := linked.Member("href")
		s.Linked = href.Reference()
		if s.Linked != "" && !p.origin.Owns(s.Linked) {
			href.Fail("must lead to %s itself", p.origin)
		}
	default:
		c.Fail("must have inline or linked")
	}
	return s
}

// definitions reads an array of 1 to most definitions, each identifier once (ODP-78).
func definitions[D Definition](l *later, c *Cursor, most int, parse func(*later, *Cursor) (D, bool)) []D {
	list := make([]D, 0, c.Len())
	seen := make(map[string]bool, c.Len())
	for _, item := range c.Elements(1, most) {
		d, ok := parse(l, item)
		if !ok {
			continue
		}
		if seen[d.identifier()] {
			item.Member("id").Fail("is there twice: %q", d.identifier())
		}
		seen[d.identifier()] = true
		list = append(list, d)
	}
	return list
}
