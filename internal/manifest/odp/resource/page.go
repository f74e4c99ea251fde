package resource

import (
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Page is one answer of a list or a search (ODP-43).
type Page[T any] struct {
	Items       []Item[T]
	Next        string           // the reference to the next page, byte by byte (ODP-44); "" at the end of the sequence
	AuthExpands bool             // whoever signs in may see more (ODP-40)
	Refinements []odp.Refinement // nil when there are none
	Issues      []odp.Issue      // one for each item that was dropped, and what the items left out themselves
}

// Item is one resource of a page.
type Item[T any] struct {
	ID    string
	Value T
	Node  *jsontree.Node // as it came
}

// PageRules tell what a page is expected to be.
type PageRules struct {
	Origin         odp.Origin         // of the Service; next stays there (ODP-44)
	Representation odp.Representation // that was asked for; "" means full
	Refinements    RefinementRule     // reads refinements; nil where there may be none: anywhere but in the first answer of a search of Offerings that asked for them
}

// RefinementRule reads the refinements of an answer, as [odp.Catalogue.ParseRefinements] does, and records what is wrong on
// the cursor.
type RefinementRule func(c *odp.Cursor) []odp.Refinement

func pageDocument() document {
	return document{"the page", "page_invalid", odp.ResourceLimits()}
}

// ParseOfferings reads a page of Offerings. A broken envelope fails the page, an item that is not valid is dropped with an
// issue (ODP-42). Its error is a [*fault.Error].
func ParseOfferings(doc []byte, rules PageRules) (*Page[*Offering], error) {
	page, err := parsePage(doc, rules, ReadOffering)
	if err != nil {
		return nil, err
	}
	for _, item := range page.Items {
		page.Issues = append(page.Issues, item.Value.Issues...)
	}
	return page, nil
}

// ParseCollections reads a page of Collections, as [ParseOfferings] does.
func ParseCollections(doc []byte, rules PageRules) (*Page[*Collection], error) {
	rules.Refinements = nil
	page, err := parsePage(doc, rules, ReadCollection)
	if err != nil {
		return nil, err
	}
	for _, item := range page.Items {
		page.Issues = append(page.Issues, item.Value.Issues...)
	}
	return page, nil
}

func parsePage[T any](doc []byte, rules PageRules, read func(*odp.Cursor, Form) T) (*Page[T], error) {
	d := pageDocument()
	c, err := d.decode(doc)
	if err != nil {
		return nil, err
	}
	page := &Page[T]{}
	form := Form{
		Representation: rules.Representation, Item: true, Origin: rules.Origin,
		minor: odp.Minor(c.Member("odp_version").Version()),
	}
	items := c.Member("items")
	page.Items = make([]Item[T], 0, min(items.Len(), odp.MaxPageItems))
	for _, element := range items.Elements(0, odp.MaxPageItems) {
		scoped := element.Scope("item_invalid")
		value := read(scoped, form)
		if issue := scoped.Issue(); issue != nil {
			page.Issues = append(page.Issues, *issue)
			continue
		}
		node := element.Node()
		page.Items = append(page.Items, Item[T]{memberText(node, "id"), value, node})
	}
	readEnvelope(c, rules, page)
	if err := d.verdict(c); err != nil {
		return nil, err
	}
	return page, nil
}

func readEnvelope[T any](c *odp.Cursor, rules PageRules, page *Page[T]) {
	page.Next = odp.NextPage(c, rules.Origin, map[string]bool{}) // what was visited is for the Traversal to know
	page.AuthExpands = c.Optional("auth_expands").True()
	refinements := c.Optional("refinements")
	switch {
	case refinements == nil:
	case rules.Refinements == nil:
		refinements.Fail("were not asked for")
	default:
		page.Refinements = rules.Refinements(refinements)
	}
}
