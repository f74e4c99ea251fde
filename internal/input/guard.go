package input

import "time"

// patience is how long checking may take, besides what [call.patience] adds. Schemas that pass the vetting can still be
// exponential in the depth of a value.
const patience = 2 * time.Second

// patience grants a second per MiB of what was given.
func (c *call) patience() time.Duration {
	size := 0
	for i := range c.given {
		size += len(c.base[i])
		for _, g := range c.given[i] {
			size += len(g.text)
		}
	}
	return time.Duration(size) * time.Second >> 20
}

// guard runs work for at most limit. What does not end in time is left behind: the validator cannot be stopped. A panic of
// work becomes one of the caller.
func guard[T any](limit time.Duration, work func() T) (result T, ok bool) {
	done := make(chan T, 1)
	panicked := make(chan any, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				panicked <- p
			}
		}()
		done <- work()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case result = <-done:
		return result, true
	case p := <-panicked:
		panic(p)
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
