package policy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// Batch is many calls of one action that are decided about together, before the first is sent: each by the rules, with
// what those before it would spend, and all by one yes.
type Batch struct {
	Calls  int    // that were added
	Asking int    // of them, those that ask first
	First  *Facts // the first of those that ask; nil when none does
	Why    Verdict

	gate    *Gate
	book    *Book // what was spent, and what the calls so far would; nil until a rule counts it
	hash    hash.Hash
	sums    []sum
	unknown int // calls whose price is not known
	strong  bool
}

// sum is what calls cost in one currency.
type sum struct {
	total    decimal.Decimal
	currency string
}

// Batch begins one. Its calls are added one by one.
func (g *Gate) Batch() *Batch {
	b := &Batch{gate: g, hash: sha256.New()}
	_, _ = io.WriteString(b.hash, "agentctl batch 1\n")
	return b
}

// Add decides about one more call, whose digest is that of [Facts.Digest]. A rule that denies it, by itself or because of what
// those before it spend, is a fault as that of [Gate.Pass].
func (b *Batch) Add(f *Facts, digest string) error {
	if b.book == nil && b.gate.Policy.Counts(f) {
		book, err := b.gate.Ledger.Load()
		if err != nil {
			return err
		}
		b.book = book
	}
	v := b.gate.Policy.Decide(f, b.book, b.gate.Now())
	if v.Decision == Deny {
		return denied(f, v, b.gate.Policy.Path)
	}
	b.Calls++
	_, _ = io.WriteString(b.hash, digest+"\n")
	b.strong = b.strong || f.Strong()
	if v.Decision == Ask {
		if b.Asking++; b.First == nil {
			b.First, b.Why = f, v
		}
	}
	return b.spend(f)
}

// spend counts the price of a call among those of the batch.
func (b *Batch) spend(f *Facts) error {
	if !f.mayCost() {
		return nil
	}
	price := f.price()
	if !price.known {
		b.unknown++
		return nil
	}
	i := slices.IndexFunc(b.sums, func(s sum) bool { return strings.EqualFold(s.currency, price.currency) })
	if i < 0 {
		i = len(b.sums)
		b.sums = append(b.sums, sum{currency: price.currency})
	}
	b.sums[i].total = b.sums[i].total.Add(price.amount)
	if b.book == nil {
		return nil
	}
	return b.book.add(b.gate.Ledger.entry(f, price), price.amount)
}

// Strong reports whether --yes is not enough, as for one call.
func (b *Batch) Strong() bool { return b.strong }

// Amounts is what the calls cost in all, exactly, and in how many the price is not known.
func (b *Batch) Amounts() (sums []manifest.Cost, unknown int) {
	for _, s := range b.sums {
		sums = append(sums, manifest.Cost{Amount: s.total.String(), Currency: s.currency})
	}
	return sums, b.unknown
}

// Consequence says in a few words what the calls do, as that of one call does: "spend 108 credits in all".
func (b *Batch) Consequence() string {
	var parts []string
	for _, s := range b.sums {
		if !s.total.IsZero() {
			parts = append(parts, s.total.String()+" "+s.currency)
		}
	}
	if b.unknown > 0 {
		parts = append(parts, fmt.Sprintf("an amount that is not known (%d of them)", b.unknown))
	}
	spend := ""
	if len(parts) > 0 {
		spend = "spend " + strings.Join(parts, " and ") + " in all"
	}
	if b.First == nil || b.First.Effect == manifest.Spend && spend != "" {
		return spend
	}
	words := map[manifest.Effect]string{
		manifest.Delete: "delete something", manifest.Send: "send something to others", manifest.Read: "read", manifest.Write: "change something",
		manifest.Spend: "spend nothing",
	}
	does, ok := words[b.First.Effect]
	if !ok {
		does = "have an effect that agentctl does not know"
	}
	if spend != "" {
		return spend + " and " + does
	}
	return does
}

// Digest names exactly these calls, in their order.
func (b *Batch) Digest() string { return hex.EncodeToString(b.hash.Sum(nil)) }

// Approve gets a yes for all calls at once, where one is needed: by the digest of the batch, from the command line, or from
// ask, which may be nil when nobody can be asked. It returns who gave it; "" when every call passes by itself.
func (b *Batch) Approve(ctx context.Context, ask func(context.Context, *Batch) (bool, error)) (Authority, error) {
	switch {
	case b.gate.Digest != "":
		if b.gate.Digest != b.Digest() {
			return "", fault.New(fault.Approval, "approval_mismatch", "the approval was given for another request")
		}
		return ByDigest, b.gate.Pending.Use(b.gate.Digest)
	case b.Asking == 0:
		return "", nil
	case b.gate.Yes && !b.strong:
		return ByYes, nil
	case ask == nil:
		return "", b.required()
	}
	yes, err := ask(ctx, b)
	if err == nil && !yes {
		err = fault.New(fault.Approval, "declined", "not approved; nothing was sent")
	}
	return ByPerson, err
}

// required is the fault for a batch that nobody approved, with its digest.
func (b *Batch) required() *fault.Error {
	whom, which := "it", "1 call, which "+b.First.Consequence()
	if b.Calls > 1 {
		whom, which = "them", fmt.Sprintf("%d calls, which %s", b.Calls, b.Consequence())
	}
	e := fault.New(fault.Approval, "approval_required", "%s: %s: somebody has to approve %s", strings.Join(b.First.Command, " "), which, whom)
	e.Details = details(b.First, b.Why)
	delete(e.Details, "cost") // of one
	e.Details["calls"] = b.Calls
	if sums, unknown := b.Amounts(); len(sums) > 0 || unknown > 0 {
		e.Details["amounts"], e.Details["unknown_amounts"] = append([]manifest.Cost{}, sums...), unknown
	}
	return b.gate.offer(e, b.Digest(), b.strong)
}

// Pass lets one call of an approved batch go out now, and counts what it costs. The rules are asked again: what was spent
// meanwhile may have changed what they say. by is what [Batch.Approve] returned. It may be called from several goroutines at once.
func (b *Batch) Pass(f *Facts, by Authority) (*Passage, error) {
	v, err := b.gate.Decide(f)
	if err != nil {
		return nil, err
	}
	p := &Passage{By: by}
	switch {
	case v.Decision == Deny:
		return nil, denied(f, v, b.gate.Policy.Path)
	case by == ByDigest:
	case v.Decision == Allow && v.Rule != nil:
		p.By, p.Rule = ByRule, v.Rule.Number
	case v.Decision == Allow:
		p.By = ByDefault
	case by == "":
		return nil, changedMeanwhile(v)
	}
	err = b.gate.count(f, p)
	if errors.Is(err, errChanged) {
		if by == "" {
			return nil, changedMeanwhile(v)
		}
		p = &Passage{By: by}
		err = b.gate.count(f, p)
	}
	return p, err
}

func changedMeanwhile(v Verdict) *fault.Error {
	return fault.New(fault.Approval, "approval_required", "the limit was used up meanwhile, so somebody has to approve it: %s", v.Why)
}
