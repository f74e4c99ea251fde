package cli

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Steps that share a context share no time: each has the whole, and one whose time is over ends none after it.
func TestStepsThatShareAContextHaveTheirOwnTime(t *testing.T) {
	now := time.Now()
	limit := newTimeLimit(time.Hour, func() time.Time { return now }).forMany()
	step := func(within context.Context, whole time.Duration, do func(context.Context) error) (in context.Context, err error) {
		limit.whole = whole
		limit.renew()
		err = limit.run(within, func(ctx context.Context) error {
			if deadline, ok := ctx.Deadline(); !ok || !deadline.Equal(now.Add(whole)) {
				t.Errorf("it ends at %v, not %v after %v", deadline, whole, now)
			}
			in = ctx
			return do(ctx)
		})
		return in, err
	}
	passes := func(ctx context.Context) error {
		now = now.Add(59 * time.Minute)
		return ctx.Err()
	}
	waits := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	first, err := step(t.Context(), time.Hour, passes)
	second, err2 := step(t.Context(), time.Hour, passes)
	third, over := step(t.Context(), time.Millisecond, waits)
	fourth, err4 := step(t.Context(), time.Hour, passes)
	if err != nil || err2 != nil || !errors.Is(over, context.DeadlineExceeded) || err4 != nil {
		t.Errorf("got %v, %v, %v, %v", err, err2, over, err4)
	}
	if first != second || second != third || third == fourth {
		t.Error("a context is shared until it ends")
	}
	ending, cancel := context.WithCancel(t.Context())
	fifth, err := step(ending, time.Hour, func(ctx context.Context) error {
		cancel()
		return waits(ctx)
	})
	if !errors.Is(err, context.Canceled) || fifth == fourth {
		t.Errorf("in a context that ends: %v", err)
	}
}
