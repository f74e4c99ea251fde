package call

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"time"

	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

// maxRequests is how often one call may be sent in all: as it is, with a sign-in, with a payment, and once more where a
// signed read is led elsewhere at the same origin (CH-8).
const maxRequests = 4

// maxFact is the most of one value of a demand that is repeated.
const maxFact = 256 // bytes

// rounds sends one call, and sends it again with what its answers demand: at most one sign-in, then at most one payment
// (CH-8). Each time it is the same request with a credential added (CH-7).
type rounds struct {
	*Caller
	call *Call
	base fetch.Request // what is sent, without what the rounds add
	sent int

	signIn  *challenge.Credential
	payment *challenge.Credential
	paid    map[string]any // what is known of the payment

	protocols []challenge.Protocol // made when the first answer demands something
	answer    *challenge.Answer    // the last one, if it demands something
	seen      []challenge.Seen     // what it demands
}

// run returns the answer that no further round follows.
func (r *rounds) run(ctx context.Context) (*fetch.Response, error) {
	r.sent++
	response, err := r.Client.Do(ctx, r.base)
	for err == nil {
		again, refused := r.meet(ctx, response)
		if refused == nil && !again {
			return response, nil
		}
		_ = response.Body.Close()
		if refused != nil {
			return nil, refused
		}
		response, err = r.sendAgain(ctx)
	}
	return nil, err
}

// meet earns what an answer demands. again is false when the answer stands as it is.
func (r *rounds) meet(ctx context.Context, response *fetch.Response) (again bool, err error) {
	r.base.URL = response.URL // a read may have been led on within its origin
	if response.Method != r.base.Method {
		r.becomeGet()
	}
	r.answer = nil
	if !challenge.MayDemand(response) {
		return false, nil
	}
	request := r.request()
	if forbidden := challenge.Forbidden(request, response); forbidden != nil {
		r.answer, r.seen = forbidden, challenge.Others(forbidden, nil)
		return false, nil
	}
	answer, err := challenge.Read(request, response)
	r.answer = answer
	if err != nil || answer == nil {
		return false, r.inVain(err)
	}
	if r.protocols == nil && r.Protocols != nil {
		r.protocols = r.Protocols()
	}
	r.seen = r.wanted(answer)
	if r.Seen != nil {
		r.Seen(r.seen)
	}
	step := challenge.SignIn
	if answer.Status == http.StatusPaymentRequired {
		step = challenge.Payment
	}
	switch {
	case r.payment != nil && step == challenge.SignIn: // CO-1
		f := fault.New(fault.Auth, "sign_in_after_payment", "the site wants a sign-in after it was paid")
		f.Status, f.Sent = answer.Status, fault.SentYes
		f.Details = withPaid(withSeen(nil, r.seen), r.paid)
		return false, f.WithHint(afterPayment)
	case r.payment != nil, step == challenge.SignIn && r.signIn != nil, r.sent >= maxRequests:
		return false, nil // one round each: the answer tells why that was not enough (AEP-31, CH-8)
	}
	for _, protocol := range r.protocols {
		if protocol.Step() != step {
			continue
		}
		offers := protocol.Offers(answer)
		if !slices.ContainsFunc(offers, func(o challenge.Offer) bool { return o.Trouble == "" }) {
			continue
		}
		credential, err := protocol.Meet(ctx, answer, offers)
		if err != nil {
			return false, r.unmet(answer, err)
		}
		return true, r.take(ctx, step, credential)
	}
	return false, nil
}

// take adds a credential to what the next request carries. One that signs in is made anew where a payment goes with it
// (CO-2).
func (r *rounds) take(ctx context.Context, step challenge.Step, credential *challenge.Credential) (err error) {
	if step == challenge.SignIn {
		r.signIn = credential
		return nil
	}
	r.payment = credential
	if r.signIn != nil && r.signIn.Renew != nil {
		r.signIn, err = r.signIn.Renew(ctx, r.request())
		if err != nil && credential.Settle != nil {
			credential.Settle(ctx, &challenge.Outcome{Err: err, Sent: fault.SentNo, At: r.now()})
		}
	}
	return err
}

// unmet completes the fault of a demand that was not met. The first request was answered with a demand, so it had no
// effect.
func (r *rounds) unmet(answer *challenge.Answer, err error) error {
	f := *fault.From(err)
	if f.Status == 0 {
		f.Status = answer.Status
	}
	if f.Kind != fault.Interrupted {
		f.Details = withSeen(f.Details, r.seen)
	}
	return &f
}

// sendAgain sends the request with what was earned. Each request has a credential of its own, so the client below repeats
// nothing; a signed read is led on here (CH-9, AEP-15).
func (r *rounds) sendAgain(ctx context.Context) (*fetch.Response, error) {
	for {
		r.sent++
		response, err := r.Client.Do(ctx, r.again())
		if r.payment != nil {
			return r.settle(ctx, response, err)
		}
		if err != nil {
			return nil, err
		}
		to, err := response.Redirected()
		if to == "" && err == nil {
			return response, nil
		}
		_ = response.Body.Close()
		switch {
		case err != nil:
			return nil, err
		case !r.base.Read:
			return nil, response.RedirectRefused("for a request that has an effect")
		case r.sent >= maxRequests || r.signIn.Renew == nil:
			return nil, response.RedirectRefused("any further for one sign-in")
		}
		r.base.URL = to
		if fetch.BecomesGet(r.base.Method, response.Status) {
			r.becomeGet()
		}
		if r.signIn, err = r.signIn.Renew(ctx, r.request()); err != nil {
			return nil, err
		}
	}
}

