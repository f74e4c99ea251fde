package policy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// Gate is what every call passes before it is sent.
type Gate struct {
	Policy  *Policy
	Ledger  *Ledger
	Pending *Pending // where digests wait
	Now     func() time.Time

	Yes    bool                                                         // --yes
	Digest string                                                       // --approve; "" when not given
	Ask    func(ctx context.Context, f *Facts, v Verdict) (bool, error) // nil when nobody can be asked
}

// Authority tells who let a call pass.
type Authority string

// The values of [Authority], as the audit log has them.
const (
	ByDefault Authority = "default" // reading and writing go through
	ByRule    Authority = "rule"
	ByDigest  Authority = "digest"
	ByYes     Authority = "yes"
	ByPerson  Authority = "person"
)

// Passage is the right to send one request now. Its price is counted.
type Passage struct {
	By      Authority
	Rule    int    // the rule that allowed it; 0 when none did
	Payment string // the digest of a payment that was approved with it, and is used up; "" for none
	release func() error
}

// Release takes the price back, for a request that certainly was not sent.
func (p *Passage) Release() error { return p.release() }

// errChanged says that what was spent since the decision has changed it.
var errChanged = errors.New("the limit was used up meanwhile")

// Pass lets the call go out now, and counts what it costs, or returns a fault: of kind [fault.Approval], or
// [fault.Payment] where a rule denies a call that costs money. It uses up a digest.
func (g *Gate) Pass(ctx context.Context, f *Facts) (*Passage, error) {
	v, err := g.Decide(f)
	if err != nil {
		return nil, err
	}
	p, err := g.approve(ctx, f, v)
	if err != nil {
		return nil, err
	}
	err = g.count(f, p)
	if !errors.Is(err, errChanged) {
		return p, err
	}
	if v, err = g.Decide(f); err != nil { // another run was faster: what a rule allowed has to be asked about now
		return nil, err
	}
	if p, err = g.ask(ctx, f, v); err != nil {
		return nil, err
	}
	return p, g.count(f, p)
}

// Decide tells what the rules say about the call now. Nothing is counted.
func (g *Gate) Decide(f *Facts) (Verdict, error) {
	var book *Book
	if g.Policy.Counts(f) {
		var err error
		if book, err = g.Ledger.Load(); err != nil {
			return Verdict{}, err
		}
	}
	return g.Policy.Decide(f, book, g.Now()), nil
}

// approve finds who lets the call pass.
func (g *Gate) approve(ctx context.Context, f *Facts, v Verdict) (*Passage, error) {
	switch {
	case v.Decision == Deny:
		return nil, denied(f, v, g.Policy.Path)
	case g.Digest != "":
		if digest := f.Digest(); g.Digest != digest {
			if g.Pending.Covers(g.Digest, digest) { // it approves the payment for this request, and is used up for both
				return &Passage{By: ByDigest, Payment: g.Digest}, g.Pending.Use(g.Digest)
			}
			return nil, fault.New(fault.Approval, "approval_mismatch", "the approval was given for another request")
		}
		return &Passage{By: ByDigest}, g.Pending.Use(g.Digest)
	case v.Decision == Allow && v.Rule == nil:
		return &Passage{By: ByDefault}, nil
	case v.Decision == Allow:
		return &Passage{By: ByRule, Rule: v.Rule.Number}, nil
	}
	return g.ask(ctx, f, v)
}

// ask gets a yes from the command line or a person.
func (g *Gate) ask(ctx context.Context, f *Facts, v Verdict) (*Passage, error) {
	switch {
	case v.Decision == Deny:
		return nil, denied(f, v, g.Policy.Path)
	case g.Yes && !f.Strong():
		return &Passage{By: ByYes}, nil
	case g.Ask == nil:
		return nil, g.required(f, v)
	}
	yes, err := g.Ask(ctx, f, v)
	if err == nil && !yes {
		err = fault.New(fault.Approval, "declined", "not approved; nothing was sent")
	}
	return &Passage{By: ByPerson}, err
}

// count reserves the price of a call. The rules are asked again under the ledger's lock, so that two runs cannot spend the
// same rest of a limit, and a limit that denies holds for what a person approved as well.
func (g *Gate) count(f *Facts, p *Passage) (err error) {
	if !f.mayCost() {
		p.release = func() error { return nil }
		return nil
	}
	p.release, err = g.Ledger.Reserve(f, func(book *Book) error {
		switch v := g.Policy.Decide(f, book, g.Now()); {
		case v.Decision == Deny:
			return denied(f, v, g.Policy.Path)
		case v.Decision == Ask && p.By == ByRule:
			return errChanged
		}
		return nil
	})
	return err
}

func denied(f *Facts, v Verdict, path string) *fault.Error {
	kind := fault.Approval
	if f.mayCost() {
		kind = fault.Payment
	}
	e := fault.New(kind, "policy_denied", "%s is denied by rule %d (%s:%d)", strings.Join(f.Command, " "), v.Rule.Number, path, v.Rule.Line)
	if v.Rule.limited() {
		e.Message += ": " + v.Why
	}
	e.Details = details(f, v)
	return e
}

func (g *Gate) required(f *Facts, v Verdict) *fault.Error {
	because := ""
	if v.Why != "it "+f.Consequence() {
		because = ", and " + v.Why
	}
	if v.Rule != nil {
		because += fmt.Sprintf(" (rule %d)", v.Rule.Number)
	}
	e := fault.New(fault.Approval, "approval_required", "%s %s%s: somebody has to approve it", strings.Join(f.Command, " "), f.Consequence(), because)
	e.Details = details(f, v)
	return g.offer(e, f.Digest(), f.Strong())
}

// offer keeps the digest of what waits for a yes, and says with the fault how it is handed back.
func (g *Gate) offer(e *fault.Error, digest string, strong bool) *fault.Error {
	if err := g.Pending.Offer(digest); err != nil {
		e.Message += " (and the request cannot be kept for --approve: " + err.Error() + ")"
		if strong {
			return e
		}
		return e.WithHint("add --yes to approve this one call")
	}
	e.Details["approval"] = digest
	if strong {
		if g.Yes {
			e.Message += "; --yes is not enough for it"
		}
		return e.WithHint("add --approve %s within 15 minutes", digest)
	}
	return e.WithHint("add --approve %s within 15 minutes, or --yes", digest)
}

func details(f *Facts, v Verdict) map[string]any {
	d := map[string]any{"effect": f.Effect}
	if f.Cost != nil {
		d["cost"] = f.Cost
	}
	if f.Risk != "" {
		d["risk"] = f.Risk
	}
	if f.Consent != "" {
		d["consent"] = f.Consent
	}
	if v.Rule != nil {
		d["rule"] = v.Rule.Number
	}
	return d
}
