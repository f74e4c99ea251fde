package aep_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

const platformDocument = `{"aep_version":"1.0","endpoints":{"lifecycle":"/v1/aep/agent-identities/{agent_identity_id}",
	"provision":"/v1/aep/agent-identities","sign":"/v1/aep/agent-identities/{agent_identity_id}/sign","list":"/v1/aep/agent-identities"},
	"http":{"endpoint_base":"/v1/aep"},"identity":{"did_methods":["did:web"],"did_url_template":"https://p.example/a/{agent_did_id}/did.json"},
	"platform":{"name":"P","hosted_verification":false},"signing":{"algorithms":["ES256"],"default_lifetime_seconds":"300"}}`

// hosting is a platform that gives the answers that it was told to.
type hosting struct {
	*actor
	*aep.Platform
	doc *aep.PlatformDocument
}

func newHosting(t *testing.T) *hosting {
	t.Helper()
	a := newActor(t)
	h := &hosting{actor: a, Platform: &aep.Platform{Client: a.client, Origin: "https://p.example", Field: aep.Field{Name: "Authorization", Value: "Bearer owner"}}}
	a.docs["https://p.example/.well-known/aep-platform"] = platformDocument
	var err error
	h.doc, err = h.Discover(t.Context())
	must(t, err)
	return h
}

// asked checks that a request went to the platform, with what tells who asks and, if it has a body, a key.
func (h *hosting) asked(t *testing.T, i int, method, path string) jsontext.Value {
	t.Helper()
	r := h.sent[i]
	if r.Method != method || r.URL != "https://p.example"+path || r.Credential != "Bearer owner" {
		t.Errorf("sent %s %s", r.Method, r.URL)
	}
	if key := r.Header.Get("Idempotency-Key"); (key == "") != (method == http.MethodGet) {
		t.Errorf("key %q", key)
	}
	return r.Body
}

func checkHosted(t *testing.T, h aep.Hosted, doc jsontext.Value) {
	t.Helper()
	algorithms := []string{}
	for _, a := range h.Algorithms {
		algorithms = append(algorithms, string(a))
	}
	want := into[map[string]any](t, doc)
	for name, got := range map[string]any{
		"agent_did": h.Agent.String(), "agent_identity_id": h.ID, "service_did": h.Service.String(), "status": h.State,
		"key_id": h.Agent.String(), "did_document_url": h.Agent.DocumentURL(),
	} {
		if want[name] != got {
			t.Errorf("%s is %v, want %v", name, got, want[name])
		}
	}
	if fmt.Sprint(want["signing_algorithms"]) != fmt.Sprint(algorithms) {
		t.Errorf("algorithms %v", algorithms)
	}
}

func platformDiscoveryVector(t *testing.T, v vector) {
	d, err := aep.ParsePlatform(v.Expected, "https://p.example/.well-known/aep-platform")
	must(t, err)
	if d.Lifetime != 5*time.Minute || !reflect.DeepEqual(d.Algorithms, []aep.Algorithm{aep.ES256}) {
		t.Errorf("got %+v", d)
	}
	h := newHosting(t)
	h.doc = d
	h.reply(http.StatusOK, `{"data":[]}`)
	_, err = h.List(t.Context(), d, aep.DID{})
	must(t, err)
	h.asked(t, 0, http.MethodGet, "/v1/aep/agent-identities") // the base is not put before it again
}

func platformConflictVector(t *testing.T, v vector) {
	want := into[struct {
		Status int    `json:"changed_input_or_operation_status"`
		Code   string `json:"changed_input_or_operation_code"`
	}](t, v.Expected)
	h := newHosting(t)
	h.reply(want.Status, `{"type":"urn:aep:error:`+want.Code+`","code":"`+want.Code+`"}`)
	_, err := h.Provision(t.Context(), h.doc, did(t, "did:web:api.service.example"))
	if e := wantFault(t, err, fault.Rejected, want.Code); e.Status != want.Status {
		t.Errorf("status %d", e.Status)
	}
}

const hostedDocument = `{"agent_did":"did:web:p.example:a:4Yf7p2xQd9","agent_identity_id":"pai_1/x","created_at":"2026-07-06T12:00:00Z",
	"did_document_url":"https://p.example/a/4Yf7p2xQd9/did.json","key_id":"did:web:p.example:a:4Yf7p2xQd9",
	"service_did":"did:web:api.example.com","signing_algorithms":["ES256"],"status":"active","updated_at":"2026-07-06T12:10:00Z"}`

func lifecycleVector(t *testing.T, v vector) {
	h := newHosting(t)
	h.reply(http.StatusOK, hostedDocument)
	agent, err := aep.ParseHosted([]byte(hostedDocument))
	must(t, err)
	_, err = h.SetState(t.Context(), h.doc, agent, into[map[string]string](t, v.Input)["status"])
	must(t, err)
	sameJSON(t, h.asked(t, 0, http.MethodPost, "/v1/aep/agent-identities/pai_1%2Fx"), v.Input)
}

func hostedVector(t *testing.T, v vector) {
	h, err := aep.ParseHosted(v.Expected)
	must(t, err)
	checkHosted(t, h, v.Expected)
}

