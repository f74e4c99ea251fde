package agentmanifest

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// declared is what a capability that fits the schema says of itself.
type declared struct {
	effect          manifest.Effect
	risk            string
	consent         string // the strictest that is said (AM-9)
	requiresConsent bool
	authentication  bool // required
	idempotent      bool
	stateChange     bool
	bindings        []Binding // the best first, those that cannot be used last
}

// read reads a capability. from is where its manifest was found.
func read(n *jsontree.Node, from *url.URL) declared {
	d := declared{
		risk:            n.Member("risk").Text(),
		requiresConsent: isTrue(n.Member("requiresConsent")),
		authentication:  isTrue(n.Member("requiresAuthentication")),
		idempotent:      isTrue(n.Member("enforcement").Member("idempotency")),
		stateChange:     isTrue(n.Member("stateChange")),
	}
	d.effect = effect(d.stateChange, n.Member("type").Text())
	d.consent = n.Member("consentMode").Text()
	if d.requiresConsent || d.risk != "low" {
		d.consent = atLeastExplicit(d.consent)
	}
	for _, binding := range n.Member("bindings").Items {
		d.bindings = append(d.bindings, d.readBinding(binding, from))
	}
	slices.SortStableFunc(d.bindings, func(a, b Binding) int {
		return cmp.Or(last(a.Unsupported != "", b.Unsupported != ""), last(a.FallbackOnly, b.FallbackOnly), cmp.Compare(a.Priority, b.Priority))
	})
	return d
}

// last orders what holds behind what does not.
func last(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// effect is what a capability does to the world (AM-9).
func effect(stateChange bool, kind string) manifest.Effect {
	switch {
	case !stateChange:
		return manifest.Read
	case kind == "transaction":
		return manifest.Spend
	case kind == "conversation":
		return manifest.Send
	}
	return manifest.Write
}

func atLeastExplicit(consent string) string {
	if consent == "none" || consent == "implicit" {
		return "explicit"
	}
	return consent
}

// asks returns the consent that a call by a binding needs. A change asks where the manifest speaks for another site (AM-5)
// or where it goes to another origin (AM-4).
func (d *declared) asks(b *Binding, claims string) string {
	if d.effect != manifest.Read && (claims != "" || b.CrossOrigin) {
		return atLeastExplicit(d.consent)
	}
	return d.consent
}

// choose returns the binding to take (AM-14): the best one that can be used, or the best one of a kind. Its error tells of
// each why not.
func (d *declared) choose(kind string) (*Binding, *fault.Error) {
	var reasons, kinds []string
	for i := range d.bindings {
		b := &d.bindings[i]
		if !slices.Contains(kinds, b.Kind) {
			kinds = append(kinds, b.Kind)
		}
		switch {
		case kind != "" && kind != b.Kind:
		case b.Unsupported == "":
			return b, nil
		case len(reasons) < maxReasons:
			reasons = append(reasons, fault.Word(b.Kind)+": "+b.Unsupported)
		}
	}
	if len(reasons) == 0 {
		kinds = kinds[:min(len(kinds), maxReasons)]
		return nil, fault.New(fault.Usage, "binding_unknown", "it has no binding of the kind %q, only %s", fault.Word(kind), fault.Cut(strings.Join(kinds, ", "), maxList))
	}
	return nil, fault.New(fault.Manifest, "binding_unsupported", "no binding can be used: %s", strings.Join(reasons, "; "))
}

// What an error repeats of bindings.
const (
	maxReasons = 5
	maxList    = 200 // bytes
)
