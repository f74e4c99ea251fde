package payment_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fetch"
)

// What the shop wants, by each protocol.
const (
	mppWants  = `{"amount":"250","currency":"usd","recipient":"acct_7"}`
	x402Wants = `{"scheme":"exact","network":"eip155:84532","amount":"2500","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e",` +
		`"payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"extra":{"name":"USDC","version":"2"}}`
	x402WantsV1 = `{"scheme":"exact","network":"base-sepolia","maxAmountRequired":"2500","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e",` +
		`"payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"resource":"https://shop.example.com/rent",` +
		`"description":"","mimeType":"application/json","extra":{"name":"USDC","version":"2"}}`
)

// reply is one answer of the shop.
type reply struct {
	status int
	header http.Header
	body   string
	do     func(w http.ResponseWriter, cancel func()) // in place of all that
}

func ok(header ...string) reply {
	return reply{status: http.StatusOK, header: fields(header), body: `{"rented":true}`}
}

func status(code int, header ...string) reply { return reply{status: code, header: fields(header)} }

func fields(pairs []string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// change replaces parts of a text, and panics where one is not in it: such a row would test nothing.
func change(text string, oldNew ...string) string {
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(text, oldNew[i]) {
			panic(oldNew[i] + " is not in " + text)
		}
		text = strings.ReplaceAll(text, oldNew[i], oldNew[i+1])
	}
	return text
}

// mppChallenge is the challenge of MPP for what the shop wants.
func mppChallenge(wants string, oldNew ...string) string {
	return change(`Payment id="c-81", realm="shop.example.com", method="example", intent="charge", request="`+
		base64.RawURLEncoding.EncodeToString([]byte(wants))+`", expires="`+clock().Add(5*time.Minute).Format(time.RFC3339)+`"`, oldNew...)
}

// mpp demands to be paid by MPP.
func mpp(oldNew ...string) reply { return mppOf(mppChallenge(mppWants, oldNew...)) }

func mppOf(challenges ...string) reply {
	return reply{status: http.StatusPaymentRequired, header: http.Header{"Www-Authenticate": challenges, "Cache-Control": {"no-store"}}}
}

func x402Doc(version int, accepts ...string) string {
	resource := ""
	if version == 2 {
		resource = `"resource":{"url":"https://shop.example.com/rent"},`
	}
	return fmt.Sprintf(`{"x402Version":%d,%s"error":"pay first","accepts":[%s]}`, version, resource, strings.Join(accepts, ","))
}

// x402 demands to be paid by x402, version 2.
func x402(oldNew ...string) reply { return x402Of(change(x402Doc(2, x402Wants), oldNew...)) }

func x402Of(doc string) reply {
	return status(http.StatusPaymentRequired, "PAYMENT-REQUIRED", base64.StdEncoding.EncodeToString([]byte(doc)))
}

// x402V1 demands to be paid by x402, version 1.
func x402V1(oldNew ...string) reply { return inBody(change(x402Doc(1, x402WantsV1), oldNew...)) }

func inBody(doc string) reply {
	return reply{status: http.StatusPaymentRequired, header: fields([]string{"Content-Type", "application/json"}), body: doc}
}

// shop gives the replies of a row, one a request, and keeps what it was asked. A stranger's site stands beside it.
type shop struct {
	t        *testing.T
	client   *fetch.Client
	replies  []reply
	cancel   context.CancelFunc
	mu       sync.Mutex
	requests []*http.Request // their bodies can be read
	bodies   []string
	stranger int
}

func newShop(t *testing.T, replies []reply) *shop {
	t.Helper()
	s := &shop{t: t, replies: replies}
	site := quiet(s.answer)
	stranger := quiet(func(http.ResponseWriter, *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stranger++
	})
	stranger.TLS = &tls.Config{}
	site.StartTLS()
	stranger.TLS.Certificates = site.TLS.Certificates
	stranger.StartTLS()
	t.Cleanup(site.Close)
	t.Cleanup(stranger.Close)
	var overrides []fetch.Override
	for host, server := range map[string]*httptest.Server{"shop.example.com:443": site, "stranger.example.com:443": stranger} {
		o, err := fetch.ParseOverride(host + ":" + server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		overrides = append(overrides, o)
	}
	pool := x509.NewCertPool()
	pool.AddCert(site.Certificate())
	s.client = fetch.New(fetch.Settings{
		Resolve: overrides, Roots: func() (*x509.CertPool, error) { return pool, nil }, Now: clock, Retries: 3,
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
	return s
}

func quiet(h http.HandlerFunc) *httptest.Server {
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	return server
}

func (s *shop) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	i := len(s.requests)
	s.requests = append(s.requests, r)
	s.bodies = append(s.bodies, string(body))
	s.mu.Unlock()
	if i >= len(s.replies) {
		http.Error(w, "the row has no such answer", http.StatusTeapot)
		return
	}
	answer := s.replies[i]
	if answer.do != nil {
		answer.do(w, s.cancel)
		return
	}
	for name, values := range answer.header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	w.WriteHeader(answer.status)
	_, _ = io.WriteString(w, answer.body)
}

// credentials are the payments that were sent, decoded, by the number of their request.
func (s *shop) credentials() map[int]map[string]any {
	found := map[int]map[string]any{}
	for i, r := range s.requests {
		var values []string
		for _, name := range []string{"Payment-Signature", "X-Payment"} {
			values = append(values, r.Header.Values(name)...)
		}
		for _, value := range r.Header.Values("Authorization") {
			if rest, is := strings.CutPrefix(value, "Payment "); is {
				values = append(values, rest)
			}
		}
		if len(values) > 1 {
			s.t.Errorf("request %d carries %d payments", i, len(values))
		}
		for _, value := range values {
			text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(value), "="))
			var doc map[string]any
			if err != nil || json.Unmarshal(text, &doc) != nil {
				s.t.Errorf("request %d carries a payment that cannot be read: %q", i, text)
			}
			found[i] = doc
		}
	}
	return found
}

// same holds every request to the first one: nothing may differ but credentials (CH-7). A redirect leads elsewhere.
func (s *shop) same(t *testing.T) {
	t.Helper()
	added := []string{"Connection", "Authorization", "Aep-Authorization", "Payment-Signature", "X-Payment", "Idempotency-Key"}
	for i := 1; i < len(s.requests); i++ {
		first, r := s.requests[0], s.requests[i]
		if r.Method != first.Method || s.bodies[i] != s.bodies[0] {
			t.Errorf("request %d is %s %q, the first one %s %q", i, r.Method, s.bodies[i], first.Method, s.bodies[0])
		}
		for _, pair := range [][2]http.Header{{first.Header, r.Header}, {r.Header, first.Header}} {
			for name, values := range pair[0] {
				if !slices.Contains(added, name) && !slices.Equal(values, pair[1][name]) {
					t.Errorf("request %d has another %s: %q", i, name, values)
				}
			}
		}
	}
}

// abort ends the connection without an answer.
// breaksOff is an answer whose body ends too early.
func breaksOff(code int) reply {
	return reply{do: func(w http.ResponseWriter, _ func()) {
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(code)
		_, _ = w.Write([]byte("{"))
	}}
}

func abort() reply {
	return reply{do: func(http.ResponseWriter, func()) { panic(http.ErrAbortHandler) }}
}

// cancelled has the person press Ctrl-C while the shop thinks.
func cancelled() reply {
	return reply{do: func(_ http.ResponseWriter, cancel func()) {
		cancel()
		panic(http.ErrAbortHandler)
	}}
}

// compact is JSON on one line, to be compared.
func compact(value any) string {
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(value)
	return strings.TrimSpace(b.String())
}
