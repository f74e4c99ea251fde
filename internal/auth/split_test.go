package auth

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		`op read op://work/popcorn/token`: {"op", "read", "op://work/popcorn/token"},
		"  a \t b\n":                      {"a", "b"},
		`a 'b c' "d e"f`:                  {"a", "b c", "d ef"},
		`a '' ""`:                         {"a", "", ""},
		`a b\ c \"`:                       {"a", "b c", `"`},
		`a "b\"c\\d\n"`:                   {"a", `b"c\d\n`},
		`a '\$x' "\$x"`:                   {"a", `\$x`, "$x"},
		`sh -c 'a | b > $C; d'`:           {"sh", "-c", "a | b > $C; d"},
		`a "b|c;d"`:                       {"a", "b|c;d"},
		`a *.txt ~ #b x=1`:                {"a", "*.txt", "~", "#b", "x=1"},
	} {
		got, err := Split(text)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestSplitRefusesWhatOnlyAShellCanDo(t *testing.T) {
	for _, text := range []string{
		"", "   ", `''`, `"" x`, `a 'b`, `a "b`, `a \`, "a\x00b",
		"a | b", "a;b", "a && b", "a > b", "a < b", "(a)", "a $B", "a `b`", `a "$B"`, "a \"`b`\"",
	} {
		_, err := Split(text)
		e := wantCode(t, err, fault.Usage, "invalid_command")
		if !strings.HasPrefix(e.Error(), "--command: ") {
			t.Errorf("%q: %v", text, e)
		}
	}
}

// FuzzSplit quotes what was accepted anew: it must come out the same.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{`a 'b c' "d\"e" f\ g`, `a ''`, "a\tb", `"a'b" 'c"d'`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		argv, err := Split(text)
		if err != nil {
			wantCode(t, err, fault.Usage, "invalid_command")
			return
		}
		if len(argv) == 0 || argv[0] == "" {
			t.Fatalf("%q names no program: %q", text, argv)
		}
		var quoted []string
		for _, word := range argv {
			quoted = append(quoted, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
		}
		again, err := Split(strings.Join(quoted, " "))
		if err != nil || !cmp.Equal(again, argv) {
			t.Errorf("%q: %q, and quoted anew %q, %v", text, argv, again, err)
		}
	})
}
