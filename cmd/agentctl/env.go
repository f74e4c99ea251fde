package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/adrg/xdg"
	"golang.org/x/term"

	"github.com/agentctl/agentctl/internal/cli"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/mcp"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/streams"
)

// version is set by release builds (-ldflags "-X main.version=1.2.3").
var version string

// systemEnv is the only code that looks at the operating system.
func systemEnv() cli.Env {
	s := systemStreams()
	e := cli.Env{
		Streams:   s,
		Getenv:    os.Getenv,
		Environ:   os.Environ,
		ReadFile:  fileReader(s.In),
		AskSecret: secretReader(os.Stdin, os.Stderr),
		Disk:      input.OSDisk{},

		SystemRoots: func() (*x509.CertPool, error) { return fetch.SystemRoots(os.Getenv) },

		ConfigDir: directory("AGENTCTL_CONFIG_DIR", xdg.ConfigHome),
		CacheDir:  directory("AGENTCTL_CACHE_DIR", xdg.CacheHome),
		StateDir:  directory("AGENTCTL_STATE_DIR", xdg.StateHome),
		Now:       time.Now,
		Styler:    styler(s),
		Version:   versionText(),

		Program:      beside(""),
		UIProgram:    beside("agentctl-ui"),
		IndexProgram: beside("agentctl-index"),
		MCPProgram:   beside(mcp.Program),
		OpenURL:      openURL,
		StartPager:   startPager(os.Stdout, os.Stderr),
	}
	if s.InTTY {
		e.DropTypeAhead = func() error { return dropTypeAhead(os.Stdin.Fd()) }
		e.HoldTerminal = func() (func(), error) { return holdTerminal(os.Stdin, os.Stderr) }
	}
	return e
}

func directory(variable, base string) string {
	if dir := os.Getenv(variable); dir != "" {
		return dir
	}
	return filepath.Join(base, "agentctl")
}

func systemStreams() *streams.Streams {
	s := &streams.Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTTY: term.IsTerminal(int(os.Stdin.Fd())), OutTTY: term.IsTerminal(int(os.Stdout.Fd())), ErrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		Width: 80,
	}
	if s.OutTTY {
		if width, height, err := term.GetSize(int(os.Stdout.Fd())); err == nil && width > 0 {
			s.Width, s.Height = width, height
		}
	}
	s.Color, s.ErrColor = colored(s.OutTTY), colored(s.ErrTTY)
	return s
}

// colored follows NO_COLOR, CLICOLOR_FORCE and TERM=dumb (contract, section 3).
func colored(tty bool) bool {
	switch force := os.Getenv("CLICOLOR_FORCE"); {
	case os.Getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return tty && os.Getenv("TERM") != "dumb"
}

// fileReader reads at most cli.MaxFileBytes of a file; "-" is standard input, which can be read once.
func fileReader(in io.Reader) func(context.Context, string) ([]byte, error) {
	inWasRead := false
	return func(ctx context.Context, name string) ([]byte, error) {
		if name != "-" {
			return readUntil(ctx, name, func() (io.ReadCloser, error) { return os.Open(name) })
		}
		if inWasRead {
			return nil, errors.New("standard input can be read only once")
		}
		inWasRead = true
		return readUntil(ctx, "standard input", func() (io.ReadCloser, error) { return io.NopCloser(in), nil })
	}
}

// readUntil opens and reads everything, or gives up when ctx ends: a terminal or a pipe may never say that it has no more,
// and a named pipe may never open.
func readUntil(ctx context.Context, name string, open func() (io.ReadCloser, error)) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		in, err := open()
		if err != nil {
			done <- result{nil, err}
			return
		}
		defer in.Close()
		data, err := io.ReadAll(io.LimitReader(in, cli.MaxFileBytes+1))
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		if r.err == nil && len(r.data) > cli.MaxFileBytes {
			r.err = fmt.Errorf("%s is larger than %d MiB", name, cli.MaxFileBytes>>20)
		}
		return r.data, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// beside is the path of a program in the directory of the running one, where alone such programs are started from; "" when
// nobody knows that directory. Without a name it is the running one's.
func beside(name string) string {
	program, err := os.Executable()
	if err != nil || name == "" {
		return program
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.Dir(program), name)
}

// styler starts agentctl-ui where markdown meets a terminal.
func styler(s *streams.Streams) render.Styler {
	program := beside("agentctl-ui")
	if !s.OutTTY || os.Getenv("TERM") == "dumb" || program == "" {
		return nil
	}
	color := "--color=never"
	if s.Color {
		color = "--color=always"
	}
	return render.UIStyler(program, color)
}

func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
