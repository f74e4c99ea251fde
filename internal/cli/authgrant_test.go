package cli

import (
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/streams"
)

// grantWith is a JWT with those claims, whose signature says "canary".
func grantWith(claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"EdDSA"}`)) + "." + encode([]byte(claims)) + ".canary"
}

// grantRun is a run with a private file for secrets, and what AGENTCTL_TOKEN is set to.
func grantRun(t *testing.T, environment string) *run {
	t.Helper()
	variables := map[string]string{"AGENTCTL_KEYRING": "file", "AGENTCTL_TOKEN": environment}
	return &run{Env: Env{
		Streams: &streams.Streams{Out: io.Discard, Err: io.Discard}, ConfigDir: t.TempDir(), Now: time.Now,
		Getenv: func(name string) string { return variables[name] },
	}}
}

func TestGrantOfACall(t *testing.T) {
	shop := auth.Account{Origin: "https://shop.example"}
	narrow, wide := grantWith(`{"scope":"orders:read"}`), grantWith(`{"scope":"orders:read orders:write"}`)
	for name, test := range map[string]struct {
		environment, scope string
		want, code         string
	}{
		"the narrowest that is stored":         {"", "orders:read", narrow, ""},
		"one that is broad enough":             {"", "orders:write", wide, ""},
		"any":                                  {"", "", narrow, ""},
		"none":                                 {"", "orders:delete", "", "grant_required"},
		"AGENTCTL_TOKEN before what is stored": {grantWith(`{"scope":"orders:read x"}`), "orders:read", grantWith(`{"scope":"orders:read x"}`), ""},
		"AGENTCTL_TOKEN, which has not the scope": {grantWith(`{"scope":"x"}`), "orders:read", "", "grant_required"},
		"AGENTCTL_TOKEN, opaque":                  {" opaque-token\n", "orders:read", "opaque-token", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := grantRun(t, test.environment)
			store, err := r.store()
			if err != nil {
				t.Fatal(err)
			}
			for _, token := range []string{wide, narrow} {
				if _, err := store.AddGrant(t.Context(), shop, token); err != nil {
					t.Fatal(err)
				}
			}
			credential, err := r.grant(t.Context(), shop, test.scope)
			checked := r.checkGrant(shop, test.scope)
			if test.code != "" {
				if fault.From(err).Code != test.code || fault.From(checked).Code != test.code {
					t.Errorf("got %v and %v, want %s", err, checked, test.code)
				}
				return
			}
			if err != nil || checked != nil {
				t.Fatal(err, checked)
			}
			if token, _ := credential.Token(time.Now()); token != test.want {
				t.Errorf("got %q, want %q", token, test.want)
			}
			if told := r.redact("the site says " + test.want); strings.Contains(told, test.want) {
				t.Errorf("%q would be told", told)
			}
		})
	}
}

func TestRefusedGrantHint(t *testing.T) {
	account := auth.Account{Origin: "https://shop.example", Profile: "work"}
	if hint := grantRun(t, "").refusedGrantHint(account); !strings.Contains(hint, "auth grant list shop.example") || !strings.Contains(hint, "--profile work") {
		t.Errorf("%q", hint)
	}
	if hint := grantRun(t, "x").refusedGrantHint(account); !strings.Contains(hint, "AGENTCTL_TOKEN") {
		t.Errorf("%q", hint)
	}
}
