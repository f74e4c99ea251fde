package auth

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// Each row is an answer of a token endpoint. None gets a secret to another origin, into an error, or into the keyring.
func TestAnswersOfTokenEndpoints(t *testing.T) {
	redirect := func(status int, to string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(status)
		}
	}
	say := func(status int, contentType, body string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	const jsonType = "application/json"
	token := func(members string) string { return `{"access_token":"tok-1","token_type":"Bearer"` + members + `}` }
	for name, test := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		kind   fault.Kind // "" when there is a token
		code   string
		life   time.Duration
	}{
		"a token":                                {answer: say(200, jsonType, token(`,"expires_in":60`)), life: time.Minute},
		"a life in a string":                     {answer: say(200, jsonType, token(`,"expires_in":"60"`)), life: time.Minute},
		"no life":                                {answer: say(200, jsonType, token(``)), life: unsaidLife},
		"a life of nothing":                      {answer: say(200, jsonType, token(`,"expires_in":0`)), life: 0},
		"a life below nothing":                   {answer: say(200, jsonType, token(`,"expires_in":-5`)), life: 0},
		"a life of ages":                         {answer: say(200, jsonType, token(`,"expires_in":99999999999`)), life: longestLife},
		"a life of more than there is":           {answer: say(200, jsonType, token(`,"expires_in":1e400`)), kind: fault.Unavailable, code: "token_unusable"},
		"a life in words":                        {answer: say(200, jsonType, token(`,"expires_in":"soon"`)), kind: fault.Unavailable, code: "token_unusable"},
		"a form":                                 {answer: say(200, "application/x-www-form-urlencoded", "access_token=tok-1&expires_in=60"), life: time.Minute},
		"a form with a life of ages":             {answer: say(200, "text/plain", "access_token=tok-1&expires_in=9223372036854775807"), life: longestLife},
		"a type in lower case":                   {answer: say(200, jsonType, `{"access_token":"tok-1","token_type":"bearer"}`), life: unsaidLife},
		"a type that nobody carries":             {answer: say(200, jsonType, `{"access_token":"tok-1","token_type":"mac"}`), kind: fault.Unavailable, code: "token_unusable"},
		"a token with a line break":              {answer: say(200, jsonType, `{"access_token":"tok\r\nX: y"}`), kind: fault.Unavailable, code: "token_unusable"},
		"a token of 20 KB":                       {answer: say(200, jsonType, `{"access_token":"`+strings.Repeat("x", 20000)+`"}`), kind: fault.Unavailable, code: "token_unusable"},
		"no token":                               {answer: say(200, jsonType, `{}`), kind: fault.Unavailable, code: "token_unusable"},
		"a token that is no string":              {answer: say(200, jsonType, `{"access_token":["x"]}`), kind: fault.Unavailable, code: "token_unusable"},
		"nothing":                                {answer: say(200, jsonType, ``), kind: fault.Unavailable, code: "token_unusable"},
		"null":                                   {answer: say(200, jsonType, `null`), kind: fault.Unavailable, code: "token_unusable"},
		"a list":                                 {answer: say(200, jsonType, `[1]`), kind: fault.Unavailable, code: "token_unusable"},
		"a page":                                 {answer: say(200, "text/html", `<h1>canary</h1>`), kind: fault.Unavailable, code: "token_unusable"},
		"a deep document":                        {answer: say(200, jsonType, strings.Repeat("[", 30000)), kind: fault.Unavailable, code: "token_unusable"},
		"a huge one":                             {answer: say(200, jsonType, `{"access_token":"tok-1","x":"`+strings.Repeat("x", 1<<20)+`"}`), kind: fault.Unavailable, code: "too_large"},
		"an error in a success":                  {answer: say(200, jsonType, `{"error":"invalid_scope"}`), kind: fault.Auth, code: "invalid_scope"},
		"a client that is refused":               {answer: say(401, jsonType, `{"error":"invalid_client","error_description":"canary-client is wrong"}`), kind: fault.Auth, code: "invalid_client"},
		"a client that may not":                  {answer: say(400, jsonType, `{"error":"unauthorized_client"}`), kind: fault.Auth, code: "unauthorized_client"},
		"a grant that there is none of":          {answer: say(400, jsonType, `{"error":"unsupported_grant_type"}`), kind: fault.Auth, code: "unsupported_grant_type"},
		"an error that nobody knows":             {answer: say(400, jsonType, `{"error":"moon\u001b[31m"}`), kind: fault.Auth, code: "token_refused"},
		"an error in a form":                     {answer: say(400, "application/x-www-form-urlencoded", `error=invalid_request`), kind: fault.Auth, code: "invalid_request"},
		"a plain 403":                            {answer: say(403, "text/html", `no`), kind: fault.Auth, code: "token_refused"},
		"a 404":                                  {answer: say(404, "text/html", `no`), kind: fault.Auth, code: "token_refused"},
		"a 429":                                  {answer: say(429, jsonType, `{}`), kind: fault.Unavailable, code: "token_unavailable"},
		"a 503":                                  {answer: say(503, "text/plain", `%zz`), kind: fault.Unavailable, code: "token_unavailable"},
		"a connection that breaks":               {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, kind: fault.Unavailable, code: "connection_reset"},
		"a redirect to another origin, 301":      {answer: redirect(301, otherOrigin+"/token"), kind: fault.Unavailable, code: "redirect_refused"},
		"a redirect to another origin, 302":      {answer: redirect(302, otherOrigin+"/token"), kind: fault.Unavailable, code: "redirect_refused"},
		"a redirect to another origin, 303":      {answer: redirect(303, otherOrigin+"/token"), kind: fault.Unavailable, code: "redirect_refused"},
		"a redirect to another origin, 307":      {answer: redirect(307, otherOrigin+"/token"), kind: fault.Unavailable, code: "redirect_refused"},
		"a redirect to another origin, 308":      {answer: redirect(308, otherOrigin+"/token"), kind: fault.Unavailable, code: "redirect_refused"},
		"a redirect to the same one":             {answer: redirect(307, "/elsewhere"), kind: fault.Unavailable, code: "redirect_refused"},
		"a redirect to plain http":               {answer: redirect(307, "http://elsewhere.example.com/"), kind: fault.Unavailable, code: "redirect_refused"},
		"a redirect to nowhere":                  {answer: redirect(307, ""), kind: fault.Unavailable, code: "redirect_refused"},
		"a redirect into a file":                 {answer: redirect(302, "file:///etc/passwd"), kind: fault.Unavailable, code: "redirect_refused"},
		"a redirect that is none, with a header": {answer: redirect(300, otherOrigin+"/token"), kind: fault.Auth, code: "token_refused"},
	} {
		t.Run(name, func(t *testing.T) {
			site := &server{answer: test.answer}
			through := serve(t, site)
			s, ring, _ := clocked(t)
			err := s.LoginClient(t.Context(), through, popcorn, robot())
			if len(site.strangers) > 0 {
				t.Errorf("the other origin was asked: %q", site.strangers)
			}
			if test.kind == "" {
				check(t, err)
				var kept access
				check(t, json.Unmarshal([]byte(ring.secrets[accessName(popcorn)]), &kept))
				if kept.Token != "tok-1" || kept.Expires.Sub(noon) != test.life {
					t.Errorf("kept %+v, want it for %v", kept, test.life)
				}
				return
			}
			e := wantCode(t, err, test.kind, test.code)
			if e.Sent != "" && e.Sent != fault.SentNo {
				t.Errorf("sent %q, but the call was not", e.Sent)
			}
			if len(ring.secrets) > 0 {
				t.Errorf("kept %d secrets of a login that failed", len(ring.secrets))
			}
			basic := base64.StdEncoding.EncodeToString([]byte("robot:canary-client"))
			if text := fmt.Sprintf("%s %s", e.Message, e.Hint); strings.Contains(text, "\x1b") || strings.Contains(text, basic) ||
				strings.Contains(text, "canary") && name != "a client that is refused" { // what a server repeats is redacted where it is printed
				t.Errorf("told: %s", text)
			}
		})
	}
}

