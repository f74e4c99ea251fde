package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// leaveScreen takes back what a program on the whole screen may have switched on: mouse reports, bracketed paste, the hidden
// cursor, the other screen, colours.
const leaveScreen = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[?1049l\x1b[0m\r\n"

// holdTerminal remembers how a terminal reads keys. The function that it returns puts that back, and the screen.
func holdTerminal(in *os.File, screen io.Writer) (putBack func(), err error) {
	state, err := term.GetState(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	return func() {
		_ = term.Restore(int(in.Fd()), state)
		_, _ = io.WriteString(screen, leaveScreen) // nobody could be told of a failure
	}, nil
}
