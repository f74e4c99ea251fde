package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/mcp"
)

// library is a server by the official library, with one tool.
func library(options sdk.StreamableHTTPOptions, tool sdk.ToolHandler) http.Handler {
	options.DisableLocalhostProtection = true // it is on loopback, but has another name
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "shop", Version: "1"}, nil)
		s.AddTool(&sdk.Tool{Name: "ok", InputSchema: json.RawMessage(`{"type":"object"}`)}, tool)
		return s
	}, &options)
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

var okCall = mcp.Call{Tool: "ok", Arguments: jsontext.Value(`{"n":0.1000}`)}

// A server may not ask anything of us: not for words of a model, not for those of a person, not for directories.
func TestQuestionsOfAServerAreRefused(t *testing.T) {
	var answers []error
	world := serve(t, library(sdk.StreamableHTTPOptions{}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_, sampling := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 1, Messages: []*sdk.SamplingMessage{}}) //nolint:staticcheck // older servers ask
		_, elicitation := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "your password?"})
		_, roots := r.Session.ListRoots(ctx, nil) //nolint:staticcheck // older servers ask
		answers = []error{sampling, elicitation, roots}
		return text("asked"), r.Session.Ping(ctx, nil)
	}))
	result, err := world.session(t).Call(t.Context(), okCall)
	if err != nil || !strings.Contains(string(result), "asked") {
		t.Fatalf("got %s, %v; a ping is answered", result, err)
	}
	for i, answer := range answers {
		if answer == nil {
			t.Errorf("question %d was answered", i)
		}
	}
	if !slices.ContainsFunc(world.notes, func(note string) bool { return strings.Contains(note, "roots/list (refused)") }) {
		t.Errorf("notes %q", world.notes)
	}
}

// The newest protocol has no questions of its own, but results that ask.
func TestAResultThatAsks(t *testing.T) {
	times := 0
	world := serve(t, library(sdk.StreamableHTTPOptions{Stateless: true}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		times++
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"a": &sdk.ElicitParams{Message: "your password?"}}, RequestState: "x"}, nil
	}))
	result, err := world.session(t).Call(t.Context(), okCall)
	if err != nil || !strings.Contains(string(result), "inputRequests") || times != 1 {
		t.Errorf("got %s, %v, asked %d times; it is handed on as it came", result, err, times)
	}
}

func TestNotificationsAreTold(t *testing.T) {
	world := serve(t, library(sdk.StreamableHTTPOptions{}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for range 3 * maxNotes {
			if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: "t", Message: "soon"}); err != nil {
				return nil, err
			}
		}
		return text("done"), nil
	}))
	if result, err := world.session(t).Call(t.Context(), okCall); err != nil || !strings.Contains(string(result), "done") {
		t.Fatalf("got %s, %v", result, err)
	}
	if n := len(world.notes); n > maxNotes+1 || !strings.Contains(world.notes[n-1], "soon") {
		t.Errorf("%d notes, the last one is %q", n, world.notes[n-1])
	}
}

// recorder remembers the requests that came.
type recorder struct {
	next http.Handler
	mu   sync.Mutex
	seen []*http.Request
}

func (h *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.seen = append(h.seen, r)
	h.mu.Unlock()
	h.next.ServeHTTP(w, r)
}

func echo(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	return text(string(r.Params.Arguments)), nil
}

// Every request carries the credential, the version once it is known, and the session; the last one ends the session, and none
// opens a stream for what the server might want to say.
func TestRequestsAreComplete(t *testing.T) {
	h := &recorder{next: library(sdk.StreamableHTTPOptions{}, echo)}
	world := serve(t, h)
	world.secrets = http.Header{"Authorization": {"Bearer s3cret"}, "X-Api-Key": {"k3y"}}
	s, err := world.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if result, err := s.Call(t.Context(), okCall); err != nil || !strings.Contains(string(result), `{\"n\":0.1000}`) {
		t.Errorf("got %s, %v", result, err)
	}
	s.Close()
	var methods []string
	for i, r := range h.seen {
		methods = append(methods, r.Method)
		if r.Header.Get("Authorization") != "Bearer s3cret" || r.Header.Get("X-Api-Key") != "k3y" || r.Header.Get("User-Agent") != "agentctl/test" {
			t.Errorf("request %d: %v", i, r.Header)
		}
		if begun := i >= 2; begun && (r.Header.Get(versionHeader) != "2025-11-25" || r.Header.Get("Mcp-Session-Id") == "") {
			t.Errorf("request %d: %v", i, r.Header)
		}
	}
	if got := strings.Join(methods, " "); got != "POST POST POST POST POST DELETE" {
		t.Errorf("got %s", got)
	}
}

