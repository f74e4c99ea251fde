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

// answer is a whole response.
type answer struct {
	*Response
	content []byte
}

// ask sends a question, with redirects and retries, and reads the body. When the body breaks off, that is a connection failure
// like any other and retried.
func (c *Client) ask(ctx context.Context, p *prepared) (answer, error) {
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
	if failure, ok := errors.AsType[*fault.Error](err); ok && !p.tellSent {
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
func (c *Client) fetch(ctx context.Context, q question) (*Document, error) {
	got, err := c.ask(ctx, &q.prepared)
	if err != nil {
		return nil, err
	}
	return c.keep(q, got), nil
}

// keep makes a document of an answer, and stores it if it may be.
func (c *Client) keep(q question, got answer) *Document {
	now := c.settings.Now()
	f := parseFreshness(got.Header, now, q.lifetime)
	e := newEntry(q, got, f, now)
	d := documentOf(e, got.content, CacheMiss)
	d.Status, d.Header, d.RetryAfter, d.unsaid = got.Status, got.Header, got.RetryAfter, f.store && !f.explicit

	var err error
	d.Kept = got.Status == http.StatusOK && q.mayKeep(e, f)
	switch gone := got.Status == http.StatusNotFound || got.Status == http.StatusGone; {
	case d.Kept:
		err = q.cache.store(e, got.content)
		d.Kept = err == nil
	case got.Status == http.StatusOK, gone: // what was kept is outdated
		err = q.cache.forget(q.key)
	}
	c.found(q.method, d, err)
	return d
}

// mayKeep reports whether an answer with status 200 has a place in the cache (ODP-126). What is stale at once and cannot be
// confirmed later is worth keeping only to those to whom a stale copy is better than none.
func (q question) mayKeep(e *entry, f freshness) bool {
	useful := f.lifetime > f.age || e.ETag != "" || e.LastModified != "" || q.staleWillDo
	said := f.explicit || q.method == http.MethodGet && q.lifetime >= 0
	return f.store && said && useful && !q.sends(e.Vary)
}

func newEntry(q question, got answer, f freshness, now time.Time) *entry {
	e := &entry{
		URL: q.key.url, Variant: q.key.variant,
		ContentType: short(got.Header.Get("Content-Type")), Language: short(got.Header.Get("Content-Language")),
		ETag: short(got.Header.Get("ETag")), LastModified: short(got.Header.Get("Last-Modified")),
		Sum: sum(got.content), Size: int64(len(got.content)), Vary: f.vary,
	}
	if q.method != http.MethodGet {
		e.Method = q.method
	}
	if got.URL != e.URL {
		e.From = got.URL
	}
	e.confirm(f, now)
	return e
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

// revalidate asks whether a cached document changed. Its validators go to the URL that they came from, and to no other one
// that redirects lead to (ODP-126).
func (c *Client) revalidate(ctx context.Context, q question, known *entry, content []byte) (*Document, error) {
	conditional := q.prepared
	conditional.validators = validators{url: known.from(), tag: known.ETag, modified: known.LastModified}
	got, err := c.ask(ctx, &conditional)
	switch {
	case err != nil && c.staleWillDo(q, known, err):
		return c.cached(known, content, CacheStale, err), nil
	case err != nil:
		return nil, err
	case got.Status == http.StatusNotModified && got.URL == known.from() && confirms(got.Header, known):
		return c.confirmed(q, got, known, content), nil
	case got.Status == http.StatusNotModified: // it speaks of another version than ours
		return c.fetch(ctx, q)
	}
	trouble := got.Status == http.StatusTooManyRequests || got.Status >= http.StatusInternalServerError
	if trouble && c.mayUseStale(q, known) {
		return c.cached(known, content, CacheStale, unavailable(nil, "", "%q answered with status %d", q.target.host, got.Status)), nil
	}
	return c.keep(q, got), nil
}

// confirms reports whether a 304 is about the stored version (RFC 9111 section 4.3.4).
func confirms(header http.Header, known *entry) bool {
	tag := header.Get("ETag")
	return tag == "" || strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(known.ETag, "W/")
}

// confirmed updates a cached document by a 304. What the 304 does not mention stays as it was.
func (c *Client) confirmed(q question, got answer, known *entry, content []byte) *Document {
	now := c.settings.Now()
	f := parseFreshness(got.Header, now, q.lifetime)
	if !f.explicit {
		f.lifetime, f.strict = known.Lifetime, known.Strict || f.strict
	}
	known.confirm(f, now)
	if modified := short(got.Header.Get("Last-Modified")); modified != "" {
		known.LastModified = modified
	}
	var err error
	if f.store {
		err = q.cache.store(known, content)
	} else {
		err = q.cache.forget(q.key)
	}
	d := c.cached(known, content, CacheRevalidated, err)
	d.Kept = f.store && err == nil
	return d
}

// mayUseStale reports whether a stale copy will do in place of trouble. It will not where the site forbade that, or when
// the user asked for a fresh one.
func (c *Client) mayUseStale(q question, known *entry) bool {
	return q.staleWillDo && !known.Strict && !c.settings.Refresh
}

// staleWillDo reports whether a failed revalidation is a reason to make do with the stale copy: the site is out of reach.
// It is none when time is up, or when what answered is not to be trusted.
func (c *Client) staleWillDo(q question, known *entry, err error) bool {
	failure, ok := errors.AsType[*fault.Error](err)
	if !ok || !c.mayUseStale(q, known) {
		return false
	}
	switch failure.Code {
	case codeDNS, codeConnect, codeReset, codeProxy, codeHTTP:
		return true
	}
	return false
}
