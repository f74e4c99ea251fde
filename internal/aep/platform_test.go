package aep_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/fault"
)

// AEP-36: what a platform signs is looked at before anybody gets it.
func TestAPlatformThatSignsSomethingElse(t *testing.T) {
	for name, c := range map[string]struct {
		change func(a *aep.Assertion)
		answer func(string) string
	}{
		"for another service": {change: func(a *aep.Assertion) { a.Service = did(t, "did:web:evil.example") }},
		"under another id":    {change: func(a *aep.Assertion) { a.ID = "y" }},
		"for another command": {change: func(a *aep.Assertion) { a.Op = aep.OpRevoke }},
		"and says so":         {answer: func(s string) string { return strings.Replace(s, `"jti":"x"`, `"jti":"y"`, 1) }},
		"and names another": {answer: func(s string) string {
			return strings.Replace(s, `"agent_did":"did:web:p`, `"agent_did":"did:web:q`, 1)
		}},
		"and calls it done": {answer: func(s string) string { return strings.Replace(s, `"completed"`, `"pending"`, 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHosting(t)
			s, key := h.signer(t)
			a := aep.Assertion{Agent: s.DID(), Service: h.in.Service, Op: aep.OpStatus, ID: "x", Issued: h.now, Expires: h.now.Add(time.Minute)}
			signed := a
			if c.change != nil {
				c.change(&signed)
			}
			answer := completed(t, signed, key)
			if c.change != nil { // what it says of it is as asked; only the assertion is not
				answer = strings.NewReplacer(
					fmt.Sprintf("%q", signed.Service), fmt.Sprintf("%q", a.Service), fmt.Sprintf(`"jti":%q`, signed.ID), `"jti":"x"`,
				).Replace(answer)
			}
			if c.answer != nil {
				answer = c.answer(answer)
			}
			h.reply(http.StatusOK, answer)
			_, err := s.Sign(t.Context(), a)
			wantFault(t, err, fault.Rejected, "answer_invalid")
		})
	}
}
