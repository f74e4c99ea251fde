package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// keyring keeps secrets by name.
type keyring interface {
	get(ctx context.Context, name string) (string, error) // errNotFound when there is none
	set(ctx context.Context, name, secret string) error
	remove(ctx context.Context, name string) error // errNotFound when there is none
}

// Why a keyring does not do what it should. Errors of the keyring of the system wrap one of them.
var (
	errNotFound    = errors.New("the keyring does not have it")
	errLocked      = errors.New("the keyring is locked")
	errUnavailable = errors.New("the keyring cannot be reached")
	errTooLarge    = errors.New("the secret is larger than the keyring of this system takes")
	errTimeout     = errors.New("the keyring did not answer in time")
)

// keyringFault says in the words of the contract why a secret could not be kept, read or deleted, and what helps. store is
// the command that stores it anew.
func keyringFault(err error, store string) *fault.Error {
	elsewhere := "keep it in a file (AGENTCTL_KEYRING=file " + store + ") or set AGENTCTL_TOKEN"
	code, hint := "", ""
	switch {
	case errors.Is(err, errLocked):
		code, hint = "keyring_locked", "unlock it in the desktop's password manager, "+elsewhere
	case errors.Is(err, errTimeout):
		code, hint = "keyring_timeout", "look whether it waits for somebody, "+elsewhere
	case errors.Is(err, errUnavailable):
		code, hint = "keyring_unavailable", elsewhere
	case errors.Is(err, errTooLarge):
		code, hint = "keyring_too_large", elsewhere
	case errors.Is(err, errNotFound):
		code, hint = "credential_missing", store
	default:
		return fault.From(err) // of the file, which tells by itself, or of an end from outside
	}
	return fault.New(fault.Auth, code, "%w", err).WithHint("%s", hint)
}

// keyringLimit is for one access to the keyring of the system: its service may wait for a person, or hang.
const keyringLimit = 2 * time.Second

// bounded runs an access to a keyring, which cannot be cancelled, for at most limit. One that takes longer is left behind;
// the process ends soon. A panic, such as the D-Bus client's when a service answers with the wrong types, is a failure.
func bounded[T any](ctx context.Context, limit time.Duration, access func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if cause := recover(); cause != nil {
				o.err = fmt.Errorf("%w: %v", errUnavailable, cause)
			}
			done <- o
		}()
		o.value, o.err = access()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var none T
	select {
	case o := <-done:
		return o.value, o.err
	case <-timer.C:
		return none, fmt.Errorf("%w (%v)", errTimeout, limit)
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) { // of the call: a shorter limit than ours
			return none, errTimeout
		}
		return none, ctx.Err()
	}
}
