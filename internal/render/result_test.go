package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/streams"
)

// screen returns streams of a terminal, pipe of none; what was written is in out and errs.
func screen() (s *streams.Streams, out, errs *bytes.Buffer) {
	s, out, errs = pipe()
	s.OutTTY, s.ErrTTY = true, true
	return s, out, errs
}

func pipe() (s *streams.Streams, out, errs *bytes.Buffer) {
	out, errs = new(bytes.Buffer), new(bytes.Buffer)
	return &streams.Streams{Out: out, Err: errs, Width: 80}, out, errs
}

func body(contentType, content string) Body {
	return Body{ContentType: contentType, Reader: strings.NewReader(content), Length: int64(len(content))}
}

func TestResult(t *testing.T) {
	const js, md, plain, html, png = "application/json", "text/markdown; charset=utf-8", "text/plain", "text/html", "image/png"
	const hostile = "{\"a\":\"\u202e\u009b31m\"}"
	for name, test := range map[string]struct {
		contentType, body string
		o                 Options
		pipe, terminal    string
	}{
		"markdown, nothing to style it with": {contentType: md, body: "# Hi\x1b[31m", pipe: "# Hi\x1b[31m", terminal: "# Hi\n"},
		"text":                               {contentType: plain, body: "a\x1b[31mb\r\n", pipe: "a\x1b[31mb\r\n", terminal: "ab\n"},
		"HTML is text":                       {contentType: html, body: "<p>\x1b[2J", pipe: "<p>\x1b[2J", terminal: "<p>\n"},
		"no type is text":                    {body: "x", pipe: "x", terminal: "x\n"},
		"XML is text":                        {contentType: "image/svg+xml", body: "<svg/>", pipe: "<svg/>", terminal: "<svg/>\n"},
		"JSON is pretty":                     {contentType: js, body: `{"b":0.1000,"a":[]}`, pipe: "{\n  \"b\": 0.1000,\n  \"a\": []\n}\n", terminal: "{\n  \"b\": 0.1000,\n  \"a\": []\n}\n"},
		"a JSON suffix is pretty":            {contentType: "application/problem+json", body: `[1]`, pipe: "[\n  1\n]\n", terminal: "[\n  1\n]\n"},
		"JSON that is none is text":          {contentType: js, body: "{\x1b[2Joops", pipe: "{\x1b[2Joops", terminal: "{oops\n"},
		"JSON with duplicates as it came":    {contentType: js, body: `{"a":1,"a":2}`, pipe: `{"a":1,"a":2}`, terminal: `{"a":1,"a":2}` + "\n"},

		"--json is unchanged, with a final newline": {contentType: js, body: `{"a": 1}`, o: Options{Format: "json"}, pipe: "{\"a\": 1}\n", terminal: "{\"a\": 1}\n"},
		"--json adds no second newline":             {contentType: js, body: "[1]\n", o: Options{Format: "json"}, pipe: "[1]\n", terminal: "[1]\n"},
		"--json escapes on a terminal only":         {contentType: js, body: hostile, o: Options{Format: "json"}, pipe: hostile + "\n", terminal: `{"a":"\u202e\u009b31m"}` + "\n"},
		"--json of what is no JSON":                 {contentType: plain, body: "x\x1b[1m", o: Options{Format: "json"}, pipe: "x\x1b[1m\n", terminal: "x\n"},
		"raw is unchanged":                          {contentType: js, body: hostile, o: Options{Format: "raw"}, pipe: hostile, terminal: `{"a":"\u202e\u009b31m"}`},
		"yaml":                                      {contentType: js, body: `{"b":0.1000,"a":"x"}`, o: Options{Format: "yaml"}, pipe: "b: 0.1000\na: x\n", terminal: "b: 0.1000\na: x\n"},
		"table":                                     {contentType: js, body: `[{"id":1,"n":"x"}]`, o: Options{Format: "table"}, pipe: "id  n\n1   x\n", terminal: "id  n\n 1  x\n"},
		"csv":                                       {contentType: js, body: `[{"id":1,"n":"x\u001b[1my"}]`, o: Options{Format: "csv"}, pipe: "id,n\r\n1,x\x1b[1my\r\n", terminal: "id,n\n1,xy\n"},
		"ndjson":                                    {contentType: js, body: `[{"id": 1},"\u001b"]`, o: Options{Format: "ndjson"}, pipe: "{\"id\":1}\n\"\\u001b\"\n", terminal: "{\"id\":1}\n\"\\u001b\"\n"},
		"csv of text":                               {contentType: plain, body: "x", o: Options{Format: "csv"}, pipe: "not_json", terminal: "not_json"},
		"jq":                                        {contentType: js, body: `{"a":"\u001b[31mx","b":0.1000}`, o: Options{JQ: ".a,.b"}, pipe: "\x1b[31mx\n0.1000\n", terminal: "x\n0.1000\n"},
		"jq of a container is escaped":              {contentType: js, body: hostile, o: Options{JQ: "."}, pipe: hostile + "\n", terminal: `{"a":"\u202e\u009b31m"}` + "\n"},

		"an empty body":                     {contentType: js, pipe: "", terminal: ""},
		"an empty body with --json":         {contentType: js, o: Options{Format: "json"}},
		"an empty body as yaml":             {contentType: js, o: Options{Format: "yaml"}},
		"an empty body through jq":          {o: Options{JQ: ".a"}},
		"binary in a pipe":                  {contentType: png, body: "\x89PNG\r\n\x00\xff", pipe: "\x89PNG\r\n\x00\xff", terminal: "binary_on_terminal"},
		"binary with --json in a pipe":      {contentType: png, body: "\x89PNG", o: Options{Format: "json"}, pipe: "\x89PNG", terminal: "binary_on_terminal"},
		"binary as raw":                     {contentType: png, body: "\x89PNG", o: Options{Format: "raw"}, pipe: "\x89PNG", terminal: "binary_on_terminal"},
		"a binary type with text in it":     {contentType: "application/octet-stream", body: "hello", pipe: "hello", terminal: "binary_on_terminal"},
		"text with a NUL":                   {contentType: plain, body: "a\x00b", pipe: "a\x00b", terminal: "binary_on_terminal"},
		"text that is not UTF-8":            {contentType: plain, body: "caf\xe9 noir", pipe: "caf\xe9 noir", terminal: "binary_on_terminal"},
		"JSON that is not UTF-8":            {contentType: js, body: "{\"a\":\"\xff\"}", pipe: "{\"a\":\"\xff\"}", terminal: "binary_on_terminal"},
		"yaml of text":                      {contentType: plain, body: "x", o: Options{Format: "yaml"}, pipe: "not_json", terminal: "not_json"},
		"table of broken JSON":              {contentType: js, body: "[1,", o: Options{Format: "table"}, pipe: "not_json", terminal: "not_json"},
		"jq of HTML":                        {contentType: html, body: "<p>", o: Options{JQ: "."}, pipe: "not_json", terminal: "not_json"},
		"jq of JSON cut short":              {contentType: js, body: `{"a":`, o: Options{JQ: "."}, pipe: "not_json", terminal: "not_json"},
		"a jq program that is none":         {contentType: js, body: `{}`, o: Options{JQ: ".["}, pipe: "invalid_jq", terminal: "invalid_jq"},
		"a format that is none":             {contentType: js, body: `{}`, o: Options{Format: "xml"}, pipe: "invalid_format", terminal: "invalid_format"},
		"yaml of a number that costs a lot": {contentType: js, body: `1e999999999`, o: Options{Format: "yaml"}, pipe: "not_json", terminal: "not_json"},
	} {
		t.Run(name, func(t *testing.T) {
			for mode, want := range map[string]string{"pipe": test.pipe, "terminal": test.terminal} {
				s, out, _ := pipe()
				if mode == "terminal" {
					s, out, _ = screen()
				}
				got := ""
				if err := Result(t.Context(), s, body(test.contentType, test.body), test.o); err != nil {
					got = fault.From(err).Code
				}
				got = out.String() + got
				if got != want {
					t.Errorf("%s: got %q, want %q", mode, got, want)
				}
			}
		})
	}
}

