package aep_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/aep/aeptest"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

func sameJSON(t *testing.T, got, want []byte) {
	t.Helper()
	if !reflect.DeepEqual(into[any](t, got), into[any](t, want)) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// same compares what a thing is as JSON.
func same(t *testing.T, got any, want jsontext.Value) {
	t.Helper()
	text, err := json.Marshal(got)
	must(t, err)
	sameJSON(t, text, want)
}

func cachingVector(t *testing.T, v vector) {
	want := into[struct {
		Default string `json:"default_freshness_seconds"`
	}](t, v.Expected)
	lifetime, err := time.ParseDuration(want.Default + "s")
	must(t, err)
	s := newScene(t, aep.EdDSA)
	header := http.Header{}
	s.service.Before = func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/old" {
			http.Redirect(out, r, "/.well-known/aep", http.StatusFound)
			return true
		}
		maps.Copy(out.Header(), header)
		if tag := header.Get("ETag"); tag != "" && r.Header.Get("If-None-Match") == tag {
			out.WriteHeader(http.StatusNotModified)
			return true
		}
		return false
	}
	const here = "https://" + shopHost
	asked := func() (sent []aeptest.Request) {
		before := len(s.service.Requests())
		in, err := s.client.Inspect(t.Context(), aep.At(here))
		must(t, err)
		if in.Service.String() != s.service.DID {
			t.Errorf("got %+v", in)
		}
		return s.service.Requests()[before:]
	}
	if n := len(asked()); n != 1 {
		t.Fatalf("%d requests at first", n)
	}
	s.world.Pass(lifetime - time.Second)
	if n := len(asked()); n != 0 {
		t.Errorf("%d requests while it is fresh", n)
	}
	s.world.Pass(2 * time.Second)
	header = http.Header{"Cache-Control": {"no-cache"}, "Etag": {`"1"`}}
	if n := len(asked()); n != 1 {
		t.Errorf("%d requests when it is stale", n)
	}
	for range 2 { // revalidated each time, and the 304 is as good as a document
		if sent := asked(); len(sent) != 1 || sent[0].Header.Get("If-None-Match") != `"1"` {
			t.Errorf("no-cache: %v", sent)
		}
	}
	header = http.Header{"Cache-Control": {"no-store"}}
	asked()
	for range 2 {
		if sent := asked(); len(sent) != 1 || sent[0].Header.Get("If-None-Match") != "" {
			t.Errorf("no-store: %v", sent)
		}
	}
	// What a redirect led to is validated where it came from, never where the redirect is.
	header = http.Header{"Cache-Control": {"max-age=10"}, "Etag": {`"2"`}}
	for i, want := range [][]string{{"/old", "/.well-known/aep"}, {"/old", `/.well-known/aep "2"`}} {
		before := len(s.service.Requests())
		_, err := s.client.Inspect(t.Context(), aep.Challenge{Inspect: here + "/old"})
		must(t, err)
		var got []string
		for _, r := range s.service.Requests()[before:] {
			got = append(got, strings.TrimSpace(r.Path+" "+r.Header.Get("If-None-Match")))
		}
		if !slices.Equal(got, want) {
			t.Errorf("time %d: asked %q, want %q", i+1, got, want)
		}
		s.world.Pass(time.Minute)
	}
}

func claimsVector(t *testing.T, v vector) {
	values := into[map[string]map[string]jsontext.Value](t, v.Input)["claim_values"]
	want := into[struct{ Valid bool }](t, v.Expected)
	valid, checked := true, 0
	for _, claim := range aep.Claims() {
		if value, ok := values[claim.Name]; ok {
			valid = valid && len(claim.Check(value)) == 0
			checked++
		}
	}
	if valid != want.Valid || checked != len(values) {
		t.Errorf("valid: %v, want %v; %d of %d checked", valid, want.Valid, checked, len(values))
	}
}

func assertionVector(t *testing.T, v vector) {
	in := into[struct {
		Service string `json:"service_did"`
		Agent   string `json:"agent_did"`
		Command string `json:"command"`
		Issued  int64  `json:"issued_at"`
		Expires int64  `json:"expires_at"`
		ID      string `json:"jti"`
	}](t, v.Input)
	a := aep.Assertion{
		Agent: did(t, in.Agent), Service: did(t, in.Service), Op: aep.Op(in.Command), ID: in.ID,
		Issued: time.Unix(in.Issued, 0), Expires: time.Unix(in.Expires, 0),
	}
	token, err := aep.Identity{Agent: a.Agent, Key: newKey(t, aep.EdDSA)}.Sign(t.Context(), a)
	must(t, err)
	same(t, claimsOf(t, token), v.Expected)
	must(t, a.CheckSigned(token, aep.EdDSA))
}

