package aep

import (
	"net/url"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// Scheme is the name of the authentication scheme.
const Scheme = "AEP"

// maxURLBytes is the longest URL that a Service may have us ask.
const maxURLBytes = 2048

// Param is a parameter of a challenge, in the order of the field; the value is unescaped.
type Param struct{ Name, Value string }

// Challenge is a site's answer that it wants to know who asks (AEP-1).
type Challenge struct {
	ServiceDID string // "" when the challenge, or the person who named an origin, does not tell
	Inspect    string // URL of the Inspect document; "" when the challenge leads nowhere
	Reason     string // the site's own word, such as "authentication_required"
}

// ParseChallenge reads a challenge of the scheme AEP. One that lacks a discovery parameter is returned, but leads
// nowhere: see [Challenge.Leads]. Its fault has code "challenge_invalid".
func ParseChallenge(scheme string, params []Param) (Challenge, error) {
	if !strings.EqualFold(scheme, Scheme) {
		return Challenge{}, badChallenge("its scheme is %q", fault.Word(scheme))
	}
	var c Challenge
	seen := map[string]bool{}
	for _, p := range params {
		name := strings.ToLower(p.Name)
		if seen[name] {
			return Challenge{}, badChallenge("the parameter %q comes twice", fault.Word(p.Name))
		}
		seen[name] = true
		switch name {
		case "service_did":
			c.ServiceDID = p.Value
		case "inspect":
			c.Inspect = p.Value
		case "reason":
			c.Reason = p.Value
		}
	}
	if c.Inspect == "" {
		return c, nil
	}
	if _, err := parseHTTPS(c.Inspect); err != nil {
		return Challenge{}, badChallenge("its Inspect document is at %q, which %s", fault.Word(c.Inspect), err)
	}
	return c, nil
}

// At is the challenge that a site might have sent: for a person who names an origin, such as "https://shop.example" (AEP-2).
func At(origin string) Challenge { return Challenge{Inspect: origin + "/.well-known/aep"} }

// Leads reports whether the challenge tells where to go on. Without both discovery parameters it starts nothing (AEP-1).
func (c Challenge) Leads() bool { return c.ServiceDID != "" && c.Inspect != "" }

func badChallenge(format string, args ...any) *fault.Error {
	return fault.New(fault.Auth, "challenge_invalid", "the site's AEP challenge is not valid: "+format, args...)
}

type urlError string

func (e urlError) Error() string { return string(e) }

// parseHTTPS reads an absolute https URL without user information and fragment.
func parseHTTPS(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURLBytes:
		return nil, urlError("is longer than 2 KiB")
	case err != nil || u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "":
		return nil, urlError("is no absolute https URL")
	case u.User != nil:
		return nil, urlError("has a user name")
	case u.Fragment != "" || strings.Contains(text, "#"):
		return nil, urlError("has a fragment")
	}
	return u, nil
}

// originOf returns the origin of an https URL in canonical form: what [DID.Origin] is compared with.
func originOf(u *url.URL) string {
	return "https://" + strings.TrimSuffix(strings.ToLower(u.Host), ":443")
}
