package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/remote"
	"github.com/agentctl/agentctl/internal/index/spool"
	"github.com/agentctl/agentctl/internal/index/sqlite"
)

// environment is everything that a run takes from the world outside its arguments.
type environment struct {
	In       io.Reader
	Out, Err io.Writer
}

const usage = `agentctl-index keeps the index of actions for agentctl.

  agentctl-index serve DIR
      answers agentctl, in JSON on standard input and output, for the index in that directory
  agentctl-index version
`

// run is the whole program: its result is the exit status (contract section 4).
func run(ctx context.Context, args []string, env environment) int {
	err := dispatch(ctx, args, env)
	if err == nil {
		return 0
	}
	e := fault.From(err)
	fmt.Fprintf(env.Err, "error: %s\n", e.Error())
	if e.Hint != "" {
		fmt.Fprintf(env.Err, "hint: %s\n", e.Hint)
	}
	return e.Exit()
}

func dispatch(ctx context.Context, args []string, env environment) error {
	command := "help"
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	switch {
	case command == "serve" && len(args) == 1:
		return serve(ctx, args[0], env)
	case command == "version" || command == "--version":
		return write(env.Out, "agentctl-index "+version()+"\n")
	case command == "help" || command == "--help" || command == "-h":
		return write(env.Out, usage)
	}
	return fault.New(fault.Usage, "invalid_arguments", "%q is no command, or its arguments are wrong", command).WithHint("agentctl-index help")
}

// serve answers for the index in a directory. What calls left there is folded in before anything is asked.
func serve(ctx context.Context, dir string, env environment) error {
	fold := func(ctx context.Context, into index.Index) ([]string, error) { return spool.Fold(ctx, dir, into) }
	server := remote.Server{
		Open: func(ctx context.Context) (index.Index, error) { return sqlite.Open(ctx, dir) },
		Fold: fold,
		Rebuild: func(ctx context.Context) (*remote.Rebuilt, []string, error) {
			return rebuild(ctx, dir, fold)
		},
	}
	return server.Serve(ctx, env.In, env.Out)
}

// version is that of the module, as the Go tool recorded it in the program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
