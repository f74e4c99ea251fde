package fetch

import (
	"context"
	"net/http"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// Ask is a question that has no effect: a GET, or a POST for a search that only reads. It is retried, its redirects within
// the origin are followed, and its answer may come out of the cache.
type Ask struct {
	Method string // empty: GET; else GET or POST
	URL    string // absolute; https, or http for the loopback hosts

	// Header is sent as it is. Accept, Accept-Language and Content-Type are part of what an answer is kept under. With any
	// other field an answer is kept only for a Partition, and never where its Vary names that field.
	Header http.Header

	Body     []byte // of a POST; part of what an answer is kept under
	MaxBytes int64  // of the decoded body of a success; 0 is DefaultMaxBody. A larger one is refused whole

	// Credential is the whole value of Authorization, for exactly the origin of URL. Answers to it are kept only for a
	// Partition: the name of the account that it belongs to, never the secret. An answer for one Partition is never
	// used for another, nor for "", which is everybody (ODP-126).
	Credential string
	Partition  string

	Lifetime    time.Duration // how long a GET's answer is fresh that says nothing about it; negative: it is not kept then
	StaleWillDo bool          // a stale copy is better than none while the site is out of reach, or answers 429 or 5xx
	TellSent    bool          // a failure tells whether the question was sent: it is what the user asked for
	Budget      *RetryBudget  // shared by questions that belong together; nil: one of its own
}

// question is an [Ask] that passed the checks.
type question struct {
	prepared
	key         key
	cache       *Cache // nil when the answer has no place in it
	lifetime    time.Duration
	staleWillDo bool
}

// Get returns the answer to a question: from the cache while that is fresh, else from the site, asking only for changes
// where it can (RFC 9111, a subset; ODP-125, ODP-126). An answer to a POST is kept only when it says for how long.
//
// Any status is returned without an error; 404 and 410 also remove what was cached. The body of an answer that is no
// success is cut off at 64 KiB. With [Ask.StaleWillDo], a stale copy takes the place of a failure or of 429 and 5xx,
// unless [Settings.Refresh] is set or the site forbade that. Errors are as those of [Client.Do], and code "offline" when
// nothing is cached and nothing may be sent; their Sent is [fault.SentNo], for a question has no effect, unless [Ask.TellSent] is set.
func (c *Client) Get(ctx context.Context, a Ask) (*Document, error) {
	q, err := c.question(a)
	if err != nil {
		return nil, err
	}
	known, content, found := q.cache.load(q.key, q.limit)
	found = found && !q.sends(known.Vary)
	if found && c.usable(&known) {
		return c.cached(&known, content, c.stateOf(&known), nil), nil
	}
	if c.settings.Offline {
		return nil, offline(q.target.host)
	}
	if !found || q.method != http.MethodGet { // only a GET can ask for changes
		return c.fetch(ctx, q)
	}
	return c.revalidate(ctx, q, &known, content)
}

// PeekFor returns what the cache knows about the answer to a question, without reading its body: what a warm start needs,
// which has the body's Sum to find what was made of it. ok is false when the answer is absent, damaged, or not to be used
// unasked. Offline, a stale one will do.
func (c *Client) PeekFor(a Ask) (document Document, ok bool) {
	q, err := c.question(a)
	if err != nil {
		return Document{}, false
	}
	known, found := q.cache.peek(q.key)
	if !found || q.sends(known.Vary) || !c.usable(&known) {
		return Document{}, false
	}
	return *c.cached(&known, nil, c.stateOf(&known), nil), true
}

func (c *Client) question(a Ask) (question, error) {
	p, err := c.prepare(Request{
		Method: a.Method, URL: a.URL, Header: a.Header, Body: a.Body, Credential: a.Credential, Read: true, MaxBytes: a.MaxBytes,
	})
	if err != nil {
		return question{}, err
	}
	if p.method != http.MethodGet && p.method != http.MethodPost {
		return question{}, fault.New(fault.Internal, "invalid_request", "a question is not asked with %q", p.method)
	}
	p.discovery, p.budget, p.tellSent = true, a.Budget, a.TellSent
	q := question{
		prepared: *p, key: keyOf(p, a.Partition), cache: c.settings.Cache, lifetime: a.Lifetime, staleWillDo: a.StaleWillDo,
	}
	if a.Partition == "" && (a.Credential != "" || q.personal()) {
		q.cache = nil
	}
	return q, nil
}
