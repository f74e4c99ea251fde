package session

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/mcp"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Limits of what a server may say unasked while it works at one thing.
const (
	maxNotifications = 10_000
	maxRequests      = 100
	maxNotes         = 100 // notifications that are told
	maxNoteBytes     = 300
)

// talk is what the two ends of the library share: the wire and the messages.
type talk struct {
	host     string
	observer mcp.Observer
	gaveUp   chan struct{} // holds something when the server has heard that a call was given up

	mu            sync.Mutex
	version       string // of the protocol, as agreed on by initialize; "" before
	open          map[jsonrpc.ID]*call
	notifications int // since the step began
	requests      int
	notes         int
}

// call is a request of ours that has no answer yet.
type call struct {
	method string
	step   *step // nil: the library's own
}

func newTalk(host string, observer mcp.Observer) *talk {
	return &talk{host: host, observer: observer, gaveUp: make(chan struct{}, 1), open: map[jsonrpc.ID]*call{}}
}

// begin starts counting anew.
func (t *talk) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notifications, t.requests, t.notes = 0, 0, 0
}

// heard marks that the server knows that nobody waits any more, or cannot be told.
func (t *talk) heard() {
	select {
	case t.gaveUp <- struct{}{}:
	default: // it has been marked before
	}
}

// note tells what the server said, unless it said too much already.
func (t *talk) note(text string) {
	if t.observer.Note == nil {
		return
	}
	t.mu.Lock()
	t.notes++
	quiet := t.notes > maxNotes
	t.mu.Unlock()
	if !quiet {
		t.observer.Note(text)
	}
}

// messages is a transport whose connections look at every message.
type messages struct {
	talk      *talk
	transport sdk.Transport
}

// Connect implements [sdk.Transport].
func (m *messages) Connect(ctx context.Context) (sdk.Connection, error) {
	inner, err := m.transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{Connection: inner, talk: m.talk}, nil
}

type connection struct {
	sdk.Connection
	talk *talk
}

// Write sends a message and remembers which step waits for its answer.
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	request, ok := message.(*jsonrpc.Request)
	if !ok || !request.IsCall() {
		return c.Connection.Write(ctx, message)
	}
	c.talk.mu.Lock()
	c.talk.open[request.ID] = &call{request.Method, stepOf(ctx)}
	c.talk.mu.Unlock()
	err := c.Connection.Write(ctx, message)
	if err != nil {
		c.talk.take(request.ID)
	}
	return err
}

// Read returns the next message that the library has to know: answers, and what the server asks.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		message, err := c.Connection.Read(ctx)
		if err != nil {
			c.talk.failAll(c.talk.broken(err))
			return nil, err
		}
		switch m := message.(type) {
		case *jsonrpc.Response:
			err = c.talk.answered(m)
		case *jsonrpc.Request:
			if err = c.talk.unasked(m); err == nil && !m.IsCall() {
				continue
			}
		}
		if err != nil {
			c.talk.failAll(err)
			return nil, err
		}
		return message, nil
	}
}

// broken is the failure of a connection that the library gave up. It tells why only in words.
func (t *talk) broken(err error) *fault.Error {
	for _, why := range []struct{ words, code, message string }{
		{"SSE event exceeded", codeLarge, "a message of %q is larger than " + strconv.Itoa(mcp.MaxMessageBytes>>20) + " MiB"},
		{"malformed", codeProtocol, "the stream of events of %q is malformed"},
		{"failed to decode", codeProtocol, "%q sent something else than a message"},
	} {
		if strings.Contains(err.Error(), why.words) {
			return unavailable(why.code, why.message, t.host)
		}
	}
	return t.ended()
}

func (t *talk) ended() *fault.Error {
	return unavailable(codeEnded, "%q ended its answer before it answered the call", t.host)
}

// answered gives a response to the step that waits for it.
func (t *talk) answered(response *jsonrpc.Response) error {
	asked := t.take(response.ID)
	if asked == nil {
		return malformed("%q answered what it was not asked", t.host)
	}
	if response.Error == nil {
		if err := strictjson.Check(jsontext.Value(response.Result)); err != nil {
			asked.step.fail(malformed("the answer of %q: %w", t.host, err), false)
			return nil
		}
	}
	if asked.method == "initialize" {
		version, _ := strictjson.Member(jsontext.Value(response.Result), "protocolVersion")
		t.mu.Lock()
		t.version, _ = strictjson.String(version)
		t.mu.Unlock()
	}
	if asked.step != nil {
		asked.step.answer(t, response)
	}
	return nil
}

// unasked counts what the server says on its own.
func (t *talk) unasked(request *jsonrpc.Request) error {
	text := request.Method
	if request.IsCall() {
		text += " (refused)"
	}
	t.note(strings.TrimSpace("MCP: " + fault.Word(text) + " " + fault.Cut(string(request.Params), maxNoteBytes)))
	t.mu.Lock()
	defer t.mu.Unlock()
	if request.IsCall() {
		t.requests++
	} else {
		t.notifications++
	}
	if t.notifications > maxNotifications || t.requests > maxRequests {
		return unavailable(codeFlood, "%q says more that it was not asked than anybody reads", t.host)
	}
	return nil
}

// take returns the request of ours with an id, which is answered now; nil when there is none.
func (t *talk) take(id jsonrpc.ID) *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	asked := t.open[id]
	delete(t.open, id)
	return asked
}

// failAll ends everything that waits for an answer.
func (t *talk) failAll(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, asked := range t.open {
		asked.step.fail(err, false)
	}
}

// refuse lets nothing be asked of us but whether we are there.
func refuse(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		if method == "ping" {
			return next(ctx, method, request)
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "agentctl answers no questions"}
	}
}
