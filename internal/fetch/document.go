package fetch

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/agentctl/agentctl/internal/fault"
)

// CacheState tells where a document came from.
type CacheState string

// The cache states.
const (
	CacheHit         CacheState = "hit"         // from the cache, nothing was sent
	CacheRevalidated CacheState = "revalidated" // from the cache, confirmed by the site (304)
	CacheMiss        CacheState = "miss"        // from the site
	CacheStale       CacheState = "stale"       // from the cache although it is stale: offline, or the site is out of reach
)

// Document is one answer to an anonymous GET, as discovery needs it. Only documents with status 200 are ever cached.
type Document struct {
	URL          string // as asked for, in canonical form; redirects do not change it
	Status       int
	ContentType  string
	Body         []byte // empty from [Client.Peek]
	Size         int64  // bytes of the body, also from Peek
	Sum          string // SHA-256 of the body in hex
	ETag         string
	LastModified string
	Fetched      time.Time // when the site last sent or confirmed it
	Expires      time.Time // until when it may be used unasked
	State        CacheState
	Kept         bool // it is in the cache now, so what is made of it may be kept as well
}

// Document returns what is at a URL: from the cache while that is fresh, else from the site, asking only for changes where
// it can (RFC 9111, a subset). No credential is ever sent. maxBytes limits the body, 0 is [DefaultMaxBody]; a larger one
// is refused whole.
//
// Any status is returned without an error; 404 and 410 also remove what was cached. When the site cannot be asked for a
// confirmation, or answers 429 or 5xx, the stale copy is returned, unless [Settings.Refresh] is set or the site forbade
// that. Errors are as those of [Client.Do], and code "offline" when nothing is cached and nothing may be sent; their Sent
// is always [fault.SentNo], for asking for a document has no effect.
func (c *Client) Document(ctx context.Context, url string, maxBytes int64) (*Document, error) {
	p, err := c.prepare(Request{URL: url, Read: true, MaxBytes: maxBytes})
	if err != nil {
		return nil, err
	}
	p.discovery = true
	address := p.target.String()
	known, content, found := c.settings.Cache.load(address, p.limit)
	if found && c.usable(&known) {
		return c.cached(&known, content, c.stateOf(&known), nil), nil
	}
	if c.settings.Offline {
		return nil, offline(p.target.host)
	}
	if !found {
		return c.fetch(ctx, p)
	}
	return c.revalidate(ctx, p, &known, content)
}

// Peek returns what the cache knows about a document, without reading its body: what a warm start needs, which has the
// body's Sum to find what was made of it. ok is false when the document is absent, damaged, or not to be used unasked.
// Offline, a stale one will do.
func (c *Client) Peek(url string) (document Document, ok bool) {
	t, err := parseTarget(url)
	if err != nil {
		return Document{}, false
	}
	known, found := c.settings.Cache.peek(t.String())
	if !found || !c.usable(&known) {
		return Document{}, false
	}
	return *c.cached(&known, nil, c.stateOf(&known), nil), true
}

// usable reports whether a cached document may be used without asking the site.
func (c *Client) usable(known *entry) bool {
	return c.settings.Offline || !c.settings.Refresh && known.fresh(c.settings.Now())
}

func (c *Client) stateOf(known *entry) CacheState {
	if known.fresh(c.settings.Now()) {
		return CacheHit
	}
	return CacheStale
}

// cached returns a document out of the cache and tells so; why is the reason for using a stale one.
func (c *Client) cached(known *entry, content []byte, state CacheState, why error) *Document {
	d := documentOf(known, content, state)
	c.settings.Trace(Event{Kind: EventCache, Method: http.MethodGet, URL: d.URL, Status: d.Status, Bytes: d.Size, State: state, Err: why})
	return d
}

func documentOf(known *entry, content []byte, state CacheState) *Document {
	return &Document{
		URL: known.URL, Status: http.StatusOK, ContentType: known.ContentType, Body: content, Size: known.Size, Sum: known.Sum,
		ETag: known.ETag, LastModified: known.LastModified, Fetched: known.Fetched, Expires: known.Expires, State: state,
		Kept: true,
	}
}

// answer is a whole response.
type answer struct {
	*Response
	content []byte
}

// ask sends a GET, with redirects and retries, and reads the body. When the body breaks off, that is a connection failure
// like any other and retried.
func (c *Client) ask(ctx context.Context, p prepared) (answer, error) {
	var content []byte
	response, err := c.retry(ctx, p, func() (*Response, error) {
		response, err := c.follow(ctx, p)
		if err != nil {
			return nil, err
		}
		content, err = readBody(response)
		_ = response.Body.Close() // it was read to its end, or failed already
		response.Body = http.NoBody
		if err != nil {
			return nil, err
		}
		return response, nil
	})
	if failure, ok := errors.AsType[*fault.Error](err); ok {
		harmless := *failure // a copy: the tracer may have seen the original
		harmless.Sent = fault.SentNo
		err = &harmless
	}
	return answer{response, content}, err
}

