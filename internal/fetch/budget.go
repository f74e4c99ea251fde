package fetch

import (
	"net/http"
	"sync"
	"time"
)

// RetryBudget is what the retries of questions that belong together may cost in all, for example those of the pages of one
// list (ODP-121): three retries, and thirty seconds of waiting. The zero value is a whole budget. It is safe for concurrent
// use.
type RetryBudget struct {
	mu      sync.Mutex
	retries int
	waited  time.Duration
}

// spend takes a retry after a wait out of the budget, unless that is more than is left. limit is how many retries there may
// be at most, elapsed the time since the first try of this request.
func (b *RetryBudget) spend(limit int, elapsed, wait time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.retries >= limit || !affordable(b.retries+1, max(elapsed, b.waited), wait) {
		return false
	}
	b.retries++
	b.waited += wait
	return true
}

// affordable reports whether the attempt-th retry may come after another wait.
func affordable(attempt int, elapsed, wait time.Duration) bool {
	return attempt <= maxRetries && elapsed+wait <= maxRetryDuration
}

// MayRetry reports whether a read may be sent again after an answer: only after 429 and 503, at most three times, and when
// what the site asks to wait, and what passed already, are 30 seconds at most (contract section 7, ODP-121). attempt is 1
// for the first retry.
func MayRetry(status, attempt int, elapsed, retryAfter time.Duration) bool {
	return busy(status) && affordable(attempt, elapsed, retryAfter)
}

// busy reports whether a status says that the site may do better soon.
func busy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}
