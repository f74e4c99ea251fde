//go:build !darwin && !windows

package auth

import (
	"errors"
	"testing"
)

func TestNoSessionBusIsToldAtOnce(t *testing.T) {
	if sessionBus(func(string) string { return "" }) {
		t.Skip("this machine has a session bus of its own")
	}
	k := newSystemKeyring(func(string) string { return "autolaunch:" })
	if err := k.set(t.Context(), "x", "y"); !errors.Is(err, errUnavailable) {
		t.Errorf("got %v", err)
	}
}
