package resource

import (
	"errors"
	"fmt"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Page is one answer of a list or a search (ODP-43).
type Page[T any] struct {
	Items       []Item[T]
	Next        string         // the reference to the next page, byte by byte (ODP-44); "" at the end of the sequence
	AuthExpands bool           // whoever signs in may see more (ODP-40)
	Refinements *jsontree.Node // as they came; nil when there are none
	Issues      []odp.Issue    // one for each item that was dropped, and what the items left out themselves
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
	Refinements    RefinementRule     // judges refinements; nil where there may be none: anywhere but in the first answer of a search of Offerings that asked for them
}

// RefinementRule judges the refinements of an answer, for example against the definitions of filters. It records what is
// wrong on the cursor.
type RefinementRule func(c *odp.Cursor)

const maxNext = 2048

func pageDocument() document {
	return document{"the page", "page_invalid", odp.ResourceLimits()}
}

// ParseOfferings reads a page of Offerings. A broken envelope fails the page, an item that is not valid is dropped with an
// issue (ODP-42). Its error is a [*fault.Error].
func ParseOfferings(doc []byte, rules PageRules) (*Page[*Offering], error) {
	page, err := ParsePage(doc, rules, ReadOffering)
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
	page, err := ParsePage(doc, rules, ReadCollection)
	if err != nil {
		return nil, err
	}
	for _, item := range page.Items {
		page.Issues = append(page.Issues, item.Value.Issues...)
	}
	return page, nil
}

// ParsePage reads a page of anything: of definitions of filters, for example. rules.Refinements must be nil for anything
// but Offerings.
func ParsePage[T any](doc []byte, rules PageRules, read func(*odp.Cursor, Form) T) (*Page[T], error) {
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
	page.Next = readNext(c.Optional("next"), rules.Origin)
	page.AuthExpands = c.Optional("auth_expands").True()
	refinements := c.Optional("refinements")
	switch {
	case refinements == nil:
	case rules.Refinements == nil:
		refinements.Fail("were not asked for")
	default:
		rules.Refinements(refinements)
		page.Refinements = refinements.Node()
	}
}

func readNext(c *odp.Cursor, origin odp.Origin) string {
	if c == nil {
		return ""
	}
	next := c.String()
	if err := CheckNext(next, origin); c.Is('"') && err != nil {
		c.Fail("%v", err)
	}
	return next
}

// CheckNext judges the reference to the next page: on the Service itself, at most 2048 characters, never empty (ODP-43,
// ODP-44).
func CheckNext(next string, origin odp.Origin) error {
	switch err := odp.CheckReference(next); {
	case next == "":
		return errors.New("must not be empty: the end of a sequence has no next")
	case err != nil:
		return err
	case len(next) > maxNext:
		return fmt.Errorf("must have at most %d characters", maxNext)
	case !origin.Owns(next):
		return fmt.Errorf("must stay on %s", origin)
	}
	return nil
}
