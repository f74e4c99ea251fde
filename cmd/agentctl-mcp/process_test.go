package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/mcp"
)

// TestMain is the program itself when a client starts it as one: its first argument is no flag of a test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

// serve runs a handler as https://example.com, and returns the settings that lead there.
func serve(t testing.TB, handler http.Handler) mcp.Settings {
	t.Helper()
	server := httptest.NewTLSServer(handler) // its certificate is for example.com
	t.Cleanup(server.Close)
	return mcp.Settings{
		UserAgent: "agentctl/test", Retries: 3,
		Resolve:      []fetch.Override{{Host: "example.com", Port: 443, Addr: netip.MustParseAddrPort(server.Listener.Addr().String())}},
		Certificates: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}
}

func program(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

const url = "https://example.com/mcp"

// connect starts the program and opens a session.
func connect(t testing.TB, settings mcp.Settings, secrets http.Header) *mcp.Server {
	t.Helper()
	s, err := mcp.Start(t.Context(), program(t), settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Connect(t.Context(), url, secrets); err != nil {
		t.Fatal(err)
	}
	return s
}

// library is a server by the official library. modify adds tools.
func library(modify func(*sdk.Server), options sdk.StreamableHTTPOptions) http.Handler {
	options.DisableLocalhostProtection = true // it is on loopback, but has another name
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "shop", Version: "1"}, &sdk.ServerOptions{PageSize: 2})
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			add(s, name, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return &sdk.CallToolResult{
					Content:           []sdk.Content{&sdk.TextContent{Text: "one"}, &sdk.ImageContent{MIMEType: "image/png", Data: make([]byte, 12_000)}, &sdk.TextContent{Text: "two"}},
					StructuredContent: map[string]any{"you said": r.Params.Arguments},
				}, nil
			})
		}
		if modify != nil {
			modify(s)
		}
		return s
	}, &options)
}

func add(s *sdk.Server, name string, handler sdk.ToolHandler) {
	s.AddTool(&sdk.Tool{
		Name: name, Title: "Tool " + name, Description: "does " + name,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"z":{"maximum":12345678901234567890},"a":{}}}`),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
	}, handler)
}

func TestAWholeConversation(t *testing.T) {
	for name, options := range map[string]sdk.StreamableHTTPOptions{
		"streams":          {},
		"JSON":             {JSONResponse: true},
		"without sessions": {Stateless: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := connect(t, serve(t, library(nil, options)), nil)
			tools, err := s.Tools(t.Context())
			if err != nil || len(tools) != 5 {
				t.Fatalf("got %d tools, %v", len(tools), err)
			}
			if c := tools[2]; c.Name != "c" || c.Title != "Tool c" || c.Description != "does c" || c.Unusable != "" ||
				string(c.Input) != `{"type":"object","properties":{"z":{"maximum":12345678901234567890},"a":{}}}` || c.Annotations.ReadOnly == nil {
				t.Errorf("got %+v", c)
			}
			result, err := s.Call(t.Context(), "e", jsontext.Value(`{"z":0.1000,"a":"<&>"}`), "")
			if err != nil {
				t.Fatal(err)
			}
			if result.Text != "one\n\n[image image/png, 12 kB]\n\ntwo" || result.IsError || !strings.Contains(string(result.Structured), "0.1000") {
				t.Errorf("got %q, %s", result.Text, result.Structured)
			}
		})
	}
}

var _ = []any{bytes.NewReader, filepath.Join, strconv.Itoa, time.Now, fault.New}
