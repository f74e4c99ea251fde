package fetch

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// follow sends a request and, for a read, what its redirects lead to: at most 5, within the origin, and to no URL twice. The credential and
// every header stay with the origin that they were meant for because nothing ever leaves it (contract section 6, CH-9).
func (c *Client) follow(ctx context.Context, p *prepared) (*Response, error) {
	var seen []*prepared
	for {
		response, err := c.send(ctx, p)
		if err != nil || p.once || !redirects(response.Status) {
			return response, err
		}
		seen = append(seen, p)
		next, err := p.redirected(response)
		discard(response.Body)
		switch {
		case err != nil:
		case slices.ContainsFunc(seen, next.asks):
			err = redirectRefused(response, "%q redirects in a circle", p.target.host)
		case len(seen) > maxRedirects:
			err = redirectRefused(response, "%q redirects more than %d times", p.target.host, maxRedirects)
		}
		if err != nil {
			return nil, err
		}
		p = next
		c.trace(Event{Kind: EventRedirect, Method: p.method, URL: p.target.String(), Status: response.Status})
	}
}

// asks reports whether two requests on the way of one are the same.
func (p *prepared) asks(other *prepared) bool {
	return p.method == other.method && p.target.String() == other.target.String()
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirected returns the request that a redirect asks for, or why it is refused.
func (p *prepared) redirected(response *Response) (*prepared, error) {
	if !p.read {
		return p, redirectRefused(response, "%q answered with a redirect (status %d), which is not followed for a request that has an effect",
			p.target.host, response.Status)
	}
	next, refusal := redirectTarget(p.target, response.Header.Get("Location"))
	if refusal != nil {
		refusal.Status, refusal.Sent = response.Status, fault.SentYes
		return p, refusal
	}
	return p.to(next, response.Status), nil
}

// SameOriginRedirect returns why a redirect from a URL to another one, or to a reference relative to it, is not followed:
// scheme, host and effective port must stay (ODP-23, ODP-134). It is a [*fault.Error], nil when the redirect is followed.
func SameOriginRedirect(from, to string) error {
	t, err := parseTarget(from)
	if err != nil {
		return err
	}
	if _, refusal := redirectTarget(t, to); refusal != nil {
		return refusal
	}
	return nil
}

// Redirected tells where an answer to a request that was sent [Request.Once] leads: "" when it is no redirect, and the reason
// why it is not followed when it leaves the origin.
func (r *Response) Redirected() (to string, err error) {
	if !redirects(r.Status) {
		return "", nil
	}
	from, err := parseTarget(r.URL)
	if err != nil {
		return "", err
	}
	next, refusal := redirectTarget(from, r.Header.Get("Location"))
	if refusal != nil {
		refusal.Status, refusal.Sent = r.Status, fault.SentYes
		return "", refusal
	}
	return next.String(), nil
}

// RedirectRefused is the fault of an answer that is a redirect and is not followed for a reason.
func (r *Response) RedirectRefused(reason string) *fault.Error {
	return redirectRefused(r, "the site answered with a redirect (status %d), which is not followed %s", r.Status, reason)
}

// redirectTarget is where a Location header leads to, or why it is not followed.
func redirectTarget(from target, location string) (target, *fault.Error) {
	u, err := from.url.Parse(location)
	if err != nil || location == "" {
		return target{}, fault.New(fault.Unavailable, codeRedirect, "%q redirects without a usable address", from.host)
	}
	next, err := parseTarget(u.String())
	switch {
	case err != nil && u.Scheme != from.url.Scheme, err == nil && next.origin() != from.origin():
		return target{}, fault.New(fault.Unavailable, codeRedirect, "%q redirects to another origin: %s", from.host, quote(u.Scheme+"://"+u.Host)).
			WithHint("if that is the site you want, name it instead")
	case err != nil:
		return target{}, fault.New(fault.Unavailable, codeRedirect, "%q redirects to an address that is refused: %s", from.host, quote(u.Scheme+"://"+u.Host))
	}
	return next, nil
}

// to moves a request to another URL.
func (p *prepared) to(next target, status int) *prepared {
	moved := *p
	p = &moved
	p.target = next
	if BecomesGet(p.method, status) {
		p.method, p.body, p.header = http.MethodGet, nil, WithoutContent(p.header)
	}
	return p
}

// BecomesGet reports whether a redirect makes a GET without a body of a request. As in browsers, a POST becomes one unless the
// status forbids it, and 303 makes one of everything but HEAD (https://fetch.spec.whatwg.org/#http-redirect-fetch).
func BecomesGet(method string, status int) bool {
	return status == http.StatusSeeOther && method != http.MethodHead ||
		method == http.MethodPost && (status == http.StatusMovedPermanently || status == http.StatusFound)
}

// WithoutContent is a header without the fields that tell of a body.
func WithoutContent(header http.Header) http.Header {
	header = header.Clone()
	for name := range header {
		if strings.HasPrefix(name, "Content-") {
			delete(header, name)
		}
	}
	return header
}

func redirectRefused(response *Response, format string, args ...any) *fault.Error {
	e := fault.New(fault.Unavailable, codeRedirect, format, args...)
	e.Status, e.Sent = response.Status, fault.SentYes
	return e
}

// discard reads the little that is left of an unwanted body, so that its connection can be used again, and closes it.
func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 4<<10)
	_ = body.Close()
}
