package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
)

// Run carries out one command line (without the program's name) and returns the exit status. It is the only place that
// prints a failure.
func Run(ctx context.Context, args []string, env Env) (status int) {
	guarded := *env.Streams
	guarded.Out = output{env.Out}
	env.Streams = &guarded
	r := &run{Env: env}
	defer func() {
		if cause := recover(); cause != nil { // neither arguments nor environment: they may hold secrets
			_, _ = fmt.Fprintf(env.Err, "error: agentctl %s failed: %s\n%s", env.Version, r.redact(fmt.Sprint(cause)), debug.Stack())
			status = fault.New(fault.Internal, "panic", "").Exit()
		}
	}()
	err := r.dispatch(ctx, args)
	if err == nil || errors.Is(err, render.ErrOutputClosed) {
		return 0
	}
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		err = interrupted(err)
	}
	e := *fault.From(err)
	if e.Site == "" {
		e.Site, e.Command = r.siteWord, r.command
	}
	if e.Hint == "" {
		e.Hint = r.nextCommand(&e)
	}
	render.Fault(env.Streams, r.redactFault(e), r.jsonErrors || r.errorsAsJSON())
	return e.Exit()
}

// output makes of the failures of standard output what they mean to a run: a reader that has gone, or a write that failed.
type output struct{ io.Writer }

func (o output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	return n, render.OutputError(err)
}

// interrupted keeps what is known of a request that Ctrl-C cut off: whether it was sent, and how a flow can go on.
func interrupted(err error) error {
	e := &fault.Error{Kind: fault.Interrupted, Code: "interrupted", Message: "interrupted", Err: err}
	if cause, ok := errors.AsType[*fault.Error](err); ok {
		e.Sent = cause.Sent
		if cause.Kind == fault.Interrupted && cause.Code != "" { // such as that a payment was cut off
			e.Code = cause.Code
		}
		if cause.Details != nil {
			e.Message, e.Hint, e.Details = cause.Error(), cause.Hint, cause.Details
		}
	}
	return e
}

// run is one run: its environment, its global flags, and what is known so far for an error message.
type run struct {
	Env
	globals
	siteWord   string
	command    []string
	secrets    []string // what must not be told, each followed by what stands for it
	checking   bool     // "policy check": tell what policy says of the call, and send nothing
	sideBySide bool     // whether others call at the same time, so that nothing is told of one
	paging     bool     // whether standard output goes through [run.paged] just now
	executed   string   // the command that failed, where Cobra got as far as one
	helpFailed error    // what kept help from being printed
	jsonErrors bool     // whether the command line asks for them, however much of it is wrong

	// asks puts a question to the person on a screen, in place of the terminal, which the screen has; nil without one.
	asks func(ctx context.Context, question string) (string, error)
}

// dispatch settles what the command line is about, built-in names first and before anything touches the network.
func (r *run) dispatch(ctx context.Context, args []string) error {
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		return r.complete(ctx, args)
	}
	root := r.newRoot()
	read := readLine(args, root.PersistentFlags(), nil)
	err := r.apply(read.flags)
	r.jsonErrors = r.errorsAsJSON()
	certain := read.words[:read.bound]
	switch {
	case len(certain) == 0 && len(read.unknown) > 0 && read.unknown[0] != "--version":
		return unknownFlags(read, root.PersistentFlags(), "agentctl")
	case len(certain) == 0 || isBuiltin(root, certain[0].text):
		return r.execute(ctx, root, append(texts(certain), without(args, certain)...))
	case err != nil && len(read.unknown) == 0:
		return err
	}
	r.siteWord = certain[0].text
	return r.site(ctx, root, args, certain, read.dashed)
}

// apply sets the global flags to what a command line says. While the action's own flags are not known yet, faults in
// them are left to the parse that counts.
func (r *run) apply(flags []string) error {
	set := newFlagSet()
	r.globals = globals{}
	r.register(set)
	var first error
	for _, flag := range flags {
		name, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		if err := set.Set(name, value); err != nil && first == nil {
			first = invalidFlag(err).WithHint("agentctl --help") // only flags that stand anywhere are in the set
		}
	}
	return first
}

// execute lets Cobra parse what is left and run it.
func (r *run) execute(ctx context.Context, root *cobra.Command, args []string) error {
	r.globals = globals{Timeout: defaultTimeout}
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && cmd != root {
		r.executed = cmd.CommandPath()
	}
	return cmp.Or(err, r.helpFailed)
}

func isBuiltin(root *cobra.Command, name string) bool {
	if name == "help" || name == "completion" {
		return true
	}
	for _, c := range root.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			return true
		}
	}
	return false
}
