package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/render/htmlpage"
)

func TestAWebPageIsStyled(t *testing.T) {
	const page = "<title>Shed</title><script>alert(1)</script><h1>Hi</h1><p><b>bold</b> &#27;[2J\x1b[2J <a href=/x>link</a>"
	for name, test := range map[string]struct {
		words   string
		environ []string
		want    string
	}{
		"in 16 colours":      {"html", nil, "\x1b[95;4;1mHi\x1b[0m\n\n\x1b[1mbold\x1b[0m \ufffd[2J\ufffd[2J \x1b[94;1mlink\x1b[0m \x1b[90;4m/x\x1b[0m\n"},
		"without a terminal": {"html --style notty", nil, "# Hi\n\n**bold** \ufffd[2J\ufffd[2J link /x\n"},
		"with NO_COLOR":      {"html --width 40", []string{"NO_COLOR=1"}, "# Hi\n\n**bold** \ufffd[2J\ufffd[2J link /x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := runWith(t, strings.NewReader(page), test.words, test.environ...); got != (result{0, test.want, ""}) {
				t.Errorf("got %#v", got)
			}
		})
	}
}

func TestPagesThatCannotBeStyledComeAsPlainText(t *testing.T) {
	for name, page := range map[string]string{
		"nested too deep": strings.Repeat("<div>", 10_000) + "te&#27;]0;xxt\x1b[2J",
		"too large":       strings.Repeat("<!-- a comment -->", htmlpage.MaxSize/17) + "te&#27;]0;xxt",
	} {
		t.Run(name, func(t *testing.T) {
			got := runWith(t, strings.NewReader(page), "html")
			if got.code != 0 || got.out != "te\ufffd]0;xxt\n" || !strings.HasPrefix(got.err, "hint: shown as plain text: the page ") {
				t.Errorf("got %#v", got)
			}
		})
	}
}

func TestMarkdownThatIsTooLongToStyleComesAsItIs(t *testing.T) {
	got := runWith(t, strings.NewReader("<h2>Hi</h2><p>"+strings.Repeat("word ", 300_000)), "html")
	if got.code != 0 || !strings.HasPrefix(got.out, "## Hi\n\nword word") || !strings.HasPrefix(got.err, "hint: shown as markdown: ") {
		t.Errorf("%d, %.80q, %q", got.code, got.out, got.err)
	}
}

func TestAPageThatTakesTooLongComesAsPlainText(t *testing.T) {
	page := strings.Repeat("<h2>Hi</h2><ul><li>one<li>two</ul>", 2000)
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"html"}, environment{In: strings.NewReader(page), Out: &out, Err: &errs, Getenv: getenv(), Patience: time.Nanosecond})
	if code != 0 || !strings.HasPrefix(out.String(), "Hi\none\ntwo\nHi\n") || errs.String() != "hint: shown as plain text: the page takes too long\n" {
		t.Errorf("%d, %.80q, %q", code, out.String(), errs.String())
	}
}

func TestAnInterruptedPage(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := run(ctx, []string{"html"}, environment{In: strings.NewReader("x"), Out: io.Discard, Err: io.Discard, Getenv: getenv()}); got != 130 {
		t.Errorf("exit %d", got)
	}
}
