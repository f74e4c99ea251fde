package batch

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// showAfter is how soon what was given is to be seen.
const showAfter = 10 * time.Millisecond

// Runner does something for each of many items, some at a time, and gives the results in order.
type Runner[Item, Result any] struct {
	Concurrency int
	Next        func() (Item, error) // io.EOF at the end; nothing is given while it waits
	Do          func(Item) Result    // called from several goroutines at once
	Emit        func(Result) error   // called in the order of the items; its error stops the run
	Show        func() error         // called a moment after results were given, to let them be seen; may be nil
}

// Run returns when everything that it started has ended and was given to Emit: all items, or those that were started before
// ctx ended. It starts none that is more than twice Concurrency ahead of the last one that was given, so that what a slow one
// holds up stays bounded. Its error is of Next, Emit or Show. No two of these are called at once.
func (r *Runner[Item, Result]) Run(ctx context.Context) error {
	q := &queue[Item, Result]{Runner: r, ctx: ctx, waiting: make([]done[Result], 2*r.Concurrency)}
	q.room = sync.NewCond(&q.mu)
	defer context.AfterFunc(ctx, q.stop)()
	var workers sync.WaitGroup
	for range r.Concurrency { // each goes from item to item by itself: to hand one over costs more than many take
		workers.Go(q.work)
	}
	workers.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.finished = true
	return q.err
}

// queue is what the workers of one run share.
type queue[Item, Result any] struct {
	*Runner[Item, Result]
	ctx context.Context

	mu      sync.Mutex
	room    *sync.Cond     // another item may be started, or none any more
	waiting []done[Result] // for those before them; the result of item i is at i modulo its length
	started int
	given   int
	showing bool // a timer runs that has Show called
	over    bool // nothing more is started
	err     error

	finished bool // a timer that still runs has nothing to do
}

type done[Result any] struct {
	result Result
	ready  bool
}

func (q *queue[Item, Result]) work() {
	for {
		item, at, ok := q.take()
		if !ok {
			return
		}
		q.give(at, q.Do(item))
	}
}

// stop has nothing more started.
func (q *queue[Item, Result]) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end(nil)
}

func (q *queue[Item, Result]) end(err error) {
	q.over, q.err = true, errors.Join(q.err, err)
	q.room.Broadcast()
}

// take starts the next item.
func (q *queue[Item, Result]) take() (item Item, at int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.over && q.started-q.given == len(q.waiting) {
		q.room.Wait()
	}
	if q.over || q.ctx.Err() != nil {
		return item, 0, false
	}
	item, err := q.Next()
	if errors.Is(err, io.EOF) {
		q.end(nil)
		return item, 0, false
	}
	if err != nil {
		q.end(err)
		return item, 0, false
	}
	q.started++
	return item, q.started - 1, true
}

// give takes the result of an item, and gives away all whose turn it is.
func (q *queue[Item, Result]) give(at int, result Result) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting[at%len(q.waiting)] = done[Result]{result, true}
	for {
		next := &q.waiting[q.given%len(q.waiting)]
		if !next.ready {
			break
		}
		result := next.result
		*next = done[Result]{}
		q.given++
		if q.err == nil { // else what was started is only waited for
			if err := q.Emit(result); err != nil {
				q.end(err)
			}
		}
		q.room.Signal()
	}
	if q.Show != nil && !q.showing && at < q.given {
		q.showing = true
		time.AfterFunc(showAfter, q.show)
	}
}

// show lets what was given be seen.
func (q *queue[Item, Result]) show() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.showing = false
	if q.err != nil || q.finished {
		return
	}
	if err := q.Show(); err != nil {
		q.end(err)
	}
}
