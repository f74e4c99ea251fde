package aep_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/aep/aeptest"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// The whole life of an agent at a Service, with either kind of key.
func TestAnAgentEnrolsIsGrantedAndRevokes(t *testing.T) {
	for _, algorithm := range []aep.Algorithm{aep.EdDSA, aep.ES256} {
		t.Run(string(algorithm), func(t *testing.T) {
			s := newScene(t, algorithm)
			must(t, s.client.CheckPublished(t.Context(), s.agent))
			in := s.enroll()
			if claims, ok := s.service.Enrolled(s.agent.Agent.String()); !ok || claims != `{"contact.email":"ada@example.com"}` {
				t.Errorf("the Service has %q", claims)
			}
			token, err := s.client.Sign(t.Context(), in, s.agent, resource)
			must(t, err)
			if status, code := s.show(aep.Dedicated.Present(token)); status != http.StatusOK {
				t.Errorf("an assertion: %d %s", status, code)
			}
			if status, code := s.show(aep.Authorization.Present(token)); status != http.StatusUnauthorized || code != "not_recognized" {
				t.Errorf("the same assertion again: %d %s", status, code)
			}
			for _, kind := range []aep.GrantType{aep.OAuthBearer, aep.APIKey, aep.Basic} {
				c := s.grant(in, kind)
				field, err := c.Present(aep.Authorization, resource, s.world.Now())
				must(t, err)
				if status, code := s.show(field); status != http.StatusOK {
					t.Errorf("%s: %d %s", kind, status, code)
				}
				must(t, s.client.Revoke(t.Context(), in, s.agent, aep.Revocation{Type: kind, ID: c.ID}))
				if status, code := s.show(field); status != http.StatusUnauthorized || code != "not_recognized" {
					t.Errorf("%s after its revocation: %d %s", kind, status, code)
				}
			}
			if len(s.store.credentials) != 3 || len(s.store.dropped) != 3 || len(s.store.unfinished) != 0 {
				t.Errorf("kept %d, dropped %d, unfinished %d", len(s.store.credentials), len(s.store.dropped), len(s.store.unfinished))
			}
		})
	}
}

func TestRevokeAllEndsEveryCredential(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	in := s.enroll()
	c := s.grant(in, aep.Basic)
	must(t, s.client.Revoke(t.Context(), in, s.agent, aep.Revocation{}))
	field, err := c.Present(aep.Dedicated, resource, s.world.Now())
	must(t, err)
	if status, _ := s.show(field); status != http.StatusUnauthorized {
		t.Errorf("status %d", status)
	}
	must(t, s.client.Revoke(t.Context(), in, s.agent, aep.Revocation{})) // nothing is left, which is a success too
	err = s.client.Revoke(t.Context(), in, s.agent, aep.Revocation{ID: "x"})
	wantFault(t, err, fault.Usage, "invalid_arguments")
}

func TestAServiceOnAPortOfLocalhost(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	host := "localhost:" + s.world.Addr().String()[strings.LastIndexByte(s.world.Addr().String(), ':')+1:]
	service := aeptest.NewService(s.world, host)
	in, err := s.client.Inspect(t.Context(), aep.Challenge{ServiceDID: service.DID, Inspect: "https://" + host + "/.well-known/aep"})
	must(t, err)
	_, err = s.client.Enroll(t.Context(), in, s.agent, email())
	must(t, err)
}

// AEP-18, AEP-19: enrolling again tells the present state.
func TestEnrollingAgainTellsTheState(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	in := s.enroll()
	s.service.SetState(s.agent.Agent.String(), "rejected")
	e, err := s.client.Enroll(t.Context(), in, s.agent, email())
	must(t, err)
	if e.State != aep.Rejected {
		t.Errorf("state %s", e.State)
	}
	wantFault(t, e.Err(), fault.Auth, "enrollment_rejected")
}

