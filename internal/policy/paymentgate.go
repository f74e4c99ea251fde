package policy

import (
	"context"
	"fmt"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// PaymentGate is what every payment passes before a payer is asked for it.
type PaymentGate struct {
	Policy  func() (*Policy, error) // read when something is to be paid
	Path    string                  // of the policy
	Ledger  *PaymentLedger
	Pending *Pending // where digests wait
	Now     func() time.Time

	Yes    bool                                                                  // --yes
	Digest string                                                                // --approve; "" when not given
	Taken  string                                                                // the digest that the call has used up for its payment; "" for none
	Ask    func(ctx context.Context, p *Payment, v PaymentVerdict) (bool, error) // nil when nobody can be asked
}

// Decide tells what the rules say about a payment now. Nothing is counted.
func (g *PaymentGate) Decide(p *Payment) (PaymentVerdict, error) {
	rules, err := g.Policy()
	if err != nil {
		return PaymentVerdict{}, err
	}
	book, err := g.Ledger.Load()
	if err != nil {
		return PaymentVerdict{}, err
	}
	return rules.DecidePayment(p, book, g.Now()), nil
}

// Pass finds who lets a payment go out. Nothing is counted yet: see [PaymentGate.Count].
func (g *PaymentGate) Pass(ctx context.Context, p *Payment, v PaymentVerdict) (*Passage, error) {
	digest := p.Digest()
	switch {
	case v.Decision == Deny:
		return nil, g.denied(p, v)
	case g.Taken == digest:
		return &Passage{By: ByDigest, Rule: v.Rule.Number}, nil
	case g.Digest == digest: // the call asked for no yes of its own
		return &Passage{By: ByDigest, Rule: v.Rule.Number}, g.Pending.Use(digest)
	case v.Decision == Allow:
		return &Passage{By: ByRule, Rule: v.Rule.Number}, nil
	case g.Yes && !p.Always && g.Taken == "": // who approves one payment does not approve another one
		return &Passage{By: ByYes, Rule: v.Rule.Number}, nil
	case g.Ask == nil:
		return nil, g.required(p, v, digest)
	}
	yes, err := g.Ask(ctx, p, v)
	if err == nil && !yes {
		err = fault.New(fault.Approval, "declined", "not approved; nothing was paid")
	}
	return &Passage{By: ByPerson, Rule: v.Rule.Number}, err
}

// Count reserves the amount, before a payer is asked for it. The rules are asked again under the ledger's lock, so two runs cannot
// pay the same rest of a limit.
func (g *PaymentGate) Count(p *Payment, passage *Passage) (err error) {
	rules, err := g.Policy()
	if err != nil {
		return err
	}
	passage.release, err = g.Ledger.Reserve(p, func(book *PaymentBook) error {
		v := rules.DecidePayment(p, book, g.Now())
		if v.Decision == Deny || v.Decision == Ask && passage.By == ByRule {
			return g.denied(p, v)
		}
		return nil
	})
	return err
}

// denied says what a rule would have to say (CH-13, CH-15).
func (g *PaymentGate) denied(p *Payment, v PaymentVerdict) error {
	e := fault.New(fault.Payment, "payment_denied", "the site wants %s, and policy does not allow it: %s", p.Price(), v.Why)
	e.Details = paymentDetails(p, v)
	if v.Rule == nil {
		e.Details["rule_wanted"] = p.rule()
		return e.WithHint("agentctl policy edit: a [[payment]] rule for it is in agentctl help payments")
	}
	e.Message += fmt.Sprintf(" (payment rule %d, %s:%d)", v.Rule.Number, g.Path, v.Rule.Line)
	return e.WithHint("agentctl policy show")
}

func (g *PaymentGate) required(p *Payment, v PaymentVerdict, digest string) error {
	e := fault.New(fault.Approval, "approval_required", "the site wants %s: somebody has to approve the payment", p.Price())
	e.Details = paymentDetails(p, v)
	if err := g.Pending.OfferFor(digest, p.Call); err != nil {
		e.Message += " (and the request cannot be kept for --approve: " + err.Error() + ")"
		return e
	}
	e.Details["approval"] = digest
	if p.Always {
		return e.WithHint("add --approve %s within 15 minutes", digest)
	}
	return e.WithHint("add --approve %s within 15 minutes, or --yes", digest)
}

// paymentDetails are the facts of a decision, for programs.
func paymentDetails(p *Payment, v PaymentVerdict) map[string]any {
	facts := map[string]any{
		"protocol": p.Protocol, "network": p.Network, "scheme": p.Scheme, "asset": p.Asset, "payee": p.Payee, "amount": p.Amount,
		"origin": p.Site, "method": p.Method, "url": p.URL,
	}
	if !p.Expires.IsZero() {
		facts["expires"] = p.Expires.UTC().Format(time.RFC3339)
	}
	d := map[string]any{"payment": facts, "why": v.Why}
	if v.Rule != nil {
		d["rule"] = v.Rule.Number
	}
	return d
}

// rule is what policy.toml would have to hold for exactly this payment to be asked about.
func (p *Payment) rule() string {
	return fmt.Sprintf("[[payment]]\nsite = %q\nprotocol = %q\nnetwork = %q\nasset = %q\nmax_amount = %q\ndecision = \"ask\"\n",
		p.Site, p.Protocol, p.Network, p.Asset, p.Amount)
}

// Covers reports whether a digest that was offered for a payment covers a call: approving the payment approves the request
// that it is for. [Pending.Use] takes it for both.
func (p *Pending) Covers(digest, call string) bool {
	if !validDigest(digest) {
		return false
	}
	kept, err := p.read(p.path(digest))
	left := kept.Expires.Sub(p.Now())
	return err == nil && call != "" && kept.Call == call && left >= 0 && left <= OfferLife
}
