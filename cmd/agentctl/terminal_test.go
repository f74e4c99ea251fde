//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// onTerminal runs a program on a pseudo-terminal of 80 columns, types text once the program asks for something, and
// returns everything that the terminal was sent.
func onTerminal(cmd *exec.Cmd, text string, limit time.Duration) (screen []byte, status int, err error) {
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		return nil, 0, err
	}
	defer terminal.Close()
	timer := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var out bytes.Buffer
	chunk := make([]byte, 4096)
	for {
		n, err := terminal.Read(chunk)
		out.Write(chunk[:n])
		shown := bytes.TrimRight(out.Bytes(), " ")
		if text != "" && (bytes.HasSuffix(shown, []byte("[y/N]")) || bytes.HasSuffix(shown, []byte(":"))) {
			if _, err := io.WriteString(terminal, text); err != nil {
				return nil, 0, err
			}
			text = ""
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
