package policy

import (
	"context"
	"errors"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// batchOf makes a batch of calls that differ in what they send.
func batchOf(t *testing.T, g *Gate, calls ...*Facts) (*Batch, error) {
	t.Helper()
	b := g.Batch()
	for i, f := range calls {
		f.Body = []byte{byte('a' + i)}
		if err := b.Add(f, f.Digest()); err != nil {
			return b, err
		}
	}
	return b, nil
}

func writing() *Facts { return facts(func(f *Facts) { f.Effect, f.Cost = manifest.Write, nil }) }

func TestBatchAddsUpExactly(t *testing.T) {
	g := newGate(t.TempDir(), "", noon)
	b, err := batchOf(t, g, costing("0.10", "EUR"), costing("0.20", "eur"), costing("5", "USD"), costing("", "EUR"), writing())
	if err != nil {
		t.Fatal(err)
	}
	sums, unknown := b.Amounts()
	if len(sums) != 2 || sums[0].Amount != "0.3" || sums[0].Currency != "EUR" || sums[1].Amount != "5" || unknown != 1 {
		t.Errorf("got %v and %d unknown", sums, unknown)
	}
	if b.Calls != 5 || b.Asking != 4 || b.Consequence() != "spend 0.3 EUR and 5 USD and an amount that is not known (1 of them) in all" {
		t.Errorf("%d calls, %d ask, they %s", b.Calls, b.Asking, b.Consequence())
	}
}

func TestBatchConsequence(t *testing.T) {
	for name, row := range map[string]struct {
		calls []*Facts
		want  string
	}{
		"deleting":           {[]*Facts{facts(func(f *Facts) { f.Effect, f.Cost = manifest.Delete, nil })}, "delete something"},
		"a write that costs": {[]*Facts{facts(func(f *Facts) { f.Effect, f.Cost = manifest.Write, costing("1", "EUR").Cost })}, "spend 1 EUR in all and change something"},
		"unknown effects":    {[]*Facts{facts(func(f *Facts) { f.Effect, f.Cost = "launch", nil })}, "spend an amount that is not known (1 of them) in all and have an effect that agentctl does not know"},
		"spending nothing":   {[]*Facts{costing("0", "EUR")}, "spend nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := batchOf(t, newGate(t.TempDir(), "", noon), row.calls...)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.Consequence(); got != row.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestBatchDigestNamesTheCallsInTheirOrder(t *testing.T) {
	g := newGate(t.TempDir(), "", noon)
	one, _ := batchOf(t, g, costing("1", "EUR"), costing("2", "EUR"))
	same, _ := batchOf(t, g, costing("1", "EUR"), costing("2", "EUR"))
	turned, _ := batchOf(t, g, costing("2", "EUR"), costing("1", "EUR"))
	fewer, _ := batchOf(t, g, costing("1", "EUR"))
	if one.Digest() != same.Digest() || one.Digest() == turned.Digest() || one.Digest() == fewer.Digest() || fewer.Digest() == costing("1", "EUR").Digest() {
		t.Error("the digests do not tell batches apart")
	}
}

func TestBatchIsApproved(t *testing.T) {
	dir := t.TempDir()
	critical := func() *Facts { return facts(func(f *Facts) { f.Risk = "critical" }) }
	yes := func(context.Context, *Batch) (bool, error) { return true, nil }
	no := func(context.Context, *Batch) (bool, error) { return false, nil }
	for name, row := range map[string]struct {
		call func() *Facts
		yes  bool
		ask  func(context.Context, *Batch) (bool, error)
		want Authority
		code string
	}{
		"what goes through":         {writing, false, nil, "", ""},
		"--yes":                     {func() *Facts { return facts(nil) }, true, nil, ByYes, ""},
		"a person":                  {func() *Facts { return facts(nil) }, false, yes, ByPerson, ""},
		"a person who says no":      {func() *Facts { return facts(nil) }, false, no, ByPerson, "declined"},
		"nobody":                    {func() *Facts { return facts(nil) }, false, nil, "", "approval_required"},
		"--yes to what is critical": {critical, true, nil, "", "approval_required"},
		"a person, to that":         {critical, true, yes, ByPerson, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(dir, "", noon)
			g.Yes = row.yes
			b, err := batchOf(t, g, row.call(), row.call())
			if err != nil {
				t.Fatal(err)
			}
			by, err := b.Approve(t.Context(), row.ask)
			code := ""
			if err != nil {
				code = fault.From(err).Code
			}
			if code != row.code || by != row.want {
				t.Fatalf("got %q, %v", by, err)
			}
			if code != "approval_required" {
				return
			}
			again := newGate(dir, "", noon)
			again.Digest, _ = fault.From(err).Details["approval"].(string)
			b, _ = batchOf(t, again, row.call(), row.call())
			if by, err := b.Approve(t.Context(), nil); err != nil || by != ByDigest {
				t.Errorf("the digest: %q, %v", by, err)
			}
			if _, err := b.Approve(t.Context(), nil); fault.From(err).Code != "approval_expired" {
				t.Errorf("the digest, once more: %v", err)
			}
		})
	}
}

func TestLimitsHoldForTheWholeBatch(t *testing.T) {
	perDay := rules("deny; max_amount=2; currency=EUR; per=day")
	g := newGate(t.TempDir(), perDay, noon)
	if _, err := batchOf(t, g, costing("1", "EUR"), costing("1", "EUR")); err != nil {
		t.Fatal(err)
	}
	_, err := batchOf(t, g, costing("1", "EUR"), costing("1", "EUR"), costing("0.01", "EUR"))
	wantFault(t, err, fault.Payment, "policy_denied")
	if book, err := g.Ledger.Load(); err != nil || len(book.Spent) > 0 {
		t.Errorf("deciding counted something: %v, %v", book, err)
	}

	allowed := newGate(t.TempDir(), rules("allow; max_amount=2; currency=EUR; per=day"), noon)
	b, err := batchOf(t, allowed, costing("1", "EUR"), costing("1", "EUR"), costing("0.01", "EUR"))
	if err != nil || b.Asking != 1 {
		t.Errorf("%d ask: %v", b.Asking, err)
	}
}

// What other runs spend meanwhile counts when a call goes out: a limit is never passed, and what no rule allows any more is sent
// only with a yes.
func TestBatchMeetsALimitThatWasUsedUpMeanwhile(t *testing.T) {
	dir := t.TempDir()
	g := newGate(dir, rules("allow; max_amount=2; currency=EUR; per=day"), noon)
	b, err := batchOf(t, g, costing("1", "EUR"), costing("1", "EUR"))
	if err != nil || b.Asking != 0 {
		t.Fatalf("%d ask: %v", b.Asking, err)
	}
	p, err := b.Pass(costing("1", "EUR"), "")
	if err != nil || p.By != ByRule || p.Rule != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := newGate(dir, rules("allow"), noon).Pass(t.Context(), costing("0.5", "EUR")); err != nil { // another run
		t.Fatal(err)
	}
	_, err = b.Pass(costing("1", "EUR"), "")
	wantFault(t, err, fault.Approval, "approval_required")
	if p, err := b.Pass(costing("1", "EUR"), ByYes); err != nil || p.By != ByYes {
		t.Errorf("%+v, %v", p, err)
	}
	denying := newGate(dir, rules("deny; max_amount=2; currency=EUR; per=day"), noon)
	_, err = denying.Batch().Pass(costing("1", "EUR"), ByDigest)
	wantFault(t, err, fault.Payment, "policy_denied")
	if errors.Is(err, errChanged) {
		t.Error("an inner error came out")
	}
}
