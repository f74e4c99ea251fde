// Package fetch is the one HTTP client of agentctl, safe to point at strangers: it bounds everything that is read, checks
// every address that it connects to, keeps a credential on its own origin, follows redirects and retries only where that
// can do no harm, and keeps discovery documents in a cache on disk. It knows nothing of what it fetches.
//
// A request walks through prepare (target.go), retry (retry.go), follow (redirect.go) and send (send.go), and from there
// over net/http's transport (transport.go) or, where many small ones go side by side, over lanes (lanes.go); a connection
// is made by the dialer (dial.go); every failure is a [*fault.Error] made in failure.go.
package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/agentctl/agentctl/internal/fault"
)

// Limits of what is read from a site.
const (
	DefaultMaxBody   = 64 << 20  // bytes of a decoded body, where the request names no limit
	Unlimited        = -1        // as Request.MaxBytes: the caller streams the body
	maxResponseHead  = 256 << 10 // bytes of status line and header fields
	maxErrorPage     = 64 << 10  // bytes of a document that is no success; the rest is cut off
	maxRedirects     = 5
	maxRetries       = 3                // contract section 7
	maxRetryDuration = 30 * time.Second // from the first try to the start of the last one, contract section 7
)

// Settings say how a [Client] behaves. Everything that comes from the world outside comes in here.
type Settings struct {
	Resolve      []Override                                 // later ones win over earlier ones for the same host and port
	Roots        func() (*x509.CertPool, error)             // asked once, before the first TLS connection; nil, or a nil answer: the system's
	Proxy        func(*url.URL) (*url.URL, error)           // nil, or a nil answer: no proxy. Never asked for loopback hosts or overridden ones
	AllowPrivate bool                                       // lifts the address rules (contract section 7)
	MinTLS       uint16                                     // a version of crypto/tls; 0: 1.2
	UserAgent    string                                     // "agentctl/VERSION"
	Parallel     int                                        // requests to one host at a time, each over an HTTP/1.1 connection of its own that stays open; 0: as it comes
	Retries      int                                        // tries after the first one, for reads; at most 3 count
	Trace        func(Event)                                // nil: none; must be safe for concurrent use
	Now          func() time.Time                           // the clock; required
	Sleep        func(context.Context, time.Duration) error // nil: a timer
	Cache        *Cache                                     // nil: documents are not kept
	Refresh      bool                                       // documents are revalidated however fresh they are
	Offline      bool                                       // documents come from the cache alone, and nothing is sent
}

// Client sends requests. It is safe for concurrent use and reuses connections.
type Client struct {
	settings Settings
	dialer   *dialer
	plain    transports
	secure   func() (transports, error) // made when first used: reading certificates takes its time
	strict   func() (transports, error) // the same with TLS 1.3 at least
}

// New returns a client. It costs next to nothing: no file is read and no connection made before the first request.
func New(settings Settings) *Client {
	settings.Retries = min(max(settings.Retries, 0), maxRetries)
	if settings.Sleep == nil {
		settings.Sleep = sleep
	}
	d := newDialer(settings.Resolve, settings.AllowPrivate)
	roots := sync.OnceValues(func() (*x509.CertPool, error) {
		if settings.Roots == nil {
			return nil, nil
		}
		return settings.Roots()
	})
	over := func(minTLS uint16) func() (transports, error) {
		return sync.OnceValues(func() (transports, error) {
			pool, err := roots()
			at := settings
			at.MinTLS = minTLS
			return newTransports(pool, d, at, true), err
		})
	}
	return &Client{
		settings: settings,
		dialer:   d,
		plain:    newTransports(nil, d, settings, false),
		secure:   over(settings.MinTLS),
		strict:   over(tls.VersionTLS13),
	}
}

// Request is one request, before redirects and retries.
type Request struct {
	Method     string // empty: GET
	URL        string // absolute; https, or http for the loopback hosts (contract section 1)
	Header     http.Header
	Body       []byte   // nil: no body
	Credential string   // the whole value of Authorization for exactly the origin of URL; empty: none
	Secrets    []Secret // what else proves who sends it, for exactly the origin of URL
	Read       bool     // it has no effect: it may be sent again, and redirects within the origin are followed
	Repeatable bool     // it carries an Idempotency-Key: it is retried like a read, but no redirect is followed
	// Once: exactly one exchange. Nothing is retried, and a redirect is handed out as the answer that it is: each request
	// that carries such a credential needs one of its own (AEP-15, CH-9).
	Once     bool
	MaxBytes int64 // of the decoded body; 0 is DefaultMaxBody, Unlimited is no limit
	// BodyWait reads out of an answer's body how long the site asks to wait, where its header does not say so; it leaves
	// the body to be read once more. Nil for sites that say it nowhere else.
	BodyWait func(*Response) time.Duration
}

// Response is the head of an answer and its body to come. The caller closes Body.
type Response struct {
	Status        int
	Proto         string // "HTTP/1.1", "HTTP/2.0"
	Header        http.Header
	Body          io.ReadCloser // its errors are *fault.Error values, but for io.EOF
	Method        string        // of the last request, after redirects
	URL           string        // of the last request, after redirects
	ContentLength int64         // of the decoded body; -1 when unknown
	RetryAfter    time.Duration // what the site asked to wait (Retry-After); 0 when it did not

	TLS *tls.ConnectionState // of the connection that the answer came over; nil for http
}

