package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
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

func wantFault(t *testing.T, err error, kind fault.Kind, code string, sent fault.Sent) *fault.Error {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("got %v, want a fault with code %s", err, code)
	}
	if e.Kind != kind || e.Code != code || cmp.Or(e.Sent, fault.SentNo) != sent {
		t.Errorf("got kind %s, code %s, sent %s (%v); want %s, %s, %s", e.Kind, e.Code, e.Sent, e, kind, code, sent)
	}
	return e
}

func TestToolsThatCannotBeCalled(t *testing.T) {
	called := false
	s := connect(t, serve(t, library(func(s *sdk.Server) {
		s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
				called = called || method == "tools/call"
				result, err := next(ctx, method, r)
				if list, ok := result.(*sdk.ListToolsResult); ok && len(list.Tools) > 1 {
					list.Tools[1] = list.Tools[0] // each page lists its first tool twice
				}
				return result, err
			}
		})
	}, sdk.StreamableHTTPOptions{})), nil)
	_, err := s.Call(t.Context(), "zzz", jsontext.Value("{}"), "")
	wantFault(t, err, fault.Manifest, "tool_missing", fault.SentNo)
	_, err = s.Call(t.Context(), "a", jsontext.Value("{}"), "")
	wantFault(t, err, fault.Manifest, "tool_unusable", fault.SentNo)
	_, err = s.Call(t.Context(), "e", jsontext.Value(`{"x":"`+strings.Repeat("x", mcp.MaxMessageBytes)+`"}`), "")
	wantFault(t, err, fault.Usage, "invalid_arguments", fault.SentNo)
	if _, err := s.Tool(t.Context(), "e"); err != nil {
		t.Errorf("a tool that is listed once: %v", err)
	}
	if called {
		t.Error("a tool was called")
	}
}

func TestAToolThatFails(t *testing.T) {
	settings := serve(t, library(func(s *sdk.Server) {
		add(s, "sad", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "no popcorn for s3cret"}}}, nil
		})
	}, sdk.StreamableHTTPOptions{}))
	settings.Redact = func(text string) string { return strings.ReplaceAll(text, "s3cret", "<redacted>") }
	s := connect(t, settings, http.Header{"Authorization": {"Bearer s3cret"}})
	result, err := s.Call(t.Context(), "sad", jsontext.Value("{}"), "")
	e := wantFault(t, err, fault.Rejected, "tool_error", fault.SentYes)
	if e.Message != "no popcorn for <redacted>" || result == nil || !result.IsError {
		t.Errorf("got %q, %+v", e.Message, result)
	}
}

func TestAServerThatRefusesTheCredential(t *testing.T) {
	s, err := mcp.Start(t.Context(), program(t), serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	})))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := wantFault(t, s.Connect(t.Context(), url, nil), fault.Auth, "http_401", fault.SentNo)
	if got, err := json.Marshal(e.Details); err != nil || string(got) != `{"challenge":"Bearer realm=\"x\""}` || e.Status != 401 {
		t.Errorf("got %s, %+v, %v", got, e, err)
	}
}

// slow is a tool that tells when it begins and ends when it is told to, or given up.
func slow(begun chan<- struct{}) func(*sdk.Server) {
	return func(s *sdk.Server) {
		add(s, "slow", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			close(begun)
			<-ctx.Done()
			return nil, ctx.Err()
		})
	}
}

