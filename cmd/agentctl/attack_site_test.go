package main

import (
	"bufio"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// detail is what a site publishes of one action.
type detail = map[string]any

// evilSite is a site that publishes ordinary actions and answers them with {}, until a row changes one or the other. It
// speaks HTTP/1.1 over TLS.
type evilSite struct {
	actions []detail
	answers map[string]http.HandlerFunc // by "METHOD /path"; "/index" stands for the index
	tls     *tls.Config
	server  *httptest.Server
	addr    string // HOST:PORT, known before it begins
	begin   sync.Once
	mu      sync.Mutex
	seen    []seenRequest
}

type seenRequest struct {
	line   string // "POST /pay?x=1"
	header http.Header
	body   string
}

const indexPath = "/.well-known/interagentic/services"

func newEvilSite(t *testing.T, certificate tls.Certificate) *evilSite {
	s := &evilSite{actions: ordinaryActions(), answers: map[string]http.HandlerFunc{}, tls: &tls.Config{Certificates: []tls.Certificate{certificate}}}
	s.server = httptest.NewUnstartedServer(s)
	s.addr = s.server.Listener.Addr().String()
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(func() {
		s.start() // one that never began cannot be closed
		s.server.CloseClientConnections()
		s.server.Close()
	})
	return s
}

// ordinaryActions are what the rows call.
func ordinaryActions() []detail {
	text := func(name string, required bool) detail {
		return detail{"name": name, "required": required, "type": detail{"type": "string"}}
	}
	id := []detail{text("id", true)}
	return []detail{
		{"command": []string{"list"}, "method": "GET", "endpoint": "/list", "description": "List things"},
		{"command": []string{"show"}, "method": "GET", "endpoint": "/things/{{$id}}", "params": id, "args": []string{"id"}},
		{
			"command": []string{"find"}, "method": "GET", "endpoint": "/find", "params": []detail{text("q", true)}, "args": []string{"q"},
			"request": detail{"headers": detail{"X-Query": "{{$q}}"}},
		},
		{"command": []string{"create"}, "method": "POST", "endpoint": "/create", "params": []detail{text("note", false)}},
		{"command": []string{"remove"}, "method": "DELETE", "endpoint": "/things/{{$id}}", "params": id, "args": []string{"id"}},
		{
			"command": []string{"pay"}, "method": "POST", "endpoint": "/pay", "description": "Buy a thing", "payment": detail{"mode": "fixed", "amount": 9},
			"params": []detail{text("plan", false), {"name": "password", "required": false, "type": detail{"type": "string", "format": "password"}}},
		},
	}
}

// change publishes an action otherwise from now on.
func (s *evilSite) change(command, member string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.find(strings.Fields(command))[member] = value
}

// find returns what is published about a command; nil when that is nothing.
func (s *evilSite) find(command []string) detail {
	for _, a := range s.actions {
		if slices.Equal(a["command"].([]string), command) {
			return a
		}
	}
	return nil
}

// on sets how requests are answered from now on.
func (s *evilSite) on(what string, answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[what] = answer
}

func (s *evilSite) start() {
	s.begin.Do(func() {
		s.server.TLS = s.tls
		s.server.StartTLS()
	})
}

func (s *evilSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	path := r.URL.Path
	if path == indexPath+".json" {
		path = "/index"
	}
	s.mu.Lock()
	s.seen = append(s.seen, seenRequest{r.Method + " " + r.RequestURI, r.Header.Clone(), string(body)})
	answer := s.answers[r.Method+" "+path]
	published, ok := s.publication(path)
	s.mu.Unlock()
	switch {
	case answer != nil:
		answer(w, r)
	case ok:
		w.Header().Set("Cache-Control", "max-age=0") // each run sees what is published at that moment
		reply200(w, "application/json", published)
	case strings.HasPrefix(path, "/.well-known/"):
		http.NotFound(w, r)
	default:
		reply200(w, "application/json", "{}")
	}
}

// publication is the index, or the description of one action.
func (s *evilSite) publication(path string) (document string, ok bool) {
	if path == "/index" {
		return encode(s.index()), true
	}
	name, isDetail := strings.CutPrefix(strings.TrimSuffix(path, ".json"), indexPath+"/")
	if !isDetail {
		return "", false
	}
	a := s.find(strings.Split(name, "/"))
	return encode(a), a != nil
}

// index is made of what the actions say.
func (s *evilSite) index() detail {
	var actions []detail
	for _, a := range s.actions {
		summary := detail{}
		for _, name := range []string{"command", "method", "endpoint", "description", "role"} {
			if a[name] != nil {
				summary[name] = a[name]
			}
		}
		actions = append(actions, summary)
	}
	return detail{"name": "Evil", "description": "An ordinary shop", "actions": actions}
}

func encode(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func reply200(w http.ResponseWriter, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	_, _ = io.WriteString(w, body)
}

// all returns every request so far.
func (s *evilSite) all() []seenRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]seenRequest(nil), s.seen...)
}

