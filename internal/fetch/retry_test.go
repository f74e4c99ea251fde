package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestReadsAreRetried(t *testing.T) {
	date := func(w *world, in time.Duration) string { return w.now.Add(in).UTC().Format(http.TimeFormat) }
	for name, test := range map[string]struct {
		status     int
		retryAfter func(*world) string
		fails      int32 // answers with status before the first 200
		retries    int
		requests   int32
		final      int
		least      time.Duration // slept in all
		most       time.Duration
	}{
		"after 503":                              {503, nil, 1, 3, 2, 200, 250 * time.Millisecond, 320 * time.Millisecond},
		"after 429, three times":                 {429, nil, 3, 3, 4, 200, 1750 * time.Millisecond, 2200 * time.Millisecond},
		"not after 500":                          {500, nil, 1, 3, 1, 500, 0, 0},
		"not without leave":                      {503, nil, 1, 0, 1, 503, 0, 0},
		"never more than three times":            {503, nil, 9, 9, 4, 503, 1750 * time.Millisecond, 2200 * time.Millisecond},
		"as late as the site asks, in seconds":   {503, func(*world) string { return "7" }, 1, 3, 2, 200, 7 * time.Second, 7 * time.Second},
		"as late as the site asks, by date":      {503, func(w *world) string { return date(w, 9*time.Second) }, 1, 3, 2, 200, 8 * time.Second, 9 * time.Second},
		"at once when the date has passed":       {503, func(w *world) string { return date(w, -time.Hour) }, 1, 3, 2, 200, 250 * time.Millisecond, 320 * time.Millisecond},
		"at once when the site's wish is junk":   {503, func(*world) string { return "-1" }, 1, 3, 2, 200, 250 * time.Millisecond, 320 * time.Millisecond},
		"not when the site asks for too much":    {429, func(*world) string { return "31" }, 1, 3, 1, 429, 0, 0},
		"not when the wishes add up to too much": {429, func(*world) string { return "12" }, 9, 3, 3, 429, 24 * time.Second, 24 * time.Second},
		"not after an absurd number":             {429, func(*world) string { return strings.Repeat("9", 40) }, 1, 3, 1, 429, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.Retries = test.retries
			var requests atomic.Int32
			w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
				if requests.Add(1) <= test.fails {
					if test.retryAfter != nil {
						rw.Header().Set("Retry-After", test.retryAfter(w))
					}
					rw.WriteHeader(test.status)
				}
				fmt.Fprint(rw, "body")
			})
			body, response, err := get(t.Context(), New(w.settings), Request{URL: site})
			must(t, err)
			if requests.Load() != test.requests || response.Status != test.final || body != "body" {
				t.Errorf("%d requests, status %d, body %q; want %d, %d", requests.Load(), response.Status, body, test.requests, test.final)
			}
			var slept time.Duration
			for _, d := range w.sleeps {
				slept += d
			}
			if slept < test.least || slept > test.most {
				t.Errorf("slept %v, want %v to %v", slept, test.least, test.most)
			}
			if retries := len(w.kinds(EventRetry)); retries != int(test.requests)-1 {
				t.Errorf("%d retry events", retries)
			}
		})
	}
}

func TestTheSitesPatienceIsPassedOn(t *testing.T) {
	w := newWorld(t)
	w.settings.Retries = 3
	w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", "3600")
		rw.WriteHeader(http.StatusTooManyRequests)
	})
	_, response, err := get(t.Context(), New(w.settings), Request{URL: site})
	must(t, err)
	if response.RetryAfterSeconds() != 3600 {
		t.Errorf("retry after %d", response.RetryAfterSeconds())
	}
}

func TestARetryDoesNotOutliveTheDeadline(t *testing.T) {
	w := newWorld(t)
	w.settings.Retries = 3
	w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", "20")
		rw.WriteHeader(http.StatusServiceUnavailable)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, response, err := get(ctx, New(w.settings), Request{URL: site})
	must(t, err)
	if response.Status != http.StatusServiceUnavailable || len(w.sleeps) != 0 {
		t.Errorf("status %d after sleeping %v", response.Status, w.sleeps)
	}
}