// Ctrl-C, and the time limit, end a call that hangs; nobody knows then what became of it.
func TestACallThatIsGivenUp(t *testing.T) {
	t.Run("interrupted", func(t *testing.T) {
		begun := make(chan struct{})
		s := connect(t, serve(t, library(slow(begun), sdk.StreamableHTTPOptions{})), nil)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		_, err := s.Call(ctx, "slow", jsontext.Value("{}"), "")
		wantFault(t, err, fault.Interrupted, "interrupted", fault.SentUnknown)
		_, err = s.Call(t.Context(), "a", jsontext.Value("{}"), "")
		wantFault(t, err, fault.Internal, "mcp_failed", fault.SentNo)
	})
	t.Run("too late", func(t *testing.T) {
		begun := make(chan struct{})
		s := connect(t, serve(t, library(slow(begun), sdk.StreamableHTTPOptions{})), nil)
		if _, err := s.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := s.Call(ctx, "slow", jsontext.Value("{}"), "")
		wantFault(t, err, fault.Unavailable, "timeout", fault.SentUnknown)
	})
	t.Run("before it began", func(t *testing.T) {
		s := connect(t, serve(t, library(nil, sdk.StreamableHTTPOptions{})), nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Call(ctx, "a", jsontext.Value("{}"), ""); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// A server that never answers at all is given up just the same.
func TestAServerThatHangs(t *testing.T) {
	done := make(chan struct{})
	settings := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done }))
	defer close(done)
	s, err := mcp.Start(t.Context(), program(t), settings)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	e := wantFault(t, s.Connect(ctx, url, nil), fault.Unavailable, "timeout", fault.SentNo)
	if e.Hint == "" {
		t.Error("nothing says what to do")
	}
}

func TestWhatHappensIsToldToThoseWhoAsk(t *testing.T) {
	settings := serve(t, library(nil, sdk.StreamableHTTPOptions{}))
	var events, notes []string
	settings.Trace = func(e fetch.Event) { events = append(events, fmt.Sprint(e.Kind, " ", e.Method, " ", e.Status)) }
	settings.Note = func(text string) { notes = append(notes, text) }
	connect(t, settings, nil)
	if all := strings.Join(events, "\n"); !strings.Contains(all, "request POST 0") || !strings.Contains(all, "response POST 200") {
		t.Errorf("events:\n%s", all)
	}
	if all := strings.Join(notes, "\n"); !strings.Contains(all, "server shop 1") {
		t.Errorf("notes:\n%s", all)
	}
}

// A credential reaches the program through its pipe alone.
func TestACredentialIsNowhereToBeSeen(t *testing.T) {
	t.Setenv("AGENTCTL_TOKEN", "s3cret")
	connect(t, serve(t, library(nil, sdk.StreamableHTTPOptions{})), http.Header{"Authorization": {"Bearer s3cret"}})
	children, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(children) == 0 {
		t.Skip("this system does not show its processes")
	}
	found := false
	for _, file := range children {
		line, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(line, []byte(program(t)+"\x00serve")) {
			continue
		}
		variables, err := os.ReadFile(filepath.Join(filepath.Dir(file), "environ"))
		if err != nil {
			continue // it belongs to somebody else, or has ended
		}
		found = true
		if bytes.Contains(line, []byte("s3cret")) || bytes.Contains(variables, []byte("s3cret")) {
			t.Errorf("%q, %q", line, variables)
		}
	}
	if !found {
		t.Error("the program does not run")
	}
}

func TestAProgramThatIsNotThereIsNamed(t *testing.T) {
	for _, program := range []string{"", "agentctl-mcp", filepath.Join(t.TempDir(), "agentctl-mcp")} {
		_, err := mcp.Start(t.Context(), program, mcp.Settings{})
		if e := wantFault(t, err, fault.Internal, "mcp_missing", fault.SentNo); e.Hint == "" {
			t.Error("nothing says what to do")
		}
	}
}

func TestCertificatesThatAreNone(t *testing.T) {
	s, err := mcp.Start(t.Context(), program(t), mcp.Settings{Certificates: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wantFault(t, s.Connect(t.Context(), url, nil), fault.Usage, "invalid_flag", fault.SentNo)
}

// The address rules hold here as everywhere (contract, section 7).
func TestAPrivateAddressIsRefused(t *testing.T) {
	s, err := mcp.Start(t.Context(), program(t), mcp.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wantFault(t, s.Connect(t.Context(), "https://192.168.0.1/mcp", nil), fault.Unavailable, "address_blocked", fault.SentNo)
	wantFault(t, s.Connect(t.Context(), "http://example.com/mcp", nil), fault.Usage, "insecure_url", fault.SentNo)
}

func TestWhatIsNoCommandIsRefused(t *testing.T) {
	for _, args := range [][]string{{"serve", "a"}, {"x"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, environment{In: strings.NewReader(""), Out: &out, Err: &errs}); code != 2 || out.Len() > 0 {
			t.Errorf("%q: exit %d, %q", args, code, out.String())
		}
	}
	for _, args := range [][]string{nil, {"version"}} {
		var out bytes.Buffer
		if code := run(t.Context(), args, environment{Out: &out}); code != 0 || !strings.HasPrefix(out.String(), "agentctl-mcp ") {
			t.Errorf("%q: exit %d, %q", args, code, out.String())
		}
	}
}

// BenchmarkCall is the call of a tool over a session that is open: the pipe, TLS on loopback, and the library on both sides.
func BenchmarkCall(b *testing.B) {
	s := connect(b, serve(b, library(nil, sdk.StreamableHTTPOptions{JSONResponse: true})), nil)
	for b.Loop() {
		if _, err := s.Call(b.Context(), "a", jsontext.Value(`{"z":1}`), ""); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStart is everything that comes before a call: the program, TLS, the session, and the list of tools.
func BenchmarkStart(b *testing.B) {
	settings := serve(b, library(nil, sdk.StreamableHTTPOptions{JSONResponse: true}))
	for b.Loop() {
		s, err := mcp.Start(b.Context(), program(b), settings)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Connect(b.Context(), url, nil); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Tool(b.Context(), "a"); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