// requests returns those so far that begin with prefix: "POST /pay".
func (s *evilSite) requests(prefix string) (found []seenRequest) {
	for _, r := range s.all() {
		if strings.HasPrefix(r.line, prefix) {
			found = append(found, r)
		}
	}
	return found
}

// credentials returns what the site was sent as tokens, and what of them is a signature.
func (s *evilSite) credentials() (tokens []string) {
	for _, r := range s.all() {
		if token := strings.TrimPrefix(r.header.Get("Authorization"), "Bearer "); len(token) >= 8 {
			tokens = append(tokens, token[strings.LastIndexByte(token, '.')+1:])
		}
	}
	return tokens
}

// saw wants exactly so many requests that begin with prefix.
func (w *world) saw(times int, prefix string) {
	w.Helper()
	if seen := w.site.requests(prefix); len(seen) != times {
		w.Errorf("the site saw %d times %s, want %d: %q", len(seen), prefix, times, seen)
	}
}

// discovers reports whether a request only looks for descriptions.
func discovers(r seenRequest) bool {
	method, target, _ := strings.Cut(strings.TrimSpace(r.line), " ")
	return method == http.MethodGet && (strings.Contains(target, "/.well-known/") || slices.Contains([]string{"/", "/agent-manifest.json", "/openapi.json"}, target))
}

// nothingSent wants that the site was asked for its descriptions at most.
func (w *world) nothingSent() {
	w.Helper()
	for _, r := range w.site.all() {
		if !discovers(r) {
			w.Errorf("the site was sent %q", r)
		}
	}
}

// The ways to answer badly.

func redirect(status int, location string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Location"] = []string{location}
		w.WriteHeader(status)
	}
}

func status(code int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header()[headers[i]] = []string{headers[i+1]}
		}
		w.WriteHeader(code)
	}
}

func body(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { reply200(w, contentType, text) }
}

func errorAnswer(code int, answer any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, encode(answer))
	}
}

// wire answers with bytes of the row's own, and then closes the connection.
func wire(talk func(conn net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		talk(conn)
	}
}

func wireText(text string) http.HandlerFunc {
	return wire(func(conn net.Conn) { _, _ = io.WriteString(conn, text) })
}

// forever writes head and then piece again and again, until the other side has had enough.
func forever(head, piece string, pause time.Duration) http.HandlerFunc {
	return wire(func(conn net.Conn) {
		buffered := bufio.NewWriterSize(conn, 64<<10)
		_, err := buffered.WriteString(head)
		for err == nil {
			if _, err = buffered.WriteString(piece); err == nil && pause > 0 {
				err = buffered.Flush()
				time.Sleep(pause)
			}
		}
	})
}

// bomb unpacks to a thousand times its size.
func bomb(contentType, head, piece string, pieces int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Encoding", "gzip")
		packed, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		_, err := io.WriteString(packed, head)
		for i := 0; i < pieces && err == nil; i++ {
			_, err = io.WriteString(packed, piece)
		}
		_ = packed.Close()
	}
}

func stall(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func abort(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func (r seenRequest) String() string { return fmt.Sprintf("%s %s", r.line, r.body) }
