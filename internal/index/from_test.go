package index

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/manifest"
)

func TestFromManifestsTakesWhatHelpsToChoose(t *testing.T) {
	seen := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	first := &manifest.Site{
		Format: "interagentic", Name: "Club", Description: "Popcorn",
		Actions: []manifest.Summary{
			{Command: []string{"orders", "get"}, Description: "One order", Effect: manifest.Read, Endpoint: "/orders/{id}{?lang,full}"},
			{Command: []string{"buy"}, Effect: manifest.Spend, Payment: "fixed", Cost: &manifest.Cost{Amount: "4.50", Currency: "EUR"}},
			{Command: []string{"bad"}, Issue: &manifest.Issue{Code: "x"}},
		},
	}
	second := &manifest.Site{
		Format: "agent-actions", Name: "Other name", FoldNames: true,
		Actions: []manifest.Summary{
			{Command: []string{"buy"}, Description: "hidden by the first format"},
			{
				Command: []string{"donate_money"}, Scope: "money:give", Cost: &manifest.Cost{Field: "price", Currency: "USD"},
				Definition: []byte(`{"input":{"properties":{"price":{},"to_whom":{}}}}`),
			},
			{Command: []string{"donate-money"}, Description: "the same command"},
		},
	}
	got := FromManifests("https://popcorn.club", []*manifest.Site{first, second}, "sum", seen)
	want := Site{
		Origin: "https://popcorn.club", Name: "Club", Description: "Popcorn", Formats: []string{"interagentic", "agent-actions"}, Sum: "sum", Seen: seen.UTC(),
		Actions: []Action{
			{Command: []string{"orders", "get"}, Format: "interagentic", Description: "One order", Effect: "read", Params: []string{"id", "lang", "full"}},
			{Command: []string{"buy"}, Format: "interagentic", Effect: "spend", Cost: "4.50 EUR"},
			{Command: []string{"bad"}, Format: "interagentic", Unusable: true},
			{Command: []string{"donate_money"}, Format: "agent-actions", Scope: "money:give", Cost: "as in --price USD", Params: []string{"price", "to_whom"}},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestBoundedCutsEverything(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	s := Site{Origin: "https://a.example", Name: long, Description: long + "\xff", Formats: make([]string, 99), Actions: make([]Action, MaxActions+5)}
	for i := range s.Actions {
		s.Actions[i] = Action{Command: []string{"x"}}
	}
	s.Actions[0] = Action{Command: []string{"x"}, Description: long, Effect: manifest.Effect(long), Cost: long, Scope: long, Params: make([]string, 999)}
	s.Actions[1].Command = []string{"two words"}
	s.Actions[2].Command = make([]string, 99)
	s.Actions[3].Command = nil
	b := s.Bounded()
	a := b.Actions[0]
	for name, text := range map[string]string{"name": b.Name, "description": b.Description, "of action": a.Description, "effect": string(a.Effect), "cost": a.Cost, "scope": a.Scope} {
		if len(text) > MaxDescription || !utf8.ValidString(text) || text == "" {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
	if len(b.Actions) != MaxActions || len(a.Params) != MaxParams || len(b.Formats) != maxFormats {
		t.Errorf("%d actions, %d parameters, %d formats", len(b.Actions), len(a.Params), len(b.Formats))
	}
	if len(s.Actions[0].Params) != 999 || s.Name != long {
		t.Error("the site itself was changed")
	}
	if b.Actions[1].Description != "" || len(b.Actions[1].Command) != 1 || b.Actions[1].Command[0] != "x" {
		t.Errorf("commands that nobody can type were kept: %q", b.Actions[1].Command)
	}
}

func TestPlaceholders(t *testing.T) {
	for template, want := range map[string]string{
		"/orders": "", "/a/{id}": "id", "/a/{id}/b/{id}": "id", "/s{?q,page-size}": "q page-size", "{": "", "}{": "", "{}": "", "{a": "", "{a}}{b": "a",
	} {
		if got := strings.Join(placeholders(template), " "); got != want {
			t.Errorf("%q: got %q, want %q", template, got, want)
		}
	}
}