// Exit status 2 says that nothing was sent, so a script may try again. An answer that cannot be shown is another matter.
func TestAnAnswerThatCannotBeShownIsNoUsageError(t *testing.T) {
	wide := []byte{'['}
	for i := range maxTableColumns + 1 {
		wide = fmt.Appendf(wide, `{"m%d":1},`, i)
	}
	wide = append(wide, `{}]`...)
	for code, test := range map[string]struct {
		contentType, body string
		o                 Options
	}{
		"jq_failed":          {"application/json", `{"a":1}`, Options{JQ: ".a.b"}},
		"binary_on_terminal": {"image/png", "\x89PNG", Options{}},
		"not_tabular":        {"application/json", string(wide), Options{Format: "table"}},
		"not_json":           {"text/html", "<p>", Options{Format: "yaml"}},
	} {
		s, _, _ := screen()
		e := fault.From(Result(t.Context(), s, body(test.contentType, test.body), test.o))
		if e == nil || e.Code != code || e.Kind == fault.Usage || e.Exit() == 2 {
			t.Errorf("%s: got %+v", code, e)
		}
	}
}

func TestBinaryIsRefusedWithAWayOut(t *testing.T) {
	s, _, _ := screen()
	e := fault.From(Result(t.Context(), s, body("image/\x1b[2Jpng", "\x89PNG"), Options{}))
	if e.Code != "binary_on_terminal" || e.Hint != "--save FILE" || strings.Contains(e.Message, "\x1b") {
		t.Errorf("got %+v", e)
	}
}

