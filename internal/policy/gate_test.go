package policy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// Variables that make the test binary a process of its own that wants to spend.
const (
	childDir    = "AGENTCTL_TEST_POLICY_DIR"
	childDigest = "AGENTCTL_TEST_POLICY_DIGEST"
)

func TestMain(m *testing.M) {
	dir := os.Getenv(childDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	g := newGate(dir, childRules(), noon)
	g.Digest = os.Getenv(childDigest)
	if p, err := g.Pass(context.Background(), facts(nil)); err != nil {
		fmt.Println(fault.From(err).Code)
	} else {
		fmt.Println(p.By)
	}
}

// childRules lets five calls of 9 credits through.
func childRules() string { return rules("allow; max_amount=50; currency=credits; per=day") }

// inProcesses runs n processes at once that want to make the same call, and counts what they say.
func inProcesses(t *testing.T, dir, digest string, n int) map[string]int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	var lock sync.Mutex
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), childDir+"="+dir, childDigest+"="+digest)
			out, err := cmd.CombinedOutput()
			lock.Lock()
			defer lock.Unlock()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			counts[strings.TrimSpace(string(out))]++
		})
	}
	wg.Wait()
	return counts
}

func TestProcessesCannotOverspendALimit(t *testing.T) {
	dir := t.TempDir()
	got := inProcesses(t, dir, "", 12)
	if got["rule"] != 5 || got["approval_required"] != 7 {
		t.Errorf("got %v, want 5 by rule and 7 that ask", got)
	}
	book, err := (&Ledger{Path: filepath.Join(dir, "spending.json"), Now: noon}).Load()
	if err != nil {
		t.Fatal(err)
	}
	if spent, _ := parse(t, childRules()).Rules[0].Spent(book, noon()); spent != "45" {
		t.Errorf("spent %s, want 45", spent)
	}
}

func TestProcessesUseADigestOnce(t *testing.T) {
	dir := t.TempDir()
	g := newGate(dir, "", noon)
	digest := offered(t, g, facts(nil))
	if got := inProcesses(t, dir, digest, 8); got["digest"] != 1 || got["approval_expired"] != 7 {
		t.Errorf("got %v, want one that passes", got)
	}
}

// offered is the digest that a run without a person gets.
func offered(t *testing.T, g *Gate, f *Facts) string {
	t.Helper()
	_, err := g.Pass(t.Context(), f)
	digest, ok := wantFault(t, err, fault.Approval, "approval_required").Details["approval"].(string)
	if !ok {
		t.Fatalf("no digest in %v", err)
	}
	return digest
}

func TestDigest(t *testing.T) {
	clock := noon()
	ctx := t.Context()
	g := newGate(t.TempDir(), "", func() time.Time { return clock })
	t.Run("passes its request once", func(t *testing.T) {
		g.Digest = ""
		g.Digest = offered(t, g, facts(nil))
		if p, err := g.Pass(ctx, facts(nil)); err != nil || p.By != ByDigest {
			t.Fatalf("got %+v, %v", p, err)
		}
		_, err := g.Pass(ctx, facts(nil))
		wantFault(t, err, fault.Approval, "approval_expired")
	})
	t.Run("passes no other request, and is not used up by it", func(t *testing.T) {
		g.Digest = ""
		g.Digest = offered(t, g, facts(nil))
		for name, change := range map[string]func(*Facts){
			"body":  func(f *Facts) { f.Body = []byte(`{"n":2}`) },
			"site":  func(f *Facts) { f.Site = "https://evil.example" },
			"url":   func(f *Facts) { f.URL += "&to=evil" },
			"price": func(f *Facts) { f.Cost = &manifest.Cost{Mode: "fixed", Amount: "9.00", Currency: "credits"} },
			"read":  func(f *Facts) { f.Effect, f.Cost = manifest.Read, nil },
		} {
			_, err := g.Pass(ctx, facts(change))
			if e := fault.From(err); e == nil || e.Code != "approval_mismatch" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := g.Pass(ctx, facts(nil)); err != nil {
			t.Error(err)
		}
	})
	t.Run("two digests wait at once, each for its own", func(t *testing.T) {
		g.Digest = ""
		first, second := offered(t, g, facts(nil)), offered(t, g, costing("1", "EUR"))
		g.Digest = second
		_, err := g.Pass(ctx, facts(nil))
		wantFault(t, err, fault.Approval, "approval_mismatch")
		g.Digest = first
		if _, err := g.Pass(ctx, facts(nil)); err != nil {
			t.Error(err)
		}
	})
	t.Run("expires", func(t *testing.T) {
		g.Digest = ""
		g.Digest = offered(t, g, facts(nil))
		clock = clock.Add(OfferLife + time.Second)
		_, err := g.Pass(ctx, facts(nil))
		wantFault(t, err, fault.Approval, "approval_expired")
	})
	t.Run("was never offered", func(t *testing.T) {
		for _, digest := range []string{costing("77", "EUR").Digest(), "../../etc/passwd", "x", strings.Repeat("a", 64)} {
			g.Digest = digest
			if _, err := g.Pass(ctx, costing("77", "EUR")); fault.From(err) == nil || fault.From(err).Kind != fault.Approval {
				t.Errorf("%q: %v", digest, err)
			}
		}
	})
	t.Run("does not overrule a rule that denies", func(t *testing.T) {
		dir := t.TempDir()
		open := newGate(dir, "", noon)
		denying := newGate(dir, rules("deny"), noon)
		denying.Digest = offered(t, open, facts(nil))
		_, err := denying.Pass(ctx, facts(nil))
		wantFault(t, err, fault.Payment, "policy_denied")
		open.Digest = denying.Digest
		if _, err := open.Pass(ctx, facts(nil)); err != nil {
			t.Errorf("the digest was used up: %v", err)
		}
	})
}

func TestWhoLetsACallPass(t *testing.T) {
	yes := func(context.Context, *Facts, Verdict) (bool, error) { return true, nil }
	no := func(context.Context, *Facts, Verdict) (bool, error) { return false, nil }
	critical := func(f *Facts) { f.Effect, f.Cost, f.Risk = manifest.Write, nil, "critical" }
	stepUp := func(f *Facts) { f.Effect, f.Cost, f.Consent = manifest.Write, nil, "step_up" }
	write := func(f *Facts) { f.Effect, f.Cost = manifest.Write, nil }
	for name, row := range map[string]struct {
		rules  string
		change func(*Facts)
		yes    bool
		ask    func(context.Context, *Facts, Verdict) (bool, error)
		want   string // an authority, or the code of a fault
	}{
		"a write by default":                {"", write, false, nil, "default"},
		"a rule":                            {rules("allow"), nil, false, no, "rule"},
		"a rule, with a needless --yes":     {rules("allow"), nil, true, nil, "rule"},
		"nobody":                            {"", nil, false, nil, "approval_required"},
		"a person":                          {"", nil, false, yes, "person"},
		"a person who says no":              {"", nil, false, no, "declined"},
		"--yes":                             {"", nil, true, no, "yes"},
		"--yes where a rule asks":           {rules("ask"), write, true, no, "yes"},
		"--yes against a rule that denies":  {rules("deny"), write, true, yes, "policy_denied"},
		"--yes is not enough for critical":  {"", critical, true, nil, "approval_required"},
		"--yes is not enough for a step up": {"", stepUp, true, nil, "approval_required"},
		"a person for critical":             {"", critical, true, yes, "person"},
		"a person who says no to critical":  {"", critical, true, no, "declined"},
		"a rule for critical":               {rules("allow; risk=critical"), critical, false, nil, "rule"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t.TempDir(), row.rules, noon)
			g.Yes, g.Ask = row.yes, row.ask
			p, err := g.Pass(t.Context(), facts(row.change))
			got := ""
			if err != nil {
				got = fault.From(err).Code
			} else {
				got = string(p.By)
			}
			if got != row.want {
				t.Errorf("got %s (%v), want %s", got, err, row.want)
			}
		})
	}
}

