package challenge

import (
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// shownParams are the parameters of Bearer that tell what is missing (RFC 6750, section 3). What is meant for people, such as a
// realm, is not repeated: it is nobody's word but the site's, and would ask people or agents for their credentials.
func shownParams() []string { return []string{"scope", "error"} }

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
			if value := c.Get(name); value != "" && strings.Trim(value, plainChars) == "" {
				facts[name] = value
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

// plainChars are those of scopes and codes that no sentence can be made of at length.
const plainChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _.:-"
