package render

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"plain text stays":                        {"a\tb\nc é 漢字 👩‍👩‍👧 ❤️", "a\tb\nc é 漢字 👩‍👩‍👧 ❤️"},
		"a colour goes whole":                     {"\x1b[1;31mred\x1b[0m", "red"},
		"cursor movement goes whole":              {"a\x1b[2J\x1b[?25lb", "ab"},
		"a C1 sequence goes whole":                {"a\u009b31mb", "ab"},
		"the payload of a title stays visible":    {"\x1b]0;title\x07x", "\ufffd]0;title\ufffdx"},
		"the payload of a link stays visible":     {"\x1b]8;;http://x\x1b\\y", "\ufffd]8;;http://x\ufffd\\y"},
		"an unfinished sequence is visible":       {"a\x1b[31", "a\ufffd[31"},
		"an overlong sequence is visible":         {"\x1b[" + strings.Repeat("1", maxCSI+1) + "m", "\ufffd[" + strings.Repeat("1", maxCSI+1) + "m"},
		"no text hides in a sequence":             {"\x1b[ümx", "\ufffd[ümx"},
		"an escape at the end is visible":         {"a\x1b", "a\ufffd"},
		"a sequence cannot form from two":         {"\x1b\x1b[m[31mx", "\ufffd[31mx"},
		"other controls are visible":              {"a\x00\x07\b\x7f\u0085b", "a\ufffd\ufffd\ufffd\ufffd\ufffdb"},
		"CRLF is a line feed":                     {"a\r\nb", "a\nb"},
		"a lone CR cannot overwrite a line":       {"safe\revil", "safe\ufffdevil"},
		"bidi overrides are visible":              {"a\u202eb\u2066c\u2069", "a\ufffdb\ufffdc\ufffd"},
		"directional marks go":                    {"a\u200e\u200f\u061cb", "ab"},
		"zero-width spaces and marks go":          {"\ufeffa\u200b\u2060b", "ab"},
		"hidden tags are visible":                 {"a\U000e0041b", "a\ufffdb"},
		"hidden variation selectors go":           {"a\U000e0100b", "ab"},
		"joiners stay":                            {"می\u200cخواهم", "می\u200cخواهم"},
		"bytes that are not UTF-8 are visible":    {"a\xff\xc3b\xed\xa0\x80", "a\ufffd\ufffdb\ufffd\ufffd\ufffd"},
		"a replacement character itself stays":    {"a\ufffdb", "a\ufffdb"},
		"a C1 control is not taken for its bytes": {"\u00c3\u009b", "\u00c3\ufffd"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Clean(test.in); got != test.want {
				t.Errorf("Clean(%q) = %q, want %q", test.in, got, test.want)
			}
		})
	}
}

func TestCleanLineFoldsLineBreaks(t *testing.T) {
	if got := CleanLine("a\r\nb\tc\u2028d\x1b[Ke"); got != "a b c de" {
		t.Errorf("got %q", got)
	}
}

func TestCleanTextCostsNoAllocation(t *testing.T) {
	text := "nothing to see here é 漢字\n"
	if n := testing.AllocsPerRun(100, func() { Clean(text); CleanLine("one line") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestEscapesKeepTheValueOfJSON(t *testing.T) {
	in := "{\"a\u202e\": \"\u009b31m\U000e0041\x7f\",\r\n\"b\":1}\r"
	want := `{"a\u202e": "\u009b31m\udb40\udc41\u007f",` + "\n" + `"b":1}`
	var out bytes.Buffer
	w := escapeWriter(&out)
	if _, err := w.Write([]byte(in)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got  %s\nwant %s", out.String(), want)
	}
}

func isSafe(s string) bool {
	for i, r := range s {
		if classify(r) != harmless || r == '\ufffd' && !strings.HasPrefix(s[i:], "\ufffd") {
			return false
		}
	}
	return true
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{
		"plain", "\x1b[31m", "\x1b]0;x\x07", "\u009b1m", "a\r\nb\r", "\xc2", "\xc2\x9b", "\xf3\xa0\x81\x81", "\u202e", "\x1b\x1b[m[m",
		"\x1b[" + strings.Repeat(";", maxCSI+5) + "m",
	} {
		f.Add(seed, uint8(1))
	}
	f.Fuzz(func(t *testing.T, s string, step uint8) {
		clean := Clean(s)
		if !isSafe(clean) {
			t.Fatalf("Clean(%q) = %q", s, clean)
		}
		if again := Clean(clean); again != clean {
			t.Fatalf("Clean is not stable: %q, then %q", clean, again)
		}
		if line := CleanLine(s); strings.ContainsAny(line, "\n\t\u2028\u2029") || !isSafe(line) {
			t.Fatalf("CleanLine(%q) = %q", s, line)
		}
		requireSameForEverySplit(t, s, int(step), CleanWriter)
		requireSameForEverySplit(t, s, int(step), escapeWriter)
	})
}

// requireSameForEverySplit writes s whole, in pieces of step bytes and byte by byte.
func requireSameForEverySplit(t *testing.T, s string, step int, newWriter func(w io.Writer) *Cleaner) {
	t.Helper()
	var whole string
	for i, size := range []int{len(s), max(step, 1), 1} {
		var out bytes.Buffer
		w := newWriter(&out)
		for rest := []byte(s); len(rest) > 0; {
			n := min(max(size, 1), len(rest))
			if m, err := w.Write(rest[:n]); m != n || err != nil {
				t.Fatalf("Write: %d, %v", m, err)
			}
			if len(w.rest) > maxTail {
				t.Fatalf("%d bytes wait", len(w.rest))
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			whole = out.String()
			if w.mode == removeUnsafe && whole != Clean(s) {
				t.Fatalf("the writer makes %q of %q, Clean makes %q", whole, s, Clean(s))
			}
		} else if out.String() != whole {
			t.Fatalf("%q in pieces of %d gives %q, whole %q", s, size, out.String(), whole)
		}
		if !isSafe(out.String()) {
			t.Fatalf("unsafe: %q", out.String())
		}
	}
}

func BenchmarkClean(b *testing.B) {
	texts := map[string]string{
		"ascii":   strings.Repeat("the quick brown fox jumps over the lazy dog\n", 1000),
		"unicode": strings.Repeat("Ünïcödé 漢字 текст\n", 1000),
		"dirty":   strings.Repeat("a \x1b[31mred\x1b[0m word\r\n", 1000),
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Clean(text)
			}
		})
	}
}
