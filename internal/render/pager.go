package render

import (
	"bytes"
	"io"
)

// Pager is a writer that keeps what is written until it is longer than the terminal has lines. From then on it goes through
// another program. What is shorter never starts one.
type Pager struct {
	Out           io.Writer // the terminal
	Width, Height int
	Start         func() (io.WriteCloser, error) // starts the program; when it fails everything is written to Out

	held    bytes.Buffer
	lines   int // that held takes on the terminal, its last one excluded
	column  int // bytes of the last line
	to      io.Writer
	program io.Closer
}

// Write implements [io.Writer].
func (p *Pager) Write(text []byte) (int, error) {
	if p.to != nil {
		return p.to.Write(text)
	}
	p.held.Write(text)
	for rest := text; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		p.column += len(line)
		if ended {
			p.lines += 1 + max(p.column-1, 0)/max(p.Width, 1) // colours make a line look longer: the program finds out
			p.column = 0
		}
		rest = after
	}
	if p.lines < p.Height {
		return len(text), nil
	}
	p.to = p.Out
	if program, err := p.Start(); err == nil {
		p.to, p.program = program, program
	}
	return len(text), p.release()
}

// Close writes what was kept, and waits for the program to end.
func (p *Pager) Close() error {
	if p.to == nil {
		p.to = p.Out
		return p.release()
	}
	if p.program != nil {
		return p.program.Close()
	}
	return nil
}

func (p *Pager) release() error {
	_, err := p.held.WriteTo(p.to)
	return err
}
