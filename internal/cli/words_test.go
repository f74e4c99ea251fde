package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

func testSet() *pflag.FlagSet {
	set := newFlagSet()
	g := &globals{}
	g.register(set)
	set.String("fromDate", "", "")
	set.String("user_id", "", "")
	set.String("userId", "", "")
	set.Bool("gift", false, "")
	return set
}

func TestReadLine(t *testing.T) {
	for name, test := range map[string]struct {
		args           string
		flags          []string
		words, unknown string
		bound          int
		problem        string
	}{
		"flags anywhere":                    {args: "--json a -o yaml b --gift c", flags: []string{"--json=true", "--output=yaml", "--gift=true"}, words: "a b c", bound: 3},
		"a boolean takes no word":           {args: "--gift a", flags: []string{"--gift=true"}, words: "a", bound: 1},
		"a boolean with a value":            {args: "--gift=false a", flags: []string{"--gift=false"}, words: "a", bound: 1},
		"a value that looks like a flag":    {args: "--fromDate --json", flags: []string{"--fromDate=--json"}},
		"an empty value":                    {args: "--fromDate= a", flags: []string{"--fromDate="}, words: "a", bound: 1},
		"three spellings of one flag":       {args: "--from-date 1 --from_date 2 --fromDate 3", flags: []string{"--fromDate=1", "--fromDate=2", "--fromDate=3"}},
		"a global flag in another spelling": {args: "--dryRun --no_input", flags: []string{"--dry-run=true", "--no-input=true"}},
		"two flags whose spellings meet":    {args: "--userId 1 --user_id 2", flags: []string{"--userId=1", "--user_id=2"}},
		"a spelling that means two flags":   {args: "--user-id 3", unknown: "--user-id", words: "3"},
		"short flags together":              {args: "-vq a", flags: []string{"--verbose=true", "--quiet=true"}, words: "a", bound: 1},
		"a short flag with its value":       {args: "-oyaml -o=table -o json", flags: []string{"--output=yaml", "--output=table", "--output=json"}},
		"negative numbers are words":        {args: "-5 -0.5 -1e3 -.5 -1e999", words: "-5 -0.5 -1e3 -.5 -1e999", bound: 5},
		"hexadecimal is no number":          {args: "-0x1p4", unknown: "-0"},
		"what is no number is a flag":       {args: "-5x a", unknown: "-5", words: "a"},
		"a dash alone is a word":            {args: "- a", words: "- a", bound: 2},
		"everything behind -- is a word":    {args: "a -- --json -- -5", words: "a --json -- -5", bound: 4},
		"words behind an unknown flag":      {args: "a --nope b --json", unknown: "--nope", words: "a b", bound: 1, flags: []string{"--json=true"}},
		"several unknown flags":             {args: "--nope=1 -Z --neither", unknown: "--nope -Z --neither"},
		"a value is missing":                {args: "a --output", words: "a", bound: 1, problem: "needs a value"},
	} {
		t.Run(name, func(t *testing.T) {
			got := readLine(strings.Fields(test.args), testSet(), nil)
			if diff := cmp.Diff(test.flags, got.flags); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
			if words := strings.Join(texts(got.words), " "); words != test.words {
				t.Errorf("words %q, want %q", words, test.words)
			}
			if got.bound != test.bound {
				t.Errorf("%d words are certain, want %d", got.bound, test.bound)
			}
			if unknown := strings.Join(got.unknown, " "); unknown != test.unknown {
				t.Errorf("unknown %q, want %q", unknown, test.unknown)
			}
			problem := ""
			for _, p := range got.problems {
				problem += p.Message
			}
			if problem != test.problem {
				t.Errorf("problem %q, want %q", problem, test.problem)
			}
		})
	}
}

// What readLine makes of a line, pflag accepts: the two never disagree about which flag takes a value.
func FuzzReadLine(f *testing.F) {
	for _, seed := range []string{"--json a -o yaml", "-vq -- x", "--fromDate --json -5", "--a=b -", "-ojson=1 --gift=perhaps"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Split(text, " ")
		got := readLine(args, testSet(), nil)
		if len(got.words) > len(args) || got.bound > len(got.words) {
			t.Fatalf("%q: %+v", args, got)
		}
		for _, flag := range got.flags {
			set := testSet()
			name, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
			if set.Lookup(name) == nil {
				t.Fatalf("%q: made %q, which is no flag", args, flag)
			}
			if set.Set(name, value) != nil {
				continue // a value that the flag refuses; the parse that counts reports it
			}
			if err := set.Parse([]string{flag, "--"}); err != nil && !strings.Contains(err.Error(), "help") {
				t.Fatalf("%q: pflag refuses %q: %v", args, flag, err)
			}
		}
	})
}

func TestNearest(t *testing.T) {
	known := []string{"orders", "menu", "club", "reports"}
	for typed, want := range map[string]string{
		"ordrs": "orders", "order": "orders", "ord": "orders", "ORDERS": "orders", "meun": "menu", "manu": "menu",
		"report": "reports", "xyz": "", "": "", strings.Repeat("o", 1000): "", "m": "",
	} {
		if got := strings.Join(nearest(typed, known), " "); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"ord_8fJ2": "ord_8fJ2", "": "''", "two words": "'two words'", `it's`: `'it'\''s'`, "$(rm -rf /)": "'$(rm -rf /)'", "a;b": "'a;b'", "~": "'~'",
		"a\nb": `$'a\nb'`, "it's\t\x1b[2J7": `$'it\'s\t\033[2J7'`, "\u202e\\!": `$'\342\200\256\\!'`, "\r\n": `$'\015\n'`, "a\u200bb": `$'a\342\200\213b'`, "!": "'!'",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

func TestDefinitionsWrap(t *testing.T) {
	got := definitions([][]string{{"  --qty", "integer", "How many bags to send today"}, {"  --宛先", "string", "x"}}, 45, nil)
	want := "  --qty   integer  How many bags to send\n                   today\n  --宛先  string   x\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
