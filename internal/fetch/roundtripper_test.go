package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

// through sends a request of a library and returns the text of the answer.
func through(t *testing.T, c *Client, b Bounds, r *http.Request) (string, *http.Response, error) {
	t.Helper()
	answer, err := (&http.Client{Transport: c.RoundTripper(b)}).Do(r)
	if err != nil {
		return "", nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return string(content), answer, err
}

func ask(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	must(t, err)
	return r
}

func TestALibrarysRequestArrivesAsGiven(t *testing.T) {
	w := newWorld(t)
	w.serve(t, func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		rw.Header().Set("X-Answer", "yes")
		rw.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprintf(rw, "%s %s %s %s %s", r.Method, r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("X-Key"), body)
	})
	r := ask(t, "POST", site+"/a?b=c", "grant=x")
	r.SetBasicAuth("id", "secret")
	bounds := Bounds{Origin: site, Secrets: func(context.Context) ([]Secret, error) { return []Secret{{InHeader, "X-Key", "k", false}}, nil }}
	got, answer, err := through(t, New(w.settings), bounds, r)
	must(t, err)
	if want := "POST /a?b=c Basic aWQ6c2VjcmV0 k grant=x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if answer.Status != "422 Unprocessable Entity" || answer.Header.Get("X-Answer") != "yes" || answer.ProtoMajor != 2 || answer.Request == nil {
		t.Errorf("answer %+v", answer)
	}
	if r.Header.Get("X-Key") != "" || r.Header.Get("Authorization") == "" {
		t.Error("the request was changed")
	}
}

func TestALibrarysRequestIsSentOnceUnlessItIsAGet(t *testing.T) {
	for method, want := range map[string]int32{"GET": 3, "POST": 1, "DELETE": 1, "PUT": 1} {
		w := newWorld(t)
		w.settings.Retries = 2
		var tries atomic.Int32
		w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
			tries.Add(1)
			rw.WriteHeader(http.StatusServiceUnavailable)
		})
		_, _, err := through(t, New(w.settings), Bounds{}, ask(t, method, site, ""))
		must(t, err)
		if tries.Load() != want {
			t.Errorf("%s was sent %d times, want %d", method, tries.Load(), want)
		}
	}
}

func TestALibraryIsHeldToTheRules(t *testing.T) {
	secrets := func(context.Context) ([]Secret, error) { return []Secret{{InQuery, "k", "canary", false}}, nil }
	for name, test := range map[string]struct {
		url, method string
		bounds      Bounds
		location    string
		body        string
		code        string
	}{
		"plain http":                           {url: "http://shop.example/", code: "insecure_url"},
		"a private address":                    {url: "https://10.0.0.1/", code: codeBlocked},
		"another origin":                       {url: "https://shop.example:8443/", bounds: Bounds{Origin: site, Secrets: secrets}, code: "origin_refused"},
		"another scheme on loopback":           {url: "http://localhost/", bounds: Bounds{Origin: "https://localhost"}, code: "origin_refused"},
		"secrets of no origin":                 {url: site, bounds: Bounds{Secrets: secrets}, code: "invalid_url"},
		"secrets that cannot be had":           {url: site, bounds: Bounds{Origin: site, Secrets: func(context.Context) ([]Secret, error) { return nil, fault.New(fault.Auth, "locked", "no") }}, code: "locked"},
		"a redirect of an effect":              {url: site, method: "POST", location: "/other", code: codeRedirect},
		"a redirect of a read to elsewhere":    {url: site, bounds: Bounds{Origin: site, Secrets: secrets}, location: "https://evil.example/", code: codeRedirect},
		"an answer that is larger than it may": {url: site, bounds: Bounds{MaxBytes: 10}, body: "0123456789a", code: codeLarge},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.serve(t, func(rw http.ResponseWriter, r *http.Request) {
				if test.location != "" {
					rw.Header().Set("Location", test.location)
					rw.WriteHeader(http.StatusTemporaryRedirect)
				}
				fmt.Fprint(rw, test.body)
			})
			_, _, err := through(t, New(w.settings), test.bounds, ask(t, test.method, test.url, ""))
			e, ok := errors.AsType[*fault.Error](err)
			if !ok || e.Code != test.code {
				t.Fatalf("got %v, want a fault with the code %s", err, test.code)
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("the secret is told: %v", err)
			}
		})
	}
}

func TestAnAnswerReachesALibraryWhileItGoesOn(t *testing.T) {
	w := newWorld(t)
	read := make(chan struct{})
	w.serve(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(rw, "data: 1\n")
		rw.(http.Flusher).Flush()
		select {
		case <-read:
		case <-r.Context().Done():
			return
		}
		fmt.Fprint(rw, "data: 2\n")
	})
	answer, err := (&http.Client{Transport: New(w.settings).RoundTripper(Bounds{MaxBytes: Unlimited})}).Do(ask(t, "POST", site, "{}"))
	must(t, err)
	defer answer.Body.Close()
	lines := bufio.NewReader(answer.Body)
	first, err := lines.ReadString('\n')
	must(t, err)
	close(read)
	second, err := lines.ReadString('\n')
	if first != "data: 1\n" || second != "data: 2\n" || err != nil {
		t.Errorf("%q, %q, %v", first, second, err)
	}
}
