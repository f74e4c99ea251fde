package batch

import (
	"context"
	"errors"
	"io"
)

// Runner does something for each of many items, some at a time, and gives the results in order.
type Runner[Item, Result any] struct {
	Concurrency int
	Next        func() (Item, error) // io.EOF at the end
	Do          func(Item) Result    // called from several goroutines at once
	Emit        func(Result) error   // called in the order of the items; its error stops the run
	Idle        func() error         // called before the next result is waited for; may be nil
}

// Run returns when everything that it started has ended and was given to Emit: all items, or those that were started before
// ctx ended. It starts none that is more than twice Concurrency ahead of the last one that was given, so that what a slow one
// holds up stays bounded. Its error is of Next or Emit.
func (r *Runner[Item, Result]) Run(ctx context.Context) error {
	ahead := make(chan chan Result, r.Concurrency) // those that run, and those that wait for one before them
	stop := make(chan struct{})
	var failed error // of Next; read when ahead is closed
	go func() {
		defer close(ahead)
		running := make(chan struct{}, r.Concurrency)
		for {
			select {
			case running <- struct{}{}:
			case <-stop:
				return
			case <-ctx.Done():
				return
			}
			if ctx.Err() != nil {
				return
			}
			item, err := r.Next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					failed = err
				}
				return
			}
			result := make(chan Result, 1)
			go func() {
				defer func() { <-running }()
				result <- r.Do(item)
			}()
			select {
			case ahead <- result:
			case <-stop:
				<-result
				return
			}
		}
	}()
	var err error
	for result := range ahead {
		one, failedIdle := r.wait(result)
		if err != nil {
			continue // what was started is waited for
		}
		if err = errors.Join(failedIdle, r.Emit(one)); err != nil {
			close(stop)
		}
	}
	return errors.Join(err, failed)
}

// wait gets a result, and lets what came before it be seen meanwhile.
func (r *Runner[Item, Result]) wait(result chan Result) (one Result, err error) {
	select {
	case one = <-result:
		return one, nil
	default:
	}
	if r.Idle != nil {
		err = r.Idle()
	}
	return <-result, err
}
