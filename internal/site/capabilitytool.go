package site

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/agentmanifest"
	"github.com/agentctl/agentctl/internal/mcp"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxServerMetadata is the largest document, in bytes, that may name the endpoint of an MCP server.
const maxServerMetadata = 1 << 20

// metadataPatience is how long metadata may take. What is no metadata may be a stream that never ends.
const metadataPatience = 5 * time.Second

// tool makes a call of an MCP tool (AM-15). What the tool takes is asked of the server, unless the capability says it.
func (c *capability) tool(ctx context.Context) error {
	endpoint, err := c.site.mcpEndpoint(ctx, c.Binding.URL)
	if err != nil {
		return err
	}
	if err := c.reaches(endpoint); err != nil {
		return err
	}
	if c.Binding.SchemaMode == agentmanifest.External {
		if err := c.askTool(ctx, endpoint); err != nil {
			return err
		}
	}
	c.action.Target.Tool = true
	c.Method, c.Endpoint = http.MethodPost, endpoint
	c.action.Request = func(g Given) (*call.Request, []fault.Problem) {
		body := append([]byte(`{"name":`), strictjson.Quote(c.Binding.Tool)...)
		body = append(append(append(body, `,"arguments":`...), c.mapped(g.Values).Object()...), '}')
		return &call.Request{
			Method: http.MethodPost, URL: endpoint, Header: http.Header{"Content-Type": {"application/json"}},
			Body: body, Effect: c.Effect, Cost: c.Cost, Idempotent: c.Idempotent,
		}, nil
	}
	return nil
}

// mcpEndpoint is the address of an MCP server: what its metadata names, or else the address itself.
func (s *Site) mcpEndpoint(ctx context.Context, url string) (string, error) {
	short, cancel := context.WithTimeout(ctx, metadataPatience)
	defer cancel()
	doc, err := s.finder.Client.Get(short, fetch.Ask{
		URL: url, MaxBytes: maxServerMetadata, Header: http.Header{"Accept": {"application/json"}}, Lifetime: fetch.DefaultLifetime,
	})
	switch {
	case ctx.Err() != nil:
		return "", err
	case err != nil || doc.Status != http.StatusOK:
		return url, nil // the server itself will tell what is wrong
	}
	endpoint, ok, err := mcp.Endpoint(doc.Body, url)
	if err != nil || ok {
		return endpoint, err
	}
	return url, nil
}

// askTool takes over what the server says that its tool takes.
func (c *capability) askTool(ctx context.Context, endpoint string) error {
	if c.site.finder.Tool == nil {
		return fault.New(fault.Manifest, "mcp_missing", "nothing here speaks MCP")
	}
	tool, err := c.site.finder.Tool(ctx, endpoint, c.Binding.Tool, c.CrossOrigin)
	if err != nil {
		return err
	}
	c.Description = cmp.Or(c.Description, tool.Description)
	return c.UseInput(tool.Input)
}