func readBody(response *Response) ([]byte, error) {
	var buffer bytes.Buffer
	if n := response.ContentLength; n > 0 && n < 8<<20 { // believe it as far as a lie costs little
		buffer.Grow(int(n) + bytes.MinRead)
	}
	_, err := buffer.ReadFrom(response.Body)
	return buffer.Bytes(), err
}

// fetch gets a document that is not in the cache.
func (c *Client) fetch(ctx context.Context, p prepared) (*Document, error) {
	got, err := c.ask(ctx, p)
	if err != nil {
		return nil, err
	}
	return c.keep(p, got), nil
}

// keep makes a document of an answer, and stores it if it may be.
func (c *Client) keep(p prepared, got answer) *Document {
	now := c.settings.Now()
	header, f := got.Header, parseFreshness(got.Header, now)
	e := &entry{
		URL:         p.target.String(),
		ContentType: short(header.Get("Content-Type")), ETag: short(header.Get("ETag")), LastModified: short(header.Get("Last-Modified")),
		Sum: sum(got.content), Size: int64(len(got.content)),
	}
	e.confirm(f, now)
	d := documentOf(e, got.content, CacheMiss)
	d.Status = got.Status

	var err error
	switch gone := got.Status == http.StatusNotFound || got.Status == http.StatusGone; {
	case got.Status == http.StatusOK && f.store:
		err = c.settings.Cache.store(e, got.content)
	case got.Status == http.StatusOK, gone: // what was kept is outdated
		err = c.settings.Cache.forget(e.URL)
	}
	d.Kept = got.Status == http.StatusOK && f.store && err == nil
	c.settings.Trace(Event{Kind: EventCache, Method: http.MethodGet, URL: d.URL, Status: d.Status, Bytes: d.Size, State: d.State, Err: err})
	return d
}

// confirm notes that the site sent or confirmed the document now.
func (e *entry) confirm(f freshness, now time.Time) {
	e.Lifetime, e.Strict = f.lifetime, f.strict
	e.Fetched = now.UTC().Round(0)
	e.Expires = e.Fetched.Add(max(f.lifetime-f.age, 0))
}

// short drops a header value that is too long to keep, or that could not be sent back.
func short(value string) string {
	if len(value) > maxEntryField || !httpguts.ValidHeaderFieldValue(value) {
		return ""
	}
	return value
}

// revalidate asks whether a cached document changed.
func (c *Client) revalidate(ctx context.Context, p prepared, known *entry, content []byte) (*Document, error) {
	conditional := p
	conditional.header = p.header.Clone()
	if known.ETag != "" {
		conditional.header.Set("If-None-Match", known.ETag)
	}
	if known.LastModified != "" {
		conditional.header.Set("If-Modified-Since", known.LastModified)
	}
	got, err := c.ask(ctx, conditional)
	switch {
	case err != nil && c.staleWillDo(known, err):
		return c.cached(known, content, CacheStale, err), nil
	case err != nil:
		return nil, err
	case got.Status == http.StatusNotModified && confirms(got.Header, known):
		return c.confirmed(got, known, content), nil
	case got.Status == http.StatusNotModified: // it speaks of another version than ours
		return c.fetch(ctx, p)
	}
	trouble := got.Status == http.StatusTooManyRequests || got.Status >= http.StatusInternalServerError
	if trouble && !known.Strict && !c.settings.Refresh {
		return c.cached(known, content, CacheStale, unavailable(nil, "", "%q answered with status %d", p.target.host, got.Status)), nil
	}
	return c.keep(p, got), nil
}

// confirms reports whether a 304 is about the stored version (RFC 9111 section 4.3.4).
func confirms(header http.Header, known *entry) bool {
	tag := header.Get("ETag")
	return tag == "" || strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(known.ETag, "W/")
}

// confirmed updates a cached document by a 304. What the 304 does not mention stays as it was.
func (c *Client) confirmed(got answer, known *entry, content []byte) *Document {
	now := c.settings.Now()
	f := parseFreshness(got.Header, now)
	if !f.explicit {
		f.lifetime, f.strict = known.Lifetime, known.Strict || f.strict
	}
	known.confirm(f, now)
	if modified := short(got.Header.Get("Last-Modified")); modified != "" {
		known.LastModified = modified
	}
	var err error
	if f.store {
		err = c.settings.Cache.store(known, content)
	} else {
		err = c.settings.Cache.forget(known.URL)
	}
	d := c.cached(known, content, CacheRevalidated, err)
	d.Kept = f.store && err == nil
	return d
}

// staleWillDo reports whether a failed revalidation is a reason to make do with the stale copy: the site is out of reach.
// It is none when the user asked for a fresh copy, when time is up, or when what answered is not to be trusted.
func (c *Client) staleWillDo(known *entry, err error) bool {
	if known.Strict || c.settings.Refresh {
		return false
	}
	failure, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return false
	}
	switch failure.Code {
	case codeDNS, codeConnect, codeReset, codeProxy, codeHTTP:
		return true
	}
	return false
}
