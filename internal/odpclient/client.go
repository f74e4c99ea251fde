// Package odpclient asks one Service of the Offering Discovery Protocol: lists, searches, retrievals, and the documents
// behind them. What the answers mean is for the packages odp and resource to say; this one fetches.
package odpclient

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Client asks a Service. One goroutine may use it at a time.
type Client struct {
	HTTP     *fetch.Client
	Service  *odp.Service
	Language string // of Accept-Language; "" leaves it to the Service (ODP-128)

	// Credential gives what an operation is asked with: the value of Authorization, "" for none, and the name of the account
	// that it belongs to, under which answers may be kept. Nil asks everything anonymously.
	Credential func(ctx context.Context, need odp.Authentication) (authorization, account string, err error)
	// Timed gives each request its time. Nil leaves it to the caller's context.
	Timed func(ctx context.Context, request func(context.Context) error) error
	// Note is told of what is wrong with a part of an answer (ODP-119).
	Note func(odp.Issue)

	judges   *judges // of the attributes of Offerings
	schemas  remembered[jsontext.Value]
	openAPIs remembered[*openapi.Document]
	sent     fault.Sent // see Sent
}

// access is how the requests of one operation are made: all alike (ODP-45).
type access struct {
	header        http.Header
	authorization string
	partition     string
	lifetime      time.Duration
	budget        *fetch.RetryBudget
}

// access settles how an operation is asked for.
func (c *Client) access(ctx context.Context, op odp.Operation) (*access, error) {
	advertised, ok := c.Service.Operation(op)
	if !ok {
		return nil, c.Service.Require(op)
	}
	a := &access{header: http.Header{"Accept": {odp.MediaType}}, lifetime: op.Lifetime(), budget: new(fetch.RetryBudget)}
	if c.Language != "" {
		a.header.Set("Accept-Language", c.Language)
	}
	if a.lifetime == 0 {
		a.lifetime = -1 // a search is kept only when it says for how long (ODP-125)
	}
	if c.Credential == nil || advertised.Authentication == odp.NoAuthentication {
		return a, nil
	}
	var err error
	a.authorization, a.partition, err = c.Credential(ctx, advertised.Authentication)
	return a, err
}

// document is an answer that is one of the protocol's documents.
func (c *Client) document(ctx context.Context, a *access, ask fetch.Ask) ([]byte, error) {
	ask.Header, ask.Credential, ask.Partition, ask.Lifetime, ask.Budget = a.header, a.authorization, a.partition, a.lifetime, a.budget
	if ask.Body != nil {
		ask.Header = a.header.Clone()
		ask.Header.Set("Content-Type", odp.MediaType)
	}
	ask.MaxBytes, ask.TellSent = int64(odp.ResourceLimits().Bytes), true
	doc, err := c.get(ctx, ask)
	c.keepSent(doc, err)
	if err != nil {
		return nil, limited(err)
	}
	if doc.Status < 200 || doc.Status > 299 {
		return nil, resource.Failure(doc.Status, doc.ContentType, doc.Body, doc.RetryAfterSeconds())
	}
	if err := odp.CheckMediaType(doc.ContentType, odp.MediaType); err != nil {
		return nil, fault.New(fault.Manifest, "wrong_media_type", "%s: %w", doc.URL, err)
	}
	return doc.Body, nil
}

func (c *Client) get(ctx context.Context, ask fetch.Ask) (doc *fetch.Document, err error) {
	if c.Timed == nil {
		return c.HTTP.Get(ctx, ask)
	}
	err = c.Timed(ctx, func(ctx context.Context) error {
		doc, err = c.HTTP.Get(ctx, ask)
		return err
	})
	return doc, err
}

// Sent tells whether the Service was asked for anything by now: not where all came out of the cache, and nobody knows where an
// answer did not come.
func (c *Client) Sent() fault.Sent { return cmp.Or(c.sent, fault.SentNo) }

func (c *Client) keepSent(doc *fetch.Document, err error) {
	switch {
	case c.sent == fault.SentYes:
	case err != nil:
		c.sent = cmp.Or(fault.From(err).Sent, c.sent)
	case doc.State == fetch.CacheMiss || doc.State == fetch.CacheRevalidated:
		c.sent = fault.SentYes
	}
}

// limited gives an answer that is too large the code that the protocol has for it (ODP-119).
func limited(err error) error {
	e := *fault.From(err)
	if e.Code != "too_large" {
		return err
	}
	e.Code = resource.CodeLimitExceeded
	return &e
}

func (c *Client) note(issues ...odp.Issue) {
	for _, issue := range issues {
		if c.Note != nil {
			c.Note(issue)
		}
	}
}

// Offering retrieves an Offering in full. raw is the document as the Service sent it. Its attributes are for
// [Client.CheckAttributes] to judge, where they are wanted (ODP-82).
func (c *Client) Offering(ctx context.Context, id string) (offering *resource.Offering, raw []byte, err error) {
	raw, err = c.one(ctx, odp.GetOffering, id)
	if err != nil {
		return nil, nil, err
	}
	if offering, err = resource.ParseOffering(raw, odp.Full); err != nil {
		return nil, nil, err
	}
	if offering.ID != id {
		return nil, nil, another(id, offering.ID)
	}
	c.note(offering.Issues...)
	return offering, raw, nil
}

// Collection retrieves a Collection in full. raw is the document as the Service sent it, less an edge to itself (ODP-55).
func (c *Client) Collection(ctx context.Context, id string) (collection *resource.Collection, raw []byte, err error) {
	raw, err = c.one(ctx, odp.GetCollection, id)
	if err != nil {
		return nil, nil, err
	}
	if collection, err = resource.ParseCollection(raw, c.Service.Origin, odp.Full); err != nil {
		return nil, nil, err
	}
	if collection.ID != id {
		return nil, nil, another(id, collection.ID)
	}
	c.note(collection.Issues...)
	var tree *jsontree.Node
	if c.dropSelf(collection, func() *jsontree.Node { tree = jsontree.Parse(raw); return tree }) {
		raw = tree.Value()
	}
	return collection, raw, nil
}

// another refuses a document that is about something else than what was asked for (ODP-11).
func another(asked, got string) error {
	return fault.New(fault.Manifest, "wrong_resource", "the Service answered with %q where %q was asked for (/id)", got, asked)
}

func (c *Client) one(ctx context.Context, op odp.Operation, id string) ([]byte, error) {
	url, err := c.Service.Address(op, id, odp.View{Representation: odp.Full})
	if err != nil {
		return nil, err
	}
	a, err := c.access(ctx, op)
	if err != nil {
		return nil, err
	}
	return c.document(ctx, a, fetch.Ask{URL: url})
}
