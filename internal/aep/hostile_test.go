package aep_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/fault"
)

// everything calls all that signs or discloses something, and returns what each ended with.
func everything(s *scene, in *aep.Inspect) map[string]error {
	_, enroll := s.client.Enroll(s.Context(), in, s.agent, email())
	_, status := s.client.Status(s.Context(), in, s.agent)
	_, grant := s.client.Grant(s.Context(), in, s.agent, aep.GrantRequest{Type: aep.Basic})
	revoke := s.client.Revoke(s.Context(), in, s.agent, aep.Revocation{})
	return map[string]error{"enroll": enroll, "status": status, "grant": grant, "revoke": revoke}
}

// stranger counts what another origin gets.
func (s *scene) stranger() *[]*http.Request {
	got := new([]*http.Request)
	s.world.Handle("evil.example", http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		*got = append(*got, r)
		out.Header().Set("Content-Type", "application/aep+json")
		_, _ = io.WriteString(out, `{}`)
	}))
	return got
}

// AEP-3, AEP-4: who is not of the origin is found out before anything is asked, signed or sent.
func TestAServiceOfAnotherOrigin(t *testing.T) {
	for name, did := range map[string]string{
		"another host":        "did:web:other.example",
		"another port":        "did:web:shop.example%3A8443",
		"a host below":        "did:web:a.shop.example",
		"a host above":        "did:web:example",
		"user information":    "did:web:other.example%40shop.example",
		"a path in the host":  "did:web:shop.example%2F.other.example",
		"a port without %":    "did:web:shop.example:443@other.example",
		"an address":          "did:web:127.0.0.1",
		"another method":      "did:key:z6Mk",
		"no DID":              "https://shop.example",
		"a trailing dot":      "did:web:shop.example.",
		"a default port of 0": "did:web:shop.example%3A0",
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, aep.EdDSA)
			_, err := s.client.Inspect(t.Context(), aep.Challenge{ServiceDID: did, Inspect: "https://shop.example/.well-known/aep"})
			wantFault(t, err, fault.Manifest, "service_identity_mismatch")
			if n := len(s.service.Requests()); n != 0 {
				t.Errorf("%d requests were sent", n)
			}
			s.service.DID = did
			_, err = s.client.Inspect(t.Context(), aep.At("https://shop.example"))
			if e := fault.From(err); e.Code != "service_identity_mismatch" && e.Code != "inspect_invalid" {
				t.Errorf("of the document: %v", err)
			}
		})
	}
}

func TestTheChallengeAndTheDocumentNameOneService(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	s.service.DID = "did:web:shop.example:second"
	for did, good := range map[string]bool{"did:web:shop.example": false, "did:web:shop.example:second": true} {
		_, err := s.client.Inspect(t.Context(), aep.Challenge{ServiceDID: did, Inspect: "https://shop.example/.well-known/aep"})
		if good != (err == nil) {
			t.Errorf("%s: %v", did, err)
		}
		if !good {
			wantFault(t, err, fault.Manifest, "service_identity_mismatch")
		}
	}
}

