package odpclient

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
	"github.com/agentctl/agentctl/internal/schema"
)

// anonymous fetches a document that supports others, with nothing secret even at the Service itself (ODP-136).
func (c *Client) anonymous(ctx context.Context, ask fetch.Ask, accept string) (*fetch.Document, error) {
	ask.Header = http.Header{"Accept": {accept}}
	ask.StaleWillDo = true
	return c.get(ctx, ask)
}

// Schema returns the schema that a reference of the Service leads to, complete in itself (ODP-85).
func (c *Client) Schema(ctx context.Context, reference string) (jsontext.Value, error) {
	url, err := resource.Follow(c.Service.Origin, reference)
	if err != nil {
		return nil, err
	}
	return c.schemas.get(url, func() (jsontext.Value, error) { return c.graph(ctx, url).Bundle() })
}

func (c *Client) graph(ctx context.Context, url string) schema.Graph {
	return schema.Graph{URL: url, Declared: true, Load: func(url string) (jsontext.Value, error) {
		if err := odp.CheckReference(url); err != nil {
			return nil, err
		}
		if _, err := resource.Follow(c.Service.Origin, url); err != nil {
			return nil, err
		}
		doc, err := c.anonymous(ctx, fetch.Ask{URL: url, MaxBytes: int64(odp.SchemaLimits().Bytes), Lifetime: odp.SchemaLifetime}, odp.SchemaMediaType)
		if err != nil {
			return nil, err
		}
		return doc.Body, resource.CheckSchemaAnswer(doc.Status, doc.ContentType)
	}}
}

// openAPI fetches the document that an Action's operation is in (ODP-107).
func (c *Client) openAPI(ctx context.Context, url string) (*openapi.Document, error) {
	return c.openAPIs.get(url, func() (*openapi.Document, error) { return c.fetchOpenAPI(ctx, url) })
}

func (c *Client) fetchOpenAPI(ctx context.Context, url string) (*openapi.Document, error) {
	const accept = "application/vnd.oai.openapi+json;version=3.1, application/json;q=0.9"
	doc, err := c.anonymous(ctx, fetch.Ask{URL: url, MaxBytes: int64(odp.OpenAPILimits().Bytes), Lifetime: -1}, accept)
	if err != nil {
		return nil, limited(err)
	}
	if doc.Status < 200 || doc.Status > 299 {
		return nil, fault.New(fault.Manifest, "openapi_missing", "%s answered %d", url, doc.Status)
	}
	if err := openapi.CheckMediaType(doc.ContentType); err != nil {
		return nil, fault.New(fault.Manifest, "wrong_media_type", "%s: %w", url, err)
	}
	return openapi.Parse(doc.Body, url)
}

// unusable says of a schema that cannot be had that it takes an Action away (ODP-96).
func unusable(ctx context.Context, err error) error {
	if kind := fault.From(err).Kind; ctx.Err() != nil || kind == fault.Unavailable {
		return err
	}
	return fault.New(fault.Manifest, "request_schema_unusable", "%w", err)
}

// Invocation makes an Action of an Offering ready for its arguments: its schema or OpenAPI document is fetched, its target is
// not called (ODP-98).
func (c *Client) Invocation(ctx context.Context, offering *resource.Offering, a *resource.Action) (*resource.Invocation, error) {
	subject := resource.Subject{Service: c.Service.Origin, Offering: offering}
	if a.OpenAPI != nil {
		url, err := a.OpenAPI.DocumentURL(c.Service.Origin, c.Service.OpenAPI)
		if err != nil {
			return nil, err
		}
		doc, err := c.openAPI(ctx, url)
		if err != nil {
			return nil, err
		}
		return subject.OpenAPI(a, doc)
	}
	var rule jsontext.Value
	if a.HTTP.Request != nil && a.HTTP.Request.SchemaURL != "" {
		var err error
		if rule, err = c.Schema(ctx, a.HTTP.Request.SchemaURL); err != nil {
			return nil, unusable(ctx, err)
		}
	}
	return subject.HTTP(a, rule)
}
