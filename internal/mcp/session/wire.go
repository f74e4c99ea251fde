package session

import (
	"bytes"
	"cmp"
	"io"
	"mime"
	"net/http"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/mcp"
)

const (
	methodCall      = "tools/call"
	methodCancelled = "notifications/cancelled"
	maxErrorBytes   = 64 << 10 // of the body of an answer that is an error
	versionHeader   = "Mcp-Protocol-Version"
	jsonType        = "application/json"
	eventsType      = "text/event-stream"
	idempotencyKey  = "Idempotency-Key"
)

// wire sends the library's requests through the client of fetch, each once: the call of a tool as an effect, everything else
// as a read.
type wire struct {
	client     *fetch.Client
	talk       *talk
	credential string
	header     http.Header // secrets that are no Authorization

	mu  sync.Mutex
	url string // where requests go: after a redirect of the first one, where that led to
}

func newWire(client *fetch.Client, target mcp.Target, t *talk) *wire {
	header := target.Secrets.Clone()
	credential := header.Get("Authorization")
	header.Del("Authorization")
	return &wire{client: client, talk: t, credential: credential, header: header, url: target.URL}
}

func (w *wire) endpoint() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.url
}

// RoundTrip implements [http.RoundTripper]. Its errors are [*fault.Error] values, which the step of the request keeps, too.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := takeBody(r)
	if err != nil {
		return nil, err
	}
	message, _ := jsonrpc.DecodeMessage(body)
	question, _ := message.(*jsonrpc.Request)
	step := stepOf(r.Context())
	if question == nil { // the end of the session, or an answer to the server
		step = nil
	}
	if err := step.ended(); err != nil {
		return nil, err
	}
	if question != nil && question.Method == methodCancelled {
		defer w.talk.heard()
	}
	serial := step.begin()
	response, err := w.client.Do(r.Context(), w.request(r, body, question, step))
	if err != nil {
		step.fail(notSent(err), r.Context().Err() == nil) // a server is told that nobody waits any more
		return nil, err
	}
	answer, err := w.answer(response, question, step)
	if err != nil {
		_ = response.Body.Close()
		step.fail(err, false)
		return nil, err
	}
	if answer.Request = r; question != nil {
		answer.Body = &stream{answer.Body, step, serial}
	}
	return answer, nil
}

// notSent is the failure of a client that says nothing about what was sent where nothing was.
func notSent(err error) *fault.Error {
	e := *fault.From(err)
	e.Sent = cmp.Or(e.Sent, fault.SentNo)
	return &e
}

// takeBody reads and closes the body of a request.
func takeBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

func (w *wire) request(r *http.Request, body []byte, question *jsonrpc.Request, step *step) fetch.Request {
	request := fetch.Request{
		Method: r.Method, URL: w.endpoint(), Header: r.Header.Clone(), Body: body, Credential: w.credential,
	}
	for name, values := range w.header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	w.talk.mu.Lock()
	if w.talk.version != "" && request.Header.Get(versionHeader) == "" {
		request.Header.Set(versionHeader, w.talk.version)
	}
	w.talk.mu.Unlock()
	if question == nil || question.Method != methodCall {
		request.Read = true
		return request
	}
	if step.call.IdempotencyKey != "" { // AM-13
		request.Header.Set(idempotencyKey, step.call.IdempotencyKey)
		request.Repeatable = true
	}
	step.sending()
	w.talk.observer.Sending()
	return request
}

// answer judges an answer and hands it on to the library, which need not look at what is wrong already.
func (w *wire) answer(response *fetch.Response, question *jsonrpc.Request, step *step) (*http.Response, error) {
	answer := &http.Response{
		Status: statusText(response.Status), StatusCode: response.Status, Proto: response.Proto, ProtoMajor: 1, ProtoMinor: 1,
		Header: response.Header, Body: response.Body, ContentLength: response.ContentLength,
	}
	if response.Status >= http.StatusMultipleChoices {
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes))
		step.fail(statusFault(w.talk.host, response, body), settled(response.Status))
		return replaceBody(answer, body), nil
	}
	if question == nil || !question.IsCall() {
		return answer, nil
	}
	w.follow(response.URL)
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch kind {
	case eventsType:
		return answer, nil
	case jsonType:
		return w.whole(answer, question)
	}
	return nil, malformed("%q answered with %s instead of JSON or a stream of events", w.talk.host, strconv.Quote(fault.Word(kind)))
}

// follow remembers where the first answer came from: redirects within the origin are followed for what has no effect, and
// what has one must go there at once.
func (w *wire) follow(url string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.url = url
}

// whole reads an answer that is one message, which has to be the one that was asked for: the library would wait for ever.
func (w *wire) whole(answer *http.Response, question *jsonrpc.Request) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(answer.Body, mcp.MaxMessageBytes+1))
	if err != nil {
		return nil, unknown(err)
	}
	if len(body) > mcp.MaxMessageBytes {
		return nil, unavailable(codeLarge, "the answer of %q is larger than %d MiB", w.talk.host, mcp.MaxMessageBytes>>20)
	}
	message, err := jsonrpc.DecodeMessage(body)
	response, ok := message.(*jsonrpc.Response)
	if err != nil || !ok || response.ID != question.ID {
		return nil, malformed("%q answered with something else than the answer", w.talk.host)
	}
	return replaceBody(answer, body), nil
}

func replaceBody(answer *http.Response, body []byte) *http.Response {
	_ = answer.Body.Close()
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return answer
}

// stream is a body whose failures are kept: the library takes them for its end.
type stream struct {
	io.ReadCloser
	step   *step
	serial int // of the request that it answers
}

// Read implements [io.Reader].
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		s.step.failStream(s.serial, unknown(err))
	}
	return n, err
}

// unknown takes back that a request had its effect: an answer that breaks off says nothing about that.
func unknown(err error) *fault.Error {
	e := *fault.From(err)
	e.Sent = fault.SentUnknown
	return &e
}