// A server that moved within its origin is followed at the beginning, so that a call goes where it belongs at once.
func TestARedirectIsFollowedBeforeACall(t *testing.T) {
	inner := library(sdk.StreamableHTTPOptions{}, echo)
	redirects := 0
	world := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			redirects++
			http.Redirect(w, r, "/mcp/", http.StatusTemporaryRedirect)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	if _, err := world.session(t).Call(t.Context(), okCall); err != nil || redirects != 1 {
		t.Errorf("%v after %d redirects", err, redirects)
	}
}

// AM-13: with an idempotency key a call is tried again, with the same key.
func TestACallWithAnIdempotencyKeyIsTriedAgain(t *testing.T) {
	var keys []string
	inner := tidy{}
	world := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(content)))
		if strings.Contains(string(content), "tools/call") {
			if keys = append(keys, r.Header.Get(idempotencyKey)); len(keys) == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
		}
		inner.ServeHTTP(w, r)
	}))
	world.settings.Retries = 1
	call := okCall
	call.IdempotencyKey = "k1"
	if _, err := world.session(t).Call(t.Context(), call); err != nil || len(keys) != 2 || keys[0] != "k1" || keys[1] != "k1" {
		t.Errorf("keys %q, %v", keys, err)
	}
}

func TestAnotherVersionOfTheProtocol(t *testing.T) {
	_, err := serve(t, tidy{"initialize": body(isJSON, `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`)}).open(t.Context())
	wantFault(t, err, fault.Unavailable, codeProtocol, fault.SentNo)
}

func TestAnErrorOfTheProtocolIsKeptWhole(t *testing.T) {
	world := serve(t, tidy{"tools/call": body(isJSON, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"bad","data":{"n":1.50}}}`)})
	_, err := world.session(t).Call(t.Context(), okCall)
	e := wantFault(t, err, fault.Rejected, "mcp_error", fault.SentYes)
	details, err := json.Marshal(e.Details)
	if err != nil || e.Message != "bad" || string(details) != `{"code":-32602,"data":{"n":1.50},"message":"bad"}` {
		t.Errorf("got %q, %s, %v", e.Message, details, err)
	}
}

func TestAChallengeIsKept(t *testing.T) {
	for code, kind := range map[int]fault.Kind{401: fault.Auth, 402: fault.Payment} {
		_, err := serve(t, tidy{"server/discover": status(code, "WWW-Authenticate", `Bearer realm="x"`)}).open(t.Context())
		e := wantFault(t, err, kind, fmt.Sprintf("http_%d", code), fault.SentNo)
		if e.Details["challenge"] != `Bearer realm="x"` || e.Status != code {
			t.Errorf("got %+v", e)
		}
	}
}

func TestAServerThatAsksToWait(t *testing.T) {
	_, err := serve(t, tidy{"tools/call": status(429, "Retry-After", "7")}).session(t).Call(t.Context(), okCall)
	if e := wantFault(t, err, fault.Unavailable, "http_429", fault.SentYes); e.RetryAfter != 7 {
		t.Errorf("got %+v", e)
	}
}

// What a server cannot be reached for is asked once, not again in the ways of older versions.
func TestAServerThatIsNotThere(t *testing.T) {
	world := serve(t, tidy{})
	requests := 0
	world.settings.Trace = func(e fetch.Event) {
		if e.Kind == fetch.EventRequest {
			requests++
		}
	}
	world.settings.Roots = nil
	_, err := world.open(t.Context())
	if e := wantFault(t, err, fault.Unavailable, "tls_failed", fault.SentNo); requests != 1 {
		t.Errorf("asked %d times: %v", requests, e)
	}
}

// A call that is given up ends at once, tells the server, and leaves what became of it open.
func TestACallThatIsGivenUp(t *testing.T) {
	begun, told := make(chan struct{}), make(chan struct{})
	world := serve(t, tidy{
		"tools/call": func(w http.ResponseWriter, _ string) {
			events(w, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"soon"}}`)
			_ = http.NewResponseController(w).Flush()
			close(begun)
			<-told
		},
		"notifications/cancelled": func(w http.ResponseWriter, _ string) { close(told); w.WriteHeader(http.StatusAccepted) },
	})
	s := world.session(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	_, err := s.Call(ctx, okCall)
	wantFault(t, err, fault.Interrupted, "interrupted", fault.SentUnknown)
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Error("it was not given up")
	}
	<-told
}
