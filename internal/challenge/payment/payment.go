// Package payment meets demands to pay: "Payment" challenges (MPP) and x402 in its versions 1 and 2. It holds no key and
// signs nothing. What may be paid is a rule's to say; who pays is a program that the person configured, a payer; and what it
// returns is checked against the demand before it is sent (CH-13 to CH-19).
package payment

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/receipt"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Names of the protocols, as rules, payers and documents have them.
const (
	MPP  = "mpp"
	X402 = "x402"
)

// expiryMargin is how long a demand must be good for when something is sent for it (MPP-8).
const expiryMargin = 5 * time.Second

// Protocol is both protocols as one: a site may offer to be paid by either, and the person's rules and payers choose among
// all offers (X402-19).
type Protocol struct {
	Gate     *policy.PaymentGate
	Payers   func() ([]Payer, error) // read when something is to be paid
	Receipts *receipt.Store
	Command  []string                 // the action
	Environ  func() []string          // of payers
	Now      func() time.Time         // the clock
	Tell     func(message string)     // tells the person what is done; may not be nil
	Hide     func(secret string)      // keeps what proves a payment out of all that is told (CH-11); may not be nil
	Redact   Redactor                 // takes what is hidden, and secrets of the call, out of what is kept
	Log      Logger                   // the log of all that has an effect
	Aside    func(func() error) error // runs what a person or a payer takes time for, outside of the call's time limit
}

// Redactor takes secrets out of a text, and out of a JSON document. Its functions may not be nil.
type Redactor struct {
	Text func(string) string
	JSON func([]byte) []byte // "null" where that cannot be done
}

// Logger writes a payment into a log before it is sent, and what came of it after.
type Logger func(p *policy.Payment, by *policy.Passage) (done func(o *challenge.Outcome, state receipt.State), err error)

// Name implements [challenge.Protocol].
func (p *Protocol) Name() string { return "payment" }

// Step implements [challenge.Protocol].
func (p *Protocol) Step() challenge.Step { return challenge.Payment }

// demand is one thing that a site wants to be paid, in one way.
type demand struct {
	policy.Payment
	ID string // of the challenge; "" where the protocol has none

	odd []string // what is not as it should be, and no reason to refuse; the person is told

	request func() payerRequest                               // what the payer is told
	build   func(payload, source jsontext.Value) string       // the value of the header around a bare proof
	check   func(value string, now time.Time) error           // of a value that is ready made (MPP-16, X402-14)
	payload func(payload jsontext.Value, now time.Time) error // of a bare proof
	field   string                                            // the header that carries the value
	prefix  string                                            // of its value
	settled func(o *challenge.Outcome) (settlement, bool)     // what the answer says of the payment
}

// Offers implements [challenge.Protocol].
func (p *Protocol) Offers(a *challenge.Answer) []challenge.Offer {
	if a.Status != http.StatusPaymentRequired {
		return nil
	}
	offers := append(p.mppOffers(a), p.x402Offers(a)...)
	for i := range offers {
		o := &offers[i]
		switch {
		case o.Trouble != "":
		case !strings.HasPrefix(a.Request.URL, "https://"): // CH-12
			o.Trouble = "nothing is paid without TLS"
		case !fetch.SameOrigin(a.Request.Origin, a.Request.URL): // what rules say about the site is not about another one
			o.Trouble = "it comes from another origin than the site"
		case !o.Data.(*demand).fits(): // before a payer has paid in vain
			o.Trouble = "what it wants repeated leaves no room for a proof"
		}
	}
	return offers
}

// fits reports whether there is room for a proof in the header, beside what has to be repeated.
func (d *demand) fits() bool {
	const proof = 8 << 10
	return len(d.build(jsontext.Value("{}"), nil)) <= maxValueBytes-proof
}

// Meet implements [challenge.Protocol].
func (p *Protocol) Meet(ctx context.Context, a *challenge.Answer, offers []challenge.Offer) (*challenge.Credential, error) {
	chosen, err := p.choose(a, offers)
	if err != nil {
		return nil, err
	}
	d := chosen.demand
	if err := p.inTime(d); err != nil {
		return nil, err
	}
	var passage *policy.Passage
	err = p.Aside(func() (err error) {
		passage, err = p.Gate.Pass(ctx, &d.Payment, chosen.verdict)
		return err
	})
	if err != nil {
		return nil, err
	}
	// Before a payer is asked: what pays an invoice, say, has paid it when it answers, and runs side by side keep to one limit.
	if err := p.Gate.Count(&d.Payment, passage); err != nil {
		return nil, err
	}
	credential, err := p.earn(ctx, a, chosen, passage)
	if err != nil {
		p.warn(passage.Release())
		return nil, err
	}
	return credential, nil
}

