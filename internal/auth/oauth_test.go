package auth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// Names that lead to the test's server. They share its certificate.
const (
	idOrigin    = "https://example.com"
	otherOrigin = "https://elsewhere.example.com"
)

// server is an authorization server over TLS, and a stranger beside it.
type server struct {
	answer func(w http.ResponseWriter, r *http.Request) // what the token endpoint says; nil: the usual
	style  string                                       // "header", "body": how it takes a client's secret; "": either

	mu        sync.Mutex
	issued    int // of tokens
	requests  []string
	strangers []string // what the other origin was asked
}

// serve starts the server, and tells how to reach it.
func serve(t *testing.T, s *server) Through {
	t.Helper()
	own := httptest.NewUnstartedServer(s)
	own.EnableHTTP2 = true
	own.StartTLS()
	t.Cleanup(own.Close)
	other := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = r.ParseForm()
		s.strangers = append(s.strangers, fmt.Sprint(r.URL, r.Header, r.Form))
	}))
	other.TLS = &tls.Config{Certificates: own.TLS.Certificates}
	other.StartTLS()
	t.Cleanup(other.Close)
	pool := x509.NewCertPool()
	pool.AddCert(own.Certificate())
	var overrides []fetch.Override
	for host, at := range map[string]*httptest.Server{"example.com": own, "elsewhere.example.com": other} {
		o, err := fetch.ParseOverride(host + ":443:" + at.Listener.Addr().String())
		check(t, err)
		overrides = append(overrides, o)
	}
	client := fetch.New(fetch.Settings{
		Resolve: overrides, Roots: func() (*x509.CertPool, error) { return pool, nil }, Now: time.Now, Retries: 3,
	})
	return client.RoundTripper
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path+" "+r.PostForm.Encode())
	id, secret, basic := r.BasicAuth()
	style := "header"
	if !basic {
		id, secret, style = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret"), "body"
	}
	switch {
	case s.answer != nil:
		s.answer(w, r)
	case s.style != "" && s.style != style || id != "robot" || secret != "canary-client":
		refuse(w, http.StatusUnauthorized, "invalid_client", "")
	case r.PostForm.Get("grant_type") == "refresh_token" && r.PostForm.Get("refresh_token") != fmt.Sprintf("canary-refresh-%d", s.issued):
		refuse(w, http.StatusBadRequest, "invalid_grant", "it was used before")
	default:
		s.issue(w, 3600)
	}
}

// issue gives a new token, and one that renews it.
func (s *server) issue(w http.ResponseWriter, life int) {
	s.issued++
	reply(w, http.StatusOK, map[string]any{
		"access_token": fmt.Sprintf("canary-access-%d", s.issued), "refresh_token": fmt.Sprintf("canary-refresh-%d", s.issued),
		"token_type": "Bearer", "expires_in": life,
	})
}

func refuse(w http.ResponseWriter, status int, code, description string) {
	reply(w, status, map[string]any{"error": code, "error_description": description})
}

func reply(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document)
}

func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

func robot() ClientLogin {
	return ClientLogin{Client: Client{ID: "robot", TokenURL: idOrigin + "/token", Scopes: []string{"orders:read", "orders:write"}}, Secret: "canary-client"}
}

// clocked is a store whose clock can be moved.
func clocked(t *testing.T) (*Store, *memory, *time.Time) {
	s, ring := newStore(t, "")
	now := noon
	s.Now = func() time.Time { return now }
	return s, ring, &now
}

// current is the token that a call would carry now.
func current(t *testing.T, s *Store, through Through, account Account) (string, error) {
	t.Helper()
	c, err := s.Credential(t.Context(), account)
	if err != nil {
		return "", err
	}
	if err := s.Renew(t.Context(), through, c); err != nil {
		return "", err
	}
	return c.Token(s.Now())
}

