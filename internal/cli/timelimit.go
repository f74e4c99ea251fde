package cli

import (
	"context"
	"sync"
	"time"
)

// timeLimit is what is left of the time of a call. What a person or a program of theirs takes does not count.
type timeLimit struct {
	now   func() time.Time
	whole time.Duration

	mu      sync.Mutex
	left    time.Duration
	since   time.Time // when the clock began to run; zero while it stands
	turn    int       // how often it did
	running *limited

	// Where many steps follow each other, each of which has the whole time, their context is made once: see [timeLimit.forMany].
	keeps bool
	kept  *limited
}

// limited is a context that ends when the time is over, and whose end moves while the clock stands.
type limited struct {
	context.Context
	within context.Context //nolint:containedctx // what it was made of
	limit  *timeLimit
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

// Deadline implements [context.Context]: the end as it is now.
func (c *limited) Deadline() (deadline time.Time, ok bool) {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	if c.limit.since.IsZero() {
		return c.Context.Deadline()
	}
	return c.limit.since.Add(c.limit.left), true
}

// Err implements [context.Context]: a time that is over is a deadline that passed, not a cancellation.
func (c *limited) Err() error {
	if err := c.Context.Err(); err == nil || context.Cause(c.Context) != context.DeadlineExceeded { //nolint:errorlint // it is what was given to cancel
		return err
	}
	return context.DeadlineExceeded
}

func newTimeLimit(whole time.Duration, now func() time.Time) *timeLimit {
	return &timeLimit{now: now, whole: whole, left: whole}
}

// forMany has the next steps share their context, as long as it has not ended. What a step leaves behind may go on until the context
// ends that it was run in.
func (t *timeLimit) forMany() *timeLimit {
	t.keeps = true
	return t
}

// renew gives the whole time again: to the next of several requests, each of which has it.
func (t *timeLimit) renew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running != nil && !t.since.IsZero() {
		t.stop()
		defer t.start()
	}
	t.left = t.whole
}

// run carries out a step under what is left of the time.
func (t *timeLimit) run(ctx context.Context, step func(context.Context) error) error {
	t.mu.Lock()
	if t.running != nil { // within another step
		t.mu.Unlock()
		return step(ctx)
	}
	c := t.context(ctx)
	t.running = c
	t.start()
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stop()
		t.running = nil
		if c != t.kept {
			c.cancel(context.Canceled)
		}
	}()
	return step(c)
}

// context is that of a step, to be run in another one.
func (t *timeLimit) context(within context.Context) *limited {
	if c := t.kept; c != nil && c.within == within && c.Context.Err() == nil {
		return c
	}
	inner, cancel := context.WithCancelCause(within)
	c := &limited{Context: inner, within: within, limit: t, cancel: cancel}
	if t.keeps {
		t.kept = c
	}
	return c
}

// outside carries out a step, within one that runs, whose time does not count.
func (t *timeLimit) outside(step func() error) error {
	t.mu.Lock()
	t.stop()
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.running != nil {
			t.start()
		}
	}()
	return step()
}

func (t *timeLimit) start() {
	t.since = t.now()
	t.turn++
	c, turn := t.running, t.turn
	c.timer = time.AfterFunc(max(t.left, 0), func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.turn == turn && !t.since.IsZero() { // else it came too late: the clock stands, or runs for another step
			c.cancel(context.DeadlineExceeded)
		}
	})
}

func (t *timeLimit) stop() {
	if t.since.IsZero() {
		return
	}
	t.left -= t.now().Sub(t.since)
	t.since = time.Time{}
	t.running.timer.Stop()
}
