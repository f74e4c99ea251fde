package odp

import (
	"net/http"
	"time"
)

// Bounds of retries of one operation, its pages included (ODP-121).
const (
	MaxRetries   = 3
	MaxRetryTime = 30 * time.Second // of waiting in all
)

// Failure is an answer after which a list, a search or a retrieval may be sent again.
type Failure struct {
	Status     int
	RetryAfter time.Duration // that the Service asks to wait; below zero when it does not say
	Retry      int           // number of the retry in question, from 1
	Waited     time.Duration // before, in this operation
}

// MayRetry reports whether to try again, and how long to wait at least. Without word from the Service the wait is the
// caller's back-off, which must fit into what is left of [MaxRetryTime] (ODP-121, ODP-122).
func (f Failure) MayRetry() (wait time.Duration, ok bool) {
	if f.Status != http.StatusTooManyRequests && f.Status != http.StatusServiceUnavailable {
		return 0, false
	}
	wait = max(f.RetryAfter, 0)
	if f.Retry < 1 || f.Retry > MaxRetries || wait > MaxRetryTime-f.Waited || f.RetryAfter < 0 && f.Waited >= MaxRetryTime {
		return 0, false
	}
	return wait, true
}
