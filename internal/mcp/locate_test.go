package mcp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

func TestLocate(t *testing.T) {
	done := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/metadata", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, `{"server":{"url":"./mcp"}}`)
	})
	mux.HandleFunc("/elsewhere", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"server":{"url":"https://evil.example/"}}`)
	})
	mux.HandleFunc("/endpoint", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) })
	mux.HandleFunc("/stream", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-done
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	defer close(done)
	client := fetch.New(fetch.Settings{Now: time.Now})
	for path, want := range map[string]string{"/metadata": "/mcp", "/endpoint": "/endpoint", "/stream": "/stream"} {
		if got, err := Locate(t.Context(), client, server.URL+path); err != nil || got != server.URL+want {
			t.Errorf("%s: got %q, %v", path, got, err)
		}
	}
	if _, err := Locate(t.Context(), client, server.URL+"/elsewhere"); err == nil || fault.From(err).Kind != fault.Manifest {
		t.Errorf("got %v", err)
	}
}
