package cli

import (
	"fmt"
	"io"

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
		Use:           "agentctl SITE [COMMAND…] [ARGS…] [--flags]",
		Short:         "Call the actions that web sites publish for agents",
		Long:          rootLong,
		Example:       rootExample,
		Version:       r.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(r.In)
	root.SetOut(r.Out)
	root.SetErr(r.Err)
	root.SetVersionTemplate("agentctl {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fault.New(fault.Usage, "invalid_flag", "%w", err)
	})
	root.SetHelpFunc(r.help)
	r.register(root.PersistentFlags())
	root.AddCommand(r.newSite(), r.newCache(), r.newVersion())
	root.SetHelpCommand(r.newHelpCommand(root))
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	return root
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
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(r.Out, "agentctl %s\n", r.Version)
			return err
		},
	}
}

// usageArgs makes a usage fault of what Cobra says about positional arguments.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return fault.New(fault.Usage, "invalid_arguments", "%w", err).WithHint("%s --help", cmd.CommandPath())
		}
		return nil
	}
}

// group makes a command that only holds others: alone it shows its help, and an unknown word below it is an error.
func group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(below...)
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
func unknownCommand(typed string, known []string, path string) error {
	e := fault.New(fault.Usage, "unknown_command", "%q is not a command of %s", typed, path).WithHint("%s", path)
	if near := nearest(typed, known); len(near) > 0 {
		e.Message += "; did you mean " + orList(near) + "?"
		e.Hint = path + " " + near[0]
	}
	return e
}
