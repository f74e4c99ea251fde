package main

import (
	"context"
	"errors"
	"os"
	"runtime"

	"golang.org/x/term"
)

// secretReader reads a line from a terminal without showing it. When ctx ends first, as with Ctrl-C, the terminal shows
// again what is typed.
func secretReader(terminal *os.File) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		fd := int(terminal.Fd())
		before, err := term.GetState(fd)
		if err != nil {
			return "", err
		}
		type outcome struct {
			line []byte
			err  error
		}
		done := make(chan outcome, 1)
		go func() { // a read of a terminal cannot be cancelled; the process ends soon after
			line, err := term.ReadPassword(fd)
			done <- outcome{line, err}
		}()
		select {
		case o := <-done:
			if o.err == nil && len(o.line) >= longestLine() {
				o.err = errors.New("the line is longer than a terminal can pass on")
			}
			return string(o.line), o.err
		case <-ctx.Done():
			return "", errors.Join(ctx.Err(), term.Restore(fd, before))
		}
	}
}

// longestLine is from which length on, in bytes, a terminal may have cut a line without a word.
func longestLine() int {
	if runtime.GOOS == "linux" {
		return 4095
	}
	return 1023 // MAX_CANON of macOS and BSD, without the line break
}
