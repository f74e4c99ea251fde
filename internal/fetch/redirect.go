package fetch

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// follow sends a request and, for a read, what its redirects lead to: at most 5, within the origin. The credential and
// every header stay with the origin that they were meant for because nothing ever leaves it (contract section 6, CH-9).
func (c *Client) follow(ctx context.Context, p prepared) (*Response, error) {
	for hops := 0; ; hops++ {
		response, err := c.send(ctx, p)
		if err != nil || !redirects(response.Status) {
			return response, err
		}
		next, err := p.redirected(response)
		discard(response.Body)
		if err == nil && hops == maxRedirects {
			err = redirectRefused(response, "%q redirects more than %d times", p.target.host, maxRedirects)
		}
		if err != nil {
			return nil, err
		}
		p = next
		c.settings.Trace(Event{Kind: EventRedirect, Method: p.method, URL: p.target.String(), Status: response.Status})
	}
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
func (p prepared) redirected(response *Response) (prepared, error) {
	if !p.read {
		return p, redirectRefused(response, "%q answered with a redirect (status %d), which is not followed for a request that has an effect",
			p.target.host, response.Status)
	}
	location := response.Header.Get("Location")
	u, err := p.target.url.Parse(location)
	if err != nil || location == "" {
		return p, redirectRefused(response, "%q redirects without a usable address", p.target.host)
	}
	next, err := parseTarget(u.String())
	switch {
	case err != nil && u.Scheme != p.target.url.Scheme, err == nil && next.origin() != p.target.origin():
		e := redirectRefused(response, "%q redirects to another origin: %s", p.target.host, quote(u.Scheme+"://"+u.Host))
		return p, e.WithHint("if that is the site you want, name it instead")
	case err != nil:
		return p, redirectRefused(response, "%q redirects to an address that is refused: %s", p.target.host, quote(u.Scheme+"://"+u.Host))
	}
	return p.to(next, response.Status), nil
}

// to moves a request to another URL. As in browsers, a POST becomes a GET unless the status forbids it, and 303 makes a
// GET of everything but HEAD (https://fetch.spec.whatwg.org/#http-redirect-fetch).
func (p prepared) to(next target, status int) prepared {
	p.target = next
	becomesGet := status == http.StatusSeeOther && p.method != http.MethodHead ||
		p.method == http.MethodPost && (status == http.StatusMovedPermanently || status == http.StatusFound)
	if !becomesGet {
		return p
	}
	p.method, p.body = http.MethodGet, nil
	p.header = p.header.Clone()
	for name := range p.header {
		if strings.HasPrefix(name, "Content-") {
			delete(p.header, name)
		}
	}
	return p
}

func redirectRefused(response *Response, format string, args ...any) *fault.Error {
	e := fault.New(fault.Unavailable, "redirect_refused", format, args...)
	e.Status, e.Sent = response.Status, fault.SentYes
	return e
}

// discard reads the little that is left of an unwanted body, so that its connection can be used again, and closes it.
func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 4<<10)
	_ = body.Close()
}
