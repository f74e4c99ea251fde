package aep_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/fault"
)

const expiry = `"expires_at":"2026-12-01T00:00:00Z"`

// granted is what an answer to a grant is read as.
func granted(t *testing.T, kind aep.GrantType, body string) (aep.Credential, error) {
	t.Helper()
	a := newActor(t)
	a.reply(http.StatusOK, body)
	return a.client.Grant(t.Context(), a.in, a.agent, aep.GrantRequest{Type: kind})
}

// AEP-26: a Service chooses the header of its key, but none that means something else.
func TestHeadersOfAPIKeys(t *testing.T) {
	for _, header := range []string{"x-api-key", "X-Shop-Token", "api_key"} {
		c, err := granted(t, aep.APIKey, `{"api_key":"k1","header":"`+header+`",`+expiry+`}`)
		if err != nil || c.Header != header {
			t.Errorf("%s: %v", header, err)
		}
	}
	for _, header := range []string{
		"", "Host", "host", "Cookie", "Content-Type", "content-length", "Transfer-Encoding", "Connection", "Authorization", "AEP-Authorization",
		"PAYMENT-SIGNATURE", "X-Payment", "Proxy-Authorization", "Sec-Fetch-Site", "Idempotency-Key", "Accept", "Range", "Upgrade", "Te",
		"X-Forwarded-For", "a b", "x:y", "x\\r\\nCookie", "ü", strings.Repeat("x", 200),
	} {
		_, err := granted(t, aep.APIKey, `{"api_key":"k1","header":"`+header+`",`+expiry+`}`)
		wantFault(t, err, fault.Rejected, "answer_invalid")
	}
	for _, key := range []string{``, `a b`, `a,b`, `a;b`, `a\"b`, `a\\b`, `ü`, `a\u0000`, `a\n`, strings.Repeat("x", 17<<10)} {
		_, err := granted(t, aep.APIKey, `{"api_key":"`+key+`","header":"x-api-key",`+expiry+`}`)
		if e := wantFault(t, err, fault.Rejected, "answer_invalid"); key != "" && strings.Contains(e.Error(), key) {
			t.Errorf("the key is in %q", e)
		}
	}
}

func TestScopes(t *testing.T) {
	for body, want := range map[string]int{`"scopes":null,`: 0, ``: 0, `"scopes":[],`: 0, `"scopes":["a","b"],`: 2} {
		c, err := granted(t, aep.OAuthBearer, `{"access_token":"t","token_type":"Bearer",`+body+expiry+`}`)
		if err != nil || len(c.Scopes) != want {
			t.Errorf("%s: %v, %v", body, c.Scopes, err)
		}
	}
	_, err := granted(t, aep.OAuthBearer, `{"access_token":"t","token_type":"DPoP",`+expiry+`}`)
	wantFault(t, err, fault.Rejected, "answer_invalid")
}

