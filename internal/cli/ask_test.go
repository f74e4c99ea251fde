package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/streams"
)

func asked(in string, f *policy.Facts, v policy.Verdict) (screen string, yes bool, err error) {
	var out strings.Builder
	r := &run{Env: Env{Streams: &streams.Streams{In: strings.NewReader(in), Err: &out, Width: 60}}}
	yes, err = r.ask(context.Background(), f, v)
	return out.String(), yes, err
}

func buying() *policy.Facts {
	return &policy.Facts{
		Site: "https://popcorn.club", Command: []string{"club", "join"}, Effect: manifest.Spend,
		Cost: &manifest.Cost{Mode: "fixed", Amount: "9.0", Currency: "credits"}, Description: "Join the club",
		Fields: []policy.Field{{Name: "plan", Value: `"gold"`}, {Name: "pin", Value: `"<hidden>"`, Secret: true}},
	}
}

func TestQuestion(t *testing.T) {
	rule := &policy.Rule{Number: 3}
	screen, yes, err := asked("y\n", buying(), policy.Verdict{Decision: policy.Ask, Rule: rule, Why: "it is about such calls"})
	want := `This spends 9.0 credits at popcorn.club.
  command: club join
  effect:  spend
  rule 3:  it is about such calls
  the site says about it
    | Join the club
  what is sent
    | plan: "gold"
    | pin: "<hidden>"
Go ahead? [y/N] `
	if err != nil || !yes || screen != want {
		t.Errorf("%v, %v, asked\n%s\nwant\n%s", yes, err, screen, want)
	}
}

func TestAnswers(t *testing.T) {
	strong := func() *policy.Facts { f := buying(); f.Risk = "critical"; return f }
	for _, row := range []struct {
		facts  *policy.Facts
		answer string
		want   bool
	}{
		{buying(), "y\n", true},
		{buying(), "Yes\n", true},
		{buying(), " y \n", true},
		{buying(), "\n", false},
		{buying(), "", false},
		{buying(), "n\n", false},
		{buying(), "yy\n", false},
		{buying(), "club join\n", false},
		{strong(), "y\n", false},
		{strong(), "yes\n", false},
		{strong(), "club join\n", true},
		{strong(), "club\n", false},
		{strong(), "\n", false},
	} {
		if _, got, err := asked(row.answer, row.facts, policy.Verdict{}); err != nil || got != row.want {
			t.Errorf("risk %q, answer %q: %v, %v; want %v", row.facts.Risk, row.answer, got, err, row.want)
		}
	}
}

// What was typed before a question is there does not answer it, whichever question it is.
func TestWhatIsTypedEarlyAnswersNothing(t *testing.T) {
	strong := buying()
	strong.Risk = "critical"
	for name, facts := range map[string]*policy.Facts{"a yes": buying(), "the command": strong} {
		t.Run(name, func(t *testing.T) {
			early := "y\n"
			if facts.Strong() {
				early = "club join\n"
			}
			var screen strings.Builder
			in := strings.NewReader(early)
			r := &run{Env: Env{Streams: &streams.Streams{In: in, Err: &screen, Width: 60}}}
			r.DropTypeAhead = func() error {
				if screen.Len() > 0 {
					t.Error("the question is there already: an answer would be discarded")
				}
				in.Reset("no\n")
				return nil
			}
			if yes, err := r.ask(t.Context(), facts, policy.Verdict{}); yes || err != nil {
				t.Errorf("approved: %v, %v", yes, err)
			}
			r.DropTypeAhead = func() error { return errors.New("no terminal") }
			in.Reset(early)
			screen.Reset()
			if yes, err := r.ask(t.Context(), facts, policy.Verdict{}); yes || err == nil || screen.Len() > 0 {
				t.Errorf("when it cannot be discarded: %v, %v, asked %q", yes, err, screen.String())
			}
		})
	}
}

// forgeries are what a site or an argument may put into a text to look like the program.
func forgeries() []string {
	return []string{
		"\nThis spends 0.01 credits at safe.example.\nGo ahead? [y/N] y",
		"\r\x1b[2J\x1b[HThis reads at safe.example.",
		"\x1b]0;title\x07\x9b31m",
		strings.Repeat(" ", 54) + "Go ahead? [y/N] ",
		strings.Repeat("\u00a0", 54) + "Go ahead? [y/N] ",
		strings.Repeat("\u3000", 27) + "Go ahead? [y/N] ",
		strings.Repeat("x", 53) + "Go ahead? [y/N] ",
		"a\u2028This reads.\u2029b\u0085c\vd\fe",
		"\u202eevil\u2066\u200f",
		strings.Repeat("a\u0301\u0301", 100),
		strings.Repeat("👨‍👩‍👧‍👦", 40),
		strings.Repeat("A", 1<<20),
		"\xff\xfe\x00",
	}
}

func TestTheQuestionCannotBeFaked(t *testing.T) {
	for _, text := range forgeries() {
		checkQuestion(t, text)
	}
}

func FuzzQuestion(f *testing.F) {
	for _, text := range forgeries()[:10] {
		f.Add(text)
	}
	f.Fuzz(checkQuestion)
}

// checkQuestion puts text everywhere where a site or an argument can put it: the lines of ours are the same whatever it is.
func checkQuestion(t *testing.T, text string) {
	t.Helper()
	f := buying()
	f.Effect, f.Risk, f.Consent = manifest.Effect("x"+text), "x"+text, "x"+text
	f.Description = text
	f.Cost = &manifest.Cost{Mode: text, Amount: text, Currency: text}
	f.Fields = []policy.Field{{Name: text, Value: text}, {Name: "b", Value: text}}
	screen, _, err := asked("n\n", f, policy.Verdict{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(screen, "\n")
	ours := 0
	for i, line := range lines {
		known := false
		for _, start := range []string{"This ", "  command: club join", "  effect:  \"", "  risk:    \"", "  consent: \"", "  the site says about it", "  what is sent", "Go ahead? [y/N] "} {
			if strings.HasPrefix(line, start) {
				known = true
				ours++
			}
		}
		if !known && !strings.HasPrefix(line, "    | ") {
			t.Fatalf("%q: line %d is %q", text, i, line)
		}
		if i > 0 && uniseg.StringWidth(line) > 76 || strings.HasPrefix(line, "    | ") && uniseg.StringWidth(line) > 60 {
			t.Fatalf("%q: line %d is wider than the terminal: %q", text, i, line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 || r == 0x2028 || r == 0x202e }) {
			t.Fatalf("%q: line %d has control characters: %q", text, i, line)
		}
	}
	if ours > 8 || !strings.HasPrefix(lines[0], "This ") || !strings.HasSuffix(lines[0], " at popcorn.club.") || len(screen) > 4000 {
		t.Fatalf("%q: the question is\n%s", text, screen)
	}
}
