package fetch

import (
	"context"
	"net/http"
	"time"
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

// Document is one answer to a question that has no effect: see [Client.Document] and [Client.Get]. Only documents with
// status 200 are ever cached.
type Document struct {
	URL          string // as asked for, in canonical form; redirects do not change it
	Status       int
	ContentType  string
	Language     string // Content-Language
	Body         []byte // empty from [Client.PeekFor]
	Size         int64  // bytes of the body, also from PeekFor
	Sum          string // SHA-256 of the body in hex
	ETag         string
	LastModified string
	Fetched      time.Time // when the site last sent or confirmed it
	Expires      time.Time // until when it may be used unasked
	State        CacheState
	Kept         bool          // it is in the cache now, so what is made of it may be kept as well
	Header       http.Header   // of an answer that came now; nil from the cache
	RetryAfter   time.Duration // what the site asked to wait; 0 when it did not, and from the cache

	unsaid bool // the answer says nothing about how long it holds
}

// Document returns what is at a URL: from the cache while that is fresh, else from the site, asking only for changes where
// it can (RFC 9111, a subset). No credential is ever sent. maxBytes limits the body, 0 is [DefaultMaxBody]; a larger one
// is refused whole.
//
// It is [Client.Get] for discovery: what a site says nothing about is fresh for five minutes (IA-4), and a stale copy will
// do while the site is out of reach.
func (c *Client) Document(ctx context.Context, url string, maxBytes int64) (*Document, error) {
	return c.Get(ctx, Ask{URL: url, MaxBytes: maxBytes, Lifetime: DefaultLifetime, StaleWillDo: true})
}

// AbsentUntil returns until when a document that is not there (404, 410) need not be looked for again: as long as the answer
// says, or an hour, but five minutes at least and a day at most. It is the zero time for every other status.
func (d *Document) AbsentUntil() time.Time {
	if d.Status != http.StatusNotFound && d.Status != http.StatusGone {
		return time.Time{}
	}
	absence := d.Expires.Sub(d.Fetched)
	if d.unsaid {
		absence = defaultAbsence
	}
	return d.Fetched.Add(min(max(absence, minAbsence), maxAbsence))
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
	c.found(known.Method, d, why)
	return d
}

// found tells how a document was found.
func (c *Client) found(method string, d *Document, why error) {
	if method == "" {
		method = http.MethodGet
	}
	c.trace(Event{Kind: EventCache, Method: method, URL: d.URL, Status: d.Status, Bytes: d.Size, State: d.State, Err: why})
}

func documentOf(known *entry, content []byte, state CacheState) *Document {
	return &Document{
		URL: known.URL, Status: http.StatusOK, ContentType: known.ContentType, Language: known.Language,
		Body: content, Size: known.Size, Sum: known.Sum,
		ETag: known.ETag, LastModified: known.LastModified, Fetched: known.Fetched, Expires: known.Expires, State: state,
		Kept: true,
	}
}
