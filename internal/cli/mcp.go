package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/mcp"
	"github.com/agentctl/agentctl/internal/render"
)

// toolServers are the MCP servers that a run is connected with, by their address.
type toolServers struct {
	open map[string]*mcp.Server
}

// close takes leave of all of them.
func (t *toolServers) close() {
	for _, server := range t.open {
		_ = server.Close()
	}
	t.open = nil
}

// toolServer connects with an MCP server, once for each address. Its secrets go to its origin alone.
func (r *run) toolServer(ctx context.Context, c *connection, url string, secrets []fetch.Secret) (*mcp.Server, error) {
	if r.Offline {
		return nil, fault.New(fault.Unavailable, "offline", "%s has to be asked, and --offline is set", url)
	}
	if server, ok := c.tools.open[url]; ok {
		return server, nil
	}
	settings, err := r.toolSettings(ctx, c)
	if err != nil {
		return nil, err
	}
	server, err := mcp.Start(ctx, r.MCPProgram, settings)
	if err != nil {
		return nil, err
	}
	if err := server.Connect(ctx, url, headerOf(secrets)); err != nil {
		_ = server.Close()
		return nil, err
	}
	if c.tools.open == nil {
		c.tools.open = map[string]*mcp.Server{}
	}
	c.tools.open[url] = server
	return server, nil
}

// headerOf are the header fields that carry secrets. An MCP server takes none elsewhere.
func headerOf(secrets []fetch.Secret) http.Header {
	header := http.Header{}
	for _, secret := range secrets {
		if secret.In == fetch.InHeader {
			header.Add(secret.Name, secret.Value)
		}
	}
	return header
}

// toolSettings are the client's settings in a form that another program can be given.
func (r *run) toolSettings(ctx context.Context, c *connection) (mcp.Settings, error) {
	s := mcp.Settings{
		Resolve: c.settings.Resolve, AllowPrivate: c.settings.AllowPrivate, UserAgent: c.settings.UserAgent, Retries: c.settings.Retries,
		Trace: c.settings.Trace, Redact: r.redact,
		Proxy: mcp.Proxy{HTTPS: r.either("HTTPS_PROXY"), HTTP: r.either("HTTP_PROXY"), No: r.either("NO_PROXY")},
	}
	if c.settings.Trace != nil {
		s.Note = func(text string) { _ = r.say("%s", render.CleanLine(r.redact(text))) }
	}
	var err error
	switch file := r.Getenv("SSL_CERT_FILE"); {
	case r.CACert != "":
		s.Certificates, err = r.ReadFile(ctx, r.CACert)
	case file != "":
		s.Certificates, err = r.ReadFile(ctx, file)
	}
	return s, err
}

// tool asks an MCP server for one of its tools, with the site's credential where that may go there.
func (p *place) tool(ctx context.Context, server, name string, anonymous bool) (*mcp.Tool, error) {
	var secrets []fetch.Secret
	if !anonymous {
		account, err := p.accountOf(p.conn.origin)
		if err != nil {
			return nil, err
		}
		credentials, err := p.carry(ctx, account, nil)
		if err != nil {
			return nil, err
		}
		if secrets, err = p.secretsOf(ctx, p.conn.client, credentials); err != nil {
			return nil, err
		}
	}
	s, err := p.toolServer(ctx, p.conn, server, secrets)
	if err != nil {
		return nil, err
	}
	return s.Tool(ctx, name)
}

// callTool calls an MCP tool, as the body of the call's request has it.
func (a *published) callTool(ctx context.Context, caller call.Caller, c *call.Call) (*call.Result, error) {
	name, arguments, err := nameOf(c.Body)
	if err != nil {
		return nil, err
	}
	server, err := a.toolServer(ctx, a.conn, c.URL, caller.Secrets)
	if err != nil {
		return nil, err
	}
	key := ""
	if c.Idempotent && c.Effect != manifest.Read {
		key = rand.Text()
	}
	answer, err := server.Call(ctx, name, []byte(arguments), key)
	if err != nil {
		return nil, hinted(err, caller.Hint)
	}
	return &call.Result{
		Status: http.StatusOK, ContentType: "application/json", Length: int64(len(answer.Raw)),
		Body: io.NopCloser(bytes.NewReader(answer.Raw)), Summary: endLine(answer.Text),
	}, nil
}

// endLine ends a text with a line break, unless it is empty.
func endLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// hinted says of a refused credential what to try.
func hinted(err error, hint string) error {
	if e := fault.From(err); e.Kind == fault.Auth && e.Hint == "" {
		return e.WithHint("%s", hint)
	}
	return err
}
