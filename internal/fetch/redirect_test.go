package fetch

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestReadsFollowRedirectsWithinTheOrigin(t *testing.T) {
	w := newWorld(t)
	w.serve(t, func(rw http.ResponseWriter, r *http.Request) {
		if status := 0; strings.HasPrefix(r.URL.Path, "/to/") {
			_, err := fmt.Sscanf(r.URL.Path, "/to/%d", &status)
			must(t, err)
			rw.Header().Set("Location", "../end?x=1#frag")
			rw.WriteHeader(status)
			return
		}
		content, _ := io.ReadAll(r.Body)
		fmt.Fprintf(rw, "%s %s %s %s", r.Method, r.RequestURI, content, r.Header.Get("Content-Type"))
	})
	client := New(w.settings)
	for _, test := range []struct {
		method string
		status int
		want   string
	}{
		{"GET", 301, "GET /end?x=1  "},
		{"GET", 302, "GET /end?x=1  "},
		{"GET", 303, "GET /end?x=1  "},
		{"GET", 307, "GET /end?x=1  "},
		{"GET", 308, "GET /end?x=1  "},
		{"POST", 301, "GET /end?x=1  "},
		{"POST", 302, "GET /end?x=1  "},
		{"POST", 303, "GET /end?x=1  "},
		{"POST", 307, "POST /end?x=1 q text/plain"},
		{"POST", 308, "POST /end?x=1 q text/plain"},
		{"QUERY", 302, "QUERY /end?x=1 q text/plain"},
		{"QUERY", 303, "GET /end?x=1  "},
	} {
		request := Request{Method: test.method, URL: fmt.Sprintf("%s/to/%d", site, test.status)}
		if test.method != "GET" {
			request.Body, request.Header = []byte("q"), http.Header{"Content-Type": {"text/plain"}}
		}
		body, response, err := get(t.Context(), client, request)
		must(t, err)
		if body != test.want || response.URL != site+"/end?x=1" {
			t.Errorf("%s %d: %q at %s, want %q", test.method, test.status, body, response.URL, test.want)
		}
	}
}

func TestRedirectsAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		location string
		read     bool
		message  string
	}{
		"of an effect, even within the origin": {"/end", false, "has an effect"},
		"in a circle":                          {"/again", true, "in a circle"},
		"more than five times":                 {"/again?n=", true, "more than 5 times"},
		"without an address":                   {"", true, "without a usable address"},
		"with an unreadable address":           {"https://[::1", true, "without a usable address"},
		"to another scheme":                    {"javascript:alert(1)", true, `"javascript://"`},
		"to a subdomain":                       {"https://a.shop.example/", true, `"https://a.shop.example"`},
		"to a host without scheme":             {"//other.example/", true, `"https://other.example"`},
		"to a name that reads backwards":       {"https://\u202ecod.example/", true, `"https://\u202ecod.example"`},
		"with a password":                      {"https://u:p4ss@shop.example/", true, "refused"},
		"to a private address":                 {"https://169.254.169.254/", true, `"https://169.254.169.254"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var requests atomic.Int32
			w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
				n := requests.Add(1)
				location := test.location
				if strings.HasSuffix(location, "=") {
					location += fmt.Sprint(n)
				}
				if location != "" {
					rw.Header().Set("Location", location)
				}
				rw.WriteHeader(http.StatusFound)
			})
			_, err := New(w.settings).Do(t.Context(), Request{URL: site, Read: test.read})
			e := wantFault(t, err, fault.Unavailable, "redirect_refused", fault.SentYes)
			if !strings.Contains(e.Message, test.message) || e.Status != http.StatusFound {
				t.Errorf("message %q (status %d), want %q", e.Message, e.Status, test.message)
			}
			if strings.Contains(e.Message, "p4ss") || strings.Contains(e.Message, "\u202e") {
				t.Errorf("message %q", e.Message)
			}
			want := int32(1)
			switch name {
			case "in a circle":
				want = 2
			case "more than five times":
				want = maxRedirects + 1
			}
			if requests.Load() != want {
				t.Errorf("%d requests, want %d", requests.Load(), want)
			}
		})
	}
}

func TestOtherThreeHundredsAreAnswers(t *testing.T) {
	w := newWorld(t)
	w.serve(t, func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusMultipleChoices) })
	response, err := New(w.settings).Do(t.Context(), Request{URL: site})
	must(t, err)
	response.Body.Close()
	if response.Status != http.StatusMultipleChoices {
		t.Errorf("status %d", response.Status)
	}
}
