package odpclient

import (
	"context"

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
		if err := c.Service.Require(odp.GetCollection); err != nil {
			c.note(odp.Issue{Code: "collection_filters_unknown", Message: "the Service does not tell what filters the Collection has of its own"})
		} else {
			found, _, err := c.Collection(ctx, collection)
			if err != nil {
				return nil, err
			}
			scopes = append(scopes, found.SearchCapabilities)
		}
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
