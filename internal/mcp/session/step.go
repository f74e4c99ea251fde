package session

import (
	"context"
	"errors"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/mcp"
)

// step is one thing that is asked of the server, and what came of it. The library tells failures as text; the step keeps
// them as they were seen where they happened.
type step struct {
	call *mcp.Call // nil: it calls no tool, so it has no effect

	mu     sync.Mutex
	result jsontext.Value // of the last answer; nil while there is none
	fault  *fault.Error   // of the last request; nil while it goes well
	serial int            // of the last request
	over   bool           // fault will not change by asking once more
	sent   bool           // the call has gone out
}

type stepKey struct{}

// stepOf is the step that a request belongs to, or nil: the library sends some on its own.
func stepOf(ctx context.Context) *step {
	s, _ := ctx.Value(stepKey{}).(*step)
	return s
}

// step does one thing with the library, and returns the result that came, as it came.
func (t *talk) step(ctx context.Context, call *mcp.Call, do func(context.Context) error) (jsontext.Value, error) {
	s := &step{call: call}
	t.begin()
	ctx, cancel := context.WithCancel(context.WithValue(ctx, stepKey{}, s))
	defer cancel() // what is still being read of an answer
	err := do(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.fault == nil && (err == nil || s.result != nil): // whatever the library thinks of the result
		return s.result, nil
	case s.fault == nil && ctx.Err() != nil:
		s.fault = fault.From(ctx.Err())
	case s.fault == nil:
		s.fault = malformed("the answer of %q is not valid MCP", t.host)
		if err != nil {
			t.note(fault.Cut(err.Error(), maxNoteBytes))
		}
	}
	return nil, s.seen()
}

// seen is the fault as it is to be reported: what is no call has no effect, and a call that went out may have had one.
func (s *step) seen() *fault.Error {
	e := *s.fault
	switch {
	case s.call == nil || !s.sent:
		e.Sent = fault.SentNo
	case e.Sent == "":
		e.Sent = fault.SentUnknown
	}
	return &e
}

// begin forgets what came of the request before: each one, but for answers to the server, is a part of the step.
// It returns the serial number of the request.
func (s *step) begin() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.result = nil, nil
	s.serial++
	return s.serial
}

// ended returns why nothing more needs to be asked in this step.
func (s *step) ended() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return s.fault
	}
	return nil
}

// fail keeps the first failure of a request, unless it has been answered: what happens to a stream behind the answer does
// not matter. over tells that asking in another way is no use.
func (s *step) fail(err error, over bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == nil && s.result == nil {
		s.fault, s.over = fault.From(err), over
	}
}

// failStream keeps the failure of a stream that answers a request, unless that is over and another one on its way.
func (s *step) failStream(serial int, err error) {
	s.mu.Lock()
	late := s.serial != serial
	s.mu.Unlock()
	if !late {
		s.fail(err, false)
	}
}

// sending marks that the call of a tool goes out.
func (s *step) sending() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = true
}

// answer takes a response to the request of a step.
func (s *step) answer(t *talk, response *jsonrpc.Response) {
	if response.Error == nil {
		s.mu.Lock()
		s.result = jsontext.Value(response.Result)
		s.mu.Unlock()
		return
	}
	if e, ok := errors.AsType[*jsonrpc.Error](response.Error); ok {
		s.fail(errorOf(e, 0), false)
		return
	}
	s.fail(t.ended(), false) // the library made it up
}