func TestTokensOfAClient(t *testing.T) {
	for _, style := range []string{"", "header", "body"} {
		t.Run("secret in the "+style, func(t *testing.T) {
			site := &server{style: style}
			through := serve(t, site)
			s, ring, now := clocked(t)
			check(t, s.LoginClient(t.Context(), through, popcorn, robot()))
			before := len(site.asked())
			token, err := current(t, s, through, popcorn)
			if check(t, err); token != "canary-access-1" || len(site.asked()) != before {
				t.Errorf("the first token is not kept: %q after %q", token, site.asked())
			}
			if !strings.Contains(site.asked()[0], "grant_type=client_credentials&scope=orders%3Aread+orders%3Awrite") {
				t.Errorf("asked %q", site.asked())
			}
			*now = now.Add(3595 * time.Second) // it would expire on its way
			token, err = current(t, s, through, popcorn)
			if check(t, err); token != "canary-access-2" || len(site.asked()) != before+1 {
				t.Errorf("got %q after %q; want one more request, in the style that is known", token, site.asked())
			}
			again, err := current(t, s, through, popcorn)
			if check(t, err); again != token {
				t.Errorf("the new one is not kept: %q", again)
			}
			if list, _ := s.Entries(); strings.Contains(fmt.Sprintf("%+v %+v", list, list[0].OAuth), "canary") {
				t.Errorf("the list has a secret: %+v", list)
			}
			ok, err := s.Logout(t.Context(), popcorn)
			if check(t, err); !ok || len(ring.secrets) > 0 {
				t.Errorf("logout left %d secrets", len(ring.secrets))
			}
		})
	}
}

func TestALoginThatIsRefusedKeepsNothing(t *testing.T) {
	through := serve(t, &server{})
	s, ring, _ := clocked(t)
	check(t, s.LoginToken(t.Context(), popcorn, "before"))
	login := robot()
	login.Secret = "canary-wrong"
	e := wantCode(t, s.LoginClient(t.Context(), through, popcorn, login), fault.Auth, "invalid_client")
	if strings.Contains(e.Error(), "canary") || bearer(t, s, popcorn) != "before" || len(ring.secrets) != 1 {
		t.Errorf("%v, %d secrets", e, len(ring.secrets))
	}
}

func TestALoginTakesThePlaceOfAnotherKind(t *testing.T) {
	through := serve(t, &server{})
	s, ring, _ := clocked(t)
	check(t, s.LoginClient(t.Context(), through, popcorn, robot()))
	check(t, s.Keep(t.Context(), popcorn, Entry{Kind: KindBasic}, "user:password"))
	if len(ring.secrets) != 1 || ring.secrets[popcorn.Origin] != "user:password" {
		t.Errorf("the keyring has %v", ring.secrets)
	}
	check(t, s.LoginClient(t.Context(), through, popcorn, robot()))
	check(t, s.LoginCommand(t.Context(), popcorn, []string{"true"}))
	if len(ring.secrets) != 0 {
		t.Errorf("the keyring has %v", ring.secrets)
	}
}

func TestCredentialsOfSchemesAreBesideEachOther(t *testing.T) {
	s, ring, _ := clocked(t)
	work := Account{Origin: popcorn.Origin, Profile: "work"}
	for account, token := range map[Account]string{popcorn: "t-1", popcorn.For("a"): "t-2", popcorn.For("b"): "t-3", work: "t-4", work.For("a"): "t-5"} {
		check(t, s.LoginToken(t.Context(), account, token))
	}
	if ring.secrets["https://popcorn.club#work!scheme:a"] != "t-5" {
		t.Errorf("the keyring has %v", ring.secrets)
	}
	w, err := s.Wallet(popcorn, "")
	if check(t, err); len(w.Stored) != 3 {
		t.Errorf("the wallet has %v", w.Stored)
	}
	if bearer(t, s, popcorn.For("b")) != "t-3" || bearer(t, s, work.For("a")) != "t-5" {
		t.Error("one got the token of another")
	}
	if ok, err := s.Logout(t.Context(), popcorn.For("a")); !ok || err != nil || len(ring.secrets) != 4 {
		t.Errorf("logout of one: %v, %v, %v left", ok, err, ring.secrets)
	}
	if ok, err := s.Logout(t.Context(), popcorn); !ok || err != nil || len(ring.secrets) != 2 {
		t.Errorf("logout of all: %v, %v, %v left", ok, err, ring.secrets)
	}
	entries, err := s.Entries()
	if check(t, err); len(entries) != 2 || entries[1].Account != work.For("a") {
		t.Errorf("listed: %v", entries)
	}
}

