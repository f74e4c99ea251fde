package odpclient

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// Wanted is how much of a list or a search is wanted.
type Wanted struct {
	Most int  // items in all; 0 is every one (ODP-48)
	Full bool // full representations

	// Paged is called behind the items of each page: the next one may take its time. Its error ends the list. It may be nil.
	Paged func() error
}

// view is what is asked of the Service for it: pages of the usual size, or smaller ones (ODP-47).
func (w Wanted) view() odp.View {
	v := odp.View{Representation: odp.Terse, Limit: odp.DefaultLimit}
	if w.Full {
		v.Representation = odp.Full
	}
	switch {
	case w.Most == 0:
		v.Limit = odp.MaxPageItems
	case w.Most < v.Limit:
		v.Limit = w.Most
	}
	return v
}

// Outcome is how a list or a search ended.
type Outcome struct {
	Complete    bool             // the end of the sequence was reached
	Repeats     int              // items that came again, and were left out (ODP-49)
	AuthExpands bool             // whoever signs in may see more (ODP-40)
	Refinements []odp.Refinement // of a search that asked for them
}

// Offerings lists the Offerings of the Service, or with an id the direct members of that Collection. Each goes to use as
// it comes, page by page; an error of use ends the list. What use got stays valid whatever ends it (ODP-51). Attributes of
// full items were judged as by [Client.CheckAttributes].
func (c *Client) Offerings(ctx context.Context, collection string, w Wanted, use func(resource.Item[*resource.Offering]) error) (*Outcome, error) {
	op := odp.ListOfferings
	if collection != "" {
		op = odp.ListCollectionOfferings
	}
	return pages(ctx, c, sequence[*resource.Offering]{op: op, id: collection, wanted: w, parse: resource.ParseOfferings, use: c.judged(ctx, w, use)})
}

// SearchOfferings searches, by a catalogue that the search was checked against.
func (c *Client) SearchOfferings(
	ctx context.Context, search odp.OfferingSearch, catalogue *odp.Catalogue, w Wanted, use func(resource.Item[*resource.Offering]) error,
) (*Outcome, error) {
	search.Limit = w.view().Limit
	body, err := search.Body(catalogue)
	if err != nil {
		return nil, err
	}
	refinements := func(cursor *odp.Cursor) []odp.Refinement {
		return catalogue.ParseRefinements(cursor, search.Refinements)
	}
	return pages(ctx, c, sequence[*resource.Offering]{
		op: odp.SearchOfferings, body: body, wanted: w, parse: resource.ParseOfferings, use: c.judged(ctx, w, use), refinements: refinements,
	})
}

// Collections lists the Collections of the Service.
func (c *Client) Collections(ctx context.Context, w Wanted, use func(resource.Item[*resource.Collection]) error) (*Outcome, error) {
	return pages(ctx, c, sequence[*resource.Collection]{op: odp.ListCollections, wanted: w, parse: resource.ParseCollections, use: c.withoutSelf(use)})
}

// SearchCollections searches the Collections of the Service.
func (c *Client) SearchCollections(
	ctx context.Context, search odp.CollectionSearch, w Wanted, use func(resource.Item[*resource.Collection]) error,
) (*Outcome, error) {
	search.Limit = w.view().Limit
	body, err := search.Body()
	if err != nil {
		return nil, err
	}
	return pages(ctx, c, sequence[*resource.Collection]{op: odp.SearchCollections, body: body, wanted: w, parse: resource.ParseCollections, use: c.withoutSelf(use)})
}

// sequence is a list or a search, page after page.
type sequence[T any] struct {
	op          odp.Operation
	id          string
	body        jsontext.Value // of a search
	wanted      Wanted
	parse       func([]byte, resource.PageRules) (*resource.Page[T], error)
	use         func(resource.Item[T]) error
	refinements resource.RefinementRule
}

// maxVainPages is how many pages in a row may have nothing new on them: a sequence of those would never end.
const maxVainPages = 100

// page fetches and reads one page.
func (s *sequence[T]) page(ctx context.Context, c *Client, a *access, ask fetch.Ask, rules resource.PageRules) (*resource.Page[T], error) {
	doc, err := c.document(ctx, a, ask)
	if err != nil {
		return nil, err
	}
	return s.parse(doc, rules)
}

// take hands over the items of a page that are new and still wanted.
func (s *sequence[T]) take(page *resource.Page[T], t *resource.Traversal) error {
	for _, item := range page.Items {
		if !t.Keep(item.ID) {
			continue
		}
		if err := s.use(item); err != nil {
			return err
		}
	}
	if s.wanted.Paged == nil {
		return nil
	}
	return s.wanted.Paged()
}

// midway makes of a failure behind the first page what it means to the list: the Service stopped giving it (ODP-51). Signing
// in and paying stay what they are.
func midway(err error, page int) error {
	e := *fault.From(err)
	if page == 1 || e.Kind != fault.Manifest && e.Kind != fault.Rejected {
		return err
	}
	e.Kind = fault.Unavailable
	return &e
}

func pages[T any](ctx context.Context, c *Client, s sequence[T]) (*Outcome, error) {
	view := s.wanted.view()
	first, err := c.Service.Address(s.op, s.id, view)
	if err != nil {
		return nil, err
	}
	a, err := c.access(ctx, s.op)
	if err != nil {
		return nil, err
	}
	ask, start := fetch.Ask{URL: first}, first
	if s.body != nil {
		ask.Method, ask.Body, start = http.MethodPost, s.body, ""
	}
	t := resource.NewTraversal(c.Service.Origin, start, s.wanted.Most)
	defer func() { c.note(t.Issues...) }()
	rules := resource.PageRules{Origin: c.Service.Origin, Representation: view.Representation, Refinements: s.refinements}
	out := &Outcome{}
	for number, vain := 1, 0; ask.URL != ""; number++ {
		page, err := s.page(ctx, c, a, ask, rules)
		if err != nil {
			return out, midway(err, number)
		}
		before := t.Items()
		if rules.Refinements != nil {
			out.Refinements = page.Refinements
		}
		out.AuthExpands = out.AuthExpands || page.AuthExpands
		c.note(page.Issues...)
		if err := s.take(page, t); err != nil {
			return out, err
		}
		rules.Refinements = nil // in the first answer only (ODP-71)
		if vain++; t.Items() > before {
			vain = 0
		}
		if vain == maxVainPages {
			return out, fault.New(fault.Unavailable, resource.CodeLimitExceeded, "%d pages in a row have nothing new on them", vain)
		}
		ask = fetch.Ask{}
		ask.URL, err = t.Next(page.Next)
		out.Complete, out.Repeats = t.Complete(), t.Repeats()
		if err != nil {
			return out, midway(err, number+1)
		}
	}
	return out, nil
}
