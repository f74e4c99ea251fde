package aep_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/aep/aeptest"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

const (
	shopHost = "shop.example"
	idHost   = "id.example"
	resource = "https://" + shopHost + "/holds?view=full&n=1"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// memory is a store that a test can look into. It writes everything as JSON, as a real one would.
type memory struct {
	mu          sync.Mutex
	unfinished  map[aep.Scope][]byte
	saves       int
	credentials []aep.Credential
	dropped     []aep.Revocation
	broken      error // what saving ends with
}

func (m *memory) Unfinished(_ context.Context, scope aep.Scope) (u aep.Unfinished, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.unfinished[scope]
	if !ok {
		return u, false, nil
	}
	return u, true, json.Unmarshal(text, &u)
}

func (m *memory) SaveUnfinished(_ context.Context, u aep.Unfinished) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return m.broken
	}
	text, err := json.Marshal(u)
	if m.unfinished == nil {
		m.unfinished = map[aep.Scope][]byte{}
	}
	m.unfinished[u.Scope] = text
	m.saves++
	return err
}

func (m *memory) ForgetUnfinished(_ context.Context, scope aep.Scope) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.unfinished, scope)
	return nil
}

func (m *memory) Keep(_ context.Context, c aep.Credential) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.credentials = append(m.credentials, c)
	return m.broken
}

func (m *memory) Drop(_ context.Context, revoked aep.Revocation) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropped = append(m.dropped, revoked)
	return nil
}

// scene is a Service, an agent whose document is published, and a client.
type scene struct {
	*testing.T
	world   *aeptest.World
	service *aeptest.Service
	http    *fetch.Client
	store   *memory
	client  *aep.Client
	agent   aep.Identity
	slept   []time.Duration
}

func newScene(t *testing.T, algorithm aep.Algorithm) *scene {
	t.Helper()
	w := aeptest.NewWorld(t, tls.VersionTLS13, tls.VersionTLS13)
	s := &scene{T: t, world: w, service: aeptest.NewService(w, shopHost), store: new(memory)}
	s.http = fetch.New(s.settings(tls.VersionTLS13, shopHost, idHost, "evil.example"))
	s.client = &aep.Client{HTTP: s.http, Store: s.store, Now: w.Now, Sleep: s.sleep, Retries: 2}
	below, err := aep.ParseDID("did:web:" + idHost + ":a")
	must(t, err)
	s.agent, err = aep.NewIdentity(below, algorithm, rand.Reader)
	must(t, err)
	s.publish(s.agent)
	return s
}

func (s *scene) settings(minTLS uint16, hosts ...string) fetch.Settings {
	settings := fetch.Settings{
		UserAgent: "agentctl/test", MinTLS: minTLS, Now: s.world.Now, Sleep: s.sleep,
		Roots: func() (*x509.CertPool, error) { return s.world.Roots, nil },
		Cache: fetch.OpenCache(s.TempDir()),
	}
	for _, host := range hosts {
		settings.Resolve = append(settings.Resolve, fetch.Override{Host: host, Port: 443, Addr: s.world.Addr().(*net.TCPAddr).AddrPort()})
	}
	return settings
}

func (s *scene) sleep(_ context.Context, d time.Duration) error {
	s.slept = append(s.slept, d)
	s.world.Pass(d)
	return nil
}

// publish puts an agent's document where its owner would.
func (s *scene) publish(who aep.Identity) {
	s.Helper()
	doc, err := who.Document()
	must(s.T, err)
	path := strings.TrimPrefix(who.Agent.DocumentURL(), "https://"+idHost)
	s.world.Handle(idHost, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			http.NotFound(out, r)
			return
		}
		out.Header().Set("Content-Type", "application/json")
		_, _ = out.Write(doc)
	}))
}

func (s *scene) inspect() *aep.Inspect {
	s.Helper()
	in, err := s.client.Inspect(s.Context(), aep.At("https://"+shopHost))
	must(s.T, err)
	return in
}

func (s *scene) enroll() *aep.Inspect {
	s.Helper()
	in := s.inspect()
	e, err := s.client.Enroll(s.Context(), in, s.agent, email())
	must(s.T, err)
	if e.State != aep.Active {
		s.Fatalf("enrolled as %s", e.State)
	}
	return in
}

// grant asks for a credential.
func (s *scene) grant(in *aep.Inspect, kind aep.GrantType) aep.Credential {
	s.Helper()
	c, err := s.client.Grant(s.Context(), in, s.agent, aep.GrantRequest{Type: kind})
	must(s.T, err)
	return c
}

// asked are the requests for a path that the Service got.
func (s *scene) asked(path string) []aeptest.Request {
	return slices.DeleteFunc(s.service.Requests(), func(r aeptest.Request) bool { return r.Path != path })
}

// show sends a GET for the resource with fields, and returns the status and the code of a problem.
func (s *scene) show(fields ...aep.Field) (status int, code string) {
	s.Helper()
	header := http.Header{}
	for _, f := range fields {
		must(s.T, f.AddTo(header))
	}
	return s.send(header)
}

func (s *scene) send(header http.Header) (status int, code string) {
	s.Helper()
	credential := header.Get("Authorization")
	header.Del("Authorization")
	response, err := s.http.Do(s.Context(), fetch.Request{URL: resource, Header: header, Credential: credential})
	must(s.T, err)
	defer response.Body.Close()
	var body struct{ Code string }
	must(s.T, json.NewDecoder(response.Body).Decode(&body))
	return response.Status, body.Code
}

func values(pairs ...string) (v manifest.Values) {
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], jsontext.Value(pairs[i+1]))
	}
	return v
}

func email() manifest.Values { return values("contact.email", `"ada@example.com"`) }

func wantFault(t testing.TB, err error, kind fault.Kind, code string) *fault.Error {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("got %v, want a fault with code %s", err, code)
	}
	if e.Kind != kind || e.Code != code {
		t.Fatalf("got kind %s, code %s (%v); want %s, %s", e.Kind, e.Code, e, kind, code)
	}
	return e
}

func newKey(t testing.TB, algorithm aep.Algorithm) aep.Key {
	t.Helper()
	key, err := aep.NewKey(algorithm, rand.Reader)
	must(t, err)
	return key
}
