package odp

import (
	"github.com/agentctl/agentctl/internal/fault"
)

// Linked gathers the pages of a linked source of definitions (ODP-77). It is all or nothing: the definitions are there
// when the last page was added, and only if every page was good (ODP-78). Any error drops the source, and nothing else.
type Linked[D Definition] struct {
	parse  func(*later, *Cursor) (D, bool)
	origin Origin
	room   int // how many definitions may still come (ODP-79)

	list    []D
	seen    map[string]bool
	visited map[string]bool
	done    bool
	later   later
}

// LinkedFilters starts a source of filters at its first page, a reference of a Service's or Collection's [Source]. Room is
// how many filters the catalogue can still take, [MaxFilters] for the first source.
func LinkedFilters(origin Origin, first string, room int) *Linked[Filter] {
	return newLinked(origin, first, room, (*later).filter)
}

// LinkedSorts is LinkedFilters for sorts; the first source has room for [MaxSorts].
func LinkedSorts(origin Origin, first string, room int) *Linked[Sort] {
	return newLinked(origin, first, room, (*later).sort)
}

func newLinked[D Definition](origin Origin, first string, room int, parse func(*later, *Cursor) (D, bool)) *Linked[D] {
	return &Linked[D]{
		parse: parse, origin: origin, room: room,
		seen: make(map[string]bool), visited: map[string]bool{origin.Resolve(first): true},
	}
}

const (
	sourceCode = "source_invalid"
	sourceName = "the page of definitions"
)

// Add reads the next page. It returns the reference of the page after it, byte for byte, or "" after the last one. Errors
// are of kind [fault.Manifest].
func (l *Linked[D]) Add(doc []byte) (next string, err error) {
	tree, err := Decode(doc, ResourceLimits())
	if err != nil {
		return "", Unreadable(sourceCode, sourceName, err)
	}
	c := NewCursor(tree, sourceCode)
	l.later.minor = Minor(c.Member("odp_version").Version())
	for _, item := range c.Member("items").Elements(0, MaxPageItems) {
		l.add(item)
	}
	next = NextPage(c, l.origin, l.visited)
	if issue := c.Issue(); issue != nil {
		return "", Refuse(sourceCode, sourceName, issue)
	}
	if len(l.list) > l.room {
		return "", fault.New(fault.Manifest, "source_too_large", "%s: there are more definitions than fit into the catalogue", l.origin)
	}
	if next != "" && len(l.visited) > MaxSourcePages { // the first page was there before any
		return "", fault.New(fault.Manifest, "source_too_long", "%s: the definitions have more than %d pages", l.origin, MaxSourcePages)
	}
	l.done = next == ""
	return next, nil
}

func (l *Linked[D]) add(item *Cursor) {
	item.Forbid("odp_version") // ODP-17
	d, ok := l.parse(&l.later, item)
	switch {
	case !ok:
	case l.seen[d.identifier()]:
		item.Member("id").Fail("is there twice: %q", d.identifier())
	default:
		l.seen[d.identifier()] = true
		l.list = append(l.list, d)
	}
}

// Definitions returns all definitions once the last page was added, else ok=false.
func (l *Linked[D]) Definitions() (list []D, ok bool) {
	if !l.done {
		return nil, false
	}
	return l.list, true
}

// Issues tells which definitions a later minor version made unusable.
func (l *Linked[D]) Issues() []Issue { return l.later.issues }

const maxNext = 2048 // characters

// NextPage reads the "next" of a page: a reference to the origin itself that was not visited before (ODP-44, ODP-46). It is
// added to visited, by absolute URL, and returned byte for byte; "" after the last page.
func NextPage(c *Cursor, origin Origin, visited map[string]bool) string {
	next := c.Optional("next")
	if next == nil {
		return ""
	}
	ref := next.Text(1, maxNext)
	next.Reference()
	switch {
	case next.Failed():
		return ""
	case !origin.Owns(ref):
		next.Fail("must lead to %s itself, not %q", origin, fault.Word(ref))
	case visited[origin.Resolve(ref)]:
		next.Fail("leads to a page that was read before: %q", fault.Word(ref))
	}
	visited[origin.Resolve(ref)] = true
	return ref
}
