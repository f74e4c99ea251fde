package screen

import (
	"context"
	"errors"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/agentctl/agentctl/internal/explore"
)

// interrupted is the exit status of Ctrl-C (contract, section 4).
const interrupted = 130

// Terminal is where the screen is shown.
type Terminal struct {
	In, Out *os.File
	Environ []string
}

// Run shows the screen until the person leaves it or agentctl goes, and returns the exit status. The terminal is put back in any
// case, also where something panics.
func Run(ctx context.Context, terminal Terminal, world World, hello explore.Hello, from *explore.Reader[explore.Reply]) (int, error) {
	m := New(world, hello)
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(terminal.In), tea.WithOutput(terminal.Out), tea.WithEnvironment(terminal.Environ),
	}
	if !hello.Color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	program := tea.NewProgram(m, options...)
	go func() {
		for {
			reply, err := from.Read()
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil // agentctl was told to end
				}
				program.Send(goneMsg{err})
				return
			}
			program.Send(replyMsg(reply))
		}
	}()
	_, err := program.Run()
	if ctx.Err() != nil || errors.Is(err, tea.ErrInterrupted) {
		m.code, err = interrupted, nil
	}
	switch {
	case err != nil:
		return m.Code(), err
	case m.Fatal() != "":
		return m.Code(), errors.New(m.Fatal())
	}
	return m.Code(), nil
}