func hostedListVector(t *testing.T, v vector) {
	h := newHosting(t)
	h.reply(http.StatusOK, string(v.Expected))
	service := into[map[string]map[string]any](t, v.Input)["query"]["service_did"].(string)
	agents, err := h.List(t.Context(), h.doc, did(t, service))
	must(t, err)
	data, _ := strictjson.Member(v.Expected, "data")
	n := 0
	for i, item := range strictjson.Elements(data) {
		checkHosted(t, agents[i], item)
		n++
	}
	if n != len(agents) || !strings.Contains(h.sent[0].URL, "service_did=did%3Aweb%3Aapi.service.example") {
		t.Errorf("%d agents of %d, asked for %s", len(agents), n, h.sent[0].URL)
	}
}

func provisionVector(t *testing.T, v vector) {
	h := newHosting(t)
	h.reply(http.StatusCreated, strings.Replace(hostedDocument, "did:web:api.example.com", "did:web:api.service.example", 1))
	_, err := h.Provision(t.Context(), h.doc, did(t, into[map[string]string](t, v.Input)["service_did"]))
	must(t, err)
	sameJSON(t, h.asked(t, 0, http.MethodPost, "/v1/aep/agent-identities"), v.Input)
}

func distinctVector(t *testing.T, v vector) {
	in := into[map[string]map[string]string](t, v.Input)
	h := newHosting(t)
	seen := map[aep.DID]bool{}
	for i, which := range []string{"first", "second"} {
		answer, _ := strictjson.Member(v.Expected, which+"_response")
		h.reply(http.StatusCreated, string(answer))
		agent, err := h.Provision(t.Context(), h.doc, did(t, in[which+"_request"]["service_did"]))
		must(t, err)
		checkHosted(t, agent, answer)
		if h.asked(t, i, http.MethodPost, "/v1/aep/agent-identities"); seen[agent.Agent] {
			t.Error("one agent for two Services")
		}
		seen[agent.Agent] = true
	}
	if h.sent[0].Header.Get("Idempotency-Key") == h.sent[1].Header.Get("Idempotency-Key") {
		t.Error("one key for two requests")
	}
	// An answer that is about another Service is not taken.
	answer, _ := strictjson.Member(v.Expected, "first_response")
	h.reply(http.StatusCreated, string(answer))
	_, err := h.Provision(t.Context(), h.doc, did(t, in["second_request"]["service_did"]))
	wantFault(t, err, fault.Rejected, "answer_invalid")
}

// signer is a hosted agent, and the key that the platform has for it.
func (h *hosting) signer(t *testing.T) (*aep.HostedSigner, aep.Identity) {
	t.Helper()
	agent, err := aep.ParseHosted([]byte(hostedDocument))
	must(t, err)
	s, err := h.Signer(h.doc, agent, h.in)
	must(t, err)
	return s, aep.Identity{Agent: agent.Agent, Key: newKey(t, aep.ES256)}
}

// completed is the platform's answer to a request to sign.
func completed(t *testing.T, a aep.Assertion, by aep.Identity) string {
	t.Helper()
	token, err := by.Sign(t.Context(), a)
	must(t, err)
	return fmt.Sprintf(`{"status":"completed","agent_did":%q,"service_did":%q,"jti":%q,"client_assertion":%q}`, a.Agent, a.Service, a.ID, token)
}

func signRequestVector(t *testing.T, v vector) {
	in := into[struct {
		ID       string `json:"jti"`
		Lifetime string `json:"lifetime_seconds"`
		Op       aep.Op
		Service  string         `json:"service_did"`
		Context  jsontext.Value `json:"platform_context"`
	}](t, v.Input)
	h := newHosting(t)
	s, key := h.signer(t)
	s.Context = in.Context
	lifetime, err := time.ParseDuration(in.Lifetime + "s")
	must(t, err)
	a := aep.Assertion{Agent: s.DID(), Service: did(t, in.Service), Op: in.Op, ID: in.ID, Issued: h.now, Expires: h.now.Add(lifetime)}
	h.reply(http.StatusOK, completed(t, a, key))
	token, err := s.Sign(t.Context(), a)
	must(t, err)
	sameJSON(t, h.asked(t, 0, http.MethodPost, "/v1/aep/agent-identities/pai_1%2Fx/sign"), v.Input)
	must(t, a.CheckSigned(token, aep.ES256))
}

func signPendingVector(t *testing.T, v vector) {
	want := into[struct {
		Context jsontext.Value `json:"platform_context"`
	}](t, v.Expected)
	h := newHosting(t)
	s, key := h.signer(t)
	a := aep.Assertion{Agent: s.DID(), Service: h.in.Service, Op: aep.OpStatus, ID: "x", Issued: h.now, Expires: h.now.Add(time.Minute)}
	h.reply(http.StatusAccepted, string(v.Expected))
	later := a
	later.Issued, later.Expires = a.Issued.Add(5*time.Second), a.Expires.Add(5*time.Second)
	h.reply(http.StatusOK, completed(t, later, key))
	_, err := s.Sign(t.Context(), a)
	must(t, err)
	if waited := h.now.Sub(a.Issued); waited != 5*time.Second {
		t.Errorf("waited %s", waited)
	}
	again, _ := strictjson.Member(h.sent[1].Body, "platform_context")
	sameJSON(t, again, want.Context)
	if h.sent[0].Header.Get("Idempotency-Key") == h.sent[1].Header.Get("Idempotency-Key") {
		t.Error("one key for two requests")
	}
	// A platform that never signs is given up.
	for range 100 {
		h.reply(http.StatusAccepted, string(v.Expected))
	}
	a.Issued, a.Expires = h.now, h.now.Add(time.Minute)
	_, err = s.Sign(t.Context(), a)
	wantFault(t, err, fault.Unavailable, "signature_pending")
}
