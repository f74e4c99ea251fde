package call

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

// twoSites are a site over TLS, and a stranger that must never hear of its secrets.
type twoSites struct {
	client *fetch.Client
	mu     sync.Mutex
	traced []string
	seen   []string // what the stranger was sent
}

func newTwoSites(t *testing.T, answer http.HandlerFunc) *twoSites {
	t.Helper()
	s := &twoSites{}
	site := httptest.NewTLSServer(answer)
	stranger := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen = append(s.seen, fmt.Sprint(r.RequestURI, r.Header))
	}))
	stranger.TLS = &tls.Config{Certificates: site.TLS.Certificates}
	stranger.StartTLS()
	t.Cleanup(site.Close)
	t.Cleanup(stranger.Close)
	pool := x509.NewCertPool()
	pool.AddCert(site.Certificate())
	var overrides []fetch.Override
	for host, server := range map[string]*httptest.Server{
		"example.com:443": site, "example.com:8443": stranger, "elsewhere.example.com:443": stranger,
	} {
		o, err := fetch.ParseOverride(host + ":" + server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		overrides = append(overrides, o)
	}
	s.client = fetch.New(fetch.Settings{
		Resolve: overrides, Roots: func() (*x509.CertPool, error) { return pool, nil }, Now: time.Now,
		Trace: func(e fetch.Event) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.traced = append(s.traced, fmt.Sprintf("%+v", e))
		},
	})
	return s
}

// A secret reaches its own site, and nothing else: not another origin by any redirect, not what is told of the call.
func TestSecretsReachTheirSiteAndNothingElse(t *testing.T) {
	const secret = "canary/5e=7f+"
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+secret))
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.TrimPrefix(basic, "Basic ")}
	redirect := func(status int, to string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(status)
		}
	}
	inside := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/landed" {
			redirect(http.StatusTemporaryRedirect, "/landed")(w, r)
		}
	}
	for place, test := range map[string]struct {
		secret fetch.Secret
		sees   func(*http.Request) bool
	}{
		"bearer": {fetch.Secret{In: fetch.InHeader, Name: "Authorization", Value: "Bearer " + secret}, func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+secret }},
		"basic":  {fetch.Secret{In: fetch.InHeader, Name: "Authorization", Value: basic}, func(r *http.Request) bool { return r.Header.Get("Authorization") == basic }},
		"header": {fetch.Secret{In: fetch.InHeader, Name: "X-Api-Key", Value: secret}, func(r *http.Request) bool { return r.Header.Get("X-Api-Key") == secret }},
		"query":  {fetch.Secret{In: fetch.InQuery, Name: "api_key", Value: secret}, func(r *http.Request) bool { return r.URL.Query().Get("api_key") == secret }},
		"cookie": {fetch.Secret{In: fetch.InCookie, Name: "sid", Value: secret}, func(r *http.Request) bool { return r.Header.Get("Cookie") == "sid="+secret }},
	} {
		for name, site := range map[string]struct {
			effect manifest.Effect
			answer http.HandlerFunc
			code   string // "" for an answer
		}{
			"answers":                              {manifest.Read, func(http.ResponseWriter, *http.Request) {}, ""},
			"answers an effect":                    {manifest.Write, func(http.ResponseWriter, *http.Request) {}, ""},
			"leads on inside":                      {manifest.Read, inside, ""},
			"leads an effect on inside":            {manifest.Write, inside, "redirect_refused"},
			"leads to another host, 301":           {manifest.Read, redirect(301, "https://elsewhere.example.com/"), "redirect_refused"},
			"leads to another host, 302":           {manifest.Read, redirect(302, "https://elsewhere.example.com/"), "redirect_refused"},
			"leads to another host, 303":           {manifest.Read, redirect(303, "https://elsewhere.example.com/"), "redirect_refused"},
			"leads to another host, 307":           {manifest.Read, redirect(307, "//elsewhere.example.com/"), "redirect_refused"},
			"leads to another host, 308":           {manifest.Write, redirect(308, "https://elsewhere.example.com/"), "redirect_refused"},
			"leads to another port":                {manifest.Read, redirect(307, "https://example.com:8443/"), "redirect_refused"},
			"leads to plain http":                  {manifest.Read, redirect(307, "http://example.com/"), "redirect_refused"},
			"leads to a name that looks like it":   {manifest.Read, redirect(307, "https://example.com@elsewhere.example.com/"), "redirect_refused"},
			"leads out of the name's end":          {manifest.Read, redirect(307, "https://example.com.elsewhere.example.com/"), "redirect_refused"},
			"is another origin from the beginning": {manifest.Read, func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }, "credential_elsewhere"},
			"breaks off":                           {manifest.Read, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "connection_reset"},
			"refuses":                              {manifest.Read, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "http_403"},
		} {
			t.Run(place+": the site "+name, func(t *testing.T) {
				var heard []*http.Request
				s := newTwoSites(t, func(w http.ResponseWriter, r *http.Request) {
					heard = append(heard, r)
					site.answer(w, r)
				})
				request := &Request{Method: http.MethodGet, URL: "https://example.com/me?a=b", Effect: site.effect}
				if site.effect != manifest.Read {
					request.Method, request.Body = http.MethodPost, []byte(`{}`)
				}
				c := Call{Request: request, Origin: "https://example.com"}
				if site.code == "credential_elsewhere" {
					c.Origin = "https://elsewhere.example.com"
				}
				caller := Caller{Client: s.client, Secrets: []fetch.Secret{test.secret}, Redact: keep}
				result, err := caller.Do(t.Context(), &c)
				told := strings.Join(s.traced, "\n")
				if err == nil {
					result.Body.Close()
				} else {
					told += fmt.Sprintf("%+v", fault.From(err))
				}
				if code := fault.From(err); site.code == "" && err != nil || site.code != "" && (code == nil || code.Code != site.code) {
					t.Errorf("got %v, want %q", err, site.code)
				}
				for _, r := range heard {
					if !test.sees(r) {
						t.Errorf("the site got %s %v", r.RequestURI, r.Header)
					}
				}
				if len(s.seen) > 0 {
					t.Errorf("the stranger got %q", s.seen)
				}
				facts := fmt.Sprintf("%+v", c.Facts())
				for _, form := range forms {
					if strings.Contains(told, form) || strings.Contains(facts, form) {
						t.Errorf("%q is told: %s %s", form, told, facts)
					}
				}
			})
		}
	}
}