func TestMarkdownGoesThroughTheStyler(t *testing.T) {
	s, out, errs := screen()
	s.Color, s.Width = true, 300
	style := func(_ context.Context, markup Markup, source []byte, width int) ([]byte, error) {
		if markup != Markdown || string(source) != "# Hi" || width != maxMarkdownWidth {
			t.Errorf("styler got %s %q, %d", markup, source, width)
		}
		return []byte("\x1b[1mHi\x1b[0m\x1b]0;x\x07\n"), nil
	}
	if err := Result(t.Context(), s, body("text/markdown", "# Hi"), Options{Style: style}); err != nil {
		t.Fatal(err)
	}
	if want := "\x1b[1mHi\x1b[0m\ufffd]0;x\ufffd\n"; out.String() != want || errs.Len() > 0 {
		t.Errorf("got %q and %q, want %q", out, errs, want)
	}

	s.Color = false
	out.Reset()
	if err := Result(t.Context(), s, body("text/markdown", "# Hi"), Options{Style: style}); err != nil {
		t.Fatal(err)
	}
	if want := "Hi\ufffd]0;x\ufffd\n"; out.String() != want {
		t.Errorf("without colours: got %q, want %q", out, want)
	}
}

func TestAWebPageGoesThroughTheStylerOnATerminal(t *testing.T) {
	const page = "<p>Hi\x1b[2J</p>"
	style := func(_ context.Context, markup Markup, source []byte, _ int) ([]byte, error) {
		return fmt.Appendf(nil, "%s: %s\n", markup, source), nil
	}
	for _, media := range []string{"text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml"} {
		s, out, errs := screen()
		if err := Result(t.Context(), s, body(media, page), Options{Style: style}); err != nil {
			t.Fatal(err)
		}
		if out.String() != "html: <p>Hi</p>\n" || errs.Len() > 0 {
			t.Errorf("%s: got %q and %q", media, out, errs)
		}
	}
	for name, o := range map[string]Options{"json": {Style: style, Format: "json"}, "raw": {Style: style, Format: "raw"}, "a terminal without styles": {}} {
		s, out, _ := screen()
		if err := Result(t.Context(), s, body("text/html", page), o); err != nil || strings.TrimSpace(out.String()) != "<p>Hi</p>" {
			t.Errorf("%s: got %q, %v", name, out, err)
		}
	}
	s, out, _ := pipe()
	if err := Result(t.Context(), s, body("text/html", page), Options{Style: style}); err != nil || out.String() != page {
		t.Errorf("in a pipe: got %q, %v", out, err)
	}
}