func TestReadsAreRetriedAfterConnectionFailures(t *testing.T) {
	w := newWorld(t)
	w.settings.Retries = 3
	var connections atomic.Int32
	w.raw(t, func(conn net.Conn) {
		n := connections.Add(1)
		if readRequest(conn); n < 3 {
			reset(conn)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	})
	body, _, err := get(t.Context(), New(w.settings), Request{URL: site})
	must(t, err)
	if body != "ok" || connections.Load() != 3 {
		t.Errorf("%q after %d connections", body, connections.Load())
	}
}

func TestEffectsAreNeverRetried(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"after 503":     func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) },
		"after a reset": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		for _, request := range effects() {
			t.Run(name+" "+request.Method, func(t *testing.T) {
				w := newWorld(t)
				w.settings.Retries = 3
				var requests atomic.Int32
				w.serve(t, func(rw http.ResponseWriter, r *http.Request) { requests.Add(1); handler(rw, r) })
				if response, err := New(w.settings).Do(t.Context(), request); err == nil {
					response.Body.Close()
				} else {
					wantFault(t, err, fault.Unavailable, "connection_reset", fault.SentUnknown)
				}
				if requests.Load() != 1 || len(w.sleeps) != 0 {
					t.Errorf("%d requests", requests.Load())
				}
			})
		}
	}
}

// effects are requests with an effect of every shape that net/http might take for repeatable.
func effects() []Request {
	key := http.Header{"Idempotency-Key": {"1"}}
	return []Request{
		{Method: "POST", URL: site, Body: []byte("x")},
		{Method: "POST", URL: site, Body: []byte("x"), Header: key},
		{Method: "POST", URL: site, Header: key},
		{Method: "GET", URL: site},
		{Method: "DELETE", URL: site},
		{Method: "DELETE", URL: site, Header: key},
	}
}

// net/http sends a request again by itself when a connection that it kept proves dead. The server here answers what is
// asked first on a connection, and closes it on reading an effect: that must be counted once.
func TestNetHTTPDoesNotResendEffects(t *testing.T) {
	control := Request{Method: "GET", URL: site, Read: true} // shows that the server makes net/http do it
	for _, effect := range append(effects(), control) {
		t.Run(effect.Method, func(t *testing.T) {
			w := newWorld(t)
			var effects atomic.Int32
			w.raw(t, func(conn net.Conn) {
				for {
					head := readRequest(conn)
					if !strings.HasPrefix(head, "GET /warm") {
						effects.Add(min(1, int32(len(head))))
						return // without an answer
					}
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				}
			})
			client := New(w.settings)
			defer client.closeIdle()
			_, _, err := get(t.Context(), client, Request{URL: site + "/warm"})
			must(t, err)
			_, err = client.Do(t.Context(), effect)
			wantFault(t, err, fault.Unavailable, "connection_reset", fault.SentUnknown)
			want := int32(1)
			if effect.Read {
				want = 2
			}
			if effects.Load() != want {
				t.Errorf("the request arrived %d times, want %d", effects.Load(), want)
			}
		})
	}
}

