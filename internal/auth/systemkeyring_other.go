//go:build darwin || windows

package auth

import (
	"errors"
	"os/exec"
)

// systemReady has nothing to look for: the keyring is a part of the system.
func systemReady(func(string) string) error { return nil }

// refusedAsLocked recognises the exit status of macOS's security(1) for errSecInteractionNotAllowed (-25308, of which the
// shell sees the lowest byte): the keychain is locked and nobody is there who could be asked, as over SSH.
func refusedAsLocked(err error) bool {
	const interactionNotAllowed = 36
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() == interactionNotAllowed
}
