package payment

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/receipt"
)

// A record stays readable with what is kept of a site's words: where it has a read led to, and what it says of a payment.
const (
	maxURL     = 4 << 10  // bytes
	maxReceipt = 16 << 10 // bytes
)

// settlement is what a site says of a payment.
type settlement struct {
	Document  jsontext.Value // all of it
	Reference string         // under which the payment can be found, where it was made
	Amount    string         // that was taken, where the site says so (X402-9)
	Network   string         // or the method of MPP, where the site says so
	Reason    string         // why it was refused
	Failed    bool
}

// settle keeps what came of a payment, and tells it. What was not sent is not counted; everything else is, since a signed
// payment can be taken later (CH-10, CH-14).
func (p *Protocol) settle(d *demand, record *receipt.Record, passage *policy.Passage, o *challenge.Outcome) map[string]any {
	record.Settled, record.Status = o.At.UTC(), o.Status
	s, said := settlement{}, false
	if o.Header != nil {
		s, said = d.settled(o)
	}
	switch {
	case o.Sent == fault.SentNo:
		record.State = receipt.NotSent
		p.warn(passage.Release())
	case o.Status == 0 || o.Status >= http.StatusInternalServerError || o.Status/100 == 3:
		record.State = receipt.Unknown
	case o.Status >= http.StatusBadRequest || said && s.Failed:
		record.State = receipt.Refused
	default:
		record.State = receipt.Paid
	}
	if _, ok := policy.ParseUnits(s.Amount); ok {
		record.Taken = s.Amount
	}
	record.Reference, record.Reason = fault.Cut(p.Redact.Text(s.Reference), maxFact), fault.Cut(p.Redact.Text(s.Reason), maxFact)
	if len(s.Document) > 0 && len(s.Document) <= maxReceipt { // it may repeat the proof, and what the call told the site
		record.Receipt = string(p.Redact.JSON(s.Document))
	}
	p.warn(p.Receipts.Update(record))
	paid := map[string]any{"id": record.ID, "protocol": d.Protocol, "amount": d.Amount, "asset": d.Asset, "network": d.Network, "state": string(record.State)}
	for name, value := range map[string]string{"payee": d.Payee, "challenge": d.ID, "reason": record.Reason, "taken": record.Taken} {
		if value != "" {
			paid[name] = value
		}
	}
	if record.State == receipt.Paid {
		p.Tell(strings.TrimSpace("paid; agentctl receipts show " + record.ID))
	}
	if s.Network != "" && !d.OnNetwork(s.Network) {
		p.Tell("warning: what the site says of the payment is about " + fault.Word(s.Network) + ", and not about " + d.Network)
	}
	if amount, ok := policy.ParseUnits(record.Taken); ok {
		if most, _ := policy.ParseUnits(d.Amount); amount.Cmp(most) > 0 {
			p.Tell("warning: the site says that it took " + record.Taken + ", which is more than the " + d.Amount + " that were approved")
		}
	}
	return paid
}
