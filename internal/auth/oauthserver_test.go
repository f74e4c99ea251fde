package auth

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fetch"
)

// Names that lead to the test's server. They share its certificate.
const (
	idOrigin    = "https://example.com"
	otherOrigin = "https://elsewhere.example.com"
)

// server is an authorization server over TLS, and a stranger beside it.
type server struct {
	answer func(w http.ResponseWriter, r *http.Request) // what the token endpoint says; nil: the usual
	style  string                                       // "header", "body": how it takes a client's secret; "": either

	mu        sync.Mutex
	issued    int // of tokens
	requests  []string
	strangers []string // what the other origin was asked
}

// serve starts the server, and tells how to reach it.
func serve(t *testing.T, s *server) Through {
	t.Helper()
	own := httptest.NewUnstartedServer(s)
	own.EnableHTTP2 = true
	own.StartTLS()
	t.Cleanup(own.Close)
	other := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = r.ParseForm()
		s.strangers = append(s.strangers, fmt.Sprint(r.URL, r.Header, r.Form))
	}))
	other.TLS = &tls.Config{Certificates: own.TLS.Certificates}
	other.StartTLS()
	t.Cleanup(other.Close)
	pool := x509.NewCertPool()
	pool.AddCert(own.Certificate())
	var overrides []fetch.Override
	for host, at := range map[string]*httptest.Server{"example.com": own, "elsewhere.example.com": other} {
		o, err := fetch.ParseOverride(host + ":443:" + at.Listener.Addr().String())
		check(t, err)
		overrides = append(overrides, o)
	}
	client := fetch.New(fetch.Settings{
		Resolve: overrides, Roots: func() (*x509.CertPool, error) { return pool, nil }, Now: time.Now, Retries: 3,
	})
	return client.RoundTripper
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path+" "+r.PostForm.Encode())
	id, secret, basic := r.BasicAuth()
	style := "header"
	if !basic {
		id, secret, style = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret"), "body"
	}
	switch {
	case s.answer != nil:
		s.answer(w, r)
	case s.style != "" && s.style != style || id != "robot" || secret != "canary-client":
		refuse(w, http.StatusUnauthorized, "invalid_client", "")
	case r.PostForm.Get("grant_type") == "refresh_token" && r.PostForm.Get("refresh_token") != fmt.Sprintf("canary-refresh-%d", s.issued):
		refuse(w, http.StatusBadRequest, "invalid_grant", "it was used before")
	default:
		s.issue(w, 3600)
	}
}

// issue gives a new token, and one that renews it.
func (s *server) issue(w http.ResponseWriter, life int) {
	s.issued++
	reply(w, http.StatusOK, map[string]any{
		"access_token": fmt.Sprintf("canary-access-%d", s.issued), "refresh_token": fmt.Sprintf("canary-refresh-%d", s.issued),
		"token_type": "Bearer", "expires_in": life,
	})
}

func refuse(w http.ResponseWriter, status int, code, description string) {
	reply(w, status, map[string]any{"error": code, "error_description": description})
}

func reply(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document)
}

func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

func robot() ClientLogin {
	return ClientLogin{Client: Client{ID: "robot", TokenURL: idOrigin + "/token", Scopes: []string{"orders:read", "orders:write"}}, Secret: "canary-client"}
}

// inMemory answers requests without a network.
type inMemory http.HandlerFunc

func (h inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	h(recorder, r)
	answer := recorder.Result()
	answer.Request = r
	return answer, r.Context().Err()
}
