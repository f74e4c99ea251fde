package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest"
)

// Consequence says in a few words what a call does: "spends 9.0 credits", "deletes something". Nothing in it is free text
// of the site's: it can stand in a question.
func (f *Facts) Consequence() string {
	spends := "spends an amount that is not known"
	if price := f.price(); price.known {
		spends = "spends " + price.String()
	}
	switch {
	case f.Effect == manifest.Spend:
		return spends
	case f.costs():
		return spends + " and " + does(f.Effect)
	}
	return does(f.Effect)
}

func does(effect manifest.Effect) string {
	switch effect {
	case manifest.Delete:
		return "deletes something"
	case manifest.Send:
		return "sends something to others"
	case manifest.Read:
		return "reads"
	case manifest.Write:
		return "changes something"
	default:
		return "has an effect that agentctl does not know"
	}
}

// risks are the known values in order.
func risks() []string { return []string{"low", "medium", "high", "critical"} }

// riskLevel is the place of a risk in [risks], and -1 for what is unknown or not said.
func riskLevel(risk string) int {
	return slices.IndexFunc(risks(), func(known string) bool { return strings.EqualFold(known, risk) })
}

// mayCost reports whether a call can cost money: it says so, or nobody knows what it does.
func (f *Facts) mayCost() bool {
	switch f.Effect {
	case manifest.Read, manifest.Write, manifest.Send, manifest.Delete:
		return f.costs()
	default:
		return true
	}
}

// costs reports whether a price is named that is not nothing.
func (f *Facts) costs() bool {
	if f.Cost == nil {
		return false
	}
	if f.Cost.Amount == "" {
		return !free(f.Cost.Mode)
	}
	amount, ok := parseAmount(f.Cost.Amount)
	return !ok || !amount.IsZero()
}

// reasonToAsk tells why a call asks first where no rule is about it, or "" when it goes through (contract, section 5).
// What an unknown value means nobody knows: it asks.
func (f *Facts) reasonToAsk() string {
	switch {
	case f.Effect != manifest.Read && f.Effect != manifest.Write, f.costs():
		return "it " + f.Consequence()
	case f.Risk != "" && riskLevel(f.Risk) < 0:
		return "agentctl does not know its risk"
	case riskLevel(f.Risk) >= riskLevel("medium"):
		return fmt.Sprintf("its risk is %s", strings.ToLower(f.Risk))
	}
	switch strings.ToLower(f.Consent) {
	case "", "none", "implicit":
		return ""
	case "explicit", "step_up", "human_review":
		return "the site wants consent for it"
	}
	return "agentctl does not know the consent that it wants"
}

// AsksFirst reports whether the call asks where no rule is about it.
func (f *Facts) AsksFirst() bool { return f.reasonToAsk() != "" }

// Strong reports whether --yes is not enough: a person types the command, or a digest or a rule approves.
func (f *Facts) Strong() bool {
	return strings.EqualFold(f.Risk, "critical") || strings.EqualFold(f.Consent, "step_up")
}

// Audited reports whether the call belongs in the audit log: all but reading, and of that what is risky (contract, section
// 5; AM-9).
func (f *Facts) Audited() bool {
	return f.Effect != manifest.Read || f.costs() || f.Risk != "" && (riskLevel(f.Risk) < 0 || riskLevel(f.Risk) >= riskLevel("high"))
}