func TestServersThatAreNotAsked(t *testing.T) {
	for _, tokenURL := range []string{"http://example.com/token", "https://10.0.0.1/token", "https://user:pass@example.com/", "/token", "", "https://169.254.169.254/"} {
		site := &server{}
		through := serve(t, site)
		s, _, _ := clocked(t)
		login := robot()
		login.TokenURL = tokenURL
		if err := s.LoginClient(t.Context(), through, popcorn, login); err == nil || len(site.asked()) > 0 {
			t.Errorf("%q: %v, asked %q", tokenURL, err, site.asked())
		}
	}
}

func FuzzTokenAnswer(f *testing.F) {
	f.Add("application/json", []byte(`{"access_token":"t","expires_in":60}`))
	f.Add("text/plain", []byte(`access_token=t&expires_in=60`))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		through := func(fetch.Bounds) http.RoundTripper {
			return inMemory(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", contentType)
				_, _ = w.Write(body)
			})
		}
		login := robot()
		token, err := login.token(t.Context(), through, KindClient, longLived{Secret: "s"})
		if err != nil {
			if e := tokenFault(err, login.TokenURL); e.Error() == "" || e.Exit() < 4 || len(e.Error()) > 600 {
				t.Fatalf("%+v", e)
			}
			return
		}
		if got, err := given(token, KindClient, noon); err == nil && (CheckToken(got.Token) != nil || got.Expires.Before(noon) || got.Expires.After(noon.Add(longestLife))) {
			t.Fatalf("kept %+v", got)
		}
	})
}