func TestStates(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	in := s.inspect()
	_, err := s.client.Status(t.Context(), in, s.agent)
	wantFault(t, err, fault.Auth, "not_recognized")
	for _, state := range []string{"pending", "unavailable", "suspended", "terminated", "rejected"} {
		s.service.SetState(s.agent.Agent.String(), state)
		e, err := s.client.Status(t.Context(), in, s.agent)
		must(t, err)
		wantFault(t, e.Err(), fault.Auth, "enrollment_"+state)
		if e.Since.IsZero() {
			t.Error("no time")
		}
		_, err = s.client.Grant(t.Context(), in, s.agent, aep.GrantRequest{Type: aep.Basic})
		wantFault(t, err, fault.Auth, "enrollment_"+state)
	}
	if n := len(s.asked("/agents/aep/grant")); n != 0 {
		t.Errorf("%d grants were asked for in vain", n)
	}
}

// AEP-23: a Service that has no Status is asked for the grant at once, and a stranger stays one.
func TestGrantNeverEnrols(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	s.service.Change = func(doc map[string]any) {
		doc["commands"].(map[string]any)["supported"] = []string{"enroll", "grant"}
	}
	in := s.inspect()
	_, err := s.client.Grant(t.Context(), in, s.agent, aep.GrantRequest{Type: aep.Basic})
	wantFault(t, err, fault.Auth, "not_recognized")
	if _, ok := s.service.Enrolled(s.agent.Agent.String()); ok || len(s.asked("/agents/aep/enroll")) > 0 {
		t.Error("enrolled")
	}
	_, err = s.client.Status(t.Context(), in, s.agent)
	wantFault(t, err, fault.Manifest, "aep_unsupported")
}

// AEP-20: polls come more rarely, wait as long as they are told to, and end.
func TestAwait(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	s.service.First = "pending"
	in := s.inspect()
	e, err := s.client.Enroll(t.Context(), in, s.agent, email())
	must(t, err)
	if !e.OwnerAction || len(e.Verification) != 1 {
		t.Errorf("got %+v", e)
	}
	told := 0
	e, err = s.client.Await(t.Context(), in, s.agent, aep.Wait{Limit: 4 * time.Minute, Tell: func(aep.Enrolment) {
		if told++; told == 4 {
			s.service.SetState(s.agent.Agent.String(), "active")
		}
	}})
	must(t, err)
	want := []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}
	if e.State != aep.Active || !slices.Equal(s.slept, want) {
		t.Errorf("state %s after %v", e.State, s.slept)
	}

	s.slept = nil
	s.service.SetState(s.agent.Agent.String(), "pending")
	_, err = s.client.Await(t.Context(), in, s.agent, aep.Wait{Limit: 3 * time.Minute})
	wantFault(t, err, fault.Auth, "enrollment_pending")
	if n := len(s.slept); n != 6 || s.slept[n-1] != time.Minute { // 2, 4, 8, 16, 32, 60; another minute would pass the limit
		t.Errorf("slept %v", s.slept)
	}
}

