package challenge

import (
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// shownParams are the parameters of Bearer and Basic that tell something (RFC 6750, section 3; RFC 7617, section 2). What
// others mean is not known, so they are not repeated.
func shownParams() []string {
	return []string{"realm", "scope", "error", "error_description", "resource_metadata"}
}

// Others are the challenges of an answer whose schemes are not known to any protocol, such as Bearer and Basic: a credential
// that was configured answers them (BR-1, BR-2). known holds names of schemes in lower case.
func Others(a *Answer, known map[string]bool) []Seen {
	var seen []Seen
	for _, c := range a.Challenges {
		scheme := strings.ToLower(c.Scheme)
		if known[scheme] {
			continue
		}
		facts := map[string]any{}
		for _, name := range shownParams() {
			if value := c.Get(name); value != "" {
				facts[name] = fault.Cut(value, maxShown)
			}
		}
		s := Seen{Protocol: fault.Word(scheme)}
		if a.Status == http.StatusUnauthorized {
			s.Step = SignIn
		}
		if len(facts) > 0 {
			s.Offers = []map[string]any{facts}
		}
		seen = append(seen, s)
	}
	return seen
}

// maxShown is the most of one value from a challenge that is repeated.
const maxShown = 256 // bytes
