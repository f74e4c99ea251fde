package odp

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// OfferingSearch is the body of search-offerings (ODP-60). It needs a query or filters.
type OfferingSearch struct {
	Query       string // 1 to 256 characters, not all white space; "" for none
	Collection  string // identifier of the Collection to search in; "" searches the whole Service
	Descendants bool   // search its descendants too
	Filters     []Expression
	Sort        string   // identifier; "" is the Service's own order
	Refinements []string // identifiers of filters to count the values of (ODP-70)
	Limit       int      // items of a page, 1 to 100; 0 does not ask
}

// CollectionSearch is the body of search-collections (ODP-57). It needs a query or a parent.
type CollectionSearch struct {
	Query  string  // as of [OfferingSearch]
	Parent *string // identifier of the Collection whose direct children are wanted; "" means roots, nil is no condition
	Limit  int
}

// ParseOfferingSearch reads a search as it is sent, and judges what can be judged without a catalogue.
func ParseOfferingSearch(c *Cursor) OfferingSearch {
	c.Member("odp_version").Version()
	s := OfferingSearch{
		Query:       searchQuery(c),
		Descendants: c.Optional("include_descendants").Bool(),
		Limit:       pageLimit(c),
	}
	if c.Optional("query") == nil && c.Optional("filters") == nil {
		c.Fail("must have query or filters")
	}
	if collection := c.Optional("collection_id"); collection != nil {
		s.Collection = collection.ID()
	} else {
		c.Optional("include_descendants").Fail("needs collection_id")
	}
	if sort := c.Optional("sort"); sort != nil {
		s.Sort = sort.CapabilityID()
	}
	if filters := c.Optional("filters"); filters != nil {
		for _, item := range filters.Elements(1, maxExpressions) {
			s.Filters = append(s.Filters, ParseExpression(item))
		}
		if i := repeated(s.Filters, nil); i >= 0 {
			filters.Fail("must not hold a filter twice, as element %d is", i)
		}
	}
	s.Refinements = ParseRefinementRequest(c.Optional("refinements"))
	return s
}

// ParseCollectionSearch reads a search as it is sent.
func ParseCollectionSearch(c *Cursor) CollectionSearch {
	c.Member("odp_version").Version()
	s := CollectionSearch{Query: searchQuery(c), Limit: pageLimit(c)}
	parent := c.Optional("parent_id")
	switch {
	case parent.Is('n'):
		s.Parent = new(string)
	case parent != nil:
		id := parent.ID()
		s.Parent = &id
	case c.Optional("query") == nil:
		c.Fail("must have query or parent_id")
	}
	return s
}

func searchQuery(c *Cursor) string {
	query := c.Optional("query")
	if query == nil {
		return ""
	}
	text := query.Text(1, maxQuery)
	if isBlank(text) {
		query.Fail("must not be white space alone")
	}
	return text
}

func pageLimit(c *Cursor) int {
	return int(c.Optional("limit").Integer(1, MaxPageItems))
}

const maxQuery = 256 // characters

func isBlank(text string) bool { return strings.TrimFunc(text, isSpace) == "" }

// Body returns the search as it is sent, after everything was checked that can be checked here (ODP-60 to ODP-62, ODP-67,
// ODP-70). The error, of kind [fault.Usage], lists all problems; nothing of a search that has one may be sent.
func (s OfferingSearch) Body(cat *Catalogue) (jsontext.Value, error) {
	var p problems
	if s.Query == "" && len(s.Filters) == 0 {
		p.add("query", "", "a search needs a query or a filter")
	}
	p.query(s.Query)
	p.limit(s.Limit)
	if s.Collection != "" && !ValidID(s.Collection) {
		p.add("collection", "/collection_id", "%q is no identifier of a Collection", fault.Word(s.Collection))
	}
	if s.Descendants && s.Collection == "" {
		p.add("include-descendants", "/include_descendants", "needs a Collection")
	}
	if s.Sort != "" {
		_, err := cat.Sort(s.Sort)
		p.check("sort", "/sort", err)
	}
	p.filters(s.Filters, cat)
	p.refinements(s.Refinements, cat)
	return p.body(s.tree())
}

// Body returns the search as it is sent. The error, of kind [fault.Usage], lists all problems.
func (s CollectionSearch) Body() (jsontext.Value, error) {
	var p problems
	if s.Query == "" && s.Parent == nil {
		p.add("query", "", "a search needs a query or a parent")
	}
	p.query(s.Query)
	p.limit(s.Limit)
	if s.Parent != nil && *s.Parent != "" && !ValidID(*s.Parent) {
		p.add("parent", "/parent_id", "%q is no identifier of a Collection", fault.Word(*s.Parent))
	}
	return p.body(s.tree())
}

func (s OfferingSearch) tree() *jsontree.Node {
	n := &jsontree.Node{Kind: '{'}
	n.Set("odp_version", jsontree.String(Version))
	setText(n, "query", s.Query)
	setText(n, "collection_id", s.Collection)
	if s.Descendants {
		n.Set("include_descendants", &jsontree.Node{Kind: 't', Raw: jsontext.Value("true")})
	}
	if len(s.Filters) > 0 {
		list := &jsontree.Node{Kind: '['}
		for _, e := range s.Filters {
			list.Items = append(list.Items, e.tree())
		}
		n.Set("filters", list)
	}
	setText(n, "sort", s.Sort)
	if len(s.Refinements) > 0 {
		list := &jsontree.Node{Kind: '['}
		for _, id := range s.Refinements {
			list.Items = append(list.Items, jsontree.String(id))
		}
		n.Set("refinements", list)
	}
	setLimit(n, s.Limit)
	return n
}

func (s CollectionSearch) tree() *jsontree.Node {
	n := &jsontree.Node{Kind: '{'}
	n.Set("odp_version", jsontree.String(Version))
	setText(n, "query", s.Query)
	switch {
	case s.Parent == nil:
	case *s.Parent == "":
		n.Set("parent_id", jsontree.Null())
	default:
		n.Set("parent_id", jsontree.String(*s.Parent))
	}
	setLimit(n, s.Limit)
	return n
}

func setText(n *jsontree.Node, name, text string) {
	if text != "" {
		n.Set(name, jsontree.String(text))
	}
}

func setLimit(n *jsontree.Node, limit int) {
	if limit != 0 {
		n.Set("limit", &jsontree.Node{Kind: '0', Raw: jsontext.Value(strconv.Itoa(limit))})
	}
}
