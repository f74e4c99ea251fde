package policy

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// noon is the clock of tests: the middle of a day and of a month, in a zone that is not UTC.
func noon() time.Time {
	return time.Date(2027, 3, 15, 12, 0, 0, 0, time.FixedZone("UTC+5:45", (5*60+45)*60))
}

// resolve stands for the resolution of SITE words.
func resolve(word string) (string, error) {
	switch {
	case word == "shop":
		return "https://shop.example", nil
	case word == "x.": // a trailing dot goes, as with real sites
		return "https://x", nil
	case strings.Contains(word, "://"):
		return word, nil
	case strings.ContainsAny(word, ".:"):
		return "https://" + word, nil
	}
	return "", fault.New(fault.Usage, "unknown_site", "%q is no site", word)
}

func parse(t testing.TB, text string) *Policy {
	t.Helper()
	p, err := (&Loader{Path: "policy.toml", Origin: resolve}).Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wantFault(t *testing.T, err error, kind fault.Kind, code string) *fault.Error {
	t.Helper()
	e := fault.From(err)
	if e == nil || e.Kind != kind || e.Code != code {
		t.Fatalf("got %v (%+v), want %s %s", err, e, kind, code)
	}
	return e
}

// costing is a call that spends.
func costing(amount, currency string) *Facts {
	return facts(func(f *Facts) { f.Cost = &manifest.Cost{Mode: "fixed", Amount: amount, Currency: currency} })
}

func newGate(dir, rules string, now func() time.Time) *Gate {
	p, err := (&Loader{Path: "policy.toml", Origin: resolve}).Parse([]byte(rules))
	if err != nil {
		panic(err)
	}
	return &Gate{
		Policy: p, Ledger: &Ledger{Path: filepath.Join(dir, "spending.json"), Now: now},
		Pending: &Pending{Dir: filepath.Join(dir, "approvals"), Now: now}, Now: now,
	}
}