func credentialVector(t *testing.T, v vector) {
	a := newActor(t)
	a.reply(http.StatusOK, string(v.Expected))
	in := into[struct {
		Type   aep.GrantType `json:"grant_type"`
		Scopes []string      `json:"requested_scopes"`
	}](t, v.Input)
	c, err := a.client.Grant(t.Context(), a.in, a.agent, aep.GrantRequest{Type: in.Type, Scopes: in.Scopes})
	must(t, err)
	sameJSON(t, a.sent[0].Body, v.Input)
	got := map[string]any{"credential_id": c.ID, "expires_at": c.Expires.Format(time.RFC3339)}
	switch in.Type {
	case aep.OAuthBearer:
		got["access_token"], got["token_type"], got["scopes"] = c.Token, "Bearer", c.Scopes
	case aep.APIKey:
		got["api_key"], got["header"], got["scopes"] = c.Key, c.Header, c.Scopes
	case aep.Basic:
		got["username"], got["password"], got["realm"] = c.Username, c.Password, c.Realm
	}
	same(t, got, v.Expected)
}

// command compares a request with what a vector expects of one.
func (a *actor) command(t *testing.T, expected jsontext.Value) {
	t.Helper()
	want := into[struct {
		Method, Path string
		Type         string `json:"content_type"`
		Scheme       string `json:"authorization_scheme"`
		Key          string `json:"idempotency_key"`
		Op           string `json:"client_assertion_op"`
		Body         jsontext.Value
		Absent       []string `json:"must_not_contain"`
	}](t, expected)
	sent := a.sent[0]
	u, err := url.Parse(sent.URL)
	must(t, err)
	scheme, token, _ := strings.Cut(sent.Credential, " ")
	if sent.Method != want.Method || u.Path != want.Path || sent.Header.Get("Content-Type") != want.Type || scheme != want.Scheme {
		t.Errorf("sent %s %s, %v with %s", sent.Method, sent.URL, sent.Header, scheme)
	}
	if op := claimsOf(t, token)["op"]; op != want.Op {
		t.Errorf("signed for %v", op)
	}
	key := sent.Header.Get("Idempotency-Key")
	if want.Key != "" && key != want.Key || key == "" {
		t.Errorf("key %q", key)
	}
	if want.Body != nil {
		sameJSON(t, sent.Body, want.Body)
	}
	for _, name := range want.Absent {
		if _, ok := strictjson.Member(sent.Body, name); ok {
			t.Errorf("%s is there", name)
		}
	}
}

// The vector's key is that of a command that was begun before and is taken up.
func enrollVector(t *testing.T, v vector) {
	a := newActor(t)
	key := into[struct {
		Key string `json:"idempotency_key"`
	}](t, v.Input).Key
	scope := aep.Scope{Service: a.in.Service, Agent: a.agent.Agent, Op: aep.OpEnroll}
	must(t, a.store.SaveUnfinished(t.Context(), aep.Unfinished{Scope: scope, Key: key, Body: strictjson.Compact(v.Input), Started: a.now}))
	a.reply(http.StatusOK, `{"status":"active"}`)
	var claims manifest.Values
	given, _ := strictjson.Member(v.Input, "claims")
	for name, value := range strictjson.Members(strictjson.Compact(given)) {
		claims.Set(name, value)
	}
	_, err := a.client.Enroll(t.Context(), a.in, a.agent, claims)
	must(t, err)
	a.command(t, v.Expected)
	sameJSON(t, a.sent[0].Body, v.Input)
}

func errorVector(t *testing.T, v vector) {
	want := into[struct {
		Status int
		Type   string `json:"content_type"`
		Body   jsontext.Value
	}](t, v.Expected)
	body := into[struct {
		Code, Title  string
		Requirements []string `json:"requirements_pending"`
	}](t, want.Body)
	a := newActor(t)
	a.answers = []canned{{want.Status, want.Type, string(want.Body)}}
	_, err := a.client.Enroll(t.Context(), a.in, a.agent, email())
	e := wantFault(t, err, fault.OfStatus(want.Status), body.Code)
	if e.Status != want.Status || e.Message != body.Title {
		t.Errorf("got %+v", e)
	}
	if got, _ := e.Details["requirements_pending"].([]string); !reflect.DeepEqual(got, body.Requirements) {
		t.Errorf("details %v", e.Details)
	}
}

