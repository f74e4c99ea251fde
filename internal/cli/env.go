// Package cli turns a command line into a run: the built-in commands, and the commands that a site publishes, built as
// Cobra commands when they are needed. It knows no wire format.
package cli

import (
	"context"
	"crypto/x509"
	"io"
	"time"

	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/streams"
)

// Env is everything that a run takes from the world outside its arguments.
type Env struct {
	*streams.Streams
	Getenv    func(string) string
	Environ   func() []string                                            // all variables, for commands that give a token
	ReadFile  func(ctx context.Context, name string) ([]byte, error)     // at most MaxFileBytes; "-" is standard input
	AskSecret func(ctx context.Context, question string) (string, error) // asks at the terminal for a line, without showing it
	// DropTypeAhead discards what was typed and not read yet: it cannot be the answer to a question that is only about to be
	// asked. Nil where standard input is no terminal.
	DropTypeAhead func() error
	Disk          input.Disk // for uploads
	// SystemRoots returns the certificates that the system trusts, or nil for what crypto/x509 finds. It may be nil.
	SystemRoots func() (*x509.CertPool, error)

	ConfigDir string
	CacheDir  string
	StateDir  string
	Now       func() time.Time
	Sleep     func(context.Context, time.Duration) error
	Styler    render.Styler // nil: markdown is printed as it came
	Version   string

	// OpenURL shows a page to the person, in a browser. Nil where there is none.
	OpenURL func(ctx context.Context, url string) error
	// StartPager starts a pager, a program and its arguments, on the terminal of standard output, with these variables. What is
	// written goes to it; Close waits until the person has left it. Nil where there is none.
	StartPager func(words, environ []string) (io.WriteCloser, error)
	// HoldTerminal remembers the state of the terminal that a screen is about to take. The function that it returns puts that back,
	// for a screen that could not do so itself. Nil where standard input is no terminal.
	HoldTerminal func() (putBack func(), err error)
	// Program is the path of the running program; "" when nobody knows it.
	Program string
	// UIProgram is the path of agentctl-ui; "" when nobody knows it.
	UIProgram string
	// IndexProgram is the path of agentctl-index; "" when nobody knows it.
	IndexProgram string
	// MCPProgram is the path of agentctl-mcp; "" when nobody knows it.
	MCPProgram string
}

// MaxFileBytes is the most that is read of one input file or of standard input.
const MaxFileBytes = 25 << 20
