package aeptest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Service is an AEP Service. Its fields say how it behaves; a test may change them between requests.
type Service struct {
	World      *World
	Host       string // "shop.example", with a port where it has one
	DID        string
	Algorithms []string
	Methods    []string
	GrantTypes []string
	Required   []string
	Optional   []string
	Base       string // http.endpoint_base
	First      string // state of who enrols: "active", "pending" or "rejected"

	// Before may answer a request in the Service's place; it returns whether it did.
	Before func(out http.ResponseWriter, r *http.Request) bool
	// Change may change the Inspect document before it is sent.
	Change func(doc map[string]any)

	mu       sync.Mutex
	used     map[string]bool // jti of whom
	agents   map[string]*agent
	results  map[string]*result // by agent and key
	issued   []*credential
	requests []Request
	count    int
}

// Request is one that the Service got.
type Request struct {
	Method, Path string
	Header       http.Header
	Body         []byte
	Claims       Claims // of an assertion that was good
}

type agent struct {
	state  string
	claims json.RawMessage
}

type result struct {
	op     string
	sum    [32]byte
	answer stored
}

type stored struct {
	status int
	body   any
}

// NewService puts a Service on a host of a world.
func NewService(w *World, host string) *Service {
	s := &Service{
		World: w, Host: host, DID: "did:web:" + strings.ReplaceAll(host, ":", "%3A"), Algorithms: []string{"EdDSA", "ES256"},
		Methods: []string{"aep-jwt", "oauth-bearer", "api-key", "basic"}, GrantTypes: []string{"oauth-bearer", "api-key", "basic"},
		Required: []string{"contact.email"}, Optional: []string{"person.username"}, Base: "/agents/aep", First: "active",
		used: map[string]bool{}, agents: map[string]*agent{}, results: map[string]*result{},
	}
	w.Handle(host, s)
	return s
}

// SetState changes how the Service sees an agent.
func (s *Service) SetState(did, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agents[did] = &agent{state: state}
}

// Requests are those that the Service got, oldest first.
func (s *Service) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Enrolled returns the claims that an agent gave; ok is false for a stranger.
func (s *Service) Enrolled(did string) (claims string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.agents[did]
	if !ok {
		return "", false
	}
	return string(a.claims), true
}

// ServeHTTP answers.
func (s *Service) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.note(Request{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
	if s.Before != nil && s.Before(out, r) {
		return
	}
	command, isCommand := strings.CutPrefix(r.URL.Path, strings.TrimRight(s.Base, "/")+"/")
	switch {
	case r.URL.Path == "/.well-known/aep":
		s.inspect(out)
	case isCommand:
		s.command(out, r, command, body)
	default:
		s.protected(out, r)
	}
}

func (s *Service) note(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
}

func (s *Service) inspect(out http.ResponseWriter) {
	doc := map[string]any{
		"aep_version": "1.0", "bindings": map[string]any{"supported": []string{"http"}},
		"commands": map[string]any{
			"supported": []string{"inspect", "enroll", "status", "grant", "revoke"}, "grant_types": s.GrantTypes,
			"grant_types_config": map[string]any{"api-key": map[string]any{"header_names": []string{"x-api-key"}}},
		},
		"authentication": map[string]any{"methods": s.Methods},
		"claims":         map[string]any{"required": s.Required, "preferred": []string{}, "optional": s.Optional},
		"core":           map[string]any{"signing_algorithms": s.Algorithms},
		"http":           map[string]any{"endpoint_base": s.Base},
		"identity":       map[string]any{"methods": []string{"did:web"}},
		"service":        map[string]any{"did": s.DID},
	}
	if s.Change != nil {
		s.Change(doc)
	}
	send(out, http.StatusOK, "application/aep+json; charset=utf-8", doc)
}

func send(out http.ResponseWriter, status int, mediaType string, body any) {
	out.Header().Set("Content-Type", mediaType)
	out.WriteHeader(status)
	_ = json.NewEncoder(out).Encode(body)
}

func problem(status int, code string, more ...any) stored {
	body := map[string]any{"type": "urn:aep:error:" + code, "title": strings.ReplaceAll(code, "_", " "), "status": status, "code": code}
	for i := 0; i+1 < len(more); i += 2 {
		body[fmt.Sprint(more[i])] = more[i+1]
	}
	return stored{status, body}
}

func (a stored) send(out http.ResponseWriter) {
	mediaType := "application/aep+json"
	if a.status >= http.StatusBadRequest {
		mediaType = "application/problem+json"
	}
	send(out, a.status, mediaType, a.body)
}

// command answers one of the four (AEP-16): who asks, whether it was asked before, and then what it is about.
func (s *Service) command(out http.ResponseWriter, r *http.Request, op string, body []byte) {
	method := http.MethodPost
	if op == "status" {
		method = http.MethodGet
	}
	values := r.Header.Values("Authorization")
	token, isAEP := "", false
	if len(values) == 1 {
		token, isAEP = strings.CutPrefix(values[0], "AEP ")
	}
	if !slices.Contains([]string{"enroll", "status", "grant", "revoke"}, op) || r.Method != method {
		http.Error(out, "no such command", http.StatusNotFound)
		return
	}
	claims, err := s.verify(r.Context(), token, op, "")
	if err != nil || !isAEP || r.Header.Get("AEP-Authorization") != "" {
		problem(http.StatusUnauthorized, "not_recognized").send(out)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[len(s.requests)-1].Claims = claims
	if method == http.MethodGet {
		s.status(claims.Subject, len(body) > 0).send(out)
		return
	}
	s.once(r, claims.Subject, op, body).send(out)
}

// once answers a POST: the same key with the same body gets the same answer, with another one a conflict (AEP-17).
func (s *Service) once(r *http.Request, did, op string, body []byte) stored {
	key := r.Header.Get("Idempotency-Key")
	if key == "" || r.Header.Get("Content-Type") != "application/aep+json" || !json.Valid(body) {
		return problem(http.StatusBadRequest, "invalid_request")
	}
	sum := sha256.Sum256(body)
	if before := s.results[did+" "+key]; before != nil {
		if before.op != op || before.sum != sum {
			return problem(http.StatusConflict, "idempotency_conflict")
		}
		return before.answer
	}
	var answer stored
	switch op {
	case "enroll":
		answer = s.enroll(did, key, body)
	case "grant":
		answer = s.grant(did, body)
	case "revoke":
		answer = s.revoke(did, body)
	}
	s.results[did+" "+key] = &result{op, sum, answer}
	return answer
}
