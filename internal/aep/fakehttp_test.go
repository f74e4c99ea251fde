package aep_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/fetch"
)

// script is an HTTP client that gives the answers that it was told to, and remembers what it was asked.
type script struct {
	docs    map[string]string // by URL
	answers []canned
	sent    []fetch.Request
}

type canned struct {
	status          int
	mediaType, body string
}

func (s *script) Get(_ context.Context, ask fetch.Ask) (*fetch.Document, error) {
	doc, ok := s.docs[ask.URL]
	if !ok {
		return &fetch.Document{Status: http.StatusNotFound}, nil
	}
	return &fetch.Document{
		URL: ask.URL, Status: http.StatusOK, ContentType: "application/aep+json", Body: []byte(doc), Expires: noon().Add(time.Hour),
	}, nil
}

func (s *script) Do(_ context.Context, request fetch.Request) (*fetch.Response, error) {
	request.Header = request.Header.Clone()
	s.sent = append(s.sent, request)
	a := s.answers[0]
	s.answers = s.answers[1:]
	return &fetch.Response{
		Status: a.status, Header: http.Header{"Content-Type": {a.mediaType}}, Body: io.NopCloser(strings.NewReader(a.body)), URL: request.URL,
	}, nil
}

func noon() time.Time { return time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC) }

// actor is a client that talks to a script, at the Service of the published vectors.
type actor struct {
	*script
	client *aep.Client
	store  *memory
	agent  aep.Identity
	in     *aep.Inspect
	now    time.Time
}

const vectorInspect = `{"aep_version":"1.0","bindings":{"supported":["http"]},"core":{"signing_algorithms":["ES256","EdDSA"]},"http":{},
	"commands":{"supported":["enroll","grant","revoke"],"grant_types":["oauth-bearer","api-key","basic"]},
	"claims":{"required":["contact.email"],"preferred":["contact.mobile","contact.address.primary","person.birthdate"],
		"optional":["person.first_name","person.last_name","person.username"]},
	"authentication":{"methods":["aep-jwt"]},"identity":{"methods":["did:web"]},"service":{"did":"did:web:api.example.com"}}`

func newActor(t *testing.T) *actor {
	t.Helper()
	a := &actor{script: &script{docs: map[string]string{"https://api.example.com/.well-known/aep": vectorInspect}}, store: new(memory), now: noon()}
	a.client = &aep.Client{
		HTTP: a.script, Store: a.store, Now: func() time.Time { return a.now },
		Sleep: func(_ context.Context, d time.Duration) error { a.now = a.now.Add(d); return nil },
	}
	a.agent = aep.Identity{Agent: did(t, "did:web:agent.example.com:agents:123"), Key: newKey(t, aep.ES256), Name: "k1"}
	var err error
	a.in, err = a.client.Inspect(t.Context(), aep.Challenge{ServiceDID: "did:web:api.example.com", Inspect: "https://api.example.com/.well-known/aep"})
	must(t, err)
	return a
}

func (a *actor) reply(status int, body string) {
	mediaType := "application/aep+json"
	if status >= 400 {
		mediaType = "application/problem+json"
	}
	a.answers = append(a.answers, canned{status, mediaType, body})
}

func did(t testing.TB, text string) aep.DID {
	t.Helper()
	d, err := aep.ParseDID(text)
	must(t, err)
	return d
}

// claimsOf decodes what an assertion says, without trusting it.
func claimsOf(t testing.TB, token string) map[string]any {
	t.Helper()
	parts := strings.Split(strings.TrimPrefix(token, "AEP "), ".")
	if len(parts) != 3 {
		t.Fatalf("%d parts", len(parts))
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	must(t, err)
	var claims map[string]any
	must(t, json.Unmarshal(text, &claims))
	return claims
}
