package aep

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

const (
	maxAnswerBytes = 64 << 10
	maxRetries     = 3
	maxRetryTime   = 30 * time.Second // from the first try to the start of the last one, as for any request
	firstBackoff   = 500 * time.Millisecond
	unfinishedLife = 50 * time.Minute // Services keep results for an hour (AEP-17); clocks differ
	idBytes        = 16
)

// command is one that is to be sent.
type command struct {
	in     *Inspect
	who    Signer
	op     Op
	body   func(key string) jsontext.Value // nil: a GET without one
	redact []string                        // what a Service's error must not repeat
}

// answer is a Service's answer, read whole.
type answer struct {
	status      int
	contentType string
	retryAfter  int // seconds
	body        []byte
}

func (c command) scope() Scope { return Scope{Service: c.in.Service, Agent: c.who.DID(), Op: c.op} }

// run sends a command to a Service whose document is current, and returns what its success says. A POST is saved before it is sent, and stays so until done is
// called, or the Service refused it: so that a run that is cut off can be taken up with the same key (AEP-17).
func (c *Client) run(ctx context.Context, cmd command) (success *reader, done func() error, err error) {
	if err := cmd.in.Supports(cmd.op); err != nil {
		return nil, nil, err
	}
	if err := cmd.in.takes(cmd.who); err != nil {
		return nil, nil, err
	}
	request := fetch.Request{
		Method: http.MethodGet, URL: cmd.in.endpoint(cmd.op), MaxBytes: maxAnswerBytes,
		Header: http.Header{"Accept": {mediaType + ", " + problemMediaType}},
	}
	done = func() error { return nil }
	if cmd.body != nil {
		p, err := c.prepare(ctx, cmd)
		if err != nil {
			return nil, nil, err
		}
		done = func() error { return c.Store.ForgetUnfinished(ctx, p.Scope) }
		request.Method, request.Body = http.MethodPost, p.Body
		request.Header.Set("Content-Type", mediaType)
		request.Header.Set("Idempotency-Key", p.Key)
	}
	a, err := c.try(ctx, cmd, request)
	if err != nil {
		return nil, nil, err
	}
	if a.status != http.StatusOK {
		refusal := failure(a, strings.NewReplacer(pairs(cmd.redact)...))
		if settled(a.status) {
			err = done()
		}
		if err != nil {
			return nil, nil, err
		}
		return nil, nil, refusal
	}
	if !isMediaType(a.contentType, mediaType) {
		return nil, nil, badAnswer(cmd.op, "it has the type %q", fault.Word(a.contentType))
	}
	if success, err = newReader(a.body); err != nil {
		return nil, nil, badAnswer(cmd.op, "%w", err)
	}
	return success, done, nil
}

// settled reports whether a status that is no success says that the command had and will have no effect.
func settled(status int) bool {
	return status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

// prepare returns what to send: what was saved before for the same command, or a new key with its body, saved now.
func (c *Client) prepare(ctx context.Context, cmd command) (Unfinished, error) {
	now := c.Now()
	known, ok, err := c.Store.Unfinished(ctx, cmd.scope())
	if err != nil {
		return Unfinished{}, err
	}
	age := now.Sub(known.Started)
	if ok && known.Key != "" && 0 <= age && age < unfinishedLife && bytes.Equal(known.Body, cmd.body(known.Key)) {
		return known, nil
	}
	key, err := c.id()
	if err != nil {
		return Unfinished{}, err
	}
	p := Unfinished{Scope: cmd.scope(), Key: key, Body: cmd.body(key), Started: now}
	return p, c.Store.SaveUnfinished(ctx, p)
}

// try sends a request, and again while that may help: each time with an assertion of its own (AEP-15).
func (c *Client) try(ctx context.Context, cmd command, request fetch.Request) (answer, error) {
	start := c.Now()
	for retries := 0; ; retries++ {
		token, err := c.sign(ctx, cmd.in, cmd.who, Assertion{Op: cmd.op})
		if err != nil {
			return answer{}, err
		}
		request.Credential = Scheme + " " + token
		a, err := c.exchange(ctx, request)
		wait := max(firstBackoff<<retries, time.Duration(a.retryAfter)*time.Second)
		if !passing(a.status, err) || retries >= min(c.Retries, maxRetries) || c.Now().Add(wait).Sub(start) > maxRetryTime {
			a.body = bytes.ReplaceAll(a.body, []byte(token), []byte("<redacted>"))
			return a, err
		}
		if err := c.sleep(ctx, wait); err != nil {
			return answer{}, err
		}
	}
}

// exchange sends a request once. It has an effect as far as the client below can tell: no redirect is followed, and nothing
// is sent twice.
func (c *Client) exchange(ctx context.Context, request fetch.Request) (answer, error) {
	response, err := c.HTTP.Do(ctx, request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.Status, response.Header.Get("Content-Type"), response.RetryAfterSeconds(), body}, err
}

// passing reports whether the outcome of a try may be another one soon.
func passing(status int, err error) bool {
	if err != nil {
		code := fault.From(err).Code
		return code == "connect_failed" || code == "connection_reset"
	}
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// sign completes an assertion and has it signed.
func (c *Client) sign(ctx context.Context, in *Inspect, who Signer, a Assertion) (string, error) {
	id, err := c.id()
	if err != nil {
		return "", err
	}
	a.Agent, a.Service, a.ID = who.DID(), in.Service, id
	a.Issued = c.Now()
	a.Expires = a.Issued.Add(assertionLife)
	return who.Sign(ctx, a)
}

// Sign returns an assertion for one request to a protected resource: the URL exactly as it will be sent (AEP-14). It is good
// for a minute, for that request alone: a retry or a redirect takes another (AEP-15).
func (c *Client) Sign(ctx context.Context, in *Inspect, who Signer, resource string) (string, error) {
	if err := in.takes(who); err != nil {
		return "", err
	}
	canonical, err := canonicalResource(resource)
	if err != nil {
		return "", fault.New(fault.Usage, "invalid_url", "%q cannot be signed for: it %w", fault.Word(resource), err)
	}
	return c.sign(ctx, in, who, Assertion{Op: OpAuthenticate, Resource: canonical})
}

// id returns 128 random bits, for an assertion or a command.
func (c *Client) id() (string, error) {
	random := c.Random
	if random == nil {
		random = systemRandom()
	}
	id := make([]byte, idBytes)
	if _, err := io.ReadFull(random, id); err != nil {
		return "", fmt.Errorf("making an id: %w", err)
	}
	return hex.EncodeToString(id), nil
}

func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// pairs are the arguments of a replacer that takes texts out.
func pairs(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, text, "<redacted>")
	}
	return out
}

// minSecret is the shortest text that is taken out of an error: shorter ones would tear words apart.
const minSecret = 3

// textsIn are the strings in a value that an error must not repeat.
func textsIn(n *jsontree.Node) []string {
	if text := n.Text(); len(text) >= minSecret {
		return []string{text}
	}
	var texts []string
	for _, item := range n.Items {
		texts = append(texts, textsIn(item)...)
	}
	return texts
}
