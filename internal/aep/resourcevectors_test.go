package aep_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/aep"
)

func wrongHeaderVector(t *testing.T, v vector) {
	in := into[map[string]string](t, v.Input)
	want := into[struct {
		Accepted bool
		Code     string
	}](t, v.Expected)
	s := newScene(t, aep.EdDSA)
	c := s.grant(s.enroll(), aep.APIKey)
	field, err := c.Present(aep.Authorization, resource, s.world.Now())
	must(t, err)
	if !strings.EqualFold(field.Name, in["issued_header"]) {
		t.Errorf("shown in %q", field.Name)
	}
	if status, _ := s.show(field); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	status, code := s.show(aep.Field{Name: in["presented_header"], Value: field.Value})
	if accepted := status == http.StatusOK; accepted != want.Accepted {
		t.Errorf("%d %s", status, code)
	}
	c.Header = in["presented_header"] // a Service that lists its headers cannot name another one
	a := newActor(t)
	a.docs["https://api.example.com/.well-known/aep"] = strings.Replace(vectorInspect, `"grant_types":`, `"grant_types_config":{"api-key":{"header_names":["`+in["issued_header"]+`"]}},"grant_types":`, 1)
	listed, err := a.client.Inspect(t.Context(), aep.At("https://api.example.com"))
	must(t, err)
	a.reply(http.StatusOK, `{"api_key":"k","header":"`+in["presented_header"]+`","expires_at":"2026-12-01T00:00:00Z"}`)
	if _, err := a.client.Grant(t.Context(), listed, a.agent, aep.GrantRequest{Type: aep.APIKey}); err == nil || len(a.store.credentials) > 0 {
		t.Error("a header that is not listed was taken")
	}
}

// failuresVector has assertions and credentials of ours be wrong, each in one way.
func failuresVector(t *testing.T, v vector) {
	want := into[map[string]string](t, v.Expected)
	s := newScene(t, aep.EdDSA)
	in := s.enroll()
	sign := func(change func(*aep.Assertion)) aep.Field {
		now := s.world.Now()
		a := aep.Assertion{
			Agent: s.agent.Agent, Service: in.Service, Op: aep.OpAuthenticate, Resource: resource, ID: now.String(),
			Issued: now, Expires: now.Add(time.Minute),
		}
		change(&a)
		token, err := s.agent.Sign(t.Context(), a)
		must(t, err)
		return aep.Authorization.Present(token)
	}
	replayed := sign(func(*aep.Assertion) {})
	if status, _ := s.show(replayed); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	credential := s.grant(in, aep.OAuthBearer)
	bearer, err := credential.Present(aep.Authorization, resource, s.world.Now())
	must(t, err)
	cases := map[string]func() aep.Field{
		"wrong_audience": func() aep.Field { return sign(func(a *aep.Assertion) { a.Service = did(t, "did:web:other.example") }) },
		"expired_assertion": func() aep.Field {
			return sign(func(a *aep.Assertion) { a.Issued, a.Expires = a.Issued.Add(-time.Hour), a.Expires.Add(-time.Hour) })
		},
		"replayed_assertion":   func() aep.Field { return replayed },
		"malformed_credential": func() aep.Field { return aep.Field{Name: "Authorization", Value: "AEP a.b"} },
		"expired_credential": func() aep.Field {
			s.world.Pass(2 * time.Hour)
			if _, err := credential.Present(aep.Authorization, resource, s.world.Now()); err == nil {
				t.Error("an expired credential is shown")
			}
			return bearer
		},
		"unsupported_method": func() aep.Field { s.service.Methods = []string{"aep-jwt"}; return bearer },
		"wrong resource":     func() aep.Field { return sign(func(a *aep.Assertion) { a.Resource += "&m=2" }) },
		"wrong operation":    func() aep.Field { return sign(func(a *aep.Assertion) { a.Op, a.Resource = aep.OpStatus, "" }) },
	}
	for _, name := range []string{
		"wrong_audience", "expired_assertion", "replayed_assertion", "malformed_credential", "expired_credential", "unsupported_method",
		"wrong resource", "wrong operation",
	} {
		status, code := s.show(cases[name]())
		expected := want[name]
		if expected == "" {
			expected = "not_recognized"
		}
		if status != http.StatusUnauthorized || code != expected {
			t.Errorf("%s: %d %s", name, status, code)
		}
	}
	// insufficient_scope is 403 of a command or a resource: its code comes through.
	a := newActor(t)
	a.reply(http.StatusForbidden, `{"code":"insufficient_scope"}`)
	if err := a.client.Revoke(t.Context(), a.in, a.agent, aep.Revocation{}); err == nil || wantFault(t, err, "auth", want["insufficient_scope"]).Status != 403 {
		t.Errorf("got %v", err)
	}
}

