// Package signin meets the sign-in challenges of AEP in the course of a call: with an agent that is enrolled, by an assertion
// for exactly that request, or by a credential that the Service granted (AEP-28 to AEP-31). It never enrols: that discloses
// claims, and is a command of its own (AEP-21).
package signin

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// Agent is an agent that a person has at a Service.
type Agent struct {
	Service aep.DID
	Signer  aep.Signer
	State   aep.State // as it was told last; "" when it never was
	// Granted returns a credential of a type that is good now; ok is false when there is none.
	Granted func(ctx context.Context, kind aep.GrantType) (c aep.Credential, ok bool, err error)
}

// Protocol is AEP as a [challenge.Protocol].
type Protocol struct {
	Client *aep.Client
	// Agent returns the person's agent at the site that is called; nil when there is none. Nothing is asked for it.
	Agent func(ctx context.Context) (*Agent, error)
	// MayPay: a payment may follow the sign-in, so Authorization is left to it (AEP-29).
	MayPay func() bool
	Site   string // as one types it, for hints
	Now    func() time.Time
}

// Name implements [challenge.Protocol].
func (p *Protocol) Name() string { return "aep" }

// Step implements [challenge.Protocol].
func (p *Protocol) Step() challenge.Step { return challenge.SignIn }

// Offers implements [challenge.Protocol].
func (p *Protocol) Offers(a *challenge.Answer) []challenge.Offer {
	if a.Status != http.StatusUnauthorized {
		return nil
	}
	var offers []challenge.Offer
	for _, c := range a.Of(aep.Scheme) {
		params := make([]aep.Param, len(c.Params))
		for i, param := range c.Params {
			params[i] = aep.Param(param)
		}
		read, err := aep.ParseChallenge(c.Scheme, params)
		o := challenge.Offer{Facts: map[string]any{}, Scheme: "aep", Data: read}
		for name, value := range map[string]string{"service_did": read.ServiceDID, "inspect": read.Inspect, "reason": word(read.Reason)} {
			if value != "" {
				o.Facts[name] = value
			}
		}
		o.Trouble = p.trouble(a, read, err)
		offers = append(offers, o)
	}
	return offers
}

// word is a code of the site's; a sentence is none.
func word(text string) string {
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return ""
	}
	return text
}

// trouble says why a challenge starts nothing (AEP-1, AEP-4, CH-12).
func (p *Protocol) trouble(a *challenge.Answer, read aep.Challenge, err error) string {
	if err != nil {
		return fault.From(err).Error()
	}
	if !read.Leads() {
		return "it does not tell where to go on"
	}
	if !strings.HasPrefix(a.Request.URL, "https://") {
		return "nobody signs in without TLS"
	}
	service, err := aep.ParseDID(read.ServiceDID)
	switch {
	case err != nil:
		return "its service_did is none that can be used"
	case !fetch.SameOrigin(service.Origin(), a.Request.URL), !fetch.SameOrigin(read.Inspect, a.Request.URL):
		return "its Service is of another origin than the site"
	}
	return ""
}

