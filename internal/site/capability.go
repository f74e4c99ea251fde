package site

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/agentmanifest"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// capability is a capability of AgentManifest on its way to being an action: what its binding refers to is fetched.
type capability struct {
	*agentmanifest.Capability
	site   *Site
	action Action
	input  agentmanifest.Mapping // of a mapped binding; nil for none
	output agentmanifest.Mapping
}

// capability loads a capability with the binding of a kind, "" for the best one (AM-14). It fetches what is needed to know
// the arguments, anonymously; nothing is called.
func (s *Site) capability(ctx context.Context, n *Node, binding string) (*Action, error) {
	parsed, err := agentmanifest.ParseAction(*n.Action, binding)
	if err != nil {
		return nil, err
	}
	c := &capability{Capability: parsed, site: s}
	if err := c.schemas(ctx); err != nil {
		return nil, err
	}
	if err := c.mappings(ctx); err != nil {
		return nil, err
	}
	switch c.Binding.Kind {
	case agentmanifest.OpenAPI:
		err = c.operation(ctx)
	case agentmanifest.MCP:
		err = c.tool(ctx)
	case agentmanifest.HostedCheckout:
		c.handOver()
	default:
		err = c.request()
	}
	if err != nil {
		return nil, err
	}
	c.action.Action, c.action.Answer, c.action.Failed, c.action.Output = c.Action, c.answer, c.failed, c.Output
	c.action.Target.SignIn = c.RequiresAuthentication && !c.action.Target.HandOver
	return &c.action, nil
}

// schemas fetches the schemas that are documents of their own (AM-11). Without that of the arguments nothing can be called;
// without that of the answer it is not checked.
func (c *capability) schemas(ctx context.Context) error {
	if c.InputSchemaURL != "" {
		raw, err := c.site.schemaAt(ctx, c.InputSchemaURL)
		if err != nil {
			return err
		}
		if err := c.UseInput(raw); err != nil {
			return err
		}
	}
	if c.OutputSchemaURL != "" {
		raw, err := c.site.schemaAt(ctx, c.OutputSchemaURL)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if err != nil {
			c.Issues = append(c.Issues, manifest.Issue{
				Code: "schema_unusable", Pointer: "/outputSchema", Message: "answers are not checked: " + err.Error(), Command: c.Command,
			})
		}
		c.Output = raw
	}
	return nil
}

// schemaAt fetches a schema with all that it refers to, as one.
func (s *Site) schemaAt(ctx context.Context, url string) (jsontext.Value, error) {
	raw, err := schema.Graph{URL: url, Load: func(url string) (jsontext.Value, error) {
		doc, err := s.referred(ctx, url, schema.MaxDocumentBytes)
		if err != nil {
			return nil, err
		}
		return doc.Body, nil
	}}.Bundle()
	if err != nil {
		e := fault.New(fault.Manifest, "schema_unusable", "the schema at %s cannot be used: %w", url, err)
		if cause := fault.From(err); cause.Kind == fault.Unavailable || cause.Kind == fault.Interrupted {
			e.Kind = cause.Kind
		}
		return nil, e
	}
	return raw, nil
}

// referred fetches a JSON document that another one refers to: anonymously, whatever its origin (AM-4).
func (s *Site) referred(ctx context.Context, url string, maxBytes int64) (*fetch.Document, error) {
	doc, err := s.finder.Client.Document(ctx, url, maxBytes)
	if err != nil {
		return nil, err
	}
	if doc.Status != http.StatusOK {
		e := fault.New(fault.Manifest, "document_missing", "%s answered %s", url, statusText(doc.Status))
		e.Status = doc.Status
		if doc.Status == http.StatusTooManyRequests || doc.Status >= 500 {
			e.Kind = fault.Unavailable
		}
		return nil, e
	}
	if err := strictjson.Check(doc.Body); err != nil {
		return nil, fault.New(fault.Manifest, "not_json", "%s is not usable JSON: %w", url, err)
	}
	return doc, nil
}

// mappings fetches the mappings of a mapped binding (AM-16).
func (c *capability) mappings(ctx context.Context) (err error) {
	if c.input, err = c.mapping(ctx, c.Binding.InputMapping); err == nil {
		c.output, err = c.mapping(ctx, c.Binding.OutputMapping)
	}
	return err
}

func (c *capability) mapping(ctx context.Context, url string) (agentmanifest.Mapping, error) {
	if url == "" {
		return nil, nil
	}
	doc, err := c.site.referred(ctx, url, agentmanifest.MaxMappingBytes)
	if err != nil {
		return nil, err
	}
	return agentmanifest.ParseMapping(doc.Body)
}

// mapped gives arguments the names and places that the binding has for them.
func (c *capability) mapped(values *manifest.Values) *manifest.Values {
	if c.input == nil {
		return values
	}
	return c.input.Input(values)
}

// reaches notes where the binding really leads (AM-4).
func (c *capability) reaches(url string) error {
	if err := c.Reach(url); err != nil {
		return err
	}
	if !c.CrossOrigin {
		return nil
	}
	origin, err := OriginOf(url)
	c.action.Target.Origin = origin
	return err
}

// request makes a call of a binding that is a plain request.
func (c *capability) request() error {
	c.action.Request = func(g Given) (*call.Request, []fault.Problem) {
		return c.Request(c.mapped(g.Values))
	}
	return c.reaches(c.Binding.URL)
}

// handOver makes a command of a page that a person has to open: nothing is sent (AM-15).
func (c *capability) handOver() {
	c.action.Target.HandOver = true
	c.action.Request = func(Given) (*call.Request, []fault.Problem) {
		return &call.Request{Method: http.MethodGet, URL: c.Binding.URL, Effect: c.Effect, Cost: c.Cost}, nil
	}
}
