package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// maxRequestBody is the most that a library may send in one request, in bytes.
const maxRequestBody = 64 << 20

// Bounds are what the requests of a library are held to, beyond the rules for all requests.
type Bounds struct {
	Origin   string // that of this URL is the only one that may be asked; "": any
	MaxBytes int64  // of a decoded answer; 0 is DefaultMaxBody, Unlimited is no limit
	// Secrets are added to each request. They need an Origin, for it is theirs. Nil: there are none.
	Secrets func(context.Context) ([]Secret, error)
}

// RoundTripper returns a way for a library that brings its own requests to send them through the client, under its rules:
// TLS or loopback, addresses, limits, proxies, --verbose. A GET is a read, with retries and redirects inside its origin.
// Any other request is sent once, and a redirect of it is an error. An Authorization field that the request has goes to
// the request's own origin only. The body of an answer is streamed; it and the request end with the request's context.
//
// Errors are [*fault.Error] values; [http.Client] wraps them.
func (c *Client) RoundTripper(b Bounds) http.RoundTripper { return roundTripper{c, b} }

type roundTripper struct {
	client *Client
	bounds Bounds
}

// RoundTrip sends the request. As [http.RoundTripper] has it, the request is not changed, and its body is closed.
func (t roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := requestBody(r)
	if err != nil {
		return nil, err
	}
	request := Request{
		Method: r.Method, URL: r.URL.String(), Header: r.Header.Clone(), Body: body,
		Credential: r.Header.Get("Authorization"), Read: r.Method == http.MethodGet || r.Method == "", MaxBytes: t.bounds.MaxBytes,
	}
	request.Header.Del("Authorization")
	if err := t.bounds.admit(request.URL); err != nil {
		return nil, err
	}
	if t.bounds.Secrets != nil {
		if request.Secrets, err = t.bounds.Secrets(r.Context()); err != nil {
			return nil, err
		}
	}
	answer, err := t.client.Do(r.Context(), request)
	if err != nil {
		return nil, err
	}
	return answer.forLibrary(r), nil
}

// admit refuses a URL of another origin than the one that may be asked.
func (b Bounds) admit(url string) error {
	if b.Origin == "" && b.Secrets == nil {
		return nil
	}
	if err := CheckURL(b.Origin); err != nil {
		return err
	}
	if !SameOrigin(b.Origin, url) {
		return fault.New(fault.Unavailable, "origin_refused", "%s is not asked: only %s may be", quote(url), quote(b.Origin))
	}
	return nil
}

// requestBody reads what is to be sent, which is small: it is a question or a form.
func requestBody(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	defer r.Body.Close()
	var buffer bytes.Buffer
	if _, err := buffer.ReadFrom(io.LimitReader(r.Body, maxRequestBody+1)); err != nil {
		return nil, fmt.Errorf("reading the body to send: %w", err)
	}
	if buffer.Len() > maxRequestBody {
		return nil, fault.New(fault.Usage, "invalid_request", "the body to send is larger than %s", size(maxRequestBody))
	}
	return buffer.Bytes(), nil
}

// forLibrary is the answer as net/http has it.
func (r *Response) forLibrary(request *http.Request) *http.Response {
	major, minor, _ := http.ParseHTTPVersion(r.Proto)
	return &http.Response{
		Status:     strings.TrimSpace(strconv.Itoa(r.Status) + " " + http.StatusText(r.Status)),
		StatusCode: r.Status, Proto: r.Proto, ProtoMajor: major, ProtoMinor: minor,
		Header: r.Header, Body: r.Body, ContentLength: r.ContentLength, Request: request,
	}
}
