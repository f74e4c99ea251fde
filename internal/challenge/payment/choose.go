package payment

import (
	"slices"

	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/policy"
)

// choice is a demand with who would pay it, and what the rules say.
type choice struct {
	demand  *demand
	verdict policy.PaymentVerdict
	payer   Payer
	rank    int // of the payer in its file; -1 without one
}

// choose picks the offer to meet: first by what the rules say, then by whether a payer can pay it, then by the order of
// payers, which is the person's, and last by the site's (MPP-10, X402-11).
func (p *Protocol) choose(a *challenge.Answer, offers []challenge.Offer) (choice, error) {
	payers, err := p.Payers()
	if err != nil {
		return choice{}, err
	}
	var list []choice
	for _, o := range offers {
		d, ok := o.Data.(*demand)
		if !ok || o.Trouble != "" {
			continue
		}
		d.Site, d.Command, d.Method, d.URL, d.Body, d.Call = a.Request.Origin, p.Command, a.Request.Method, a.Request.URL, a.Request.Body, a.Request.Call
		c := choice{demand: d}
		if c.verdict, err = p.Gate.Decide(&d.Payment); err != nil {
			return choice{}, err
		}
		c.rank = slices.IndexFunc(payers, func(payer Payer) bool { return payer.serves(d) })
		if c.rank >= 0 {
			c.payer = payers[c.rank]
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return choice{}, fault.New(fault.Payment, "payment_unsupported", "none of the site's offers can be paid")
	}
	best := slices.MinFunc(list, func(a, b choice) int { return a.order() - b.order() })
	if best.verdict.Decision != policy.Deny && best.rank < 0 {
		return best, noPayer(best.demand)
	}
	return best, nil // the gate tells why it is denied
}

// order is the smaller the better. [slices.MinFunc] returns the first among equals, which is the site's order.
func (c choice) order() int {
	const many = maxPayers + 1
	n := 0
	switch c.verdict.Decision {
	case policy.Allow:
	case policy.Ask:
		n = many
	case policy.Deny:
		n = 4 * many
	}
	if c.rank < 0 {
		return n + 2*many
	}
	return n + c.rank
}

func noPayer(d *demand) *fault.Error {
	e := fault.New(fault.Payment, "payer_missing", "policy allows the payment, but no payer serves %s on %s by %q", d.Protocol, d.Network, d.Scheme)
	e.Details = map[string]any{"payment": map[string]any{
		"protocol": d.Protocol, "network": d.Network, "scheme": d.Scheme, "asset": d.Asset, "payee": d.Payee, "amount": d.Amount,
	}}
	return e.WithHint("agentctl help payments tells how to configure one")
}