func TestGrantsThatAreNotAskedFor(t *testing.T) {
	a := newActor(t)
	for name, request := range map[string]aep.GrantRequest{
		"an unknown type": {Type: "magic"}, "no type": {}, "a label of a token": {Type: aep.OAuthBearer, Label: "x"}, "a format of a key": {Type: aep.APIKey, TokenFormat: "jwt"},
	} {
		if _, err := a.client.Grant(t.Context(), a.in, a.agent, request); fault.From(err).Kind != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(a.sent) > 0 {
		t.Error("something was sent")
	}
	a.reply(http.StatusOK, `{"api_key":"k","header":"x-api-key",`+expiry+`}`)
	_, err := a.client.Grant(t.Context(), a.in, a.agent, aep.GrantRequest{Type: aep.APIKey, Label: "mine", Scopes: []string{"a", "b"}})
	must(t, err)
	sameJSON(t, a.sent[0].Body, []byte(`{"grant_type":"api-key","requested_scopes":["a","b"],"label":"mine"}`))
}

// AEP-25: a credential is for the origin of its Service, while it lasts.
func TestCredentialsAreShownAtHomeOnly(t *testing.T) {
	c := aep.Credential{Service: did(t, shopDID+":a"), Type: aep.OAuthBearer, Token: "secret", Expires: noon().Add(time.Minute)}
	for _, url := range []string{"https://shop.example/x", "https://SHOP.example:443/"} {
		_, err := c.Present(aep.Authorization, url, noon())
		must(t, err)
	}
	for _, url := range []string{
		"https://other.example/", "http://shop.example/", "https://shop.example:8443/", "https://shop.example@evil.example/", "https://shop.example.evil.example/", "/x", "",
	} {
		_, err := c.Present(aep.Authorization, url, noon())
		wantFault(t, err, fault.Auth, "credential_elsewhere")
	}
	_, err := c.Present(aep.Authorization, "https://shop.example/x", c.Expires)
	if e := wantFault(t, err, fault.Auth, "credential_expired"); strings.Contains(e.Error(), "secret") {
		t.Error(e)
	}
}

func TestSecretsDoNotShow(t *testing.T) {
	c := aep.Credential{Service: did(t, shopDID), Type: aep.Basic, Username: "user", Password: "secret", Token: "secret", Key: "secret", Expires: noon().Add(time.Minute)}
	f, err := c.Present(aep.Dedicated, "https://shop.example/", noon())
	must(t, err)
	if f.Value != "Basic dXNlcjpzZWNyZXQ=" {
		t.Errorf("got %q", f.Value)
	}
	for _, printed := range []string{fmt.Sprint(c, &c, f), fmt.Sprintf("%+v %#v %#v %s", c, c, f, []aep.Credential{c})} {
		if strings.Contains(printed, "secret") || strings.Contains(printed, "c2VjcmV0") {
			t.Errorf("printed %s", printed)
		}
	}
	text, err := json.Marshal(c) // as a store keeps it
	must(t, err)
	var back aep.Credential
	must(t, json.Unmarshal(text, &back))
	if back.Password != c.Password || back.Service != c.Service {
		t.Errorf("kept as %s", text)
	}
}

// Whatever a Service answers, it is a value within the rules or a fault that tells no secret.
func FuzzGrant(f *testing.F) {
	f.Add(`{"api_key":"k","header":"x-api-key",`+expiry+`}`, uint8(0))
	f.Add(`{"username":"u","password":"p","realm":"r","credential_id":"c","scopes":["a"],`+expiry+`}`, uint8(1))
	f.Add(`{"access_token":"t","token_type":"Bearer","scopes":null,`+expiry+`}`, uint8(2))
	f.Fuzz(func(t *testing.T, body string, kind uint8) {
		c, err := granted(t, []aep.GrantType{aep.APIKey, aep.Basic, aep.OAuthBearer}[kind%3], body)
		if err != nil {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Errorf("refused with %v", err)
			}
			return
		}
		field, err := c.Present(aep.Authorization, "https://api.example.com/", c.Expires.Add(-time.Second))
		must(t, err)
		if strings.ContainsAny(field.Name+field.Value, "\r\n\x00") || field.Value == "" {
			t.Errorf("%q: %q", field.Name, field.Value)
		}
	})
}

// The same of Enroll and of problems.
func FuzzEnroll(f *testing.F) {
	f.Add(200, `{"status":"pending","owner_action_required":"true","verification_pending":["x"]}`)
	f.Add(422, `{"code":"requirements_unmet","title":"t","detail":"d","requirements_pending":["a"]}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		a := newActor(t)
		for range 2 {
			a.reply(status, body)
		}
		e, err := a.client.Enroll(t.Context(), a.in, a.agent, email())
		if err == nil && (status != http.StatusOK || e.State != aep.Active && e.State != aep.Pending && e.State != aep.Rejected) {
			t.Errorf("status %d: %+v", status, e)
		}
		if refusal, ok := errors.AsType[*fault.Error](err); err != nil && (!ok || strings.Contains(refusal.Message, "ada@example.com")) {
			t.Errorf("got %v", err)
		}
	})
}

func FuzzPlatform(f *testing.F) {
	f.Add(platformDocument)
	f.Add(hostedDocument)
	f.Fuzz(func(t *testing.T, doc string) {
		if d, err := aep.ParsePlatform([]byte(doc), "https://p.example/.well-known/aep-platform"); err == nil && (d.Lifetime < time.Second || d.Lifetime > 5*time.Minute) {
			t.Errorf("a lifetime of %s", d.Lifetime)
		}
		if h, err := aep.ParseHosted([]byte(doc)); err == nil && (h.ID == "" || h.Agent.IsZero()) {
			t.Errorf("taken: %+v", h)
		}
	})
}
