package render

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/streams"
)

type closable struct {
	bytes.Buffer
	closed bool
}

func (c *closable) Close() error {
	c.closed = true
	return nil
}

func TestPager(t *testing.T) {
	for name, test := range map[string]struct {
		writes  []string
		through bool
	}{
		"nothing":                       {nil, false},
		"one line less than the screen": {[]string{"a\nb", "\nc\n"}, false},
		"an open last line":             {[]string{"a\nb\nc\nd"}, false},
		"as many lines as the screen":   {[]string{"a\n", "b\nc\n", "d\n"}, true},
		"long lines count as several":   {[]string{strings.Repeat("x", 40), "\n"}, true},
		"a line as wide as the screen":  {[]string{strings.Repeat("x", 10), "\na\nb\n"}, false},
		"more behind it":                {[]string{"a\nb\nc\nd\n", "e\n"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var terminal bytes.Buffer
			program := new(closable)
			p := &Pager{Out: &terminal, Width: 10, Height: 4, Start: func() (io.WriteCloser, error) { return program, nil }}
			for _, text := range test.writes {
				if n, err := io.WriteString(p, text); err != nil || n != len(text) {
					t.Fatalf("wrote %d: %v", n, err)
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			want := strings.Join(test.writes, "")
			if got := program.String(); test.through != (got == want && program.closed) || !test.through && terminal.String() != want {
				t.Errorf("the program got %q, the terminal %q", got, terminal.String())
			}
		})
	}
}

func TestPagerThatCannotStart(t *testing.T) {
	var terminal bytes.Buffer
	p := &Pager{Out: &terminal, Width: 10, Height: 2, Start: func() (io.WriteCloser, error) { return nil, errors.New("no") }}
	_, err := io.WriteString(p, "a\nb\n")
	if err := errors.Join(err, p.Close()); err != nil || terminal.String() != "a\nb\n" {
		t.Errorf("%v, %q", err, terminal.String())
	}
}

func TestSpinner(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, width: 12, end: make(chan struct{})}
	first, ticks := make(chan time.Time), make(chan time.Time)
	p.ended.Go(func() { p.spin(first, ticks, func() string { return "waiting\x1b[31m for it" }) })
	first <- time.Time{}
	ticks <- time.Time{}
	p.stop("")
	if want := clearLine + "⠋ waiting…" + clearLine + "⠙ waiting…" + clearLine; out.String() != want && out.String() != strings.Replace(want, "⠙ waiting…"+clearLine, "", 1) {
		t.Errorf("got %q", out.String())
	}
	quick := &progress{w: &out, width: 12, end: make(chan struct{})}
	out.Reset()
	quick.ended.Go(func() { quick.spin(first, ticks, func() string { return "x" }) })
	quick.stop("")
	if out.Len() > 0 {
		t.Errorf("what is quick shows %q", out.String())
	}
	Spin(&streams.Streams{Err: &out}, func() string { return "x" })()
	if out.Len() > 0 {
		t.Errorf("no terminal, but %q", out.String())
	}
}
