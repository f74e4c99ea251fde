package odpclient

import (
	"context"
	"net/http"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// Catalogue returns the filters and sorts that a search can use: those of the Service, and with an id those of that
// Collection as well (ODP-73). A source that fails is left out, and noted (ODP-78).
func (c *Client) Catalogue(ctx context.Context, collection string) (*odp.Catalogue, error) {
	if err := c.Service.Require(odp.SearchOfferings); err != nil {
		return nil, err
	}
	scopes := []odp.Capabilities{c.Service.Capabilities}
	if collection != "" {
		own, err := c.collectionScope(ctx, collection)
		if err != nil {
			return nil, err
		}
		scopes = append(scopes, own)
	}
	var merged []odp.Definitions
	filters, sorts := odp.MaxFilters, odp.MaxSorts
	for _, scope := range scopes {
		var d odp.Definitions
		d.Filters = definitions(ctx, c, scope.Filters, odp.FiltersLimit, func(first string) *odp.Linked[odp.Filter] {
			return odp.LinkedFilters(c.Service.Origin, first, filters)
		})
		d.Sorts = definitions(ctx, c, scope.Sorts, odp.SortsLimit, func(first string) *odp.Linked[odp.Sort] {
			return odp.LinkedSorts(c.Service.Origin, first, sorts)
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		filters, sorts = max(0, filters-len(d.Filters)), max(0, sorts-len(d.Sorts))
		merged = append(merged, d)
	}
	catalogue := odp.Merge(merged...)
	for _, issue := range catalogue.Issues {
		c.note(odp.Issue{Code: issue.String(), Message: "a definition of the search catalogue cannot be used"})
	}
	return catalogue, nil
}

// collectionScope is what a Collection defines itself. One whose document cannot be had defines nothing, which is noted: the
// Service's own definitions work all the same (ODP-78). That there is no such Collection is an error.
func (c *Client) collectionScope(ctx context.Context, id string) (odp.Capabilities, error) {
	unknown := func(why string) (odp.Capabilities, error) {
		c.note(odp.Issue{Code: "collection_filters_unknown", Message: "what filters the Collection has of its own is not known: " + why})
		return odp.Capabilities{}, nil
	}
	if err := c.Service.Require(odp.GetCollection); err != nil {
		return unknown("the Service does not offer it")
	}
	found, _, err := c.Collection(ctx, id)
	if err == nil {
		return found.SearchCapabilities, nil
	}
	if e := fault.From(err); ctx.Err() == nil && e.Kind != fault.Usage && e.Status != http.StatusNotFound {
		return unknown(e.Error())
	}
	return odp.Capabilities{}, err
}

// definitions returns those of one source, all or nothing.
func definitions[D odp.Definition](
	ctx context.Context, c *Client, source odp.Source[D], tooMany string, open func(first string) *odp.Linked[D],
) []D {
	if source.Linked == "" {
		return source.Inline
	}
	gathering := open(source.Linked)
	a := &access{header: map[string][]string{"Accept": {odp.MediaType}}, lifetime: odp.DefinitionLifetime, budget: new(fetch.RetryBudget)}
	if c.Language != "" {
		a.header.Set("Accept-Language", c.Language)
	}
	if advertised, ok := c.Service.Operation(odp.SearchOfferings); ok && c.Credential != nil && advertised.Authentication != odp.NoAuthentication {
		var err error
		if a.authorization, a.partition, err = c.Credential(ctx, odp.OptionalAuthentication); err != nil {
			c.note(odp.Issue{Code: "source_unavailable", Message: source.Linked + ": " + err.Error()})
			return nil
		}
	}
	for next := source.Linked; next != ""; {
		doc, err := c.document(ctx, a, fetch.Ask{URL: c.Service.Origin.Resolve(next)})
		if err == nil {
			next, err = gathering.Add(doc)
		}
		if err != nil {
			e := fault.From(err)
			code := e.Code
			if code == "source_too_large" {
				code = tooMany
			}
			c.note(odp.Issue{Code: code, Message: source.Linked + ": " + e.Error()})
			return nil
		}
	}
	c.note(gathering.Issues()...)
	list, _ := gathering.Definitions()
	return list
}