// Do sends a request and returns the head of the answer, whatever its status. A read is retried after 429, 503 and
// connection failures; when no retry is left the last answer is returned.
//
// The error is a [*fault.Error]: of kind [fault.Usage] when the request must not be sent at all, [fault.Interrupted] when
// ctx was cancelled, else [fault.Unavailable]. Its Sent says whether the request can have had its effect.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	p, err := c.prepare(r)
	if err != nil {
		return nil, err
	}
	if c.settings.Offline {
		return nil, fault.New(fault.Unavailable, "offline", "%q cannot be asked: --offline forbids to send anything", p.target.host).
			WithHint("leave out --offline")
	}
	return c.retry(ctx, p, func() (*Response, error) { return c.follow(ctx, p) })
}

// prepared is a request that passed the checks; redirects derive new ones from it.
type prepared struct {
	method     string
	target     target
	header     http.Header // complete but for credential and secrets
	body       []byte
	credential string
	secrets    []Secret
	read       bool
	repeatable bool
	once       bool
	limit      int64
	discovery  bool // only the body of a success counts; others are cut off at maxErrorPage
	tellSent   bool // see [Ask.TellSent]
	validators validators
	budget     *RetryBudget // nil: its own
	bodyWait   func(*Response) time.Duration
}

// validators make a request a conditional one (RFC 9110 section 13), when it goes to exactly their URL.
type validators struct{ url, tag, modified string }

func (v validators) addTo(header http.Header) {
	if v.tag != "" {
		header["If-None-Match"] = []string{v.tag}
	}
	if v.modified != "" {
		header["If-Modified-Since"] = []string{v.modified}
	}
}

func (c *Client) prepare(r Request) (*prepared, error) {
	t, err := parseTarget(r.URL)
	if err != nil {
		return nil, err
	}
	p := &prepared{
		method: r.Method, target: t, header: http.Header{}, body: r.Body,
		credential: r.Credential, secrets: r.Secrets, read: r.Read && !r.Once, repeatable: (r.Read || r.Repeatable) && !r.Once, once: r.Once, limit: r.MaxBytes,
		bodyWait: r.BodyWait,
	}
	if p.method == "" {
		p.method = http.MethodGet
	}
	if p.limit == 0 {
		p.limit = DefaultMaxBody
	}
	if !httpguts.ValidHeaderFieldName(p.method) || p.method == http.MethodConnect { // a method is a token, as a name is
		return nil, fault.New(fault.Usage, "invalid_request", "%q is no HTTP method", p.method)
	}
	if !httpguts.ValidHeaderFieldValue(p.credential) {
		return nil, fault.New(fault.Usage, "invalid_request", "the credential holds characters that no header may carry")
	}
	for _, secret := range p.secrets {
		if err := secret.Check(); err != nil {
			return nil, err
		}
	}
	if err := copyHeader(p.header, r.Header); err != nil {
		return nil, err
	}
	if _, set := p.header["User-Agent"]; !set {
		p.header["User-Agent"] = []string{c.settings.UserAgent}
	}
	return p, nil
}

// copyHeader checks what the caller set. A header that belongs to the client is an error of ours: the formats refuse
// actions that set one (T-9). A value never enters an error, it may be a secret.
func copyHeader(to, from http.Header) error {
	for name, values := range from {
		name = textproto.CanonicalMIMEHeaderKey(name)
		if !httpguts.ValidHeaderFieldName(name) {
			return fault.New(fault.Usage, "invalid_request", "%q is no header name", name)
		}
		if ownHeader(name) {
			return fault.New(fault.Internal, "reserved_header", "the header %q is not for the caller to set", name)
		}
		for _, value := range values {
			if !httpguts.ValidHeaderFieldValue(value) {
				return fault.New(fault.Usage, "invalid_request", "the value of the header %q holds characters that no header may carry", name)
			}
		}
		to[name] = append(to[name], values...)
	}
	return nil
}

// ownHeader reports whether a header is for the client alone: those of T-9, and what would change how bodies are framed
// or decoded.
func ownHeader(name string) bool {
	switch name {
	case "Authorization", "Host", "Content-Length", "Transfer-Encoding", "Connection", "Cookie", "Accept-Encoding",
		"Keep-Alive", "Te", "Trailer", "Upgrade", "Expect", "Referer":
		return true
	}
	return strings.HasPrefix(name, "Proxy-") || strings.HasPrefix(name, "Sec-")
}

// httpRequest returns the request as net/http wants it. It is built by hand rather than by http.NewRequest, so that an
// effect's body has no GetBody: net/http takes that as leave to send a request again (see [Client.wayFor]).
func (p *prepared) httpRequest() *http.Request {
	u := *p.target.url
	r := &http.Request{
		Method: p.method, URL: &u, Host: u.Host, Header: maps.Clone(p.header),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if p.validators.url != "" && p.validators.url == u.String() {
		p.validators.addTo(r.Header)
	}
	if p.credential != "" {
		r.Header["Authorization"] = []string{p.credential}
	}
	addSecrets(r, p.secrets)
	if len(p.body) > 0 {
		r.ContentLength = int64(len(p.body))
		r.Body = io.NopCloser(bytes.NewReader(p.body)) // a type that net/http sends in one packet with the head
		if p.read {
			r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(p.body)), nil }
		}
	}
	return r
}
