package index

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// FromManifests makes what the index keeps of all that an origin publishes. The manifests are in the order of precedence
// (contract, section 1): the first one names the site, and where two publish one command, it is the first one's.
func FromManifests(origin string, manifests []*manifest.Site, sum string, seen time.Time) Site {
	s := Site{Origin: origin, Sum: sum, Seen: seen.UTC(), Actions: []Action{}}
	taken := map[string]bool{}
	for _, m := range manifests {
		s.Name, s.Description = cmp.Or(s.Name, m.Name), cmp.Or(s.Description, m.Description)
		s.Formats = append(s.Formats, m.Format)
		for i := range m.Actions {
			a := &m.Actions[i]
			key := strings.Join(a.Command, " ")
			if m.FoldNames { // AA-3
				key = strings.ReplaceAll(key, "_", "-")
			}
			if taken[key] {
				continue
			}
			taken[key] = true
			s.Actions = append(s.Actions, fromSummary(m.Format, a))
		}
	}
	return s.Bounded()
}

func fromSummary(format string, a *manifest.Summary) Action {
	return Action{
		Command: slices.Clone(a.Command), Format: format, Description: a.Description, Effect: a.Effect,
		Cost: costText(a), Scope: a.Scope, Params: paramNames(a), Unusable: a.Issue != nil,
	}
}

// costText says for people what a call costs, as far as the manifest tells.
func costText(a *manifest.Summary) string {
	switch c := a.Cost; {
	case c == nil:
		return a.Payment
	case c.Amount != "":
		return strings.TrimSpace(c.Amount + " " + c.Currency)
	case c.Field != "":
		return strings.TrimSpace("as in --" + c.Field + " " + c.Currency)
	default:
		return strings.TrimSpace(cmp.Or(c.Mode, a.Payment) + " " + c.Currency)
	}
}

// paramNames are those that the index itself tells: the properties of an input schema (AA-3), and the placeholders of an
// address.
func paramNames(a *manifest.Summary) []string {
	names := placeholders(a.Endpoint)
	if input, ok := strictjson.Member(a.Definition, "input"); ok {
		if properties, ok := strictjson.Member(input, "properties"); ok {
			for name := range strictjson.Members(properties) {
				if !slices.Contains(names, name) && len(names) < MaxParams {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// placeholders returns the names between braces in a template such as "/orders/{id}{?limit,page}". They are words to
// search for; the templates of the formats differ, and none needs to be understood here.
func placeholders(template string) []string {
	var names []string
	for len(names) < MaxParams {
		_, rest, ok := strings.Cut(template, "{")
		inside, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			break
		}
		template = after
		for _, name := range strings.FieldsFunc(inside, func(r rune) bool { return !isNameRune(r) }) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func isNameRune(r rune) bool {
	return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
