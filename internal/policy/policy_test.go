package policy

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

func facts(change func(*Facts)) *Facts {
	f := &Facts{
		Site: "https://popcorn.club", Command: []string{"club", "join"}, Method: "POST", URL: "https://popcorn.club/join",
		Headers: [][2]string{{"Accept", "application/json"}, {"X-Plan", "gold"}}, Body: []byte(`{}`),
		Effect: manifest.Spend, Cost: &manifest.Cost{Mode: "fixed", Amount: "9.0", Currency: "credits"},
	}
	if change != nil {
		change(f)
	}
	return f
}

func TestDigestChangesWithEveryPartOfTheRequest(t *testing.T) {
	base := facts(nil).Digest()
	for name, change := range map[string]func(*Facts){
		"site":         func(f *Facts) { f.Site = "https://evil.example" },
		"command":      func(f *Facts) { f.Command = []string{"club join"} },
		"method":       func(f *Facts) { f.Method = "PUT" },
		"url":          func(f *Facts) { f.URL += "?x=1" },
		"header value": func(f *Facts) { f.Headers[1][1] = "silver" },
		"header gone":  func(f *Facts) { f.Headers = f.Headers[:1] },
		"body":         func(f *Facts) { f.Body = []byte(`{"a":1}`) },
		"no body":      func(f *Facts) { f.Body = nil },
		"effect":       func(f *Facts) { f.Effect = manifest.Delete },
		"amount":       func(f *Facts) { f.Cost = &manifest.Cost{Mode: "fixed", Amount: "90.0", Currency: "credits"} },
		"currency":     func(f *Facts) { f.Cost = &manifest.Cost{Mode: "fixed", Amount: "9.0", Currency: "EUR"} },
		"no cost":      func(f *Facts) { f.Cost = nil },
	} {
		if facts(change).Digest() == base {
			t.Errorf("%s: the digest does not change", name)
		}
	}
	if facts(func(f *Facts) { f.Headers[0], f.Headers[1] = f.Headers[1], f.Headers[0] }).Digest() != base {
		t.Error("the order of headers changes the digest")
	}
}

func TestApprove(t *testing.T) {
	clock := time.Unix(1_800_000_000, 0)
	newApprover := func(t *testing.T) *Approver {
		return &Approver{Pending: &Pending{Dir: t.TempDir(), Now: func() time.Time { return clock }}}
	}
	wantCode := func(t *testing.T, err error, code string) {
		t.Helper()
		if e := fault.From(err); e == nil || e.Kind != fault.Approval || e.Code != code {
			t.Fatalf("got %v, want an approval fault %q", err, code)
		}
	}
	ctx := context.Background()

	t.Run("read and write go through, everything else asks", func(t *testing.T) {
		a := newApprover(t)
		for _, effect := range []manifest.Effect{manifest.Read, manifest.Write} {
			if err := a.Approve(ctx, facts(func(f *Facts) { f.Effect = effect })); err != nil {
				t.Errorf("%s: %v", effect, err)
			}
		}
		for _, effect := range []manifest.Effect{manifest.Send, manifest.Spend, manifest.Delete, "launch", ""} {
			wantCode(t, a.Approve(ctx, facts(func(f *Facts) { f.Effect = effect })), "approval_required")
		}
	})
	t.Run("a digest works once, for its request, within its time", func(t *testing.T) {
		a := newApprover(t)
		e := fault.From(a.Approve(ctx, facts(nil)))
		a.Digest, _ = e.Details["approval"].(string)
		wantCode(t, a.Approve(ctx, facts(func(f *Facts) { f.Body = []byte(`{"n":2}`) })), "approval_mismatch")
		if err := a.Approve(ctx, facts(nil)); err != nil {
			t.Fatalf("the offered digest is refused: %v", err)
		}
		wantCode(t, a.Approve(ctx, facts(nil)), "approval_expired")

		a.Digest = ""
		a.Digest, _ = fault.From(a.Approve(ctx, facts(nil))).Details["approval"].(string)
		clock = clock.Add(OfferLife + time.Second)
		wantCode(t, a.Approve(ctx, facts(nil)), "approval_expired")
	})
	t.Run("a digest that was never offered", func(t *testing.T) {
		a := newApprover(t)
		a.Digest = facts(nil).Digest()
		wantCode(t, a.Approve(ctx, facts(nil)), "approval_expired")
	})
	t.Run("two runs at once use a digest once", func(t *testing.T) {
		a := newApprover(t)
		a.Digest, _ = fault.From(a.Approve(ctx, facts(nil))).Details["approval"].(string)
		var used atomic.Int32
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if a.Approve(ctx, facts(nil)) == nil {
					used.Add(1)
				}
			})
		}
		wg.Wait()
		if used.Load() != 1 {
			t.Errorf("used %d times", used.Load())
		}
	})
	t.Run("a person decides", func(t *testing.T) {
		a := newApprover(t)
		answer := true
		a.Ask = func(context.Context, *Facts) (bool, error) { return answer, nil }
		if err := a.Approve(ctx, facts(nil)); err != nil {
			t.Fatal(err)
		}
		answer = false
		wantCode(t, a.Approve(ctx, facts(nil)), "declined")
	})
}
