package odp

import "slices"

// Protocols is what a Service says to support. It authorises and triggers nothing: only a live challenge does (ODP-31).
type Protocols struct {
	Enrollment bool             // by AEP
	Payments   []PaymentSupport // in the Service's order of preference
}

// PaymentSupport is a payment protocol of a Service.
type PaymentSupport struct {
	Name           string         // "mpp" or "x402"
	Authentication Authentication // never optional
	Options        []string       // labels such as "card", no payment terms
}

// protocols reads what is supported (ODP-30).
func (p *serviceParser) protocols(c *Cursor) Protocols {
	var known Protocols
	if c == nil {
		return known
	}
	p.closed(c, "enrollment", "payments")
	if c.Len() == 0 {
		c.Fail("must have enrollment or payments")
	}
	if enrollment := c.Optional("enrollment"); enrollment != nil {
		known.Enrollment = p.enrollment(enrollment)
	}
	if payments := c.Optional("payments"); payments != nil {
		known.Payments = p.payments(payments)
	}
	return known
}

// enrollment reads exactly [{"name":"aep"}].
func (p *serviceParser) enrollment(c *Cursor) (aep bool) {
	for _, item := range c.Elements(1, p.upTo(1)) {
		p.closed(item, "name")
		name := item.Member("name")
		if !p.skips(name, "aep") {
			aep = name.OneOf("aep") == "aep"
		}
	}
	return aep
}

func (p *serviceParser) payments(c *Cursor) []PaymentSupport {
	var list []PaymentSupport
	for _, item := range c.Elements(1, p.upTo(2)) {
		payment, ok := p.payment(item)
		if !ok {
			continue
		}
		if slices.ContainsFunc(list, func(other PaymentSupport) bool { return other.Name == payment.Name }) {
			item.Fail("is the second protocol %q", payment.Name)
		}
		list = append(list, payment)
	}
	return list
}

func (p *serviceParser) payment(c *Cursor) (payment PaymentSupport, ok bool) {
	p.closed(c, "name", "authentication", "options")
	name, authentication := c.Member("name"), c.Member("authentication")
	if p.skips(name, "mpp", "x402") || p.skips(authentication, string(NoAuthentication), string(NeedsAuthentication)) {
		return payment, false
	}
	payment.Name = name.OneOf("mpp", "x402")
	payment.Authentication = Authentication(authentication.OneOf(string(NoAuthentication), string(NeedsAuthentication)))
	if options := c.Optional("options"); options != nil {
		payment.Options = p.paymentOptions(options)
	}
	return payment, true
}

func (p *serviceParser) paymentOptions(c *Cursor) []string {
	known := []string{
		"algorand", "aptos", "arbitrum", "avalanche", "base", "card", "ethereum", "hedera", "inflow", "lightning", "polygon",
		"solana", "stellar", "stripe", "tempo", "ton",
	}
	var options []string
	for _, item := range c.Elements(1, p.upTo(len(known))) {
		if p.skips(item, known...) {
			continue
		}
		option := item.OneOf(known...)
		if slices.Contains(options, option) {
			item.Fail("is there twice: %q", option)
		}
		options = append(options, option)
	}
	return options
}

// checkEnrollment holds ODP-29: what asks for signing in needs a way to enrol.
func (p *serviceParser) checkEnrollment(c *Cursor, s *Service) {
	if c.Optional("protocols").Optional("enrollment") != nil {
		return
	}
	for _, a := range s.Operations {
		if a.Authentication != NoAuthentication {
			c.Member("operations").Fail("%q asks for signing in: protocols.enrollment must be there", string(a.Name))
		}
	}
	for _, payment := range s.Protocols.Payments {
		if payment.Authentication != NoAuthentication {
			c.Member("protocols").Fail("%q asks for signing in: enrollment must be there", payment.Name)
		}
	}
}