func TestRedirectsOfInspect(t *testing.T) {
	for name, to := range map[string]string{
		"to another origin": "https://evil.example/.well-known/aep", "to plain http": "http://shop.example/x",
		"to another port": "https://shop.example:8443/x", "in a circle": "/.well-known/aep", "without end": "",
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, aep.EdDSA)
			got, n := s.stranger(), 0
			s.service.Before = func(out http.ResponseWriter, r *http.Request) bool {
				location := to
				if n++; to == "" {
					location = fmt.Sprintf("/hop/%d", n)
				}
				http.Redirect(out, r, location, http.StatusFound)
				return true
			}
			_, err := s.client.Inspect(t.Context(), aep.At("https://shop.example"))
			wantFault(t, err, fault.Unavailable, "redirect_refused")
			if len(*got) > 0 || n > 6 {
				t.Errorf("%d requests here, %d elsewhere", n, len(*got))
			}
		})
	}
	t.Run("within the origin", func(t *testing.T) {
		s := newScene(t, aep.EdDSA)
		s.service.Before = func(out http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/old" {
				http.Redirect(out, r, "/.well-known/aep", http.StatusFound)
			}
			return r.URL.Path == "/old"
		}
		for range 2 { // AEP-5: the second time out of the cache
			in, err := s.client.Inspect(t.Context(), aep.Challenge{ServiceDID: s.service.DID, Inspect: "https://shop.example/old"})
			must(t, err)
			if in.Origin != "https://shop.example" {
				t.Errorf("got %+v", in)
			}
		}
		for _, r := range s.service.Requests() {
			if r.Header.Get("Authorization") != "" || r.Header.Get("Accept") != "application/aep+json" {
				t.Errorf("asked with %v", r.Header)
			}
		}
		if n := len(s.service.Requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

// CH-9, AEP-15: no assertion and no claim follows a redirect, wherever it leads.
func TestRedirectsOfCommands(t *testing.T) {
	for _, to := range []string{"https://evil.example/agents/aep/", "/elsewhere/", "http://shop.example/agents/aep/"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			s := newScene(t, aep.EdDSA)
			in := s.enroll()
			got, before := s.stranger(), len(s.service.Requests())
			s.service.Before = func(out http.ResponseWriter, r *http.Request) bool {
				http.Redirect(out, r, to, status)
				return true
			}
			for op, err := range everything(s, in) {
				if e := fault.From(err); e == nil || e.Code != "redirect_refused" {
					t.Errorf("%s, %d to %s: %v", op, status, to, err)
				}
			}
			if n := len(s.service.Requests()) - before; n != 4 || len(*got) > 0 {
				t.Errorf("%d to %s: %d requests here, %d elsewhere", status, to, n, len(*got))
			}
		}
	}
}

// AEP-5: when the document is no longer fresh it is read again before a command, and what it says now counts.
func TestTheDocumentChangesBeforeACommand(t *testing.T) {
	claims := func(doc map[string]any) map[string]any { return doc["claims"].(map[string]any) }
	for name, c := range map[string]struct {
		change func(doc map[string]any)
		code   string
	}{
		"to another origin":                  {func(doc map[string]any) { doc["service"] = map[string]any{"did": "did:web:evil.example"} }, "service_identity_mismatch"},
		"to another Service of the origin":   {func(doc map[string]any) { doc["service"] = map[string]any{"did": "did:web:shop.example:b"} }, "service_identity_mismatch"},
		"it wants more claims":               {func(doc map[string]any) { claims(doc)["required"] = []string{"contact.email", "contact.mobile"} }, "invalid_claims"},
		"it no longer asks for a claim":      {func(doc map[string]any) { claims(doc)["required"] = []string{} }, "invalid_claims"},
		"it wants a claim that nobody knows": {func(doc map[string]any) { claims(doc)["required"] = []string{"contact.email", "kya.level"} }, "invalid_claims"},
		"it takes other keys":                {func(doc map[string]any) { doc["core"] = map[string]any{"signing_algorithms": []string{"ES256"}} }, "algorithm_unsupported"},
		"it takes symmetric keys": {func(doc map[string]any) {
			doc["core"] = map[string]any{"signing_algorithms": []string{"none", "HS256"}}
		}, "algorithm_unsupported"},
		"it says nothing of keys":    {func(doc map[string]any) { doc["core"] = map[string]any{} }, "algorithm_unsupported"},
		"it has no such command":     {func(doc map[string]any) { doc["commands"] = map[string]any{"supported": []string{"inspect"}} }, "aep_unsupported"},
		"it speaks another version":  {func(doc map[string]any) { doc["aep_version"] = "2.0" }, "aep_unsupported"},
		"it is no document any more": {func(doc map[string]any) { delete(doc, "service") }, "inspect_invalid"},
		"its commands are at a query": {func(doc map[string]any) {
			doc["http"] = map[string]any{"endpoint_base": "/go?to=https://evil.example/"}
		}, "inspect_invalid"},
		"its commands are above":                {func(doc map[string]any) { doc["http"] = map[string]any{"endpoint_base": "/a/%2e%2e/b"} }, "inspect_invalid"},
		"its commands are at another authority": {func(doc map[string]any) { doc["http"] = map[string]any{"endpoint_base": "@evil.example/"} }, "inspect_invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, aep.EdDSA)
			in := s.inspect()
			s.service.Change = c.change
			got := s.stranger()
			s.world.Pass(5*time.Minute - time.Second)
			if _, err := s.client.Status(t.Context(), in, s.agent); fault.From(err).Code != "not_recognized" {
				t.Fatalf("while it is fresh: %v", err)
			}
			s.world.Pass(2 * time.Second)
			before := len(s.service.Requests())
			_, err := s.client.Enroll(t.Context(), in, s.agent, email())
			if e := fault.From(err); e == nil || e.Code != c.code {
				t.Errorf("got %v, want %s", err, c.code)
			}
			for _, r := range s.service.Requests()[before:] {
				if r.Path != "/.well-known/aep" || r.Header.Get("Authorization") != "" {
					t.Errorf("%s %s was sent", r.Method, r.Path)
				}
			}
			if len(*got) > 0 || s.store.saves > 0 {
				t.Errorf("%d requests elsewhere, %d saved", len(*got), s.store.saves)
			}
		})
	}
}

