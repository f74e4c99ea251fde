package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
)

// startPager starts pagers on the terminal. Ctrl-C is for the pager while it runs: this program ends after it, so that the
// terminal is left as it was.
func startPager(out, errs *os.File) func(words, environ []string) (io.WriteCloser, error) {
	return func(words, environ []string) (io.WriteCloser, error) {
		cmd := exec.CommandContext(context.Background(), words[0], words[1:]...) //nolint:gosec // the person's own words, and no shell
		cmd.Stdout, cmd.Stderr, cmd.Env = out, errs, environ
		return start(cmd)
	}
}

func start(cmd *exec.Cmd) (io.WriteCloser, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	if err := cmd.Start(); err != nil {
		signal.Stop(interrupts)
		return nil, err
	}
	return &pager{WriteCloser: in, cmd: cmd, interrupts: interrupts}, nil
}

type pager struct {
	io.WriteCloser
	cmd        *exec.Cmd
	interrupts chan os.Signal
}

// Close waits until the person has left the pager. How it ended says nothing about the output.
func (p *pager) Close() error {
	_ = p.WriteCloser.Close()
	_ = p.cmd.Wait()
	signal.Stop(p.interrupts)
	return nil
}