// AEP-15, AEP-17: a retry has the same key and body, and an assertion of its own.
func TestARetryRepeatsKeyAndBodyButNoAssertion(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	in := s.inspect()
	tries := 0
	s.service.Before = func(out http.ResponseWriter, r *http.Request) bool {
		if tries++; tries > 2 {
			return false
		}
		out.Header().Set("Retry-After", "7")
		out.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	_, err := s.client.Enroll(t.Context(), in, s.agent, email())
	must(t, err)
	asked := s.asked("/agents/aep/enroll")
	if len(asked) != 3 || !slices.Equal(s.slept, []time.Duration{7 * time.Second, 7 * time.Second}) {
		t.Fatalf("%d tries after %v", len(asked), s.slept)
	}
	assertions := map[string]bool{}
	for _, r := range asked {
		assertions[r.Header.Get("Authorization")] = true
		if key := r.Header.Get("Idempotency-Key"); key == "" || key != asked[0].Header.Get("Idempotency-Key") || string(r.Body) != string(asked[0].Body) {
			t.Errorf("key %q, body %s", key, r.Body)
		}
	}
	if len(assertions) != 3 {
		t.Errorf("%d assertions for 3 requests", len(assertions))
	}
}

// AEP-17: what a run that was cut off began, the next one takes up.
func TestAnInterruptedGrantIsTakenUp(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	in := s.enroll()
	s.service.Before = func(out http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/grant") {
			return false
		}
		s.service.Before = nil
		s.service.ServeHTTP(discard{http.Header{}}, r) // it is done, but the answer is lost
		panic(http.ErrAbortHandler)
	}
	s.client.Retries = 0
	_, err := s.client.Grant(t.Context(), in, s.agent, aep.GrantRequest{Type: aep.APIKey, Label: "one"})
	if e := wantFault(t, err, fault.Unavailable, "connection_reset"); e.Sent != fault.SentUnknown {
		t.Errorf("sent %s", e.Sent)
	}
	c, err := s.client.Grant(t.Context(), in, s.agent, aep.GrantRequest{Type: aep.APIKey, Label: "one"})
	must(t, err)
	if c.ID != "api-key-1" {
		t.Errorf("a second credential was issued: %s", c.ID)
	}
	if c := s.grant(in, aep.APIKey); c.ID != "api-key-2" {
		t.Errorf("a new grant is %s", c.ID)
	}
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

func TestAnUnfinishedCommandIsNotTakenUp(t *testing.T) {
	for name, later := range map[string]func(*scene) aep.GrantRequest{
		"for another request": func(*scene) aep.GrantRequest { return aep.GrantRequest{Type: aep.APIKey, Label: "two"} },
		"after an hour": func(s *scene) aep.GrantRequest {
			s.world.Pass(time.Hour)
			return aep.GrantRequest{Type: aep.APIKey, Label: "one"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, aep.EdDSA)
			in := s.enroll()
			s.client.Retries = 0
			s.service.Before = func(out http.ResponseWriter, r *http.Request) bool {
				if strings.HasSuffix(r.URL.Path, "/grant") {
					out.WriteHeader(http.StatusBadGateway)
					return true
				}
				return false
			}
			_, err := s.client.Grant(t.Context(), in, s.agent, aep.GrantRequest{Type: aep.APIKey, Label: "one"})
			wantFault(t, err, fault.Unavailable, "http_502")
			s.service.Before = nil
			_, err = s.client.Grant(t.Context(), in, s.agent, later(s))
			must(t, err)
			asked := s.asked("/agents/aep/grant")
			if asked[0].Header.Get("Idempotency-Key") == asked[1].Header.Get("Idempotency-Key") {
				t.Error("the same key")
			}
		})
	}
}

func TestNothingIsSentThatCannotBeSaved(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	in := s.inspect()
	s.store.broken = errors.New("the disk is full")
	if _, err := s.client.Enroll(t.Context(), in, s.agent, email()); !errors.Is(err, s.store.broken) {
		t.Errorf("got %v", err)
	}
	if n := len(s.asked("/agents/aep/enroll")); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestAGrantThatCannotBeKeptIsNotLost(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	in := s.enroll()
	failing := &keepless{memory: s.store, err: errors.New("the keyring is locked")}
	s.client.Store = failing
	if _, err := s.client.Grant(t.Context(), in, s.agent, aep.GrantRequest{Type: aep.Basic}); !errors.Is(err, failing.err) {
		t.Fatalf("got %v", err)
	}
	failing.err = nil
	if c := s.grant(in, aep.Basic); c.ID != "basic-1" {
		t.Errorf("got %s, the one before is lost", c.ID)
	}
}

type keepless struct {
	*memory
	err error
}

func (k *keepless) Keep(ctx context.Context, c aep.Credential) error {
	if k.err != nil {
		return k.err
	}
	return k.memory.Keep(ctx, c)
}

// CH-12: a Service that speaks no TLS 1.3 is not spoken to.
func TestOldTLSIsRefused(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	s.world = aeptest.NewWorld(t, tls.VersionTLS12, tls.VersionTLS12)
	aeptest.NewService(s.world, shopHost)
	s.client.HTTP = fetch.New(s.settings(tls.VersionTLS13, shopHost))
	_, err := s.client.Inspect(t.Context(), aep.At("https://"+shopHost))
	wantFault(t, err, fault.Unavailable, "tls_failed")
	s.client.HTTP = fetch.New(s.settings(0, shopHost))
	_, err = s.client.Inspect(t.Context(), aep.At("https://"+shopHost))
	must(t, err)
}
