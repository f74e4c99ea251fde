package call

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

// An effect is sent once, whatever comes of it, unless its action declares idempotency: then the same key goes with each
// try (contract, section 7).
func TestOnlyAnIdempotentEffectIsTriedAgain(t *testing.T) {
	for name, test := range map[string]struct {
		method     string
		idempotent bool
		tries      int
	}{
		"an effect":                       {"POST", false, 1},
		"an effect without a body":        {"DELETE", false, 1},
		"an idempotent one":               {"POST", true, 2},
		"an idempotent one with no body ": {"DELETE", true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var keys []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				keys = append(keys, r.Header.Get("Idempotency-Key"))
				if len(keys) == 1 {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			}))
			defer server.Close()
			c := Caller{
				Client: fetch.New(fetch.Settings{
					Retries: 3, Now: time.Now, Sleep: func(context.Context, time.Duration) error { return nil },
				}),
				Redact: keep,
			}
			request := &Request{Method: test.method, URL: server.URL + "/pay", Effect: manifest.Write, Idempotent: test.idempotent}
			if test.method == http.MethodPost {
				request.Body = []byte(`{}`)
			}
			result, err := c.Do(t.Context(), &Call{Request: request, Origin: server.URL})
			if err == nil {
				_, _ = io.Copy(io.Discard, result.Body)
				_ = result.Body.Close()
			}
			if len(keys) != test.tries {
				t.Fatalf("sent %d times, want %d (%v)", len(keys), test.tries, err)
			}
			if !test.idempotent {
				if keys[0] != "" || err == nil || fault.From(err).Kind != fault.Unavailable {
					t.Errorf("key %q, error %v", keys[0], err)
				}
				return
			}
			if err != nil || keys[0] == "" || keys[0] != keys[1] {
				t.Errorf("keys %q, error %v; want one key in both", keys, err)
			}
			if request.Header.Get("Idempotency-Key") != "" {
				t.Error("the key became a part of what is approved")
			}
		})
	}
}