func TestStoredKinds(t *testing.T) {
	s, ring, now := clocked(t)
	key := Entry{Kind: KindKey, In: fetch.InHeader, Field: "X-Key", Expires: noon.Add(time.Hour)}
	check(t, s.Keep(t.Context(), popcorn, key, "key-1"))
	if token := bearer(t, s, popcorn); token != "key-1" {
		t.Errorf("got %q", token)
	}
	*now = now.Add(2 * time.Hour)
	_, err := s.Credential(t.Context(), popcorn)
	wantCode(t, err, fault.Auth, "token_expired")
	for name, entry := range map[string]Entry{
		"a key without a place":                   {Kind: KindKey, Keyring: System},
		"a key in a header for the client":        {Kind: KindKey, Keyring: System, In: fetch.InHeader, Field: "Host"},
		"user and password nowhere":               {Kind: KindBasic},
		"a client without a server":               {Kind: KindClient, Keyring: System},
		"a client whose server nobody knows":      {Kind: KindClient, Keyring: System, OAuth: &Client{ID: "x"}},
		"a kind that there is none of":            {Kind: "magic", Keyring: System},
		"a command that is none":                  {Kind: KindCommand},
		"a key in a place that there is none of ": {Kind: KindKey, Keyring: System, In: "body", Field: "x"},
	} {
		if entry.valid() {
			t.Errorf("%s: the list takes %+v", name, entry)
		}
	}
	ring.secrets[popcorn.Origin] = "no pair"
	check(t, s.Keep(t.Context(), Account{Origin: "https://shop.example"}, Entry{Kind: KindBasic}, "u:p ä"))
	ring.secrets["https://shop.example"] = "no pair"
	_, err = s.Credential(t.Context(), Account{Origin: "https://shop.example"})
	wantCode(t, err, fault.Auth, "invalid_token")
}

func TestCheckBasic(t *testing.T) {
	for text, ok := range map[string]bool{
		"u:p": true, "u:": true, ":p": true, "u:p:q": true, "ü:pässword ": true,
		"": false, ":": false, "up": false, "u:p\n": false, "u\x00:p": false, "u:\xff": false, "u:" + strings.Repeat("x", MaxTokenBytes): false,
	} {
		if (CheckBasic(text) == nil) != ok {
			t.Errorf("%.20q: %v", text, CheckBasic(text))
		}
	}
}

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

// deviceKept is a store with a login by device code, whose token is over.
func deviceKept(t *testing.T, s *Store, renewable bool) {
	t.Helper()
	login := robot()
	login.InBody, login.Renewable = true, renewable
	check(t, s.login(t.Context(), popcorn, Entry{Kind: KindDevice, OAuth: &login.Client, Keyring: s.place}, keptSecrets{
		popcorn.String(): encoded(longLived{login.Secret, "canary-refresh-0"}), accessName(popcorn): encoded(access{"canary-access-0", noon}),
	}))
}

func TestADevicesTokenIsRenewed(t *testing.T) {
	site := &server{style: "body"}
	through := serve(t, site)
	s, _, now := clocked(t)
	deviceKept(t, s, true)
	for _, want := range []string{"canary-access-1", "canary-access-2"} { // each with the refresh token that came with the one before
		*now = now.Add(2 * time.Hour)
		token, err := current(t, s, through, popcorn)
		if check(t, err); token != want {
			t.Errorf("got %q, want %q", token, want)
		}
	}
	site.issued = 7 // as if somebody else had used it
	*now = now.Add(2 * time.Hour)
	_, err := current(t, s, through, popcorn)
	if e := wantCode(t, err, fault.Auth, "invalid_grant"); e.Hint != "agentctl auth login popcorn.club --device" {
		t.Errorf("hint %q", e.Hint)
	}
}

func TestADevicesTokenThatCannotBeRenewed(t *testing.T) {
	site := &server{}
	serve(t, site)
	s, _, _ := clocked(t)
	deviceKept(t, s, false)
	s.Now = func() time.Time { return noon.Add(time.Hour) }
	_, err := s.Credential(t.Context(), popcorn)
	if e := wantCode(t, err, fault.Auth, "token_expired"); e.Hint != "agentctl auth login popcorn.club --device" || len(site.asked()) > 0 {
		t.Errorf("hint %q, asked %q", e.Hint, site.asked())
	}
}