func grantBeforeEnrollVector(t *testing.T, v vector) {
	want := into[struct {
		Status   int
		Code     string
		Implicit bool `json:"implicit_enrollment"`
	}](t, v.Expected)
	s := newScene(t, aep.ES256)
	_, err := s.client.Grant(t.Context(), s.inspect(), s.agent, aep.GrantRequest{Type: aep.Basic})
	if e := wantFault(t, err, fault.Auth, want.Code); e.Status != want.Status {
		t.Errorf("status %d", e.Status)
	}
	if _, enrolled := s.service.Enrolled(s.agent.Agent.String()); enrolled != want.Implicit {
		t.Errorf("enrolled: %v", enrolled)
	}
}

func grantVector(t *testing.T, v vector) {
	a := newActor(t)
	a.reply(http.StatusOK, `{"access_token":"t","token_type":"Bearer","expires_at":"2026-12-01T00:00:00Z"}`)
	kind := into[struct {
		Type aep.GrantType `json:"grant_type"`
	}](t, v.Input).Type
	c, err := a.client.Grant(t.Context(), a.in, a.agent, aep.GrantRequest{Type: kind})
	must(t, err)
	a.command(t, v.Expected)
	if c.ID != "" || c.Scopes != nil { // optional, whatever the schemas say (AEP-24)
		t.Errorf("got %q %v", c.ID, c.Scopes)
	}
}

func revokeVector(t *testing.T, v vector) {
	a := newActor(t)
	a.reply(http.StatusOK, `{}`)
	must(t, a.client.Revoke(t.Context(), a.in, a.agent, aep.Revocation{}))
	a.command(t, v.Expected)
	sameJSON(t, a.sent[0].Body, v.Input)
}

func inspectVector(t *testing.T, v vector) {
	in, err := aep.ParseInspect(v.Expected, "https://api.example.com/.well-known/aep")
	must(t, err)
	doc := map[string]any{
		"aep_version": in.Version, "service": map[string]any{"did": in.Service}, "authentication": map[string]any{"methods": in.Methods},
		"claims":     map[string]any{"required": in.Required, "preferred": in.Preferred, "optional": in.Optional},
		"core":       map[string]any{"signing_algorithms": in.Algorithms},
		"extensions": map[string]any{"supported": in.Extensions},
		"bindings":   map[string]any{"supported": []string{"http"}}, "identity": map[string]any{"methods": []string{"did:web"}},
	}
	commands := map[string]any{"supported": in.Commands}
	if in.GrantTypes != nil {
		commands["grant_types"] = in.GrantTypes
	}
	web := map[string]any{"endpoint_base": "/aep/"}
	if in.OpenAPI != nil {
		web["openapi"] = map[string]any{
			"url":           strings.TrimPrefix(in.OpenAPI.URL, in.Origin),
			"path_matching": map[string]any{"trailing_slash": in.OpenAPI.TrailingSlash},
		}
	}
	doc["commands"], doc["http"] = commands, web
	same(t, doc, v.Expected)
}

func bindingVector(t *testing.T, v vector) {
	in, want := into[map[string]string](t, v.Input), into[map[string]any](t, v.Expected)
	for _, name := range []string{"matching_service_did", "mismatched_service_did", "unsupported_service_did"} {
		_, inDocument := aep.ParseInspect([]byte(strings.ReplaceAll(vectorInspect, "did:web:api.example.com", in[name])), in["inspect_url"])
		a := newActor(t)
		_, inChallenge := a.client.Inspect(t.Context(), aep.Challenge{ServiceDID: in[name], Inspect: in["inspect_url"]})
		if want[name] == "accept" {
			must(t, inDocument)
			continue
		}
		wantFault(t, inDocument, fault.Manifest, want[name].(string))
		wantFault(t, inChallenge, fault.Manifest, want[name].(string))
		if len(a.sent) > 0 {
			t.Error("something was sent")
		}
	}
}

