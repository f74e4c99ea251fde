package fetch

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

const (
	firstBackoff  = 250 * time.Millisecond // doubled with every retry
	maxRetryAfter = 365 * 24 * time.Hour
)

// retry calls once, and for a read, or an effect that can be repeated, again after 429, 503 and connection failures: at most
// Settings.Retries times and 30 seconds in all, or until the deadline of ctx. A site that asks for more patience than is
// left gets none: its answer is returned at once.
func (c *Client) retry(ctx context.Context, p *prepared, once func() (*Response, error)) (*Response, error) {
	if !p.repeatable {
		return once()
	}
	start := c.settings.Now()
	budget := p.budget
	if budget == nil {
		budget = new(RetryBudget)
	}
	for retries := 0; ; retries++ {
		response, err := once()
		if !passing(response, err) {
			return response, err
		}
		wait := backoff(retries)
		event := Event{Kind: EventRetry, Method: p.method, URL: p.target.String(), Err: err}
		if response != nil {
			if response.RetryAfter == 0 && p.bodyWait != nil {
				response.RetryAfter = min(max(p.bodyWait(response), 0), maxRetryAfter)
			}
			wait = max(wait, response.RetryAfter)
			event.Status = response.Status
		}
		now := c.settings.Now()
		if deadline, ok := ctx.Deadline(); ok && now.Add(wait).After(deadline) || !budget.spend(c.settings.Retries, now.Sub(start), wait) {
			return response, err
		}
		if response != nil {
			discard(response.Body)
		}
		event.Wait = wait
		c.trace(event)
		if err := c.settings.Sleep(ctx, wait); err != nil {
			return nil, contextFault(err, p.target.host, fault.SentYes)
		}
	}
}

// passing reports whether the outcome of a try may be another one soon.
func passing(response *Response, err error) bool {
	if err == nil {
		return busy(response.Status)
	}
	failure := fault.From(err)
	switch failure.Code {
	case codeConnect, codeReset:
		return true
	case codeProxy:
		_, refused := errors.AsType[proxyRefusalError](failure.Err)
		return !refused
	case codeDNS:
		answer, ok := errors.AsType[*net.DNSError](failure.Err)
		return ok && !answer.IsNotFound
	}
	return false
}

// backoff is the wait before a retry: doubling, and spread by a quarter so that clients do not come back in step.
func backoff(retries int) time.Duration {
	base := firstBackoff << retries
	return base + time.Duration(rand.Int64N(int64(base/4))) //nolint:gosec // not a secret
}

// retryAfter reads a Retry-After header, seconds or a date (RFC 9110 section 10.2.3); 0 when absent, past or unreadable.
func retryAfter(header http.Header, now func() time.Time) time.Duration {
	value := header.Get("Retry-After")
	if value == "" {
		return 0
	}
	if seconds, ok := deltaSeconds(value); ok {
		return min(seconds, maxRetryAfter)
	}
	if date, err := http.ParseTime(value); err == nil {
		return min(max(date.Sub(now()), 0), maxRetryAfter)
	}
	return 0
}

// RetryAfterSeconds is [Response.RetryAfter] in whole seconds, rounded up: what fault.Error.RetryAfter holds.
func (r *Response) RetryAfterSeconds() int { return wholeSeconds(r.RetryAfter) }

// RetryAfterSeconds is [Document.RetryAfter] in whole seconds, rounded up: what fault.Error.RetryAfter holds.
func (d *Document) RetryAfterSeconds() int { return wholeSeconds(d.RetryAfter) }

// wholeSeconds rounds up: who comes back a moment too early is turned away again.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// deltaSeconds reads a number of seconds as RFC 9111 section 1.2.2 has it: too large a number is a very long time.
func deltaSeconds(text string) (time.Duration, bool) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
	}
	if text == "" {
		return 0, false
	}
	seconds, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		seconds = 1 << 31
	}
	return time.Duration(seconds) * time.Second, true
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
