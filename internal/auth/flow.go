package auth

import (
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// FindFlow finds in a site's schemes how a token is got by a grant, and the scopes that its actions ask for. Without a
// name there must be one scheme only that has the grant. An action may name a scheme again, with other scopes.
func FindFlow(schemes []manifest.Scheme, name, grant string) (flow manifest.OAuthFlow, scopes []string, err error) {
	var names []string
	for _, scheme := range schemes {
		if name != "" && scheme.Name != name {
			continue
		}
		at := slices.IndexFunc(scheme.Flows, func(f manifest.OAuthFlow) bool { return f.Grant == grant && usableFlow(f) })
		if at < 0 {
			continue
		}
		if flow = scheme.Flows[at]; !slices.Contains(names, scheme.Name) {
			names = append(names, scheme.Name)
		}
		for _, scope := range scheme.Scopes {
			if !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		}
	}
	switch {
	case len(names) == 0 && name != "":
		err = fault.New(fault.Usage, "unknown_scheme", "the site publishes no scheme %q that has %s", fault.Word(name), grant)
	case len(names) == 0:
		err = fault.New(fault.Usage, "unknown_scheme", "the site publishes no scheme that has %s", grant)
	case len(names) > 1:
		err = fault.New(fault.Usage, "ambiguous_scheme", "several schemes of the site have %s: %s", grant, fault.Word(strings.Join(names, ", "))).
			WithHint("say which with --scheme NAME")
	}
	return flow, scopes, err
}

func usableFlow(f manifest.OAuthFlow) bool {
	return f.TokenURL != "" && (f.Grant != DeviceGrant || f.DeviceURL != "")
}
