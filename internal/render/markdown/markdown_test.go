package markdown

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/agentctl/agentctl/internal/render"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func TestGolden(t *testing.T) {
	source, err := os.ReadFile("testdata/order.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"dark-80":       {Width: 80, Depth: Color256},
		"dark-40":       {Width: 40, Depth: Color256},
		"light-80":      {Width: 80, Depth: Color256, Background: Light},
		"truecolor-80":  {Width: 80, Depth: TrueColor},
		"16-colours-80": {Width: 80, Depth: Color16},
		"notty-80":      {Width: 80},
		"notty-40":      {Width: 40},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Render(source, o)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("differs from %s; go test ./internal/render/markdown -update accepts it\n%s", file, diff)
			}
		})
	}
}

func TestLinesFitTheWidthAndHaveNoTrailingSpace(t *testing.T) {
	source, err := os.ReadFile("testdata/order.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{30, 40, 60, 80, 120} {
		out, err := Render(source, Options{Width: width})
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			line = strings.TrimSuffix(line, "\n")
			if n := uniseg.StringWidth(line); n > width {
				t.Errorf("at width %d a line takes %d columns: %q", width, n, line)
			}
			if strings.HasSuffix(line, " ") {
				t.Errorf("at width %d a line ends in a space: %q", width, line)
			}
		}
	}
}

func TestNothingHostileComesThrough(t *testing.T) {
	for name, source := range map[string]string{
		"an escape sequence":              "a\x1b[31mb\x1b]0;title\x07c",
		"a decimal reference":             "a &#27;[31m b",
		"a hexadecimal reference":         "a &#x1B;]8;;http://x&#x07; b",
		"a reference without semicolon":   "a &#27[31m b",
		"a reference made by a reference": "a &#2&#27;7;[31m b",
		"an escaped ampersand":            "a &amp;#27;[31m b",
		"a named reference":               "a &rlm;&ZeroWidthSpace; b",
		"a C1 reference":                  "a &#x9b;31m b",
		"in a link":                       "[a&#27;[31m](http://x/&#27;]8;;)",
		"in a link title":                 "[a](http://x \"&#27;[2J\")",
		"in a table":                      "|a&#27;[31m|\n|-|\n|[x&#27;](&#27;]8;;)|",
		"in code":                         "`&#27;[31m`\n\n```sh\n&#27;[31m \x1b[2J\n```",
		"in a code block's language":      "```&#27;[31m\nx\n```",
		"in HTML":                         "<p>&#27;[31m</p>\n\n<b title='&#27;[2J'>&#x1b;[2J</b>",
		"in an image":                     "![&#27;[31m](&#27;[2J)",
		"a bidi override":                 "a\u202eb &#x202e;c",
		"a reference in a heading":        "# &#27;[31m",
		"an autolink":                     "<http://x/&#27;[31m>",
	} {
		t.Run(name, func(t *testing.T) {
			requireHarmless(t, []byte(source))
		})
	}
}

// requireHarmless renders without colours, where every escape sequence would be the source's, and with them.
func requireHarmless(t *testing.T, source []byte) {
	t.Helper()
	plain, _ := Render(source, Options{Width: 40})
	if got := string(plain); render.Clean(got) != got {
		t.Errorf("%q renders to %q", source, got)
	}
	colored, _ := Render(source, Options{Width: 40, Depth: Color256})
	rest := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(string(colored), "")
	if render.Clean(rest) != rest {
		t.Errorf("%q renders to %q", source, colored)
	}
}

func TestWhatCannotBeStyledComesBackClean(t *testing.T) {
	for name, source := range map[string]string{
		"too long":         strings.Repeat("x\x1b[2J\n", MaxSize/2),
		"quoted too deep":  strings.Repeat("> ", maxDepth+1) + "x\x1b[2J",
		"lists too deep":   strings.Repeat("- ", maxDepth+1) + "x\x1b[2J",
		"indented too far": strings.Repeat("  ", 2*maxDepth+1) + "- x\x1b[2J",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Render([]byte(source), Options{Width: 40, Depth: Color256})
			if err == nil {
				t.Fatal("no error")
			}
			if string(out) != render.Clean(source) {
				t.Errorf("got %.80q", out)
			}
		})
	}
}

func TestRulesMayBeLong(t *testing.T) {
	for _, rule := range []string{strings.Repeat("-", 200), strings.Repeat("* ", 60)} {
		if _, err := Render([]byte("a\n\n"+rule+"\n\nb"), Options{Width: 40}); err != nil {
			t.Errorf("%.10q…: %v", rule, err)
		}
	}
}

func TestEmptyMarkdownIsEmpty(t *testing.T) {
	for _, source := range []string{"", "\n\n", "  "} {
		if out, err := Render([]byte(source), Options{Width: 80, Depth: Color256}); err != nil || len(out) > 0 {
			t.Errorf("%q: %q, %v", source, out, err)
		}
	}
}

func TestTrimKeepsWhatIsSeen(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"spaces at the end go":         {"a  \n", "a\n"},
		"styled padding goes":          {"a\x1b[38;5;7m  \x1b[0m\n", "a\n"},
		"a background stays":           {"\x1b[48;5;7ma  \x1b[0m \n", "\x1b[48;5;7ma  \x1b[0m\n"},
		"an inverse space stays":       {"\x1b[7m \x1b[0m\n", "\x1b[7m \x1b[0m\n"},
		"an index is no attribute":     {"\x1b[38;5;48ma  \x1b[0m\n", "\x1b[38;5;48ma\x1b[0m\n"},
		"a true colour is none either": {"\x1b[38;2;7;48;100ma  \x1b[0m\n", "\x1b[38;2;7;48;100ma\x1b[0m\n"},
		"no style is left on":          {"\x1b[1ma\n\x1b[0mb\n", "\x1b[1ma\x1b[0m\nb\n"},
		"empty sequences go":           {"\x1b[1m\x1b[0m\x1b[1ma\x1b[0m\n", "\x1b[1ma\x1b[0m\n"},
		"blank lines around go":        {"\n \na\n\nb\n\n \n", "a\n\nb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(trim([]byte(test.in))); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzRender(f *testing.F) {
	source, err := os.ReadFile("testdata/order.md")
	if err != nil {
		f.Fatal(err)
	}
	for block := range bytes.SplitSeq(source, []byte("\n\n")) {
		f.Add(block)
	}
	f.Add([]byte("a &#2&#27;7;[31m &#x9b;1m"))
	f.Fuzz(func(t *testing.T, source []byte) {
		if len(source) > 2000 {
			return // the work of the parser grows too fast for a fuzz run
		}
		requireHarmless(t, source)
	})
}

func BenchmarkRender(b *testing.B) {
	source, err := os.ReadFile("testdata/order.md")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Render(source, Options{Width: 80, Depth: Color256}); err != nil {
			b.Fatal(err)
		}
	}
}
