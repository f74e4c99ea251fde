package site

import (
	"cmp"
	"context"
	"net/http"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/agentmanifest"
	"github.com/agentctl/agentctl/internal/mcp"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// tool makes a call of an MCP tool (AM-15). What the tool takes is asked of the server, unless the capability says it.
func (c *capability) tool(ctx context.Context) error {
	endpoint, err := mcp.Locate(ctx, c.site.finder.Client, c.Binding.URL)
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
