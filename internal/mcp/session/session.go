// Package session is a session with one MCP server, spoken by the official library over the client of fetch. It is linked by
// agentctl-mcp alone.
//
// The library is given no trust that it need not have. Every request of its passes the [wire], which sends it, and every
// message that comes in passes the [messages], which keep results as they came, digits and order included, and count what
// nobody asked for. What came of a request is in its [step].
package session

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/mcp"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// How long a server may take to hear that nobody waits for it any more, and to say goodbye.
const (
	hear  = 300 * time.Millisecond
	leave = 500 * time.Millisecond
)

// Session is an open session. Its methods are called one at a time.
type Session struct {
	talk *talk
	sdk  *sdk.ClientSession
}

var _ mcp.Session = (*Session)(nil)

// Open opens a session with a server.
func Open(ctx context.Context, client *fetch.Client, target mcp.Target, version string, observer mcp.Observer) (*Session, error) {
	at, err := url.Parse(target.URL)
	if err != nil {
		return nil, fault.New(fault.Usage, "invalid_url", "the URL of the MCP server cannot be read")
	}
	s := &Session{talk: newTalk(at.Hostname(), observer)}
	if err := s.connect(ctx, newWire(client, target, s.talk), version); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Session) connect(ctx context.Context, w *wire, version string) error {
	client := sdk.NewClient(&sdk.Implementation{Name: "agentctl", Version: version}, &sdk.ClientOptions{
		Capabilities:   &sdk.ClientCapabilities{}, // nothing may be asked of us
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	})
	client.AddReceivingMiddleware(refuse)
	transport := &messages{talk: s.talk, transport: &sdk.StreamableClientTransport{
		Endpoint: w.endpoint(), HTTPClient: &http.Client{Transport: w},
		MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: mcp.MaxMessageBytes,
	}}
	_, err := s.talk.step(ctx, nil, func(ctx context.Context) (err error) {
		s.sdk, err = client.Connect(ctx, transport, nil) // begins with the newest version; older servers refuse it, and get an older one
		return err
	})
	if err == nil && s.sdk == nil { // the answer is there, and the library cannot make anything of it
		err = malformed("the MCP server at %q cannot be understood", s.talk.host)
	}
	if err != nil {
		return err
	}
	if info := s.sdk.InitializeResult(); info != nil && info.ServerInfo != nil {
		s.talk.note("MCP " + info.ProtocolVersion + ", server " + fault.Word(info.ServerInfo.Name) + " " + fault.Word(info.ServerInfo.Version))
	}
	return nil
}

// Tools returns the tools of all pages, within the limits of [mcp.MaxTools] and [mcp.MaxToolBytes].
func (s *Session) Tools(ctx context.Context) ([]jsontext.Value, error) {
	var tools []jsontext.Value
	size := 0
	cursors := map[string]bool{}
	for cursor := ""; ; {
		raw, err := s.talk.step(ctx, nil, func(ctx context.Context) error {
			_, err := s.sdk.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
			return err
		})
		if err != nil {
			return nil, err
		}
		page, next, err := s.page(raw)
		if err != nil {
			return nil, err
		}
		tools, size = append(tools, page...), size+len(raw)
		switch {
		case len(tools) > mcp.MaxTools || len(cursors) > mcp.MaxTools || size > mcp.MaxToolBytes:
			return nil, fault.New(fault.Unavailable, codeLarge, "the MCP server at %q lists more than %d tools, or %d MiB",
				s.talk.host, mcp.MaxTools, mcp.MaxToolBytes>>20)
		case next == "":
			return tools, nil
		case cursors[next]:
			return nil, malformed("the list of tools of %q goes in a circle", s.talk.host)
		}
		cursors[next], cursor = true, next
	}
}

// page reads one page of the list.
func (s *Session) page(raw jsontext.Value) (tools []jsontext.Value, next string, err error) {
	list, _ := strictjson.Member(raw, "tools")
	if list.Kind() != '[' {
		return nil, "", malformed("the list of tools of %q is none", s.talk.host)
	}
	for _, tool := range strictjson.Elements(list) {
		tools = append(tools, tool)
	}
	cursor, _ := strictjson.Member(raw, "nextCursor")
	next, _ = strictjson.String(cursor)
	return tools, next, nil
}

// Call calls a tool.
func (s *Session) Call(ctx context.Context, call mcp.Call) (jsontext.Value, error) {
	result, err := s.talk.step(ctx, &call, func(ctx context.Context) error {
		_, err := s.sdk.CallTool(ctx, &sdk.CallToolParams{Name: call.Tool, Arguments: json.RawMessage(call.Arguments)})
		return err
	})
	if ctx.Err() != nil { // the library tells the server that the call was given up, but does not wait for that
		select {
		case <-s.talk.gaveUp:
		case <-time.After(hear):
		}
	}
	return result, err
}

// Close takes leave of the server, which need not wait for an answer for long.
func (s *Session) Close() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.sdk.Close() // all that was asked for has been answered
	}()
	select {
	case <-done:
	case <-time.After(leave):
	}
}