func TestTheEndpointMoves(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	in := s.inspect()
	for _, base := range []string{"/", "/v2", "/v3///", "//evil.example/aep"} {
		s.service.Base = base
		s.world.Pass(10 * time.Minute)
		_, err := s.client.Enroll(t.Context(), in, s.agent, email())
		if base == "//evil.example/aep" { // a path like any other, on our origin
			if len(s.asked("//evil.example/aep/enroll")) != 1 {
				t.Errorf("asked %v", err)
			}
			continue
		}
		must(t, err)
		if want := strings.TrimRight(base, "/") + "/enroll"; len(s.asked(want)) != 1 {
			t.Errorf("%s was not asked", want)
		}
	}
}

func TestDocumentsThatAreNotTaken(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(out http.ResponseWriter)
		kind   fault.Kind
		code   string
	}{
		"plain JSON":     {func(out http.ResponseWriter) { reply(out, 200, "application/json", "{}") }, fault.Manifest, "inspect_invalid"},
		"no type":        {func(out http.ResponseWriter) { reply(out, 200, "", "{}") }, fault.Manifest, "inspect_invalid"},
		"not JSON":       {func(out http.ResponseWriter) { reply(out, 200, "application/aep+json", "<html>") }, fault.Manifest, "inspect_invalid"},
		"an array":       {func(out http.ResponseWriter) { reply(out, 200, "application/aep+json", "[]") }, fault.Manifest, "inspect_invalid"},
		"a member twice": {func(out http.ResponseWriter) { reply(out, 200, "application/aep+json", `{"a":1,"a":2}`) }, fault.Manifest, "inspect_invalid"},
		"too large": {func(out http.ResponseWriter) {
			reply(out, 200, "application/aep+json", `{"a":"`+strings.Repeat("x", 64<<10)+`"}`)
		}, fault.Unavailable, "too_large"},
		"not there":    {func(out http.ResponseWriter) { reply(out, 404, "text/html", "") }, fault.Manifest, "inspect_missing"},
		"for nobody":   {func(out http.ResponseWriter) { reply(out, 401, "text/html", "") }, fault.Manifest, "inspect_missing"},
		"out of order": {func(out http.ResponseWriter) { reply(out, 500, "text/html", "") }, fault.Unavailable, "inspect_missing"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, aep.EdDSA)
			s.service.Before = func(out http.ResponseWriter, _ *http.Request) bool { c.answer(out); return true }
			_, err := s.client.Inspect(t.Context(), aep.At("https://shop.example"))
			wantFault(t, err, c.kind, c.code)
		})
	}
}

func reply(out http.ResponseWriter, status int, mediaType, body string) {
	out.Header()["Content-Type"] = []string{mediaType}
	out.WriteHeader(status)
	_, _ = io.WriteString(out, body)
}

func TestAnswersThatAreNotTaken(t *testing.T) {
	const aepType = "application/aep+json"
	for name, c := range map[string]struct{ op, mediaType, body, code string }{
		"plain JSON":                {"enroll", "application/json", `{"status":"active"}`, "answer_invalid"},
		"not JSON":                  {"enroll", aepType, `active`, "answer_invalid"},
		"no object":                 {"revoke", aepType, `[]`, "answer_invalid"},
		"no state":                  {"enroll", aepType, `{}`, "answer_invalid"},
		"a state of Status":         {"enroll", aepType, `{"status":"suspended"}`, "answer_invalid"},
		"an unknown state":          {"status", aepType, `{"status":"Active"}`, "answer_invalid"},
		"a boolean":                 {"status", aepType, `{"status":"active","owner_action_required":true}`, "answer_invalid"},
		"a name that is none":       {"status", aepType, `{"status":"pending","requirements_pending":[1]}`, "answer_invalid"},
		"a time that is none":       {"status", aepType, `{"status":"active","since":"yesterday"}`, "answer_invalid"},
		"too large":                 {"status", aepType, `{"status":"` + strings.Repeat("x", 64<<10) + `"}`, "too_large"},
		"no expiry":                 {"grant", aepType, `{"username":"u","password":"p"}`, "answer_invalid"},
		"another type":              {"grant", aepType, `{"access_token":"t","token_type":"Bearer","expires_at":"2026-12-01T00:00:00Z"}`, "answer_invalid"},
		"a colon in the user":       {"grant", aepType, `{"username":"u:v","password":"p","expires_at":"2026-12-01T00:00:00Z"}`, "answer_invalid"},
		"a line break in it":        {"grant", aepType, `{"username":"u","password":"p\r\nX: y","expires_at":"2026-12-01T00:00:00Z"}`, "answer_invalid"},
		"scopes that are no array":  {"grant", aepType, `{"username":"u","password":"p","scopes":"all","expires_at":"2026-12-01T00:00:00Z"}`, "answer_invalid"},
		"scopes without end":        {"grant", aepType, `{"username":"u","password":"p","scopes":["` + strings.Repeat("x", 9<<10) + `"],"expires_at":"2026-12-01T00:00:00Z"}`, "answer_invalid"},
		"a credential id that is 7": {"grant", aepType, `{"username":"u","password":"p","credential_id":7,"expires_at":"2026-12-01T00:00:00Z"}`, "answer_invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, aep.EdDSA)
			in := s.enroll()
			s.service.Before = func(out http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/"+c.op) {
					return false
				}
				reply(out, 200, c.mediaType, c.body)
				return true
			}
			e := fault.From(everything(s, in)[c.op])
			if e == nil || e.Code != c.code {
				t.Fatalf("got %v, want %s", e, c.code)
			}
			if e.Sent != fault.SentYes || c.op == "grant" && len(s.store.credentials) > 0 || strings.Contains(e.Error(), "X: y") {
				t.Errorf("sent %s, kept %d: %v", e.Sent, len(s.store.credentials), e)
			}
		})
	}
}

