package call

import (
	"net/http"
	"testing"

	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

// Cookies that an action takes for arguments stand beside one that carries the credential.
func TestCookiesOfACall(t *testing.T) {
	for name, test := range map[string]struct {
		cookies string
		secrets []fetch.Secret
		want    string
	}{
		"one":                   {"theme=a%20b", nil, "theme=a%20b"},
		"several":               {"theme=a; theme=b; lang=", nil, "theme=a; theme=b; lang="},
		"beside a credential":   {"theme=a", []fetch.Secret{{In: fetch.InCookie, Name: "sid", Value: "s"}}, "sid=s; theme=a"},
		"none":                  {"", nil, ""},
		"none but the secret's": {"", []fetch.Secret{{In: fetch.InCookie, Name: "sid", Value: "s"}}, "sid=s"},
	} {
		t.Run(name, func(t *testing.T) {
			var got http.Header
			s := newTwoSites(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
			header := http.Header{"X-Given": {"mine"}}
			if test.cookies != "" {
				header.Set("Cookie", test.cookies)
			}
			caller := Caller{Client: s.client, Secrets: test.secrets, Redact: keep}
			request := &Request{Method: http.MethodPost, URL: "https://example.com/", Header: header, Effect: manifest.Write, Idempotent: true}
			result, err := caller.Do(t.Context(), &Call{Request: request, Origin: "https://example.com"})
			if err != nil {
				t.Fatal(err)
			}
			defer result.Body.Close()
			if got.Get("Cookie") != test.want || got.Get("X-Given") != "mine" || got.Get("Idempotency-Key") == "" || header.Get("Cookie") != test.cookies {
				t.Errorf("got %v", got)
			}
		})
	}
}
