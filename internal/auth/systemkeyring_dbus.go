//go:build !darwin && !windows

package auth

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	secretservice "github.com/zalando/go-keyring/secret_service"
)

// systemReady looks whether there is a session bus and whether the collection on it is unlocked. Without a bus the D-Bus
// client would start one, which nothing ends; a locked collection would put up a question on a screen that may not be
// there, and wait for its answer.
func systemReady(getenv func(string) string) error {
	if !sessionBus(getenv) {
		return fmt.Errorf("%w: there is no D-Bus session bus", errUnavailable)
	}
	service, err := secretservice.NewSecretService()
	if err != nil {
		return fmt.Errorf("%w: %w", errUnavailable, err)
	}
	locked, err := service.GetLoginCollection().GetProperty("org.freedesktop.Secret.Collection.Locked")
	if err != nil {
		return fmt.Errorf("%w: %w", errUnavailable, err)
	}
	if locked.Value() == true {
		return errLocked
	}
	return nil
}

// sessionBus tells whether the D-Bus client will find a session bus without starting one. It looks where the client looks.
func sessionBus(getenv func(string) string) bool {
	if address := getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" && address != "autolaunch:" {
		return true
	}
	dir := filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// refusedAsLocked is never so here: systemReady has looked before.
func refusedAsLocked(error) bool { return false }