// earn has the payer pay. When it fails, nothing is to be sent.
func (p *Protocol) earn(ctx context.Context, a *challenge.Answer, c choice, passage *policy.Passage) (*challenge.Credential, error) {
	var value string
	err := p.Aside(func() (err error) {
		value, err = p.pay(ctx, c.payer, c.demand)
		return err
	})
	if err == nil {
		err = p.inTime(c.demand) // the payer took its time
	}
	if err != nil {
		return nil, err
	}
	return p.commit(a, c, passage, value)
}

// inTime refuses a demand that is over, or nearly so (MPP-8).
func (p *Protocol) inTime(d *demand) error {
	if d.Expires.IsZero() || d.Expires.After(p.Now().Add(expiryMargin)) {
		return nil
	}
	return fault.New(fault.Payment, "payment_expired", "the site's offer to be paid is over; nothing was paid").WithHint("run the command again")
}

// commit keeps the record of a payment, on the disk before anything is sent (CH-14), and returns what the request carries.
func (p *Protocol) commit(a *challenge.Answer, c choice, passage *policy.Passage, value string) (*challenge.Credential, error) {
	d := c.demand
	record := &receipt.Record{
		At: p.Now().UTC(), Site: d.Site, Command: d.Command, Method: d.Method, URL: fault.Cut(p.Redact.Text(d.URL), maxURL),
		Protocol: d.Protocol, Network: d.Network, Scheme: d.Scheme, Asset: d.Asset, Payee: d.Payee, Amount: d.Amount,
		Challenge: fault.Cut(p.Redact.Text(d.ID), maxFact), Payer: c.payer.Name, By: string(passage.By), State: receipt.Sending,
	}
	if err := p.Receipts.Add(record); err != nil {
		return nil, err
	}
	done, err := p.Log(&d.Payment, passage)
	if err != nil {
		record.State, record.Settled = receipt.NotSent, p.Now().UTC()
		p.warn(p.Receipts.Update(record))
		return nil, err
	}
	credential := &challenge.Credential{Fields: []fetch.Secret{{In: fetch.InHeader, Name: d.field, Value: d.prefix + value}}}
	if a.Request.Unsafe && a.Request.Header.Get("Idempotency-Key") == "" { // MPP-21
		credential.Header = http.Header{"Idempotency-Key": {rand.Text()}}
	}
	for _, secret := range d.proofs(value) {
		p.Hide(secret)
	}
	for _, odd := range d.odd {
		p.Tell("warning: " + odd)
	}
	p.Tell("paying " + d.words() + ", by " + c.payer.Name + "; " + string(passage.By) + " approved it")
	credential.Settle = func(_ context.Context, o *challenge.Outcome) map[string]any {
		paid := p.settle(d, record, passage, o)
		done(o, record.State)
		return paid
	}
	return credential, nil
}

// proofs are what must not be told of a credential: all of it, and what is text in its payload, such as a signature. What the site has
// said itself, such as the payee, and the name of a form are none.
func (d *demand) proofs(value string) []string {
	secrets := []string{value}
	credential, err := decode(value)
	if err != nil { // it was checked
		return secrets
	}
	for name, part := range strictjson.Members(orEmpty(member(credential, "payload"))) {
		said := func(text string) bool {
			return strings.EqualFold(text, d.Payee) || strings.EqualFold(text, d.Asset) || text == d.Amount
		}
		if text, ok := strictjson.String(part); ok && name != "type" && !said(text) {
			secrets = append(secrets, text)
		}
	}
	return secrets
}

func (p *Protocol) warn(err error) {
	if err != nil {
		p.Tell("warning: " + err.Error())
	}
}

// words say what is paid to whom, with the amount as it is: nobody but the payee says where a decimal point would be.
func (d *demand) words() string {
	words := d.Price()
	if d.Payee != "" {
		words += " to " + d.Payee
	}
	return words + " (" + d.Protocol + ", " + d.Network + ")"
}
