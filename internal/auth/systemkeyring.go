package auth

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	zalando "github.com/zalando/go-keyring"
)

// systemKeyring is the keyring of the operating system: the Secret Service on Linux and BSD, the Keychain on macOS, the
// Credential Manager on Windows.
type systemKeyring struct {
	ready  func() error // why it cannot be used just now; nil when it can
	locked func(error) bool
	limit  time.Duration
	client client
	hangs  atomic.Bool // it did not answer once: nobody waits for it again
}

// client is what the library offers.
type client struct {
	get    func(service, name string) (string, error)
	set    func(service, name, secret string) error
	remove func(service, name string) error
}

func newSystemKeyring(getenv func(string) string) *systemKeyring {
	return &systemKeyring{
		ready: func() error { return systemReady(getenv) }, locked: refusedAsLocked, limit: keyringLimit,
		client: client{zalando.Get, zalando.Set, zalando.Delete},
	}
}

func (k *systemKeyring) get(ctx context.Context, name string) (string, error) {
	return k.access(ctx, func() (string, error) { return k.client.get(Service, name) })
}

func (k *systemKeyring) set(ctx context.Context, name, secret string) error {
	_, err := k.access(ctx, func() (string, error) { return "", k.client.set(Service, name, secret) })
	return err
}

func (k *systemKeyring) remove(ctx context.Context, name string) error {
	_, err := k.access(ctx, func() (string, error) { return "", k.client.remove(Service, name) })
	return err
}

// access does one thing with the keyring, within the limit, and says in our words why it failed.
func (k *systemKeyring) access(ctx context.Context, do func() (string, error)) (string, error) {
	if k.hangs.Load() {
		return "", errTimeout
	}
	secret, err := bounded(ctx, k.limit, func() (string, error) {
		if err := k.ready(); err != nil {
			return "", err
		}
		secret, err := do()
		switch {
		case err == nil:
			return secret, nil
		case errors.Is(err, zalando.ErrNotFound):
			return "", errNotFound
		case errors.Is(err, zalando.ErrSetDataTooBig):
			return "", errTooLarge
		case k.locked(err):
			return "", errLocked
		}
		return "", fmt.Errorf("%w: %w", errUnavailable, err)
	})
	if errors.Is(err, errTimeout) {
		k.hangs.Store(true)
	}
	return secret, err
}