func authenticateVector(t *testing.T, v vector) {
	in := into[struct{ Method, URL string }](t, v.Input)
	want := into[struct {
		Scheme    string `json:"authorization_scheme"`
		Challenge map[string]string
		Claims    map[string]any
	}](t, v.Expected)
	var params []aep.Param
	for _, name := range []string{"service_did", "inspect", "reason"} {
		params = append(params, aep.Param{Name: name, Value: want.Challenge[name]})
	}
	challenge, err := aep.ParseChallenge(want.Challenge["scheme"], params)
	must(t, err)
	if !challenge.Leads() || challenge.Reason != want.Challenge["reason"] {
		t.Errorf("got %+v", challenge)
	}
	a := newActor(t)
	inspect, err := a.client.Inspect(t.Context(), challenge)
	must(t, err)
	a.now = time.Unix(int64(want.Claims["iat"].(float64)), 0)
	token, err := a.client.Sign(t.Context(), inspect, a.agent, in.URL)
	must(t, err)
	claims := claimsOf(t, token)
	if jti, _ := claims["jti"].(string); len(jti) != 32 {
		t.Errorf("jti %q", jti)
	}
	claims["jti"] = want.Claims["jti"] // it is random
	for name, value := range want.Claims {
		if claims[name] != value {
			t.Errorf("%s is %v, want %v", name, claims[name], value)
		}
	}
	if len(claims) != len(want.Claims) || aep.Authorization.Present(token).Value != want.Scheme+" "+token {
		t.Errorf("claims %v", claims)
	}
}

// ambiguityVector shows that we build none of these, and that who does is not recognised.
func ambiguityVector(t *testing.T, v vector) {
	want := into[struct{ Code string }](t, v.Expected)
	s := newScene(t, aep.EdDSA)
	in := s.enroll()
	token := func() string {
		token, err := s.client.Sign(t.Context(), in, s.agent, resource)
		must(t, err)
		return token
	}
	for name, c := range map[string]struct {
		there http.Header
		add   aep.Field
	}{
		"both-aep-recognized":                   {http.Header{"Authorization": {"AEP " + token()}}, aep.Dedicated.Present(token())},
		"invalid-dedicated-plus-valid-standard": {http.Header{"Aep-Authorization": {"Bearer nonsense"}}, aep.Authorization.Present(token())},
		"duplicate-dedicated-lines":             {http.Header{"AEP-Authorization": {"AEP " + token()}}, aep.Dedicated.Present(token())},
	} {
		header := c.there.Clone()
		if err := c.add.AddTo(header); err == nil {
			t.Errorf("%s was built", name)
		}
		for key, values := range c.there { // by hand, it is refused
			header.Del(key)
			header[http.CanonicalHeaderKey(key)] = values
		}
		key := http.CanonicalHeaderKey(c.add.Name)
		header[key] = append(header[key], c.add.Value)
		if status, code := s.send(header); status != http.StatusUnauthorized || code != want.Code {
			t.Errorf("%s: %d %s", name, status, code)
		}
	}
	combined := http.Header{"Aep-Authorization": {"AEP " + token() + ", AEP " + token()}}
	if status, code := s.send(combined); status != http.StatusUnauthorized || code != want.Code {
		t.Errorf("combined: %d %s", status, code)
	}
}

// shown is every credential in a carrier, as a field.
func shown(t *testing.T, carrier aep.Carrier) map[string]aep.Field {
	t.Helper()
	c := aep.Credential{
		Service: did(t, "did:web:api.example.com"), Expires: noon().Add(time.Hour), Token: "opaque-token", Key: "opaque-api-key",
		Header: "x-api-key", Username: "u", Password: "p",
	}
	fields := map[string]aep.Field{"jwt": carrier.Present("a.b.c")}
	for name, kind := range map[string]aep.GrantType{"bearer": aep.OAuthBearer, "basic": aep.Basic, "api-key": aep.APIKey} {
		c.Type = kind
		var err error
		fields[name], err = c.Present(carrier, "https://api.example.com/v1/orders", noon())
		must(t, err)
	}
	return fields
}

