package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/streams"
)

// environment is everything that a run takes from the world outside its arguments.
type environment struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Environ  func() []string
	Now      func() time.Time
	Patience time.Duration // how long styling a web page may take
}

const usage = `agentctl-ui paints what agentctl shows on a terminal.

  agentctl-ui markdown [--width N] [--style auto|dark|light|notty] [--color auto|always|never]
      reads markdown on standard input and writes it styled to standard output
  agentctl-ui html [the same flags]
      reads a web page and writes its text in the same way
  agentctl-ui explore
      shows the screen of "agentctl explore", which starts it
  agentctl-ui version
`

// run is the whole program: its result is the exit status (contract section 4).
func run(ctx context.Context, args []string, env environment) int {
	if len(args) > 0 && args[0] == explore.Command {
		code, err := showScreen(ctx, args[1:], env)
		if err != nil {
			render.Fault(&streams.Streams{Err: env.Err}, fault.From(err), false)
			return max(code, fault.From(err).Exit())
		}
		return code
	}
	err := dispatch(ctx, args, env)
	if err == nil || errors.Is(err, render.ErrOutputClosed) {
		return 0
	}
	e := fault.From(err)
	render.Fault(&streams.Streams{Err: env.Err}, e, false)
	return e.Exit()
}

func dispatch(ctx context.Context, args []string, env environment) error {
	command := "help"
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	switch command {
	case "markdown":
		return paintMarkdown(ctx, args, env)
	case "html":
		return paintHTML(ctx, args, env)
	case "version", "--version":
		return write(env.Out, "agentctl-ui "+version()+"\n")
	case "help", "--help", "-h":
		return write(env.Out, usage)
	}
	return fault.New(fault.Usage, "unknown_command", "unknown command %q", command).WithHint("agentctl-ui help")
}

// version is that of the module, as the Go tool recorded it in the program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// newFlags returns a flag set whose errors come back as usage faults.
func newFlags(command string) *flag.FlagSet {
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

func usageFault(err error) error {
	return fault.New(fault.Usage, "invalid_arguments", "%w", err).WithHint("agentctl-ui help")
}

func write(w io.Writer, text string) error {
	_, err := fmt.Fprint(w, text)
	return render.OutputError(err)
}
