package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/streams"
)

// screenSession does what one screen asks for, one request after the other.
type screenSession struct {
	*run
	named string   // the site of the line that started it; "" for none
	flags []string // of that line
	own   []string // flags of the one action that the line is about
	plain bool     // whether the screen asks line by line
	out   *explore.Writer

	described *published // the action that was described last: a form is checked by it
	answers   answers
	cutOff    error // of the call that was on its way when all ended; nil for none

	mu      sync.Mutex
	asking  map[int]chan string        // requests that wait for an answer to their question
	cancels map[int]context.CancelFunc // requests that can be given up
}

// captured is what a request printed, and the commands that it was made with.
type captured struct {
	out, err bytes.Buffer
	root     *cobra.Command
}

func (c *captured) streams(width int) *streams.Streams {
	if width <= 0 {
		width = 80
	}
	return &streams.Streams{In: strings.NewReader(""), Out: &c.out, Err: &c.err, Width: width}
}

// notes are the lines of standard error: warnings, mostly.
func (c *captured) notes() []string {
	text := strings.TrimSpace(c.err.String())
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// queued is a request that waits for its turn. It can be given up from the moment on at which it was read.
type queued struct {
	explore.Request
	ctx    context.Context
	cancel context.CancelFunc
}

// maxQueued is how many requests may wait; a screen has one or two.
const maxQueued = 64

// serve answers requests until there are no more, or until ctx ends.
func (s *screenSession) serve(ctx context.Context, hello explore.Hello, from io.Reader) error {
	s.asking, s.cancels = map[int]chan string{}, map[int]context.CancelFunc{}
	if err := s.out.Write(explore.Reply{Hello: &hello}); errors.Is(err, explore.ErrTooLong) {
		return err
	} else if err != nil {
		return nil // it has gone already; its exit status tells why
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	requests := make(chan queued, maxQueued)
	var failed error
	go func() {
		defer close(requests)
		defer cancel() // nobody waits for anything any more
		failed = s.read(ctx, from, requests)
	}()
	for q := range requests {
		reply := s.reply(q.ctx, q.Request)
		s.forget(q)
		reply.ID, reply.Done = q.ID, true
		if err := s.out.Write(reply); errors.Is(err, explore.ErrTooLong) {
			reply = explore.Reply{ID: q.ID, Done: true, Failure: explore.FailureOf(fault.New(fault.Unavailable, "too_large", "%w", err))}
			_ = s.out.Write(reply)
		} // where the screen has gone, the requests end
	}
	return failed
}

// read hands on requests, and sees to those that are about others at once.
func (s *screenSession) read(ctx context.Context, from io.Reader, to chan<- queued) error {
	for in := explore.NewReader[explore.Request](from); ; {
		q, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch q.Op {
		case explore.Answer:
			s.mu.Lock()
			if waiting := s.asking[q.ID]; waiting != nil {
				waiting <- q.Text // it has room for one, and is taken out with the first
				delete(s.asking, q.ID)
			}
			s.mu.Unlock()
		case explore.Cancel:
			s.mu.Lock()
			if cancel := s.cancels[q.ID]; cancel != nil {
				cancel()
			}
			s.mu.Unlock()
		default:
			next := queued{Request: q}
			next.ctx, next.cancel = context.WithCancel(ctx)
			s.mu.Lock()
			s.cancels[q.ID] = next.cancel
			s.mu.Unlock()
			select {
			case to <- next:
			case <-ctx.Done():
				s.forget(next)
				return nil
			}
		}
	}
}

// forget ends what a request that is done may still have going on.
func (s *screenSession) forget(q queued) {
	q.cancel()
	s.mu.Lock()
	delete(s.cancels, q.ID)
	s.mu.Unlock()
}

// reply does one request.
func (s *screenSession) reply(ctx context.Context, q explore.Request) (reply explore.Reply) {
	if ctx.Err() != nil { // given up before its turn came
		return explore.Reply{Failure: s.failure(ctx, s.run, ctx.Err())}
	}
	s.cutOff = nil
	defer func() {
		if cause := recover(); cause != nil { // the screen goes on, and tells it
			reply = explore.Reply{Failure: explore.FailureOf(fault.New(fault.Internal, "panic", "agentctl failed: %s\n%s", s.redact(fmt.Sprint(cause)), debug.Stack()))}
		}
	}()
	switch q.Op {
	case explore.Sites:
		return s.sites()
	case explore.Open:
		return s.openSite(ctx, q)
	case explore.Action:
		return s.describe(ctx, q)
	case explore.Check:
		return s.check(ctx, q)
	case explore.Preview:
		return s.preview(ctx, q)
	case explore.Call:
		return s.call(ctx, q)
	case explore.Save:
		return s.save(ctx, q)
	case explore.Secret:
		return s.askSecret(ctx, q)
	case explore.Answer, explore.Cancel: // seen to above
	}
	return explore.Reply{Failure: explore.FailureOf(fault.New(fault.Internal, "unknown_request", "nobody knows the request %q", fault.Word(string(q.Op))))}
}

// askSecret asks at the terminal for a line that is not shown, for a screen that asks line by line: it reads nothing meanwhile.
func (s *screenSession) askSecret(ctx context.Context, q explore.Request) explore.Reply {
	if !s.plain || s.AskSecret == nil {
		return explore.Reply{Failure: explore.FailureOf(fault.New(fault.Internal, "unknown_request", "the screen has the terminal"))}
	}
	text, err := s.AskSecret(ctx, q.Text)
	if errors.Is(err, context.Canceled) {
		err = &fault.Error{Kind: fault.Interrupted, Code: "interrupted", Message: "interrupted"}
	}
	if err != nil {
		return explore.Reply{Failure: explore.FailureOf(fault.From(err))}
	}
	return explore.Reply{Typed: []byte(text)}
}

// dropTypeAhead forgets what was typed before a question, where the screen asks line by line. A full screen reads all that is typed,
// and sees to this itself.
func (s *screenSession) dropTypeAhead() error {
	if !s.plain || s.DropTypeAhead == nil {
		return nil
	}
	if err := s.DropTypeAhead(); err != nil {
		return fmt.Errorf("cannot discard what was typed before the question: %w", err)
	}
	return nil
}

// ask puts a question to the person on the screen, for a request.
func (s *screenSession) ask(id int) func(context.Context, string) (string, error) {
	return func(ctx context.Context, question string) (string, error) {
		if err := s.dropTypeAhead(); err != nil {
			return "", err
		}
		answer := make(chan string, 1)
		s.mu.Lock()
		s.asking[id] = answer
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			delete(s.asking, id)
			s.mu.Unlock()
		}()
		if err := s.out.Write(explore.Reply{ID: id, Question: question}); err != nil {
			return "", err
		}
		select {
		case text := <-answer:
			return strings.TrimSpace(text), nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// failure is what went wrong with a request, as [Run] would print it.
func (s *screenSession) failure(ctx context.Context, sub *run, err error) *explore.Failure {
	if errors.Is(ctx.Err(), context.Canceled) {
		err = interrupted(err)
	}
	return explore.FailureOf(sub.redactFault(*fault.From(err)))
}
