package cli

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/render"
)

// defaultPager is what shows long output where the environment names nothing. LESS tells it to leave when all fits, to let
// colours through and to keep the screen.
const (
	defaultPager = "less"
	lessOptions  = "LESS=FRX"
)

// paged has show print on standard output, through a pager as soon as that is more than the terminal has lines. Who leaves the
// pager early has seen enough. What show says on standard error waits until the pager is gone.
func (r *run) paged(show func() error) error {
	words := r.pager()
	if len(words) == 0 || r.paging {
		return show()
	}
	pager := &render.Pager{Out: r.Out, Width: r.Width, Height: r.Height, Start: func() (io.WriteCloser, error) {
		return r.StartPager(words, pagerEnvironment(r.Environ()))
	}}
	before, said := r.Streams, new(bytes.Buffer)
	through := *before
	through.Out, through.Err, through.ErrTTY = output{pager}, said, false
	r.Streams, r.paging = &through, true
	err := show()
	r.Streams, r.paging = before, false
	closed := render.OutputError(pager.Close())
	_, _ = r.Err.Write(said.Bytes())
	return cmp.Or(err, closed)
}

// pager are the words of the pager to use; none where there is none to be used.
func (r *run) pager() []string {
	if !r.OutTTY || r.NoPager || r.Height <= 0 || r.StartPager == nil || r.dumb() {
		return nil
	}
	command := defaultPager
	for _, name := range []string{"AGENTCTL_PAGER", "PAGER"} { // one that is set to nothing means no pager
		if value, ok := variable(r.Environ(), name); ok {
			command = value
			break
		}
	}
	words, err := splitWords(command)
	if err != nil || len(words) == 0 || words[0] == "cat" {
		return nil
	}
	return words
}

func (r *run) dumb() bool { return r.Getenv("TERM") == "dumb" }

func variable(environ []string, name string) (value string, ok bool) {
	for _, v := range environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// pagerEnvironment is what a pager gets of the environment: all but our own, which may hold a token, and how to show colours.
func pagerEnvironment(environ []string) []string {
	out := slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, "AGENTCTL_") })
	for _, option := range []string{lessOptions, "LV=-c"} {
		name, _, _ := strings.Cut(option, "=")
		if _, ok := variable(out, name); !ok {
			out = append(out, option)
		}
	}
	return out
}

// splitWords splits a command into words at white space, which quotes of either kind keep. Nothing else means anything: no
// shell is started.
func splitWords(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	for _, c := range command {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteRune(c)
			}
		case c == '"' || c == '\'':
			quote, inWord = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// spin shows that something takes time, until stop is called. Nothing is shown to who wants no more than results, or where
// the lines of --verbose tell it.
func (r *run) spin(what string) (stop func()) {
	return r.spinning(func() string { return what })
}

// spinning is [run.spin] for what goes on meanwhile.
func (r *run) spinning(what func() string) (stop func()) {
	if r.Quiet || r.Verbose || r.sideBySide || r.dumb() {
		return func() {}
	}
	return render.Spin(r.Streams, what)
}
