package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// longestLine is from which length on the terminal's line editor drops what is typed or pasted, in characters.
const longestLine = 4096

// secretReader asks for a line at a terminal without showing it. The echo is off before the question shows, and what was typed
// until then is discarded: it was seen, and meant for something else. However it ends, the terminal is as it was before; Ctrl-C gives context.Canceled.
func secretReader(in, out *os.File) func(context.Context, string) (string, error) {
	return func(ctx context.Context, question string) (string, error) {
		fd := int(in.Fd())
		before, err := term.MakeRaw(fd)
		if err != nil {
			return "", err
		}
		if err := dropTypeAhead(in.Fd()); err != nil {
			return "", errors.Join(err, term.Restore(fd, before))
		}
		keys := &keyboard{Reader: in}
		done := make(chan error, 1)
		var line string
		go func() { // a read of a terminal cannot be cancelled; the process ends soon after
			var err error
			line, err = term.NewTerminal(readWriter{keys, out}, "").ReadPassword(question)
			done <- err
		}()
		select {
		case err = <-done:
		case <-ctx.Done():
			err = ctx.Err()
		}
		err = errors.Join(err, term.Restore(fd, before))
		switch {
		case err != nil:
			_, _ = fmt.Fprintln(out) // the line break that was not typed
			if ctx.Err() == nil && keys.interrupted {
				err = context.Canceled
			}
			return "", err
		case len(line) >= longestLine:
			return "", errors.New("the line is longer than a terminal can pass on")
		}
		return line, nil
	}
}

type readWriter struct {
	io.Reader
	io.Writer
}

// keyboard notices Ctrl-C, which a terminal in raw mode passes on as a character.
type keyboard struct {
	io.Reader
	interrupted bool
}

func (k *keyboard) Read(p []byte) (int, error) {
	const ctrlC = 3
	n, err := k.Reader.Read(p)
	k.interrupted = k.interrupted || bytes.IndexByte(p[:n], ctrlC) >= 0
	return n, err
}