func carriersVector(t *testing.T, v vector) {
	for name, want := range into[map[string]struct{ Carrier, Scheme string }](t, v.Expected) {
		carrier, kind, _ := strings.Cut(name, "_")
		field := shown(t, map[string]aep.Carrier{"standard": aep.Authorization, "dedicated": aep.Dedicated}[carrier])[kind]
		scheme, value, _ := strings.Cut(field.Value, " ")
		if field.Name != want.Carrier || scheme != want.Scheme || value == "" {
			t.Errorf("%s: %s %s", name, field.Name, scheme)
		}
	}
}

func presentationsVector(t *testing.T, v vector) {
	names := map[string]string{"oauth-bearer": "bearer", "api-key": "api-key", "basic": "basic"}
	for name, want := range into[map[string]struct{ Header, Scheme, Value string }](t, v.Expected) {
		field := shown(t, aep.Authorization)[names[name]]
		scheme, _, ok := strings.Cut(field.Value, " ")
		if !ok {
			scheme = ""
		}
		if field.Name != want.Header || scheme != want.Scheme || want.Value != "" && field.Value != want.Value {
			t.Errorf("%s: %q %q", name, field.Name, scheme)
		}
	}
}

func fieldSafetyVector(t *testing.T, v vector) {
	in := into[map[string]string](t, v.Input)
	want := into[struct {
		Carrier string   `json:"redirect_new_assertion_carrier"`
		Strip   []string `json:"strip_on_disallowed_redirect"`
	}](t, v.Expected)
	// Names ignore case: a field that is there under another spelling is there.
	if err := aep.Dedicated.Present("a.b.c").AddTo(http.Header{in["field_name"]: {"AEP x"}}); err == nil {
		t.Error("two fields")
	}
	if name := aep.Carrier(in["selected_carrier"]).Present("d.e.f").Name; name != want.Carrier {
		t.Errorf("the next assertion is in %q", name)
	}
	header := http.Header{"Accept": {"x"}}
	for _, name := range want.Strip {
		header[strings.ToLower(name)] = []string{"secret"}
	}
	aep.Strip(header, "api-key-header")
	if len(header) != 1 || header.Get("Accept") != "x" {
		t.Errorf("left: %v", header)
	}
	// The same command with another assertion has the same key and body: the assertion is no part of what is repeated.
	a := newActor(t)
	a.client.Retries = 1
	a.reply(http.StatusServiceUnavailable, `{}`)
	a.reply(http.StatusOK, `{}`)
	must(t, a.client.Revoke(t.Context(), a.in, a.agent, aep.Revocation{}))
	if a.sent[0].Header.Get("Idempotency-Key") != a.sent[1].Header.Get("Idempotency-Key") || a.sent[0].Credential == a.sent[1].Credential {
		t.Error("another key, or the same assertion")
	}
	if strings.Contains(aep.Dedicated.Present("secret").String(), "secret") {
		t.Error("a field shows its value")
	}
}

func compositionVector(t *testing.T, v vector) {
	want := into[map[string]any](t, v.Expected)
	for name, c := range map[string]struct {
		payment string
		field   aep.Field
	}{
		"mpp":  {"Authorization", aep.Dedicated.Present("compact-jws")},
		"x402": {"PAYMENT-SIGNATURE", shown(t, aep.Dedicated)["bearer"]},
	} {
		expected := want[name].(map[string]any)
		payment := expected[c.payment].(string)
		header := http.Header{http.CanonicalHeaderKey(c.payment): {payment}}
		must(t, c.field.AddTo(header))
		if header.Get(c.payment) != payment || header.Get("AEP-Authorization") != expected["AEP-Authorization"] || len(header) != 2 {
			t.Errorf("%s: %v", name, header)
		}
	}
	s := newScene(t, aep.EdDSA)
	token, err := s.client.Sign(t.Context(), s.enroll(), s.agent, resource)
	must(t, err)
	header := http.Header{"Authorization": {"Payment mpp-credential"}}
	must(t, aep.Dedicated.Present(token).AddTo(header))
	if status, code := s.send(header); status != http.StatusOK {
		t.Errorf("with a payment: %d %s", status, code)
	}
}
