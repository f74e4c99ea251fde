package sqlite

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/agentctl/agentctl/internal/index/terms"
)

// How many terms of each text count. They bound what a hostile site makes us store and compare; whole sentences of honest
// ones fit.
const (
	maxCommandTerms     = 32
	maxDescriptionTerms = 80
	maxParamTerms       = 80
	maxSiteTerms        = 40 // they are stored with every action of the site
)

// actionText is what of an action is searched, as the table of actions has it.
type actionText struct {
	command     string
	description string
	params      string // JSON
	effect      string
}

func (a *actionText) commandTerms() []string     { return terms.Of(a.command, maxCommandTerms) }
func (a *actionText) descriptionTerms() []string { return terms.Of(a.description, maxDescriptionTerms) }

func (a *actionText) paramTerms() []string {
	var names []string
	_ = json.Unmarshal([]byte(a.params), &names) // we wrote it; a damaged one has no names
	return terms.Of(strings.Join(names, " "), maxParamTerms)
}

// effectTerm is one term whatever the site calls its effect.
func (a *actionText) effectTerm() string { return effectTerm(a.effect) }

func effectTerm(effect string) string { return strings.Join(terms.Words(effect, maxCommandTerms), "") }

// siteText is what of a site is searched with each of its actions.
type siteText struct{ origin, name, description string }

func (s siteText) terms() string { return join(s.list()) }

func (s siteText) list() []string {
	host := s.origin
	if u, err := url.Parse(s.origin); err == nil {
		host = u.Hostname()
	}
	return terms.Of(s.name+" "+host+" "+s.description, maxSiteTerms)
}

func join(list []string) string { return strings.Join(list, " ") }
