// Package program runs a program that a person named, without a shell: one that gives a token, or one that pays. It gets its
// input, and has a limited time to write a limited output.
package program

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// MaxBytes is the most that is read of what a program writes, on each of its two streams.
const MaxBytes = 64 << 10

// Why a program was stopped.
var (
	ErrTooMuch = errors.New("it writes more than 64 KiB")
	ErrTooSlow = errors.New("it was not done in time")
)

// Command is a program with what it gets.
type Command struct {
	Argv    []string // the program, looked up like any command, and its arguments
	Environ []string // AGENTCTL_TOKEN is taken out of it
	Input   []byte   // its standard input; nil is none
	Limit   time.Duration

	// Alone: it has no terminal, so it can ask nobody there, and what it started is stopped with it, where the system can do that.
	Alone bool
}

// Output is what a program said.
type Output struct {
	Out []byte
	Err string // valid UTF-8, not cleaned
}

// Run runs a program to its end. The output is there beside an error, too: [ErrTooMuch], [ErrTooSlow], the error of ctx when
// that was cancelled, or one of os/exec.
func Run(ctx context.Context, c Command) (Output, error) {
	limited, stop := context.WithTimeout(ctx, c.Limit)
	defer stop()
	cmd := exec.CommandContext(limited, c.Argv[0], c.Argv[1:]...) //nolint:gosec // what the person has configured
	cmd.Env = withoutToken(c.Environ)
	if c.Alone {
		alone(cmd)
	}
	cmd.WaitDelay = time.Second // for its children that hold on to its output
	if c.Input != nil {
		cmd.Stdin = bytes.NewReader(c.Input)
	}
	stdout := &boundedBuffer{limit: MaxBytes, full: stop}
	stderr := &boundedBuffer{limit: MaxBytes, full: func() {}}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) { // it has ended well, and left something running that holds on to its output
		err = nil
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		err = ctx.Err()
	case stdout.overflowed:
		err = ErrTooMuch
	case limited.Err() != nil:
		err = ErrTooSlow
	}
	return Output{stdout.content.Bytes(), strings.ToValidUTF8(stderr.content.String(), "")}, err
}

// Exit is the exit status in the error of [Run]; ok is false for every other failure.
func Exit(err error) (status int, ok bool) {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() < 0 {
		return 0, false
	}
	return exit.ExitCode(), true
}

// withoutToken keeps AGENTCTL_TOKEN from a program that has no need of it.
func withoutToken(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.EqualFold(name, "AGENTCTL_TOKEN") // Windows does not tell the cases apart
	})
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