// AEP-32: the code decides; CH-11: what was sent is not repeated.
func TestProblems(t *testing.T) {
	s := newScene(t, aep.EdDSA)
	in := s.inspect()
	var status int
	var mediaType, body string
	s.service.Before = func(out http.ResponseWriter, r *http.Request) bool {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "AEP ")
		reply(out, status, mediaType, strings.ReplaceAll(body, "TOKEN", token))
		return true
	}
	ask := func(to int, of, text string) *fault.Error {
		status, mediaType, body = to, of, text
		_, err := s.client.Enroll(t.Context(), in, s.agent, email())
		e, ok := errors.AsType[*fault.Error](err)
		if !ok {
			t.Fatalf("got %v", err)
		}
		return e
	}
	const problem = "application/problem+json; charset=utf-8"

	e := ask(422, problem, `{"type":"urn:aep:error:requirements_unmet","code":"requirements_unmet","requirements_pending":["company.registration",7],"owner_action_required":"true"}`)
	if e.Code != "requirements_unmet" || e.Kind != fault.Rejected || e.Status != 422 || e.Sent != fault.SentYes {
		t.Errorf("got %+v", e)
	}
	if names, _ := e.Details["requirements_pending"].([]string); !slices.Equal(names, []string{"company.registration"}) || e.Details["owner_action_required"] != true {
		t.Errorf("details %v", e.Details)
	}
	e = ask(400, problem, `{"type":"urn:aep:error:enrollment_failed","title":"no ada@example.com","detail":"TOKEN and ada@example.com"}`)
	if e.Code != "enrollment_failed" || e.Message != "no <redacted>: <redacted> and <redacted>" {
		t.Errorf("got %s: %s", e.Code, e.Message)
	}
	for name, c := range map[string]struct {
		status          int
		mediaType, body string
		code            string
		kind            fault.Kind
	}{
		"of another type":         {409, "application/json", `{"code":"idempotency_conflict"}`, "http_409", fault.Rejected},
		"not JSON":                {401, problem, `not_recognized`, "http_401", fault.Auth},
		"a code that is a text":   {403, problem, `{"code":"go to https://evil.example"}`, "http_403", fault.Auth},
		"a code that is a number": {403, problem, `{"code":7}`, "http_403", fault.Auth},
		"an unknown code":         {403, problem, `{"code":"moon_phase"}`, "moon_phase", fault.Auth},
		"rate limited":            {429, problem, `{"code":"rate_limited"}`, "rate_limited", fault.Unavailable},
		"a success of no kind":    {204, "", ``, "http_204", fault.Rejected},
	} {
		if e := ask(c.status, c.mediaType, c.body); e.Code != c.code || e.Kind != c.kind {
			t.Errorf("%s: %s %s", name, e.Kind, e.Code)
		}
	}
}

// A refusal is the end of a command: the next one has a new key. What is only unclear is not.
func TestRefusedCommandsAreForgotten(t *testing.T) {
	for status, forgotten := range map[int]bool{400: true, 401: true, 403: true, 409: true, 422: true, 408: false, 429: false, 500: false, 503: false} {
		s := newScene(t, aep.EdDSA)
		in := s.inspect()
		s.service.Before = func(out http.ResponseWriter, _ *http.Request) bool { reply(out, status, "", ""); return true }
		_, err := s.client.Enroll(t.Context(), in, s.agent, email())
		if err == nil || forgotten != (len(s.store.unfinished) == 0) {
			t.Errorf("status %d: %v, %d unfinished", status, err, len(s.store.unfinished))
		}
	}
}
