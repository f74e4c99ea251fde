package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/explore/screen"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/program"
)

// editText opens texts in the person's editor, each in a file of its own that nobody else may read. Ctrl-C there is the editor's.
func editText(ctx context.Context, getenv func(string) string) func(string, func(string, error) tea.Msg) tea.Cmd {
	return func(text string, then func(string, error) tea.Msg) tea.Cmd {
		fail := func(err error) tea.Cmd { return func() tea.Msg { return then("", err) } }
		dir, err := os.MkdirTemp("", "agentctl")
		if err != nil {
			return fail(err)
		}
		path := filepath.Join(dir, "text")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return fail(errors.Join(err, os.RemoveAll(dir)))
		}
		words := program.Editor(getenv)
		cmd := exec.CommandContext(context.WithoutCancel(ctx), words[0], append(words[1:], path)...) //nolint:gosec // the person names their editor
		return tea.ExecProcess(cmd, func(err error) tea.Msg {
			after, reading := readText(path)
			return then(after, errors.Join(err, reading, os.RemoveAll(dir)))
		})
	}
}

// maxTextBytes is the largest text that comes back from an editor.
const maxTextBytes = 1 << 20

func readText(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxTextBytes+1))
	if len(text) > maxTextBytes {
		return "", errors.New("the text is larger than 1 MiB")
	}
	return string(text), err
}

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
		Send: func(q explore.Request) error { return to.Write(q) }, ReadDir: os.ReadDir, Now: env.Now, Edit: editText(ctx, env.Getenv),
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