// Over HTTP/2 net/http repeats a request without a body whose stream is reset with PROTOCOL_ERROR.
func TestNetHTTPDoesNotResendEffectsOverHTTP2(t *testing.T) {
	control := Request{Method: "GET", URL: site, Read: true}
	for _, effect := range append(effects(), control) {
		t.Run(effect.Method, func(t *testing.T) {
			w := newWorld(t)
			var effects atomic.Int32
			certificate := w.ca.issue(t, time.Now().Add(time.Hour), "shop.example")
			w.rawTCP(t, func(conn net.Conn) {
				secure := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}})
				if err := secure.Handshake(); err != nil {
					return
				}
				if secure.ConnectionState().NegotiatedProtocol == "h2" {
					resetStreams(secure, &effects)
				} else if readRequest(secure) != "" {
					effects.Add(1)
				}
			})
			client := New(w.settings)
			defer client.closeIdle()
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond) // net/http's second retry waits a second
			defer cancel()
			_, err := client.Do(ctx, effect)
			if err == nil {
				t.Fatal("no error")
			}
			if once := effects.Load() == 1; once == effect.Read {
				t.Errorf("the request arrived %d times (%v)", effects.Load(), err)
			}
			if !effect.Read {
				wantFault(t, err, fault.Unavailable, "connection_reset", fault.SentUnknown)
			}
		})
	}
}

// resetStreams speaks as much HTTP/2 as it takes to reset every stream.
func resetStreams(conn net.Conn, streams *atomic.Int32) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil {
		return
	}
	framer := http2.NewFramer(conn, conn)
	_ = framer.WriteSettings()
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = framer.WriteSettingsAck()
			}
		case *http2.HeadersFrame:
			streams.Add(1)
			_ = framer.WriteRSTStream(frame.StreamID, http2.ErrCodeProtocol)
		}
	}
}

func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "5": 5 * time.Second, "5 ": 0, "5.5": 0, "-5": 0, "+5": 0, "soon": 0, "99999999999999999999": maxRetryAfter,
		"Fri, 02 Jan 2026 03:04:15 GMT": 10 * time.Second, "Fri, 02 Jan 2026 03:04:00 GMT": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}}, func() time.Time { return now }); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestARetryCanBeInterrupted(t *testing.T) {
	w := newWorld(t)
	w.settings.Retries, w.settings.Sleep = 3, nil // the real one
	ctx, cancel := context.WithCancel(t.Context())
	w.settings.Trace = func(e Event) {
		if e.Kind == EventRetry {
			cancel()
		}
	}
	w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", "20")
		rw.WriteHeader(http.StatusServiceUnavailable)
	})
	_, err := New(w.settings).Do(ctx, Request{URL: site, Read: true})
	wantFault(t, err, fault.Interrupted, "interrupted", fault.SentYes)
}

// net/http sends a read again by itself, as often as an HTTP/2 server says that it did not look at it: hundreds of times
// in the time of one call. Contract, section 7: at most 3 retries.
func TestAServerThatTurnsConnectionsAwayIsNotHammered(t *testing.T) {
	for name, refuse := range map[string]func(*http2.Framer, uint32) error{
		"goes away": func(f *http2.Framer, _ uint32) error { return f.WriteGoAway(0, http2.ErrCodeNo, nil) },
		"resets":    func(f *http2.Framer, stream uint32) error { return f.WriteRSTStream(stream, http2.ErrCodeProtocol) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var asked atomic.Int32
			config := &tls.Config{Certificates: []tls.Certificate{w.ca.issue(t, time.Now().Add(time.Hour), "shop.example")}, NextProtos: []string{"h2"}}
			w.rawTCP(t, func(conn net.Conn) {
				secure := tls.Server(conn, config)
				if _, err := io.ReadFull(secure, make([]byte, len(http2.ClientPreface))); err != nil {
					return
				}
				f := http2.NewFramer(secure, secure)
				_ = f.WriteSettings()
				for {
					frame, err := f.ReadFrame()
					if err != nil {
						return
					}
					if head, ok := frame.(*http2.HeadersFrame); ok {
						asked.Add(1)
						_ = refuse(f, head.StreamID)
						return
					}
				}
			})
			w.settings.Retries = 3
			client := New(w.settings)
			defer client.closeIdle()
			_, _, err := get(t.Context(), client, Request{URL: site})
			wantFault(t, err, fault.Unavailable, "connection_reset", fault.SentUnknown)
			if n := asked.Load(); n > 8 { // each of the four tries, and once more for a connection that died idle
				t.Errorf("asked %d times", n)
			}
		})
	}
}
