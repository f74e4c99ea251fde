package cli

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/companion"
	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
)

// screenLeave is how long the screen may take to put the terminal back when agentctl ends.
const screenLeave = 3 * time.Second

const exploreLong = `Shows what sites publish on the whole terminal: choose a site, an action, fill in its form,
look at the request, send it, read the answer. The question before a call that spends, sends
or deletes is the same as on the command line. Press ? there for the keys.

--accessible (or ACCESSIBLE=1) asks line by line instead, for screen readers.`

const exploreExample = `  agentctl explore                            the sites that are known
  agentctl explore demo                       one site
  agentctl demo orders create --interactive   the form of one action`

// newExplore makes "agentctl explore".
func (r *run) newExplore() *cobra.Command {
	accessible := false
	cmd := &cobra.Command{
		ValidArgsFunction: r.completeSites,

		Use:     "explore [SITE]",
		Short:   "Browse sites and call their actions on the whole screen",
		Long:    exploreLong,
		Example: exploreExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return takes("SITE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			hello := explore.Hello{Raw: r.JSON, Plain: accessible}
			if len(args) > 0 {
				hello.Site = args[0]
				r.siteWord = args[0]
				if _, _, err := r.resolve(args[0], cmd.Root()); err != nil { // before the screen is there: the answer is on the line above
					return err
				}
			}
			flags, err := screenFlags(cmd.Flags(), append(aboutOneCall(), "jq", "template", "columns", "output", "save", "input", "arg"))
			if err != nil {
				return err
			}
			_, err = r.onScreen(cmd.Context(), hello, flags, nil)
			return err
		},
	}
	cmd.Flags().BoolVar(&accessible, "accessible", false, "ask line by line, for screen readers")
	return cmd
}

// screenFlags are the global flags that count for everything that is done on the screen, as they would be typed. Those that are
// refused have no meaning there.
func screenFlags(set *pflag.FlagSet, refused []string) (flags []string, err error) {
	kept := []string{"offline", "allow-private", "timeout", "retries", "profile", "format", "resolve", "cacert"}
	set.VisitAll(func(f *pflag.Flag) {
		switch list, isList := f.Value.(pflag.SliceValue); {
		case !f.Changed:
		case slices.Contains(refused, f.Name):
			err = fault.New(fault.Usage, "invalid_flag", "--%s does not go with the screen: what is sent is decided there", f.Name).WithHint("agentctl explore --help")
		case !slices.Contains(kept, f.Name):
		case isList:
			for _, value := range list.GetSlice() {
				flags = append(flags, "--"+f.Name+"="+value)
			}
		default:
			flags = append(flags, "--"+f.Name+"="+f.Value.String())
		}
	})
	return flags, err
}

// onScreen starts the screen and does what is asked for there, until the person leaves it.
func (r *run) onScreen(ctx context.Context, hello explore.Hello, flags, own []string) (*screenSession, error) {
	if r.asks != nil || !r.canAsk() {
		return nil, fault.New(fault.Usage, "no_screen", "the screen needs a terminal, and somebody to answer there").WithHint("agentctl SITE, agentctl SITE COMMAND --help")
	}
	restore := func() {}
	if r.HoldTerminal != nil {
		var err error
		if restore, err = r.HoldTerminal(); err != nil {
			return nil, fault.New(fault.Internal, "no_screen", "the terminal cannot be asked about its state: %w", err)
		}
	}
	process, err := companion.Start(r.UIProgram, explore.Command)
	switch {
	case errors.Is(err, companion.ErrMissing):
		return nil, fault.New(fault.Internal, "ui_missing", "the program agentctl-ui, which has the screen, is not beside agentctl").
			WithHint("install it in the directory of agentctl")
	case err != nil:
		return nil, fault.New(fault.Internal, "ui_failed", "%w", err)
	}
	hello.Version, hello.Color = r.Version, r.ErrColor
	hello.Plain = hello.Plain || r.Getenv("ACCESSIBLE") != "" || r.Getenv("TERM") == "dumb"
	s := &screenSession{run: r, named: hello.Site, flags: flags, own: own, plain: hello.Plain, out: explore.NewWriter(process.In)}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { // the screen goes when its standard input ends, or has to
		_ = process.In.Close()
		time.AfterFunc(screenLeave, process.Kill)
	})
	serving := s.serve(ctx, hello, process.Out)
	stop()
	ended := process.End(screenLeave)
	exit, failed := errors.AsType[*exec.ExitError](ended)
	wasInterrupted := failed && exit.ExitCode() == (&fault.Error{Kind: fault.Interrupted}).Exit()
	if ended != nil && !wasInterrupted && !hello.Plain {
		restore() // it had no time to
	}
	switch {
	case ctx.Err() != nil:
		return s, s.leftBy(ctx.Err())
	case wasInterrupted:
		return s, interrupted(s.leftBy(nil))
	}
	if err := errors.Join(ended, serving); err != nil {
		return s, fault.New(fault.Internal, "ui_failed", "the screen ended: %w", err)
	}
	return s, nil
}

// leftBy is what the end of a screen leads to: of a call that was on its way it is told whether that can have had its effect.
func (s *screenSession) leftBy(err error) error { return cmp.Or(s.cutOff, err) }

// newRun makes a run for one request of the screen: nothing of it reaches the terminal, which the screen has.
func (s *screenSession) newRun(word string, width int, flags ...string) (*run, *captured, error) {
	c := &captured{}
	env := s.Env
	env.Getenv = func(name string) string {
		if name == "AGENTCTL_TOKEN" && word != s.named { // it is for the site of the command line (contract, section 6)
			return ""
		}
		return s.Getenv(name)
	}
	env.Streams = c.streams(width)
	env.ReadFile = func(ctx context.Context, name string) ([]byte, error) {
		if name == "-" {
			return nil, errors.New("standard input belongs to the screen")
		}
		return s.ReadFile(ctx, name)
	}
	env.DropTypeAhead, env.OpenURL, env.StartPager, env.Styler, env.AskSecret = nil, nil, nil, nil, noSecrets
	sub := &run{Env: env, siteWord: word}
	c.root = sub.newRoot() // before the flags are set: declaring them puts them back
	return sub, c, sub.apply(slices.Concat(s.flags, flags))
}

func noSecrets(context.Context, string) (string, error) {
	return "", fault.New(fault.Usage, "no_screen", "the screen asks for no secrets").WithHint("agentctl auth login SITE")
}

// shownFlags are the flags of the session on a command line that does the same.
func (s *screenSession) shownFlags(raw bool) []string {
	var words []string
	for _, flag := range slices.Concat(s.own, s.flags) {
		if strings.HasPrefix(flag, "--format=") { // it is where the site is named
			continue
		}
		if name, value, _ := strings.Cut(flag, "="); value == "true" {
			words = append(words, name)
		} else {
			words = append(words, shellWord(flag))
		}
	}
	if raw {
		words = append(words, "--json")
	}
	return words
}
