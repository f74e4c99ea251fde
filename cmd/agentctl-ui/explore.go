package main

import (
	"context"
	"errors"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/explore/screen"
	"github.com/agentctl/agentctl/internal/fault"
)

// showScreen shows the screen of "agentctl explore" on the terminal of the process. Standard input and output carry the
// messages of agentctl, which starts this.
func showScreen(ctx context.Context, args []string, env environment) (int, error) {
	if len(args) > 0 {
		return 0, fault.New(fault.Usage, "invalid_arguments", "unexpected argument %q", args[0]).WithHint("agentctl explore --help")
	}
	from := explore.NewReader[explore.Reply](env.In)
	first, err := from.Read()
	if err != nil || first.Hello == nil {
		return 0, fault.New(fault.Usage, "no_agentctl", "agentctl has to start this").WithHint("agentctl explore")
	}
	in, out, err := tea.OpenTTY()
	if err != nil {
		return 0, fault.New(fault.Usage, "no_screen", "the terminal cannot be opened: %w", err)
	}
	defer func() { _, _ = in.Close(), out.Close() }()
	to := explore.NewWriter(env.Out)
	world := screen.World{
		Send: func(q explore.Request) error { return to.Write(q) }, ReadDir: os.ReadDir, Now: env.Now,
	}
	if first.Hello.Plain {
		return screen.Plain(ctx, in, out, world, *first.Hello, from)
	}
	code, err := screen.Run(ctx, screen.Terminal{In: in, Out: out, Environ: env.Environ()}, world, *first.Hello, from)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return code, err
}