func TestCriticalCallsHintAtTheDigestOnly(t *testing.T) {
	g := newGate(t.TempDir(), "", noon)
	_, err := g.Pass(t.Context(), facts(func(f *Facts) { f.Risk = "critical" }))
	if e := wantFault(t, err, fault.Approval, "approval_required"); strings.Contains(e.Hint, "--yes") || !strings.Contains(e.Hint, "--approve") {
		t.Errorf("hint %q", e.Hint)
	}
}

func TestWhatPassesIsCounted(t *testing.T) {
	yes := func(context.Context, *Facts, Verdict) (bool, error) { return true, nil }
	dir := t.TempDir()
	g := newGate(dir, rules("deny; max_amount=30; currency=credits; per=month", "allow; max_amount=10; currency=credits; per=day"), noon)
	pass := func(change func(*Gate)) (*Passage, error) {
		g := *g
		change(&g)
		return g.Pass(t.Context(), facts(nil))
	}
	first, err := pass(func(*Gate) {})
	if err != nil || first.By != ByRule || first.Rule != 2 {
		t.Fatalf("got %+v, %v", first, err)
	}
	_, err = pass(func(*Gate) {})
	wantFault(t, err, fault.Approval, "approval_required")
	if err := first.Release(); err != nil { // it was not sent after all
		t.Fatal(err)
	}
	if p, err := pass(func(*Gate) {}); err != nil || p.By != ByRule {
		t.Fatalf("after a release: %+v, %v", p, err)
	}
	for _, by := range []Authority{ByPerson, ByYes} { // what a person approves counts as well
		p, err := pass(func(g *Gate) { g.Ask, g.Yes = yes, by == ByYes })
		if err != nil || p.By != by {
			t.Fatalf("got %+v, %v", p, err)
		}
	}
	_, err = pass(func(g *Gate) { g.Ask = yes })
	wantFault(t, err, fault.Payment, "policy_denied")
}

func TestALimitUsedUpDuringTheQuestion(t *testing.T) {
	dir := t.TempDir()
	g := newGate(dir, rules("deny; max_amount=10; currency=credits; per=day"), noon)
	g.Ask = func(ctx context.Context, f *Facts, _ Verdict) (bool, error) {
		other := *g
		other.Ask, other.Yes = nil, true
		_, err := other.Pass(ctx, facts(nil)) // another run spends while the person thinks
		return true, err
	}
	_, err := g.Pass(t.Context(), facts(nil))
	wantFault(t, err, fault.Payment, "policy_denied")
}

func TestWithoutAPlaceForTheSumNothingPasses(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	g := newGate(dir, rules("allow"), noon)
	g.Ledger.Path = filepath.Join(dir, "file", "spending.json")
	_, err := g.Pass(t.Context(), facts(nil))
	if e := fault.From(err); e == nil || e.Kind != fault.Internal {
		t.Errorf("got %v", err)
	}
}

func TestAQuestionThatIsCutOff(t *testing.T) {
	g := newGate(t.TempDir(), "", noon)
	g.Ask = func(context.Context, *Facts, Verdict) (bool, error) { return false, context.Canceled }
	if _, err := g.Pass(t.Context(), facts(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
