package session

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/mcp"
)

const endpoint = "https://example.com/mcp"

// world is a server at https://example.com, and what was told while it was asked.
type world struct {
	settings fetch.Settings
	secrets  http.Header

	mu    sync.Mutex
	notes []string
	sent  int
}

func serve(t testing.TB, handler http.Handler) *world {
	t.Helper()
	server := httptest.NewTLSServer(handler) // its certificate is for example.com
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return &world{settings: fetch.Settings{
		UserAgent: "agentctl/test", Now: time.Now, Roots: func() (*x509.CertPool, error) { return roots, nil },
		Sleep:   func(context.Context, time.Duration) error { return nil },
		Resolve: []fetch.Override{{Host: "example.com", Port: 443, Addr: netip.MustParseAddrPort(server.Listener.Addr().String())}},
	}}
}

func (w *world) open(ctx context.Context) (*Session, error) {
	return Open(ctx, fetch.New(w.settings), mcp.Target{URL: endpoint, Secrets: w.secrets}, "test", mcp.Observer{
		Note:    func(text string) { w.mu.Lock(); defer w.mu.Unlock(); w.notes = append(w.notes, text) },
		Sending: func() { w.mu.Lock(); defer w.mu.Unlock(); w.sent++ },
	})
}

// session opens a session that is closed when the test ends.
func (w *world) session(t testing.TB) *Session {
	t.Helper()
	s, err := w.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func wantFault(t *testing.T, err error, kind fault.Kind, code string, sent fault.Sent) *fault.Error {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("got %v, want a fault with code %s", err, code)
	}
	if e.Sent == "" {
		e.Sent = fault.SentNo
	}
	if e.Kind != kind || e.Code != code || e.Sent != sent {
		t.Errorf("got kind %s, code %s, sent %s (%v); want %s, %s, %s", e.Kind, e.Code, e.Sent, e, kind, code, sent)
	}
	return e
}

// tidy is a server that does what it should, as far as it goes: the tool "ok" of a server of 2025-11-25. What a test puts in
// for a method is done instead.
type tidy map[string]func(w http.ResponseWriter, id string)

func (tidy) result(w http.ResponseWriter, id, result string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"result":`+result+`}`)
}

func (y tidy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method, id := asked(r)
	if instead, ok := y[method]; ok {
		instead(w, id)
		return
	}
	switch method {
	case "initialize":
		y.result(w, id, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tidy","version":"1"}}`)
	case "tools/list":
		y.result(w, id, `{"tools":[{"name":"ok","inputSchema":{"type":"object"}}]}`)
	case "tools/call":
		y.result(w, id, `{"content":[{"type":"text","text":"done"}]}`)
	case "server/discover":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}`)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}