func TestAFailingStylerNeverFailsTheCall(t *testing.T) {
	fails := func(context.Context, Markup, []byte, int) ([]byte, error) {
		return nil, errors.New("agentctl-ui\x1b[2J broke")
	}
	s, out, errs := screen()
	if err := Result(t.Context(), s, body("text/markdown", "# Hi\n"), Options{Style: fails}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "# Hi\n" || errs.String() != "hint: markdown is shown as it came: agentctl-ui broke\n" {
		t.Errorf("got %q and %q", out, errs)
	}
	out.Reset()
	errs.Reset()
	if err := Result(t.Context(), s, body("text/html", "<p>\x1b[2JHi</p>"), Options{Style: fails}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "<p>Hi</p>\n" || errs.String() != "hint: html is shown as it came: agentctl-ui broke\n" {
		t.Errorf("got %q and %q", out, errs)
	}
	errs.Reset()
	if err := Result(t.Context(), s, body("text/markdown", "# Hi\n"), Options{Style: fails, Quiet: true}); err != nil || errs.Len() > 0 {
		t.Errorf("quiet: %v, %q", err, errs)
	}
}

func TestATerminalThatShowsNoStylesGetsTheSource(t *testing.T) {
	s, out, errs := screen()
	err := Result(t.Context(), s, body("text/markdown", "# Hi\x1b[2J"), Options{})
	if err != nil || out.String() != "# Hi\n" || errs.Len() > 0 {
		t.Errorf("%v, %q and %q", err, out, errs)
	}
}

func TestTheStylerIsForTerminalsOnly(t *testing.T) {
	s, out, _ := pipe()
	style := func(context.Context, Markup, []byte, int) ([]byte, error) { t.Error("called"); return nil, nil }
	if err := Result(t.Context(), s, body("text/markdown", "# Hi"), Options{Style: style}); err != nil || out.String() != "# Hi" {
		t.Errorf("%v, %q", err, out)
	}
}

func TestErrorsOfTheBodyComeBackAsTheyAre(t *testing.T) {
	broken := errors.New("connection reset")
	for _, o := range []Options{{}, {Format: "json"}, {Format: "raw"}, {Format: "yaml"}, {Format: "table"}, {JQ: "."}} {
		for _, start := range []string{"", `{"a":`} {
			s, _, _ := screen()
			b := Body{ContentType: "application/json", Reader: io.MultiReader(strings.NewReader(start), iotest.ErrReader(broken))}
			if err := Result(t.Context(), s, b, o); !errors.Is(err, broken) {
				t.Errorf("%+v after %q: %v", o, start, err)
			}
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestErrorsOfTheOutput(t *testing.T) {
	for _, o := range []Options{{}, {Format: "json"}, {Format: "raw"}, {Format: "yaml"}, {Format: "table"}, {JQ: "."}} {
		s, _, _ := pipe()
		s.Out = failingWriter{syscall.EPIPE}
		if err := Result(t.Context(), s, body("application/json", `[{"a":1}]`), o); !errors.Is(err, ErrOutputClosed) {
			t.Errorf("%+v, closed pipe: %v", o, err)
		}
		s.Out = failingWriter{syscall.ENOSPC}
		e := fault.From(Result(t.Context(), s, body("application/json", `[{"a":1}]`), o))
		if e == nil || e.Kind != fault.Internal || e.Code != "write_failed" || !errors.Is(e, syscall.ENOSPC) {
			t.Errorf("%+v, full disk: %v", o, e)
		}
	}
}

func TestAnInterruptedRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, o := range []Options{{}, {Format: "json"}, {JQ: "."}} {
		s, out, _ := pipe()
		if err := Result(ctx, s, body("text/plain", "x"), o); !errors.Is(err, context.Canceled) || out.Len() > 0 {
			t.Errorf("%+v: %v, %q", o, err, out)
		}
	}
}

// endless gives zeros for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestRawStreamsInConstantMemory(t *testing.T) {
	const size = 64 << 20
	s := &streams.Streams{Out: io.Discard}
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if err := Result(b.Context(), s, Body{Reader: io.LimitReader(endless{}, size), Length: size}, Options{Format: "raw"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	if got := result.AllocedBytesPerOp(); got > 1<<20 {
		t.Errorf("%d bytes allocated for a body of %d", got, size)
	}
}

func TestTextCutInACharacterIsText(t *testing.T) {
	for cut := range len("漢é👩") {
		if !looksLikeText([]byte("漢é👩")[:cut]) {
			t.Errorf("the first %d bytes count as binary", cut)
		}
	}
}
