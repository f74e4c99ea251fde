package auth

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// Limits of what an error tells of the grants that there are.
const (
	maxToldGrants = 5
	maxToldScopes = 120 // bytes of the scopes of one grant
)

// grantRequired is the fault of a call that no grant covers (AA-8). Nothing was sent.
func grantRequired(scope, format string, args ...any) *fault.Error {
	e := fault.New(fault.Auth, "grant_required", format, args...)
	e.Sent = fault.SentNo
	if scope != "" {
		e.Details = map[string]any{"scope": scope}
	}
	return e
}

// noGrant says which scope is missing and what there is instead: first what has the scope and is out of its time.
func noGrant(account Account, scope string, grants []Grant, now time.Time) *fault.Error {
	wanted := "no grant for " + account.Site()
	if account.Profile != "" {
		wanted += " under the profile " + account.Profile
	}
	if scope == "" {
		wanted += " can be used"
	} else {
		wanted += fmt.Sprintf(" with the scope %q can be used", scope)
	}
	return grantRequired(scope, "%s: %s", wanted, told(scope, grants, now)).WithHint("%s", account.GrantHint())
}

func told(scope string, grants []Grant, now time.Time) string {
	if len(grants) == 0 {
		return "there is none"
	}
	grants = slices.Clone(grants)
	slices.SortStableFunc(grants, func(a, b Grant) int { return compareBool(!a.Covers(scope), !b.Covers(scope)) })
	var parts []string
	for i, g := range grants {
		if i == maxToldGrants {
			parts = append(parts, fmt.Sprintf("and %d more", len(grants)-i))
			break
		}
		parts = append(parts, g.ID+" has "+toldScopes(g.Scopes)+g.toldTime(now))
	}
	return strings.Join(parts, "; ")
}

// toldTime says why the grant is out of its time, if it is.
func (g Grant) toldTime(now time.Time) string {
	switch g.State(now) {
	case usable:
		return ""
	case "token_expired":
		return ", but expired at " + g.Expires.Format(time.RFC3339)
	}
	return ", but is valid only from " + g.NotBefore.Format(time.RFC3339)
}

func toldScopes(scopes []string) string {
	if len(scopes) == 0 {
		return "no scopes"
	}
	return fmt.Sprintf("%q", fault.Cut(strings.Join(scopes, " "), maxToldScopes))
}
