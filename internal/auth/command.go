package auth

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// Limits of a command that gives a token.
const (
	commandLimit    = 10 * time.Second
	maxCommandBytes = 64 << 10 // of its output
	maxShownStderr  = 1000     // bytes of its standard error in an error
)

// Why a command was stopped.
var (
	errTooMuchOutput = errors.New("it writes more than 64 KiB")
	errTooSlow       = errors.New("it was not done in time (10s, or what --timeout leaves)")
)

// run runs a program without a shell and returns what it writes. Its standard error is shown when it fails; its output,
// which may hold a secret, never is.
func (s *Store) run(ctx context.Context, argv []string) ([]byte, error) {
	limited, stop := context.WithTimeout(ctx, commandLimit)
	defer stop()
	cmd := exec.CommandContext(limited, argv[0], argv[1:]...) //nolint:gosec // what the person stored with auth login --command
	cmd.Env = withoutToken(s.Environ())
	cmd.WaitDelay = time.Second // for its children that hold on to its output
	stdout := &boundedBuffer{limit: maxCommandBytes, full: stop}
	stderr := &boundedBuffer{limit: maxCommandBytes, full: func() {}}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) { // it has ended well, and left something running that holds on to its output
		err = nil
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, ctx.Err()
	case stdout.overflowed:
		err = errTooMuchOutput
	case limited.Err() != nil:
		err = errTooSlow
	}
	if err != nil {
		return nil, commandFailed(argv, err, stderr.content.String())
	}
	return stdout.content.Bytes(), nil
}

// withoutToken keeps AGENTCTL_TOKEN from a program that has no need of it.
func withoutToken(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.EqualFold(name, "AGENTCTL_TOKEN") // Windows does not tell the cases apart
	})
}

// commandFailed tells which program failed, how, and what it said itself. Whoever prints it cleans it.
func commandFailed(argv []string, err error, stderr string) *fault.Error {
	e := fault.New(fault.Auth, "credential_command_failed", "the command %q, which gives the token, failed: %w", argv[0], err)
	if said := strings.Join(strings.Fields(strings.ToValidUTF8(stderr, "")), " "); said != "" {
		e.Message += ": " + fault.Cut(said, maxShownStderr)
	}
	return e
}

// boundedBuffer keeps the first limit bytes, and says when there is more. It has no other way in than Write.
type boundedBuffer struct {
	content    bytes.Buffer
	limit      int
	full       func()
	overflowed bool
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	kept := p
	if room := b.limit - b.content.Len(); len(p) > room {
		b.overflowed = true
		b.full()
		kept = p[:room]
	}
	_, _ = b.content.Write(kept)
	return len(p), nil // what is too much is dropped: an error would hide the program's own
}
