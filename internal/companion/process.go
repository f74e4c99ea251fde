// Package companion starts a program that is shipped beside agentctl, for what would make every start of agentctl itself
// slower, and carries faults from one to the other. What the two say to each other is up to those who use it.
package companion

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrMissing is the error of a program that is not where it has to be.
var ErrMissing = errors.New("the program is not there")

// waitDelay is how long a killed program may keep its streams open through children of its own.
const waitDelay = 5 * time.Second

// Process is a program while it runs. It ends when its standard input does.
type Process struct {
	In  io.WriteCloser // its standard input
	Out io.Reader      // its standard output

	cmd    *exec.Cmd
	stderr *bytes.Buffer
	kill   func()
}

// Start starts the program at an absolute path, which is never looked up elsewhere: any other path is [ErrMissing], too. It
// gets the environment but for the variables of agentctl, which may hold a token, and of the MCP library, which change what
// that does.
func Start(program string, args ...string) (*Process, error) {
	if !filepath.IsAbs(program) {
		return nil, ErrMissing
	}
	ctx, kill := context.WithCancel(context.Background())                                                 // it outlives a request; each request has its own way to end it
	p := &Process{cmd: exec.CommandContext(ctx, program, args...), stderr: new(bytes.Buffer), kill: kill} //nolint:gosec // the path is ours, and so are the arguments
	p.cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {                                     //nolint:forbidigo // see above
		return strings.HasPrefix(v, "AGENTCTL_") || strings.HasPrefix(v, "MCPGODEBUG=")
	})
	p.cmd.Stderr, p.cmd.WaitDelay = p.stderr, waitDelay
	err := p.start()
	if err == nil {
		return p, nil
	}
	kill()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrMissing
	}
	return nil, fmt.Errorf("starting %s: %w", filepath.Base(program), err)
}

func (p *Process) start() (err error) {
	if p.In, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	kill := p.kill
	p.Out, p.kill = out, func() {
		kill()
		_ = out.Close() // a child of the program's own may hold the other end, and live on
	}
	return p.cmd.Start()
}

// Kill ends the program at once. End has to be called all the same.
func (p *Process) Kill() { p.kill() }

// End closes the standard input, by which the program knows, and waits for it to end, but kills it when that takes longer
// than limit. The error carries the first line of what the program said.
func (p *Process) End(limit time.Duration) error {
	_ = p.In.Close()
	late := time.AfterFunc(limit, p.kill)
	err := p.cmd.Wait()
	late.Stop()
	p.kill() // frees what the context holds
	if err == nil {
		return nil
	}
	said, _, _ := strings.Cut(p.stderr.String(), "\n")
	if said == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.TrimPrefix(said, "error: "))
}
