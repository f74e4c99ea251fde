package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/audit"
	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/challenge/payment"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/receipt"
	"github.com/agentctl/agentctl/internal/render"
)

// effectPay is the effect of a payment in the audit log: it is none that a site publishes.
const effectPay = "pay"

// protocols are those that a call can meet demands by, in the order in which they are asked.
func (a *published) protocols() []challenge.Protocol {
	return []challenge.Protocol{a.signIn(), a.payments()}
}

// payments meet demands to be paid.
func (a *published) payments() *payment.Protocol {
	gate := a.paymentGate()
	gate.Taken = a.paymentTaken
	return &payment.Protocol{
		Gate: gate, Receipts: a.receipts(), Command: a.node.Command, Environ: a.Environ, Now: a.Now, Log: a.logPayment,
		Hide: a.hideCredential, Redact: payment.Redactor{Text: a.redact, JSON: a.redactJSON},
		Payers: func() ([]payment.Payer, error) { return payment.LoadPayers(payment.PayerPath(a.ConfigDir)) },
		Tell: func(message string) {
			_ = a.still(func() error { return a.say("%s", render.CleanLine(a.redact(message))) })
		},
		Aside: func(step func() error) error {
			return a.still(func() error { return a.conn.limit.outside(step) })
		},
	}
}

// paymentGate makes what every payment passes. A policy that cannot be read has stopped the call before.
func (r *run) paymentGate() *policy.PaymentGate {
	g := &policy.PaymentGate{
		Policy: r.loadPolicy, Ledger: r.paymentLedger(), Now: r.Now, Path: policy.Path(r.ConfigDir),
		Pending: &policy.Pending{Dir: filepath.Join(r.StateDir, "approvals"), Now: r.Now},
		Yes:     r.Yes, Digest: r.Approve,
	}
	if r.canAsk() {
		g.Ask = r.askPayment
	}
	return g
}

func (r *run) paymentLedger() *policy.PaymentLedger {
	return &policy.PaymentLedger{Path: filepath.Join(r.StateDir, "payments.json"), Now: r.Now}
}

func (r *run) receipts() *receipt.Store {
	return &receipt.Store{Dir: filepath.Join(r.StateDir, "receipts")}
}

// askPayment puts a payment to the person at the terminal. Origin and amount come first, in words of our own; what the site
// chose stands behind a bar.
func (r *run) askPayment(ctx context.Context, p *policy.Payment, v policy.PaymentVerdict) (bool, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s wants to be paid.\n", r.target(p.Site))
	fmt.Fprintf(&b, "  command:  %s\n", render.CleanLine(strings.Join(p.Command, " ")))
	fmt.Fprintf(&b, "  amount:   %s, in base units of the asset\n", p.Amount)
	fmt.Fprintf(&b, "  protocol: %s\n", p.Protocol)
	for _, part := range [][2]string{{"asset", p.Asset}, {"network", p.Network}, {"payee", p.Payee}, {"scheme", p.Scheme}, {"for", p.Method + " " + p.URL}} {
		if part[1] != "" {
			fmt.Fprintf(&b, "  %s\n", part[0])
			r.barred(&b, cutText(r.redact(part[1]), maxShownValue)) // a secret argument may stand in the URL
		}
	}
	if v.Rule != nil {
		fmt.Fprintf(&b, "  payment rule %d: %s\n", v.Rule.Number, v.Why)
	}
	b.WriteString("Pay? [y/N] ")
	answer, err := r.answer(ctx, b.String())
	return isYes(answer), err
}

// logPayment writes a payment into the audit log before it is sent: it is an effect of its own, whatever the call does.
func (a *published) logPayment(p *policy.Payment, by *policy.Passage) (func(*challenge.Outcome, receipt.State), error) {
	entry, err := a.auditLog().Begin(audit.Call{
		Site: p.Site, Command: p.Command, Method: p.Method, Effect: effectPay, Amount: p.Amount, Currency: p.Asset + " on " + p.Network,
		By: string(by.By), Rule: by.Rule, Args: []audit.Arg{},
	})
	if err != nil {
		return nil, err
	}
	return func(o *challenge.Outcome, state receipt.State) {
		outcome := audit.Outcome{Status: o.Status, Sent: string(o.Sent)}
		switch state {
		case receipt.Paid:
		case receipt.NotSent:
			outcome.Kind, outcome.Sent = string(fault.Unavailable), string(fault.SentNo)
		case receipt.Unknown, receipt.Sending:
			outcome.Kind, outcome.Code, outcome.Sent = string(fault.Unavailable), "payment_outcome_unknown", string(fault.SentUnknown)
		case receipt.Refused:
			outcome.Kind, outcome.Code = string(fault.Payment), "payment_refused"
		}
		a.warnIf(entry.End(outcome))
	}, nil
}
