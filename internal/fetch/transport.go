package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// idleTimeout is how long a connection waits for another request. Servers close idle ones after 5 seconds or more (Node's
// default); a request on a connection that is being closed fails, and an effect could not be sent again.
const idleTimeout = 4 * time.Second

// way gets a request to its site once, and the head of the answer back. It tells the wire how far it got.
type way interface {
	exchange(ctx context.Context, p *prepared, w *wire) (*http.Response, error)
}

// transports are the ways to send a request.
type transports struct {
	shared  pooled // over shared connections
	careful pooled // such that it is sent once at most; see [Client.wayFor]
	lanes   *lanes // for many small requests at a time; nil: they are not expected
}

func newTransports(roots *x509.CertPool, d *dialer, settings Settings, secure bool) transports {
	t := transports{shared: pooled{newTransport(roots, d, settings.MinTLS)}, careful: pooled{newCarefulTransport(roots, d, settings.MinTLS)}}
	if settings.Parallel > 0 { // twice as many small requests a second as over the streams of one HTTP/2 connection
		withoutHTTP2(t.shared.Transport)
		t.shared.MaxIdleConnsPerHost = max(settings.Parallel, t.shared.MaxIdleConnsPerHost)
		t.lanes = &lanes{dial: d.dial, now: settings.Now, most: settings.Parallel, idle: map[string][]*lane{}}
		if secure {
			t.lanes.config = t.shared.TLSClientConfig
		}
	}
	return t
}

// pooled is the way over net/http's transport.
type pooled struct{ *http.Transport }

func (t pooled) exchange(ctx context.Context, p *prepared, w *wire) (*http.Response, error) {
	ctx, w.stop = context.WithCancel(ctx)
	return t.RoundTrip(p.httpRequest().WithContext(httptrace.WithClientTrace(ctx, w.trace())))
}

func newTransport(roots *x509.CertPool, d *dialer, minTLS uint16) *http.Transport {
	return &http.Transport{
		Proxy:                  func(r *http.Request) (*url.URL, error) { return proxyOf(r.Context()), nil },
		OnProxyConnectResponse: checkProxyAnswer,
		DialContext:            d.dial,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: max(minTLS, tls.VersionTLS12)},
		ForceAttemptHTTP2:      true, // net/http gives up on it when the dial function is not its own
		MaxResponseHeaderBytes: maxResponseHead,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        idleTimeout,
		HTTP2:                  &http.HTTP2Config{MaxReadFrameSize: 256 << 10}, // fewer, larger frames where the server can: faster downloads
	}
}

// newCarefulTransport returns one that cannot send a request twice: HTTP/1.1, each request on a connection of its own.
func newCarefulTransport(roots *x509.CertPool, d *dialer, minTLS uint16) *http.Transport {
	t := newTransport(roots, d, minTLS)
	withoutHTTP2(t)
	t.DisableKeepAlives = true
	return t
}

func withoutHTTP2(t *http.Transport) {
	t.ForceAttemptHTTP2 = false
	t.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	t.TLSClientConfig.NextProtos = []string{"http/1.1"}
}

// wayFor keeps net/http from quietly sending a request with an effect again (contract section 7). It does so in
// two cases (Go 1.26):
//   - HTTP/1, when a reused connection turns out to be dead (persistConn.shouldRetryRequest): requests without a body, or
//     with a GetBody function, whose method is GET, HEAD, OPTIONS or TRACE or that carry an Idempotency-Key;
//   - HTTP/2, when the server refuses a stream or resets it with PROTOCOL_ERROR (http2shouldRetryRequest): any request
//     without a body, or with GetBody.
//
// An effect with a body never has GetBody, so neither applies. An effect without one goes over a connection of its own.
func (c *Client) wayFor(p *prepared, proxy *url.URL) (way, error) {
	ways := c.plain
	if p.target.url.Scheme == "https" {
		var err error
		secure := c.secure
		if slices.ContainsFunc(p.secrets, func(s Secret) bool { return s.TLS13 }) {
			secure = c.strict
		}
		if ways, err = secure(); err != nil {
			return nil, err
		}
	} else if slices.ContainsFunc(p.secrets, func(s Secret) bool { return s.TLS13 }) {
		return nil, fault.New(fault.Usage, "invalid_request", "the credential is sent over TLS alone")
	}
	switch {
	case ways.lanes != nil && proxy == nil && len(p.body) <= maxLaneBody:
		return ways.lanes, nil
	case p.read || len(p.body) > 0:
		return ways.shared, nil
	}
	return ways.careful, nil
}

type proxyKey struct{}

// proxyFor asks which proxy leads to a target. Loopback and overridden hosts are reached directly: the first are another
// machine's behind a proxy, and the second were given an address by the user.
func (c *Client) proxyFor(t target) (*url.URL, error) {
	if c.settings.Proxy == nil || loopbackName(t.host) {
		return nil, nil
	}
	if _, ok := c.dialer.overrides[t.hostPort]; ok {
		return nil, nil
	}
	proxy, err := c.settings.Proxy(t.url)
	if err != nil || proxy == nil {
		return nil, err
	}
	return proxy, c.dialer.checkLiteral(t.host) // the proxy resolves names, so this is all that can be checked
}

// withProxy tells the transport and the dialer, through the context, which way a request goes. Connections are pooled by
// proxy, so a connection is only ever used for the way that it was made for.
func withProxy(ctx context.Context, proxy *url.URL) context.Context {
	if proxy == nil {
		return ctx
	}
	return context.WithValue(ctx, proxyKey{}, proxy)
}

func proxyOf(ctx context.Context) *url.URL {
	proxy, _ := ctx.Value(proxyKey{}).(*url.URL)
	return proxy
}

// proxyRefusalError is a proxy's answer to CONNECT other than 200.
type proxyRefusalError struct{ status int }

func (e proxyRefusalError) Error() string {
	return fmt.Sprintf("the proxy answered with status %d", e.status)
}

func checkProxyAnswer(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		return proxyRefusalError{answer.StatusCode}
	}
	return nil
}
