package mcp

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/companion"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// Session is an open session with one server, on the program's side.
type Session interface {
	// Tools returns the tools of all pages of the list, as they came.
	Tools(ctx context.Context) ([]jsontext.Value, error)
	// Call calls a tool and returns its CallToolResult, as it came.
	Call(ctx context.Context, call Call) (jsontext.Value, error)
	Close()
}

// Observer is told what happens while a session works. It is safe for concurrent use.
type Observer struct {
	Trace   func(fetch.Event) // nil: nobody wants to know
	Note    func(string)      // nil: nobody wants to know
	Sending func()            // the call of a tool is about to go out
}

// Open opens a session.
type Open func(ctx context.Context, target Target, observer Observer) (Session, error)

// Serve answers the requests of agentctl until in ends. What is being done then is given up. The error is about the two
// streams; what goes wrong with a server is an answer.
func Serve(ctx context.Context, in io.Reader, out io.Writer, open Open) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &program{out: out, open: open}
	defer p.close()
	requests := make(chan request)
	var failed error
	go func() {
		defer cancel() // whoever asked is gone
		defer close(requests)
		failed = readRequests(ctx, in, requests)
	}()
	for q := range requests {
		answer := p.answer(ctx, q)
		answer.Done = true
		if err := p.write(answer); err != nil {
			return err
		}
	}
	return failed
}

// readRequests hands on each request in turn, until there are no more.
func readRequests(ctx context.Context, in io.Reader, to chan<- request) error {
	for lines := newLines(in); ; {
		var q request
		switch err := readLine(lines, &q); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fault.New(fault.Usage, "invalid_request", "the request cannot be read: %w", err)
		}
		select {
		case to <- q:
		case <-ctx.Done():
			return nil
		}
	}
}

// program is one run of the program.
type program struct {
	open    Open
	session Session // nil while none is open

	mu  sync.Mutex // of out
	out io.Writer
}

func (p *program) write(l line) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return writeLine(p.out, l)
}

// tell writes a line beside an answer. Should it fail, so will the answer.
func (p *program) tell(l line) { _ = p.write(l) }

func (p *program) close() {
	if p.session != nil {
		p.session.Close()
		p.session = nil
	}
}

func (p *program) answer(ctx context.Context, q request) (l line) {
	var err error
	switch {
	case q.Op == opConnect && q.Connect != nil:
		p.close()
		p.session, err = p.open(ctx, *q.Connect, p.observer(q.Connect.Verbose))
		if err != nil {
			p.session = nil // an interface that holds a nil pointer is not nil
		}
	case q.Op == opTools && p.session != nil:
		l.Tools, err = p.session.Tools(ctx)
	case q.Op == opCall && q.Call != nil && p.session != nil:
		l.Result, err = p.session.Call(ctx, *q.Call)
	default:
		err = fault.New(fault.Internal, "invalid_request", "%q is no request, or it is not its turn", q.Op)
	}
	l.Failure = companion.FailureOf(err)
	return l
}

func (p *program) observer(verbose bool) Observer {
	o := Observer{Sending: func() { p.tell(line{Sending: true}) }}
	if verbose {
		o.Trace = func(e fetch.Event) { p.tell(line{Event: eventOf(e)}) }
		o.Note = func(text string) { p.tell(line{Note: text}) }
	}
	return o
}