// A server takes a refresh token once, so of many programs that find the token over only one may renew it.
func TestOfManyProgramsOneRenews(t *testing.T) {
	site := &server{style: "body"}
	through := serve(t, site)
	first, _ := newStore(t, "file")
	later := func() time.Time { return noon.Add(time.Minute) }
	first.Now = later
	deviceKept(t, first, true)
	var wait sync.WaitGroup
	tokens := make([]string, 6)
	for i := range tokens {
		wait.Go(func() {
			s, err := Open(Settings{ConfigDir: first.ConfigDir, Place: "file", Now: later, Getenv: first.Getenv})
			if err == nil {
				tokens[i], err = current(t, s, through, popcorn)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, token := range tokens {
		if token != "canary-access-1" {
			t.Errorf("got %q", tokens)
			break
		}
	}
	if asked := site.asked(); len(asked) != 1 {
		t.Errorf("asked %d times: %q", len(asked), asked)
	}
}

func TestRenewingDoesNotUndoALogout(t *testing.T) {
	s, ring, _ := clocked(t)
	site := &server{}
	site.answer = func(w http.ResponseWriter, _ *http.Request) {
		ok, err := s.Logout(context.Background(), popcorn)
		if !ok || err != nil {
			t.Errorf("logout: %v, %v", ok, err)
		}
		site.issue(w, 60)
	}
	through := serve(t, site)
	deviceKept(t, s, true)
	s.Now = func() time.Time { return noon.Add(time.Minute) }
	if _, err := current(t, s, through, popcorn); err != nil {
		t.Error(err)
	}
	if len(ring.secrets) > 0 {
		t.Errorf("secrets came back: %v", ring.secrets)
	}
}

func TestATokenThatCannotBeKeptIsUsed(t *testing.T) {
	site := &server{}
	s, ring, _ := clocked(t)
	told := ""
	s.Warn = func(message string) { told += message }
	site.answer = func(w http.ResponseWriter, _ *http.Request) {
		ring.mu.Lock()
		ring.err = errTooLarge
		ring.mu.Unlock()
		site.issue(w, 60)
	}
	through := serve(t, site)
	deviceKept(t, s, true)
	s.Now = func() time.Time { return noon.Add(time.Minute) }
	token, err := current(t, s, through, popcorn)
	if check(t, err); token != "canary-access-1" || !strings.Contains(told, "cannot be kept") || strings.Contains(told, "canary") {
		t.Errorf("%q, told %q", token, told)
	}
}

func TestRenewingEndsWithItsContext(t *testing.T) {
	site := &server{answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}
	through := serve(t, site)
	s, _, _ := clocked(t)
	deviceKept(t, s, true)
	s.Now = func() time.Time { return noon.Add(time.Minute) }
	c, err := s.Credential(t.Context(), popcorn)
	check(t, err)
	unlock, err := s.lockTokens(t.Context(), popcorn)
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e := fault.From(s.Renew(ctx, through, c)); e.Kind != fault.Interrupted { // while another program has the lock
		t.Errorf("got %v", e)
	}
	unlock()
	ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	wantCode(t, s.Renew(ctx, through, c), fault.Unavailable, "timeout")
}

func TestWhatWasKeptIsDamaged(t *testing.T) {
	site := &server{}
	through := serve(t, site)
	s, ring, _ := clocked(t)
	check(t, s.LoginClient(t.Context(), through, popcorn, robot()))
	ring.secrets[accessName(popcorn)] = "{" // another one can be had
	if token, err := current(t, s, through, popcorn); err != nil || token != "canary-access-2" {
		t.Errorf("%q, %v", token, err)
	}
	ring.secrets[accessName(popcorn)], ring.secrets[popcorn.String()] = "{", "canary"
	_, err := current(t, s, through, popcorn)
	if e := wantCode(t, err, fault.Auth, "credential_missing"); strings.Contains(e.Error(), "canary") {
		t.Errorf("told %v", e)
	}
	ring.err = errLocked
	_, err = s.Credential(t.Context(), popcorn)
	wantCode(t, err, fault.Auth, "keyring_locked")
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

// inMemory answers requests without a network.
type inMemory http.HandlerFunc

func (h inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	h(recorder, r)
	answer := recorder.Result()
	answer.Request = r
	return answer, r.Context().Err()
}
