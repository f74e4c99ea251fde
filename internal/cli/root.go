package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/fault"
)

const rootLong = `agentctl calls the actions that web sites publish for agents.

A site describes its actions in a small JSON file. agentctl finds it, turns it into
commands, checks the arguments, asks before anything that spends or deletes, makes
exactly one HTTP request and shows the answer.`

const rootExample = `  agentctl demo                      what the built-in demo site offers
  agentctl demo orders create 2      call an action
  agentctl demo orders create --help what it takes
  agentctl popcorn.club orders list  any site that publishes actions`

// newRoot makes the tree of built-in commands. It makes no connection and reads no file.
func (r *run) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:                   "agentctl SITE [COMMAND…] [ARGS…] [--flags]",
		DisableFlagsInUseLine: true,
		Short:                 "Call the actions that web sites publish for agents",
		Long:                  rootLong,
		Example:               rootExample,
		Version:               r.Version,
		SilenceErrors:         true,
		SilenceUsage:          true,
		Args:                  cobra.ArbitraryArgs,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(r.In)
	root.SetOut(r.Out)
	root.SetErr(r.Err)
	root.SetVersionTemplate("agentctl {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return invalidFlag(err)
	})
	root.SetHelpFunc(r.help)
	r.register(root.PersistentFlags())
	root.AddCommand(r.newSite(), r.newAuth(), r.newIdentity(), r.newCache(), r.newPolicy(), r.newAudit(), r.newVersion(),
		r.newFind(r.IndexProgram), r.newIndex(r.IndexProgram), r.newDoctor(), r.newReceipts(), r.newAEP(),
		r.newExplore())
	root.SetHelpCommand(r.newHelpCommand(root))
	r.completeGlobals(root)
	root.CompletionOptions.DisableDefaultCmd = true // ours evaluate nothing
	root.AddCommand(r.newCompletion())
	return root
}

// invalidFlag is the usage fault for what pflag refuses. It does not repeat a value of its own accord: people write tokens
// where they do not belong.
func invalidFlag(err error) *fault.Error {
	if refused, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return fault.New(fault.Usage, "invalid_flag", "--%s: %w", refused.GetFlag().Name, refused.Unwrap())
	}
	return fault.New(fault.Usage, "invalid_flag", "%w", err)
}

// newFlagSet makes a set that prints nothing by itself.
func newFlagSet() *pflag.FlagSet {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.SortFlags = false
	return set
}

func (r *run) newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  takes(),
		RunE: func(*cobra.Command, []string) error {
			return r.print(map[string]string{"version": r.Version}, func() error {
				_, err := fmt.Fprintf(r.Out, "agentctl %s\n", r.Version)
				return err
			})
		},
	}
}

// takes makes the check for exactly the positional arguments of those names.
func takes(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fault.New(fault.Usage, "invalid_arguments", "%s is missing", names[len(args)]).WithHint("%s --help", cmd.CommandPath())
		case len(args) > len(names):
			all := "it takes none"
			if len(names) > 0 {
				all = "it takes " + strings.Join(names, " and ")
			}
			return fault.New(fault.Usage, "invalid_arguments", "too many arguments: %s", all).WithHint("%s --help", cmd.CommandPath())
		}
		return nil
	}
}

// group makes a command that only holds others: alone it shows its help, and an unknown word below it is an error.
func group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	for _, c := range below {
		if c.Parent() == nil {
			cmd.AddCommand(c)
		}
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		var names []string
		for _, c := range below {
			names = append(names, c.Name())
		}
		return unknownCommand(args[0], names, cmd.CommandPath())
	}
	return cmd
}

// unknownCommand is the usage fault for a word that names nothing below path.
func unknownCommand(typed string, known []string, path string) *fault.Error {
	e := fault.New(fault.Usage, "unknown_command", "%q is not a command of %s", cutWord(typed), path).WithHint("%s", path)
	if near := nearest(typed, known); len(near) > 0 {
		e.Message += "; did you mean " + orList(near) + "?"
		e.Hint = path + " " + near[0]
	}
	return e
}
