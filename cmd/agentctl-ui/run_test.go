package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/agentctl/agentctl/internal/render/markdown"
)

type result struct {
	code     int
	out, err string
}

// runWith runs the program with words as its arguments and NAME=VALUE pairs as its environment.
func runWith(t *testing.T, in io.Reader, words string, environ ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), strings.Fields(words), environment{In: in, Out: &out, Err: &errs, Getenv: getenv(environ...), Patience: time.Minute})
	return result{code, out.String(), errs.String()}
}

func getenv(environ ...string) func(string) string {
	return func(name string) string {
		for _, pair := range environ {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func TestMarkdownIsStyled(t *testing.T) {
	const source = "# Hi\n\n**bold** &#27;[2J\x1b[2J"
	for name, test := range map[string]struct {
		words   string
		environ []string
		want    string
	}{
		"in 16 colours":       {"markdown", nil, "\x1b[95;4;1mHi\x1b[0m\n\n\x1b[1mbold\x1b[0m \ufffd[2J\n"},
		"in 256 colours":      {"markdown --width 40", []string{"TERM=xterm-256color"}, "\x1b[38;5;213;4;1mHi\x1b[0m\n\n\x1b[1mbold\x1b[0m \ufffd[2J\n"},
		"for a light screen":  {"markdown --style=light", []string{"TERM=xterm-256color"}, "\x1b[38;5;54;4;1mHi\x1b[0m\n\n\x1b[1mbold\x1b[0m \ufffd[2J\n"},
		"by COLORFGBG":        {"markdown", []string{"TERM=xterm-256color", "COLORFGBG=0;default;15"}, "\x1b[38;5;54;4;1mHi\x1b[0m\n\n\x1b[1mbold\x1b[0m \ufffd[2J\n"},
		"without a terminal":  {"markdown --style notty", nil, "# Hi\n\n**bold** \ufffd[2J\n"},
		"with NO_COLOR":       {"markdown", []string{"NO_COLOR=1", "CLICOLOR_FORCE=1"}, "# Hi\n\n**bold** \ufffd[2J\n"},
		"on a dumb terminal":  {"markdown", []string{"TERM=dumb"}, "# Hi\n\n**bold** \ufffd[2J\n"},
		"with --color=never":  {"markdown --color=never", nil, "# Hi\n\n**bold** \ufffd[2J\n"},
		"with --color=always": {"markdown --color=always", []string{"NO_COLOR=1"}, "\x1b[95;4;1mHi\x1b[0m\n\n\x1b[1mbold\x1b[0m \ufffd[2J\n"},
		"with CLICOLOR_FORCE": {"markdown", []string{"TERM=dumb", "CLICOLOR_FORCE=1"}, "\x1b[95;4;1mHi\x1b[0m\n\n\x1b[1mbold\x1b[0m \ufffd[2J\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := runWith(t, strings.NewReader(source), test.words, test.environ...); got != (result{0, test.want, ""}) {
				t.Errorf("got %#v", got)
			}
		})
	}
}

func TestWhatIsTooLongComesAsItCame(t *testing.T) {
	source := strings.Repeat("word\x1b[2J ", markdown.MaxSize/5)
	got := runWith(t, strings.NewReader(source), "markdown")
	if got.code != 0 || got.out != strings.ReplaceAll(source, "\x1b[2J", "") {
		t.Errorf("%d, %d bytes", got.code, len(got.out))
	}
	if !strings.HasPrefix(got.err, "hint: ") {
		t.Errorf("said %q", got.err)
	}
}

func TestOtherCommands(t *testing.T) {
	for _, test := range []struct {
		words string
		code  int
		out   string // a part of it
		err   string
	}{
		{"version", 0, "agentctl-ui ", ""},
		{"help", 0, "agentctl-ui markdown", ""},
		{"", 0, "agentctl-ui markdown", ""},
		{"markdown --help", 0, "agentctl-ui markdown", ""},
		{"html --help", 0, "agentctl-ui html", ""},
		{"html --width x", 2, "", `invalid value "x"`},
		{"nosuch", 2, "", `error: unknown command "nosuch"`},
		{"markdown --nosuch", 2, "", "error: flag provided but not defined"},
		{"markdown --width x", 2, "", `invalid value "x"`},
		{"markdown --style neon", 2, "", `--style "neon"`},
		{"markdown --color maybe", 2, "", `--color "maybe"`},
		{"markdown file", 2, "", `unexpected argument "file"`},
	} {
		got := runWith(t, strings.NewReader(""), test.words)
		if got.code != test.code || !strings.Contains(got.out, test.out) || !strings.Contains(got.err, test.err) {
			t.Errorf("%q: %#v", test.words, got)
		}
	}
}

func TestInputAndOutputThatFail(t *testing.T) {
	if got := runWith(t, iotest.ErrReader(errors.New("broken")), "markdown"); got.code != 1 || !strings.Contains(got.err, "broken") {
		t.Errorf("input: %#v", got)
	}
	var errs bytes.Buffer
	for err, code := range map[error]int{errors.New("disk full"): 1, io.ErrClosedPipe: 0} {
		w := failingWriter{err}
		if got := run(t.Context(), []string{"markdown"}, environment{In: strings.NewReader("x"), Out: w, Err: &errs, Getenv: getenv()}); got != code {
			t.Errorf("%v: exit %d, want %d", err, got, code)
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestAnInterruptedRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := run(ctx, []string{"markdown"}, environment{In: strings.NewReader("x"), Out: io.Discard, Err: io.Discard, Getenv: getenv()}); got != 130 {
		t.Errorf("exit %d", got)
	}
}

func TestColorDepth(t *testing.T) {
	for environ, want := range map[string]markdown.Depth{
		"":                     markdown.Color16,
		"TERM=xterm":           markdown.Color16,
		"TERM=screen-256color": markdown.Color256,
		"COLORTERM=truecolor":  markdown.TrueColor,
		"COLORTERM=24bit":      markdown.TrueColor,
		"TERM=xterm-direct":    markdown.TrueColor,
		"WT_SESSION=1":         markdown.Color256,
	} {
		if got := colorDepth(getenv(environ)); got != want {
			t.Errorf("%q: %d, want %d", environ, got, want)
		}
	}
}