// becomeGet is what a redirect makes of a request with a body.
func (r *rounds) becomeGet() {
	r.base.Method, r.base.Body, r.base.Header = http.MethodGet, nil, fetch.WithoutContent(r.base.Header)
}

// again is the request with what was earned.
func (r *rounds) again() fetch.Request {
	request := r.base
	request.Once = true
	request.Secrets = slices.Clone(r.base.Secrets)
	request.Header = r.base.Header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	for _, c := range []*challenge.Credential{r.signIn, r.payment} {
		if c == nil {
			continue
		}
		request.Secrets = append(request.Secrets, c.Fields...)
		maps.Copy(request.Header, c.Header)
	}
	return request
}

// settle tells a payment what came of it. Where nobody knows, that is the fault, and nothing is sent again (CH-10). A redirect
// is no answer to a payment, and where it leads nothing is paid (CH-9).
func (r *rounds) settle(ctx context.Context, response *fetch.Response, err error) (*fetch.Response, error) {
	o := &challenge.Outcome{Err: err, Sent: fault.SentYes, At: r.now()}
	if err == nil {
		o.Status, o.Header = response.Status, response.Header
		if response.Status >= http.StatusMultipleChoices {
			o.Body, _, _ = challenge.Peek(response)
		}
	} else if o.Sent = fault.From(err).Sent; o.Sent == "" {
		o.Sent = fault.SentNo
	}
	if r.payment.Settle != nil {
		r.paid = r.payment.Settle(context.WithoutCancel(ctx), o)
	}
	unknown := o.Sent != fault.SentNo && (o.Status == 0 || o.Status >= http.StatusInternalServerError || o.Status/100 == 3)
	if !unknown {
		return response, err
	}
	why := statusText(o.Status)
	if err != nil {
		why = fault.From(err).Error()
	} else {
		_ = response.Body.Close()
	}
	f := fault.New(fault.Unavailable, "payment_outcome_unknown", "the payment was sent, and what came of it is not known: %s", why)
	if err != nil && fault.From(err).Kind == fault.Interrupted {
		f.Kind = fault.Interrupted
	}
	f.Status, f.Sent, f.Err = o.Status, fault.SentUnknown, err
	f.Details = withPaid(f.Details, r.paid)
	return nil, f.WithHint(afterPayment)
}

// inVain tells with a failure that a payment was sent before it: who calls again pays again. It returns nil for nil.
func (r *rounds) inVain(err error) error {
	if err == nil || r.paid == nil {
		return err
	}
	f := *fault.From(err)
	f.Message, f.Details = servedNot+f.Error(), withPaid(f.Details, r.paid)
	return f.WithHint("%s", afterPayment)
}

const (
	servedNot    = "the payment was sent, and the site does not serve the request for it: "
	afterPayment = "agentctl receipts list tells what was sent; ask the site before paying again"
)

// withPaid adds what is known of a payment to the details of a fault.
func withPaid(details, paid map[string]any) map[string]any {
	if paid == nil {
		return details
	}
	if details == nil {
		details = map[string]any{}
	}
	details["paid"] = paid
	return details
}

// request is what protocols see of what is to be sent.
func (r *rounds) request() *challenge.Request {
	q := &challenge.Request{
		Method: r.base.Method, URL: r.base.URL, Header: r.base.Header, Body: r.base.Body, Origin: r.call.Origin,
		Unsafe: r.call.Effect != manifest.Read,
	}
	if r.Digest != nil {
		q.Call = r.Digest()
	}
	secrets := r.base.Secrets
	if r.signIn != nil {
		secrets = slices.Concat(secrets, r.signIn.Fields)
	}
	for _, s := range secrets {
		if s.In == fetch.InHeader {
			q.Carried = append(q.Carried, textproto.CanonicalMIMEHeaderKey(s.Name))
		}
	}
	return q
}

// wanted is what an answer demands, by every protocol that knows it; and of what none knows, the schemes (CH-3, BR-5).
func (r *rounds) wanted(a *challenge.Answer) []challenge.Seen {
	var seen []challenge.Seen
	known := map[string]bool{}
	for _, protocol := range r.protocols {
		for _, o := range protocol.Offers(a) {
			name := cmp.Or(o.Protocol, protocol.Name())
			i := slices.IndexFunc(seen, func(s challenge.Seen) bool { return s.Protocol == name })
			if i < 0 {
				i = len(seen)
				seen = append(seen, challenge.Seen{Protocol: name, Step: protocol.Step()})
			}
			facts := maps.Clone(o.Facts)
			if o.Trouble != "" {
				facts["trouble"] = o.Trouble
			}
			seen[i].Offers = append(seen[i].Offers, facts)
			known[o.Scheme] = true
		}
	}
	seen = append(seen, challenge.Others(a, known)...)
	for _, s := range seen {
		for _, facts := range s.Offers {
			r.fit(facts)
		}
	}
	return seen
}

// fit cuts what a site says to what is repeated of it, when secrets have been taken out: half a secret would be left in.
func (r *rounds) fit(facts map[string]any) {
	for name, value := range facts {
		if text, ok := value.(string); ok {
			facts[name] = fault.Cut(r.Redact(text), maxFact)
		}
	}
}

func (r *rounds) now() time.Time {
	if r.Now == nil {
		return time.Time{}
	}
	return r.Now()
}

// withSeen adds what the site demanded to the details of a fault.
func withSeen(details map[string]any, seen []challenge.Seen) map[string]any {
	if len(seen) == 0 {
		return details
	}
	if details == nil {
		details = map[string]any{}
	}
	details["challenges"] = seen
	return details
}