// Meet implements [challenge.Protocol].
func (p *Protocol) Meet(ctx context.Context, a *challenge.Answer, offers []challenge.Offer) (*challenge.Credential, error) {
	var wanted aep.Challenge
	for _, o := range offers {
		if c, ok := o.Data.(aep.Challenge); ok && o.Trouble == "" {
			wanted = c
			break
		}
	}
	agent, err := p.Agent(ctx)
	if err != nil {
		return nil, err
	}
	if agent == nil {
		return nil, p.stranger("the site wants an agent that is enrolled there, and there is none")
	}
	if agent.Service.String() != wanted.ServiceDID {
		return nil, fault.New(fault.Auth, "service_identity_mismatch", "the site's Service is %q now, and the agent is enrolled at %q",
			fault.Word(wanted.ServiceDID), agent.Service.String()).WithHint("agentctl aep inspect %s", p.Site)
	}
	switch agent.State {
	case aep.Rejected, aep.Terminated, aep.Suspended:
		return nil, fault.New(fault.Auth, "enrollment_"+string(agent.State), "the Service has the agent as %s", agent.State).WithHint("agentctl aep status %s", p.Site)
	case "":
		return nil, p.stranger("the agent for the site is not enrolled")
	case aep.Active, aep.Pending, aep.Unavailable:
	}
	in, err := p.Client.Inspect(ctx, wanted)
	if err != nil {
		return nil, err
	}
	s := &signer{protocol: p, in: in, agent: agent, carrier: aep.Authorization}
	if p.MayPay() || a.Request.Holds("Authorization") {
		s.carrier = aep.Dedicated
	}
	if err := s.choose(ctx); err != nil {
		return nil, err
	}
	return s.credential(ctx, a.Request)
}

func (p *Protocol) stranger(message string) *fault.Error {
	return fault.New(fault.Auth, "enrollment_required", "%s", message).WithHint("agentctl aep enroll %s", p.Site)
}

// signer makes credentials for requests to one Service, all in the same way (AEP-29).
type signer struct {
	protocol *Protocol
	in       *aep.Inspect
	agent    *Agent
	carrier  aep.Carrier
	granted  *aep.Credential // nil: an assertion for each request
}

// choose takes the first of the Service's ways that the agent can serve (AEP-28).
func (s *signer) choose(ctx context.Context) error {
	var failed error
	method, ok := s.in.Method(func(method string) bool {
		if method == "aep-jwt" {
			return true
		}
		c, ok, err := s.agent.Granted(ctx, aep.GrantType(method))
		if err != nil {
			failed = err
		}
		if ok {
			s.granted = &c
		}
		return ok
	})
	switch {
	case method == "aep-jwt", s.in.Methods == nil: // a challenge of the scheme takes an assertion, whatever is advertised
		s.granted = nil
		return nil
	case ok:
		return nil
	case failed != nil:
		return failed
	}
	e := fault.New(fault.Auth, "grant_required", "the Service takes credentials that it granted alone, and there is none that is good now")
	e.Details = map[string]any{"methods": s.in.Methods}
	return e.WithHint("agentctl aep grant %s %s", s.protocol.Site, firstGrant(s.in))
}

// firstGrant is a type that the Service both takes and grants.
func firstGrant(in *aep.Inspect) string {
	for _, method := range in.Methods {
		for _, kind := range in.GrantTypes {
			if method == kind {
				return kind
			}
		}
	}
	return "TYPE"
}

// credential makes one for a request: an assertion is good for that alone (AEP-15).
func (s *signer) credential(ctx context.Context, to *challenge.Request) (*challenge.Credential, error) {
	field, err := s.field(ctx, to.URL)
	if err != nil {
		return nil, err
	}
	if to.Holds(http.CanonicalHeaderKey(field.Name)) && s.granted != nil {
		return nil, fault.New(fault.Auth, "ambiguous_credentials", "the request has another credential in %s already", field.Name)
	}
	return &challenge.Credential{
		Fields: []fetch.Secret{{In: fetch.InHeader, Name: field.Name, Value: field.Value, TLS13: true}},
		Hint:   "agentctl aep status " + s.protocol.Site,
		Renew: func(ctx context.Context, to *challenge.Request) (*challenge.Credential, error) {
			clean := *to
			clean.Carried = nil // what is renewed is in it
			return s.credential(ctx, &clean)
		},
	}, nil
}

func (s *signer) field(ctx context.Context, url string) (aep.Field, error) {
	if s.granted != nil {
		return s.granted.Present(s.carrier, url, s.protocol.Now())
	}
	assertion, err := s.protocol.Client.Sign(ctx, s.in, s.agent.Signer, url)
	if err != nil {
		return aep.Field{}, err
	}
	return s.carrier.Present(assertion), nil
}
