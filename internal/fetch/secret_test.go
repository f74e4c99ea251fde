package fetch

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

const canary = "canary-5e=&;7f"

func TestSecretsAreSentAndNeverTold(t *testing.T) {
	for name, test := range map[string]struct {
		secrets []Secret
		url     string
		target  string // as the site sees it
		header  http.Header
	}{
		"in a header":            {[]Secret{{InHeader, "x-api-key", canary, false}}, "/a?b=c", "/a?b=c", http.Header{"X-Api-Key": {canary}}},
		"as Authorization":       {[]Secret{{InHeader, "Authorization", canary, false}}, "/", "/", http.Header{"Authorization": {canary}}},
		"in the query":           {[]Secret{{InQuery, "api key", canary, false}}, "/a", "/a?api+key=canary-5e%3D%26%3B7f", nil},
		"behind a query":         {[]Secret{{InQuery, "key", "k", false}}, "/a?b=%2f&c", "/a?b=%2f&c&key=k", nil},
		"in place of a field":    {[]Secret{{InQuery, "key", "k", false}}, "/a?key=mine&b=c&k%65y=too", "/a?b=c&key=k", nil},
		"in place of a header":   {[]Secret{{InHeader, "X-Given", "k", false}}, "/", "/", http.Header{"X-Given": {"k"}}},
		"in cookies":             {[]Secret{{InCookie, "sid", "s", false}, {InCookie, "t", "u==", false}}, "/", "/", http.Header{"Cookie": {"sid=s; t=u=="}}},
		"in three places":        {[]Secret{{InCookie, "sid", "s", false}, {InQuery, "k", "q", false}, {InHeader, "X-K", "h", false}}, "/", "/?k=q", http.Header{"Cookie": {"sid=s"}, "X-K": {"h"}}},
		"two fields of the same": {[]Secret{{InQuery, "a", "1", false}, {InQuery, "b", "2", false}}, "/", "/?a=1&b=2", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var target string
			var header http.Header
			w.serve(t, func(_ http.ResponseWriter, r *http.Request) { target, header = r.RequestURI, r.Header })
			response, err := New(w.settings).Do(t.Context(), Request{
				URL: site + test.url, Secrets: test.secrets, Header: http.Header{"X-Given": {"mine"}},
			})
			must(t, err)
			response.Body.Close()
			if target != test.target {
				t.Errorf("the site saw %q, want %q", target, test.target)
			}
			for field, want := range test.header {
				if got := header[field]; len(got) != 1 || got[0] != want[0] {
					t.Errorf("%s: %q, want %q", field, got, want)
				}
			}
			if told := fmt.Sprint(w.events, response.URL); strings.Contains(told, "canary") {
				t.Errorf("the secret is told: %s", told)
			}
		})
	}
}

func TestSecretsGoAlongInsideTheirOrigin(t *testing.T) {
	w := newWorld(t)
	var seen []string
	w.serve(t, func(rw http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.RequestURI)
		if r.URL.Path == "/" {
			rw.Header().Set("Location", "/landed?b=c&key=of+the+site")
			rw.WriteHeader(http.StatusFound)
		}
	})
	response, err := New(w.settings).Do(t.Context(), Request{URL: site, Secrets: []Secret{{InQuery, "key", "k", false}}, Read: true})
	must(t, err)
	response.Body.Close()
	if got := strings.Join(seen, " "); got != "/?key=k /landed?b=c&key=k" {
		t.Errorf("the site saw %s", got)
	}
}

func TestSecretsStayWithTheirOrigin(t *testing.T) {
	w := newWorld(t)
	var lock sync.Mutex
	var elsewhere []string
	other := w.serve(t, func(http.ResponseWriter, *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		elsewhere = append(elsewhere, "asked")
	})
	w.resolve("shop.example", 8443, other.Listener.Addr())
	w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Location", "https://shop.example:8443/")
		rw.WriteHeader(http.StatusTemporaryRedirect)
	})
	for _, in := range []SecretPlace{InHeader, InQuery, InCookie} {
		_, err := New(w.settings).Do(t.Context(), Request{URL: site, Secrets: []Secret{{In: in, Name: "key", Value: "canary"}}, Read: true})
		e := wantFault(t, err, fault.Unavailable, codeRedirect, fault.SentYes)
		if strings.Contains(fmt.Sprintf("%+v", e), "canary") {
			t.Errorf("the secret is told: %+v", e)
		}
	}
	if len(elsewhere) > 0 {
		t.Errorf("the other origin was asked %d times", len(elsewhere))
	}
}

func TestSecretsThatNoRequestCarries(t *testing.T) {
	for name, secret := range map[string]Secret{
		"a header that is none":         {InHeader, "a b", canary, false},
		"a header without a name":       {InHeader, "", canary, false},
		"how a body is framed":          {InHeader, "transfer-encoding", canary, false},
		"the host":                      {InHeader, "Host", canary, false},
		"a line break in a header":      {InHeader, "X-Key", canary + "\r\nHost: evil.example", false},
		"a field without a name":        {InQuery, "", canary, false},
		"a cookie that is two":          {InCookie, "a", canary, false},
		"a cookie with a name of two":   {InCookie, "a=b; c", "canary", false},
		"a cookie with a line break":    {InCookie, "a", "canary\n", false},
		"a place that there is none of": {"body", "a", canary, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(newWorld(t).settings).Do(context.Background(), Request{URL: site, Secrets: []Secret{secret}})
			if e := wantFault(t, err, fault.Usage, "invalid_request", fault.SentNo); strings.Contains(e.Error(), "canary") {
				t.Errorf("the secret is told: %v", e)
			}
		})
	}
}
