package batch

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Runner does something for each of many items, some at a time, and gives the results in order.
type Runner[Item, Result any] struct {
	Concurrency int
	Next        func() (Item, error) // io.EOF at the end
	Do          func(Item) Result    // called from several goroutines at once
	Emit        func(Result) error   // called in the order of the items; its error stops the run
	Idle        func() error         // called before the next result is waited for; may be nil

	spare sync.Pool // of channels that carry one result
}

// Run returns when everything that it started has ended and was given to Emit: all items, or those that were started before
// ctx ended. It starts none that is more than twice Concurrency ahead of the last one that was given, so that what a slow one
// holds up stays bounded. Its error is of Next or Emit.
func (r *Runner[Item, Result]) Run(ctx context.Context) error {
	jobs, free := make(chan job[Item, Result]), make(chan struct{}, r.Concurrency)
	var workers sync.WaitGroup
	for range r.Concurrency { // they stay: a goroutine that has grown its stack once need not do so for every item
		free <- struct{}{}
		workers.Go(func() {
			for j := range jobs {
				j.result <- r.Do(j.item)
				free <- struct{}{}
			}
		})
	}
	ahead := make(chan chan Result, r.Concurrency) // of those that run, and those that wait for one before them
	stop := make(chan struct{})
	var failed error // of Next; read when ahead is closed
	go func() {
		defer close(ahead)
		defer close(jobs)
		failed = r.start(ctx, jobs, free, ahead, stop)
	}()
	var err error
	for result := range ahead {
		one, failedIdle := r.wait(result)
		r.spare.Put(result)
		if err != nil {
			continue // what was started is waited for
		}
		if err = errors.Join(failedIdle, r.Emit(one)); err != nil {
			close(stop)
		}
	}
	workers.Wait()
	return errors.Join(err, failed)
}

type job[Item, Result any] struct {
	item   Item
	result chan Result
}

// start gives item after item to the workers, as they are free.
func (r *Runner[Item, Result]) start(ctx context.Context, jobs chan<- job[Item, Result], free <-chan struct{}, ahead chan<- chan Result, stop <-chan struct{}) error {
	for {
		select {
		case <-free:
		case <-stop:
			return nil
		case <-ctx.Done():
			return nil
		}
		select {
		case <-ctx.Done(): // both were ready
			return nil
		default:
		}
		item, err := r.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		result, ok := r.spare.Get().(chan Result)
		if !ok {
			result = make(chan Result, 1)
		}
		jobs <- job[Item, Result]{item, result}
		select {
		case ahead <- result:
		case <-stop:
			return nil
		}
	}
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
