package policy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

func agreed(*Book) error { return nil }

func TestLimitsCountWhatWasSpent(t *testing.T) {
	clock := noon()
	now := func() time.Time { return clock }
	l := &Ledger{Path: filepath.Join(t.TempDir(), "state", "spending.json"), Now: now}
	spend := func(at time.Time, f *Facts) {
		t.Helper()
		clock = at
		if _, err := l.Reserve(f, agreed); err != nil {
			t.Fatal(err)
		}
		clock = noon()
	}
	midnight := PerDay.start(noon())
	spend(midnight.Add(-time.Second), costing("1", "EUR"))                                                        // yesterday
	spend(midnight, costing("0.1", "EUR"))                                                                        // today
	spend(noon(), costing("0.2", "eur"))                                                                          // now, in other letters
	spend(noon(), costing("50", "USD"))                                                                           // another currency
	spend(noon(), facts(func(f *Facts) { f.Site, f.Cost = "https://other.example", costing("100", "EUR").Cost })) // another site
	spend(PerMonth.start(noon()).Add(-time.Second), costing("1000", "EUR"))                                       // last month
	spend(noon().Add(48*time.Hour), costing("0.01", "EUR"))                                                       // before the clock was set back

	book, err := l.Load()
	if err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[string]string{
		"allow; site=popcorn.club; max_amount=5; currency=EUR; per=day":   "0.31",
		"allow; site=popcorn.club; max_amount=5; currency=EUR; per=month": "1.31",
		"allow; max_amount=5; currency=EUR; per=day":                      "100.31",
		"allow; max_amount=5; currency=USD; per=day":                      "50",
		"allow; action=orders *; max_amount=5; currency=EUR; per=day":     "0",
		"allow; effect=delete; max_amount=5; currency=EUR; per=month":     "0",
	} {
		if got, ok := parse(t, rules(rule)).Rules[0].Spent(book, noon()); !ok || got != want {
			t.Errorf("%s: spent %s, want %s", rule, got, want)
		}
	}
}

func TestReserve(t *testing.T) {
	l := &Ledger{Path: filepath.Join(t.TempDir(), "spending.json"), Now: noon}
	sum := func() string {
		t.Helper()
		book, err := l.Load()
		if err != nil {
			t.Fatal(err)
		}
		spent, _ := parse(t, rules("allow; max_amount=5; currency=credits; per=day")).Rules[0].Spent(book, noon())
		return spent
	}
	release, err := l.Reserve(facts(nil), agreed)
	if err != nil || sum() != "9" {
		t.Fatalf("%v, spent %s, want 9", err, sum())
	}
	second, err := l.Reserve(costing("0.5", "credits"), agreed)
	if err != nil || sum() != "9.5" {
		t.Fatalf("%v, spent %s, want 9.5", err, sum())
	}
	if err := release(); err != nil || sum() != "0.5" {
		t.Fatalf("%v, spent %s after a request that was not sent, want 0.5", err, sum())
	}
	if err := second(); err != nil || sum() != "0" {
		t.Fatalf("%v, spent %s, want 0", err, sum())
	}
	refused := errors.New("no")
	if _, err := l.Reserve(facts(nil), func(*Book) error { return refused }); !errors.Is(err, refused) || sum() != "0" {
		t.Fatalf("%v, spent %s after a refusal, want 0", err, sum())
	}
	for name, f := range map[string]*Facts{
		"nothing": costing("0", "credits"), "unknown": costing("", "credits"), "negative": costing("-3", "credits"), "no currency": costing("3", ""),
	} {
		if _, err := l.Reserve(f, agreed); err != nil || sum() != "0" {
			t.Errorf("%s: %v, spent %s, want 0", name, err, sum())
		}
	}
}

func TestLedgerStaysSmall(t *testing.T) {
	clock := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	l := &Ledger{Path: filepath.Join(t.TempDir(), "spending.json"), Now: func() time.Time { return clock }}
	for range 30 { // many calls in one quarter of an hour, for half a year
		for range 2 {
			if _, err := l.Reserve(facts(nil), agreed); err != nil {
				t.Fatal(err)
			}
		}
		clock = clock.Add(6 * 24 * time.Hour)
	}
	book, err := l.Load()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(book.Spent); n < 6 || n > 11 {
		t.Errorf("%d entries, want those of this month and the last", n)
	}
}

func TestDamagedLedgerStopsTheCall(t *testing.T) {
	good := `{"version":1,"spent":[{"at":"2027-03-15T06:00:00Z","site":"https://a.example","command":["a"],"effect":"spend","amount":"1","currency":"EUR"}]}`
	for name, text := range map[string]string{
		"empty": "", "cut": good[:40], "other version": `{"version":2}`, "unknown member": `{"version":1,"more":1}`,
		"more behind":     good + "{}",
		"a brace behind":  good + "}",
		"a member twice":  strings.Replace(good, `"amount":"1"`, `"amount":"9","amount":"1"`, 1),
		"null":            "null",
		"negative amount": strings.Replace(good, `"1","cur`, `"-1","cur`, 1),
		"no time":         strings.Replace(good, `"at":"2027-03-15T06:00:00Z",`, "", 1),
		"no currency":     strings.Replace(good, "EUR", "", 1),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "spending.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			g := newGate(dir, rules("allow"), noon)
			_, err := g.Pass(t.Context(), facts(nil))
			if e := wantFault(t, err, fault.Internal, "state_damaged"); !strings.Contains(e.Message, path) {
				t.Errorf("%q does not name the file", e.Message)
			}
			if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
				t.Errorf("the file was changed: %q, %v", kept, err)
			}
			if _, err := g.Pass(t.Context(), facts(func(f *Facts) { f.Effect, f.Cost = manifest.Write, nil })); err != nil {
				t.Errorf("a call that costs nothing needs no ledger: %v", err)
			}
		})
	}
}

func FuzzLedger(f *testing.F) {
	f.Add(`{"version":1,"spent":[{"at":"2027-03-15T06:00:00Z","site":"https://a.example","command":["a"],"effect":"spend","amount":"1","currency":"EUR"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		book, err := parseBook([]byte(text))
		if err != nil {
			return
		}
		r := parse(t, rules("allow; max_amount=1; currency=EUR; per=month")).Rules[0]
		if book.sum(r, time.Time{}).IsNegative() {
			t.Error("a negative sum")
		}
	})
}
