package input

import "time"

// patience is how long checking may take, besides what [call.patience] adds. Schemas that pass the vetting can still be
// exponential in the depth of a value, if they are recursive; the others need no guard.
const patience = 2 * time.Second

// patience grants five seconds per MiB of what was given: that is what an honest list of small objects takes on a slow
// machine.
func (c *call) patience() time.Duration {
	size := 0
	for _, a := range c.arguments {
		size += len(a.base)
		for _, g := range a.texts {
			size += len(g.text)
		}
	}
	return time.Duration(size) * 5 * time.Second >> 20
}

// guard runs work for at most limit. What does not end in time is left behind: the validator cannot be stopped. A panic of
// work becomes one of the caller.
func guard[T any](limit time.Duration, work func() T) (result T, ok bool) {
	type end struct {
		result   T
		panicked any
	}
	done := make(chan end, 1)
	go func() {
		var e end
		defer func() {
			e.panicked = recover()
			done <- e
		}()
		e.result = work()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case e := <-done:
		if e.panicked != nil {
			panic(e.panicked)
		}
		return e.result, true
	case <-timer.C:
		return result, false
	}
}

// recoverSlow is to be deferred where patterns are matched: it hands a pattern that ran out of time to report.
func recoverSlow(report func(pattern string)) {
	switch p := recover().(type) {
	case nil:
	case slowPattern:
		report(p.pattern)
	default:
		panic(p)
	}
}