func pathMatchingVector(t *testing.T, v vector) {
	in := into[struct {
		Method, Path, Query string
		Templates           []string
	}](t, v.Input)
	plan := func(slash string, templates ...string) *aep.Plan {
		paths := map[string]any{}
		for i, template := range templates {
			security := []any{}
			if i > 0 {
				security = []any{map[string]any{"agent": []string{}}}
			}
			paths[template] = map[string]any{in.Method: map[string]any{"security": security}}
		}
		return newPlan(t, slash, map[string]any{"paths": paths})
	}
	expect := func(p *aep.Plan, path string, want aep.Access) {
		t.Helper()
		if got, _ := p.For("GET", path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	expect(plan("strict", in.Templates[0]), in.Path, aep.Open)
	expect(plan("strict", in.Path, in.Templates[0], in.Templates[1]), in.Path, aep.Open) // literal text goes first
	expect(plan("strict", in.Templates...), in.Path, aep.Undecided)                      // neither is the closer one
	expect(plan("strict", "/v1/orders/{id}", "/v1/orders/{name}"), in.Path, aep.Undecided)
	expect(plan("strict", in.Templates[0]), in.Path+"?"+in.Query+"/x", aep.Undecided) // a query is no part of it
	expect(plan("strict", "/items"), "/items/", aep.Undecided)
	expect(plan("equivalent", "/items"), "/items/", aep.Open)
	expect(plan("equivalent", "/items/"), "/items", aep.Open)
	expect(plan("equivalent", "/"), "/", aep.Open)
	expect(plan("equivalent", "/items", "/items/"), "/items", aep.Undecided)
}

func newPlan(t *testing.T, slash string, doc map[string]any) *aep.Plan {
	t.Helper()
	doc["openapi"] = "3.1.0"
	method := func(name string) any {
		return map[string]any{"type": "http", "scheme": "AEP", "x-aep-authentication-method": name}
	}
	doc["components"] = map[string]any{"securitySchemes": map[string]any{
		"agent": method("aep-jwt"), "token": method("oauth-bearer"), "other": map[string]any{"type": "http", "scheme": "basic"},
	}}
	text, err := json.Marshal(doc)
	must(t, err)
	plan, err := aep.ParsePlan(text, aep.OpenAPI{TrailingSlash: slash})
	must(t, err)
	return plan
}

func securityVector(t *testing.T, v vector) {
	if into[map[string]map[string]string](t, v.Input)["security_scheme"]["x-aep-authentication-method"] != "aep-jwt" {
		t.Fatal("not the scheme that is tried here")
	}
	none := map[string]any{}
	agent, token, other := map[string]any{"agent": []string{}}, map[string]any{"token": []string{}}, map[string]any{"other": []string{}}
	both := map[string]any{"agent": []string{}, "token": []string{}}
	for name, c := range map[string]struct {
		root, operation any
		access          aep.Access
		methods         string
	}{
		"root_inherited":                {[]any{agent}, nil, aep.Needed, "aep-jwt"},
		"operation_empty_array":         {[]any{agent}, []any{}, aep.Open, ""},
		"empty_requirement_alternative": {nil, []any{none, agent}, aep.Optional, "aep-jwt"},
		"multiple_objects":              {nil, []any{token, agent}, aep.Needed, "oauth-bearer aep-jwt"},
		"multiple_schemes_one_object":   {nil, []any{both}, aep.Undecided, ""},
		"unsupported_compound":          {nil, []any{map[string]any{"agent": []string{}, "other": []string{}}}, aep.Undecided, ""},
		"no scheme of AEP":              {nil, []any{other}, aep.Undecided, ""},
		"nothing said":                  {nil, nil, aep.Undecided, ""},
	} {
		operation := map[string]any{}
		if c.operation != nil {
			operation["security"] = c.operation
		}
		doc := map[string]any{"paths": map[string]any{"/x": map[string]any{"post": operation}}}
		if c.root != nil {
			doc["security"] = c.root
		}
		access, methods := newPlan(t, "strict", doc).For("post", "/x")
		if access != c.access || strings.Join(methods, " ") != c.methods {
			t.Errorf("%s: %s %v", name, access, methods)
		}
	}
}

func statusVector(t *testing.T, v vector) {
	want := into[struct {
		Status int
		Type   string `json:"content_type"`
		Body   struct {
			Status       aep.State
			Since        time.Time
			Requirements []string `json:"requirements_pending"`
		}
	}](t, v.Expected)
	raw, _ := strictjson.Member(v.Expected, "body")
	a := newActor(t)
	a.docs["https://api.example.com/.well-known/aep"] = strings.Replace(vectorInspect, `"enroll"`, `"enroll","status"`, 1)
	in, err := a.client.Inspect(t.Context(), aep.At("https://api.example.com"))
	must(t, err)
	a.answers = []canned{{want.Status, want.Type, string(raw)}}
	e, err := a.client.Status(t.Context(), in, a.agent)
	must(t, err)
	if e.State != want.Body.Status || !e.Since.Equal(want.Body.Since) || strings.Join(e.Requirements, " ") != strings.Join(want.Body.Requirements, " ") {
		t.Errorf("got %+v", e)
	}
	sent := a.sent[0]
	if sent.Method != http.MethodGet || sent.Body != nil || claimsOf(t, sent.Credential)["op"] != into[map[string]string](t, v.Input)["client_assertion_op"] {
		t.Errorf("sent %s, signed %v", sent.Method, claimsOf(t, sent.Credential))
	}
}
