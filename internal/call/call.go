package call

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/policy"
)

// Caller sends prepared requests.
type Caller struct {
	Client  *fetch.Client
	Secrets []fetch.Secret      // what proves who calls, for the call's origin alone
	Hint    string              // what to try when the site wants another credential
	Redact  func(string) string // takes secrets out of what a site says in an error, which may repeat them

	// Protocols meet what an answer demands, each in its step; those that come first are asked first (CH-3). Nil: every demand
	// is an error of the site's. Most answers demand nothing, so they are made when one does.
	Protocols func() []challenge.Protocol
	Digest    func() string          // under which the call was approved; required where there are Protocols
	Now       func() time.Time       // required where there are Protocols
	Seen      func([]challenge.Seen) // told of each answer that demands something, what it demands; may be nil
}

// Call is one request and what it is for.
type Call struct {
	*Request
	Origin   string // of the site that the person named
	Command  []string
	Fields   []policy.Field // the arguments, secrets masked
	MaxBytes int64          // of the answer's body: 0 for the client's own limit, -1 for none
}

// Result is the answer to a call. Close Body after use.
type Result struct {
	Status      int
	ContentType string
	Length      int64 // of Body in bytes; -1 when unknown
	Body        io.ReadCloser
	Next        string // the absolute URL of the page behind this one, as its Link says (RFC 8288); "" for none

	// What a format makes of the answer.
	Summary  string   // markdown for people in place of the body; "" shows the body
	IDs      []ID     // by which the site keeps the call: for the audit log
	Warnings []string // what is odd about it, for people

	Paid map[string]any // what is known of the payment that it was served for; nil for none
}

// ID is a name that a site gave to a call.
type ID struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Do adds the secrets, sends the request once and returns its answer. The call must have been approved. An answer that
// is an error of the site comes back as a fault. A call that leads to another origin than the site's is not sent with
// secrets: they are the site's own (contract, section 6).
func (c *Caller) Do(ctx context.Context, call *Call) (*Result, error) {
	if len(c.Secrets) > 0 && !fetch.SameOrigin(call.Origin, call.URL) {
		return nil, fault.New(fault.Internal, "credential_elsewhere", "a credential for %q is not sent to another origin", call.Origin)
	}
	header, secrets := withCookies(call.Header, c.Secrets)
	request := fetch.Request{
		Method: call.Method, URL: call.URL, Header: header, Body: call.Body, Secrets: secrets,
		Read: call.Effect == manifest.Read, MaxBytes: call.MaxBytes, BodyWait: bodyWait,
	}
	if call.Idempotent && call.Effect != manifest.Read {
		request.Header, request.Repeatable = header.Clone(), true
		if request.Header == nil {
			request.Header = http.Header{}
		}
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	r := &rounds{Caller: c, call: call, base: request}
	response, err := r.run(ctx)
	if err != nil {
		return nil, err
	}
	result := &Result{
		Status: response.Status, ContentType: response.Header.Get("Content-Type"), Length: response.ContentLength, Body: response.Body,
	}
	result.Next, result.Paid = nextPage(response), r.paid
	if err := judge(result, response.RetryAfterSeconds(), c.Hint, c.Redact); err != nil {
		_ = result.Body.Close()
		return nil, r.demanded(err)
	}
	return result, nil
}

// Facts are what an approval of the call rests on.
func (c *Call) Facts() *policy.Facts {
	f := &policy.Facts{
		Site: c.Origin, Command: c.Command, Method: c.Method, URL: c.URL, Body: c.Body,
		Effect: c.Effect, Cost: c.Cost, Fields: c.Fields,
	}
	for name, values := range c.Header {
		for _, value := range values {
			f.Headers = append(f.Headers, [2]string{name, value})
		}
	}
	return f
}

// statusText names a status for people: "404 Not Found".
func statusText(status int) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}
