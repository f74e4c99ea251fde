package auth

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/program"
)

const (
	commandLimit   = 10 * time.Second // of a command that gives a token
	maxShownStderr = 1000             // bytes of its standard error in an error
)

// run runs a program without a shell and returns what it writes. Its standard error is shown when it fails; its output,
// which may hold a secret, never is.
func (s *Store) run(ctx context.Context, argv []string) ([]byte, error) {
	said, err := program.Run(ctx, program.Command{Argv: argv, Environ: s.Environ(), Limit: commandLimit})
	switch {
	case errors.Is(err, context.Canceled):
		return nil, err
	case err != nil:
		return nil, commandFailed(argv, err, said.Err)
	}
	return said.Out, nil
}

// commandFailed tells which program failed, how, and what it said itself. Whoever prints it cleans it.
func commandFailed(argv []string, err error, stderr string) *fault.Error {
	e := fault.New(fault.Auth, "credential_command_failed", "the command %q, which gives the token, failed: %w", argv[0], err)
	if errors.Is(err, program.ErrTooSlow) {
		e.Message += " (10s, or what --timeout leaves)"
	}
	if said := strings.Join(strings.Fields(stderr), " "); said != "" {
		e.Message += ": " + fault.Cut(said, maxShownStderr)
	}
	return e
}
