//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// onTerminal runs a program on a pseudo-terminal of 80 columns, types keys there, and returns everything that the terminal
// was sent.
func onTerminal(cmd *exec.Cmd, keys typed, limit time.Duration) (screen []byte, status int, err error) {
	terminal, err := startOnTerminal(cmd, keys.early)
	if err != nil {
		return nil, 0, err
	}
	defer terminal.Close()
	timer := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var out bytes.Buffer
	answered := 0 // how much of out came before the last answer
	chunk := make([]byte, 4096)
	for {
		n, err := terminal.Read(chunk)
		out.Write(chunk[:n])
		shown := bytes.TrimRight(out.Bytes()[answered:], " ")
		if len(keys.answers) > 0 && (bytes.HasSuffix(shown, []byte("[y/N]")) || bytes.HasSuffix(shown, []byte(":"))) {
			if _, err := io.WriteString(terminal, keys.answers[0]); err != nil {
				return nil, 0, err
			}
			keys.answers, answered = keys.answers[1:], out.Len()
		}
		if errors.Is(err, io.EOF) || errors.Is(err, syscall.EIO) { // Linux reports EIO when the program is gone
			break
		}
		if err != nil {
			return nil, 0, err
		}
	}
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.Bytes(), exit.ExitCode(), nil
	}
	return out.Bytes(), 0, err
}

// startOnTerminal starts a program on a terminal where text was typed already.
func startOnTerminal(cmd *exec.Cmd, text string) (*os.File, error) {
	terminal, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 80})
	if err == nil {
		_, err = io.WriteString(terminal, text)
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		terminal.Close()
		return nil, err
	}
	return terminal, nil
}
