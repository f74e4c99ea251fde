package cli

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/site"
)

// securedAction is an action of shop.example that asks for schemes.
func securedAction(r *run, security [][]manifest.Scheme) *published {
	return &published{
		place:  &place{run: r, conn: &connection{origin: "https://shop.example"}},
		action: &site.Action{Action: manifest.Action{Security: security}},
	}
}

func TestWhatACallCarries(t *testing.T) {
	shop := auth.Account{Origin: "https://shop.example"}
	basic := manifest.Scheme{Name: "login", Type: manifest.Basic}
	query := manifest.Scheme{Name: "query", Type: manifest.APIKey, In: "query", Field: "api_key"}
	cookie := manifest.Scheme{Name: "session", Type: manifest.APIKey, In: "cookie", Field: "sid"}
	const password = "canary/pass word+"
	pair := base64.StdEncoding.EncodeToString([]byte("me:" + password))
	for name, test := range map[string]struct {
		environment string
		ways        [][]manifest.Scheme
		want        []fetch.Secret
		code        string
		shown       string // of --dry-run: the URL and the fields
	}{
		"what is stored for any": {
			want:  []fetch.Secret{{In: "header", Name: "Authorization", Value: "Basic " + pair}},
			shown: "https://shop.example/me?a=b Authorization: <redacted>",
		},
		"a pair": {
			ways:  [][]manifest.Scheme{{basic}},
			want:  []fetch.Secret{{In: "header", Name: "Authorization", Value: "Basic " + pair}},
			shown: "https://shop.example/me?a=b Authorization: <redacted>",
		},
		"two keys": {
			ways:  [][]manifest.Scheme{{query, cookie}},
			want:  []fetch.Secret{{In: "query", Name: "api_key", Value: "canary-query+/="}, {In: "cookie", Name: "sid", Value: "canary-session"}},
			shown: "https://shop.example/me?a=b&api_key=<redacted> Cookie: sid=<redacted>",
		},
		"AGENTCTL_TOKEN as a pair": {
			environment: "you:canary-env", ways: [][]manifest.Scheme{{basic}},
			want:  []fetch.Secret{{In: "header", Name: "Authorization", Value: "Basic " + base64.StdEncoding.EncodeToString([]byte("you:canary-env"))}},
			shown: "https://shop.example/me?a=b Authorization: <redacted>",
		},
		"AGENTCTL_TOKEN as a key": {
			environment: "canary-env", ways: [][]manifest.Scheme{{query}},
			want:  []fetch.Secret{{In: "query", Name: "api_key", Value: "canary-env"}},
			shown: "https://shop.example/me?a=b&api_key=<redacted>",
		},
		"nothing, as it says":        {ways: [][]manifest.Scheme{{}}, shown: "https://shop.example/me?a=b"},
		"a scheme that is not there": {ways: [][]manifest.Scheme{{{Name: "token", Type: manifest.Bearer}}}, code: "credential_missing"},
		"AGENTCTL_TOKEN that is none": {
			environment: "two words", ways: [][]manifest.Scheme{{query}}, code: "invalid_token",
			shown: "https://shop.example/me?a=b&api_key=<redacted>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := grantRun(t, test.environment)
			store, err := r.store()
			if err != nil {
				t.Fatal(err)
			}
			for scheme, entry := range map[string]auth.Kind{"": auth.KindBasic, "query": auth.KindToken, "session": auth.KindToken} {
				secret := "canary-" + scheme
				switch scheme {
				case "":
					secret = "me:" + password
				case "query":
					secret += "+/="
				}
				if err := store.Keep(t.Context(), shop.For(scheme), auth.Entry{Kind: entry}, secret); err != nil {
					t.Fatal(err)
				}
			}
			a := securedAction(r, test.ways)
			parts, err := a.carries()
			if err == nil {
				request, header := withRedacted(&call.Request{URL: "https://shop.example/me?a=b"}, parts)
				shown := request.URL
				for _, name := range sortedNames(header) {
					shown += " " + name + ": " + header.Get(name)
				}
				if shown != test.shown {
					t.Errorf("--dry-run shows %q, want %q", shown, test.shown)
				}
			}
			all, err := a.credentials(t.Context(), shop)
			if test.code != "" {
				if fault.From(err) == nil || fault.From(err).Code != test.code || strings.Contains(err.Error(), "two words") {
					t.Errorf("got %v, want %s", err, test.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			secrets, err := r.secretsOf(t.Context(), fetch.New(fetch.Settings{Now: time.Now}), all)
			if err != nil || len(secrets) != len(test.want) {
				t.Fatalf("got %+v, %v; want %+v", secrets, err, test.want)
			}
			for i, secret := range secrets {
				if secret != test.want[i] {
					t.Errorf("got %+v, want %+v", secret, test.want[i])
				}
				_, word, _ := strings.Cut(secret.Value, " ")
				for _, form := range []string{secret.Value, word, url.QueryEscape(secret.Value), url.PathEscape(secret.Value)} {
					if form != "" && strings.Contains(r.redact("it says "+form+"!"), form) {
						t.Errorf("%q is not redacted", form)
					}
				}
			}
			if len(test.want) > 0 && test.environment == "" && test.want[0].Name == "Authorization" && strings.Contains(r.redact(password), password) {
				t.Error("the password alone is not redacted")
			}
		})
	}
}

func TestACredentialOfTheCallersOwnGivesWayInADryRun(t *testing.T) {
	request := &call.Request{URL: "https://shop.example/me?api_key=mine", Header: http.Header{"X-Key": {"mine"}}}
	shown, header := withRedacted(request, []auth.Part{
		{Scheme: manifest.Scheme{Type: manifest.APIKey, In: "query", Field: "api_key"}},
		{Scheme: manifest.Scheme{Type: manifest.APIKey, In: "header", Field: "x-key"}},
	})
	if shown.URL != "https://shop.example/me?api_key=<redacted>" || header.Get("X-Key") != redacted || request.Header.Get("X-Key") != "mine" || request.URL == shown.URL {
		t.Errorf("shown %s %v; the request is %s %v", shown.URL, header, request.URL, request.Header)
	}
}
