package policy

import (
	"path"
	"strings"

	"github.com/shopspring/decimal"
)

// Decision is what is to happen with a call.
type Decision string

// The decisions of the contract, section 5.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// Period is what a limit is for.
type Period string

// The periods of the contract, section 5. Days and months are those of the local clock.
const (
	PerCall  Period = "call"
	PerDay   Period = "day"
	PerMonth Period = "month"
)

// Rule is one [[rule]] of policy.toml. Members that were not given are empty, and match everything.
type Rule struct {
	Number   int      `json:"rule"` // its place among the rules, from 1
	Line     int      `json:"line"` // of its header in the file
	Site     string   `json:"site,omitempty"`
	Action   string   `json:"action,omitempty"`
	Effect   string   `json:"effect,omitempty"`
	Risk     string   `json:"risk,omitempty"`
	Max      string   `json:"max_amount,omitempty"`
	Currency string   `json:"currency,omitempty"`
	Per      Period   `json:"per,omitempty"` // set where Max is
	Decision Decision `json:"decision"`

	site sitePattern
	max  decimal.Decimal
}

// limited reports whether the rule has a limit.
func (r *Rule) limited() bool { return r.Max != "" }

// about reports whether the rule is about such a call, whatever it costs. In a rule that allows, a risk is the highest
// that it lets through; in one that asks or denies it is the lowest that it stops.
func (r *Rule) about(f *Facts) bool {
	return (r.Site == "" || r.site.matches(f.Site, r.Decision != Allow)) &&
		(r.Action == "" || matchesCommand(strings.Fields(r.Action), f.Command)) &&
		(r.Effect == "" || r.Effect == string(f.Effect)) &&
		(r.Risk == "" || r.aboutRisk(f.Risk)) &&
		(r.Currency == "" || r.limited() || strings.EqualFold(r.Currency, f.price().currency))
}

func (r *Rule) aboutRisk(risk string) bool {
	level, bound := riskLevel(risk), riskLevel(r.Risk)
	switch {
	case risk == "":
		return false
	case r.Decision == Allow:
		return level >= 0 && level <= bound
	}
	return level < 0 || level >= bound
}

// matchesCommand matches words of a command. A "*" stands for any part of one word; as a word of its own at the end, for
// one word or more.
func matchesCommand(pattern, command []string) bool {
	for i, word := range pattern {
		if i >= len(command) {
			return false
		}
		if word == "*" && i == len(pattern)-1 {
			return true
		}
		if ok, err := path.Match(word, command[i]); err != nil || !ok { // patterns have no other wildcard: see the loader
			return false
		}
	}
	return len(pattern) == len(command)
}

// sitePattern is the site of a rule, taken apart.
type sitePattern struct {
	any    bool
	origin string // exactly this one
	host   string // or a host with its port, if one is named
	suffix string // or every host below: ".example"; port as in host
	port   string
}

// matches reports whether a site is meant. A rule that stops calls and names no port is about all ports of the host.
func (p sitePattern) matches(origin string, anyPort bool) bool {
	if p.any || p.origin != "" {
		return p.any || p.origin == origin
	}
	_, host, _ := strings.Cut(origin, "://")
	host, port := splitPort(host)
	if port != p.port && (!anyPort || p.port != "") {
		return false
	}
	return p.host == host || p.suffix != "" && strings.HasSuffix(host, p.suffix)
}

// splitPort takes a port off a host; an IPv6 address is in brackets.
func splitPort(hostPort string) (host, port string) {
	if i := strings.LastIndexByte(hostPort, ':'); i >= 0 && !strings.HasSuffix(hostPort, "]") {
		return hostPort[:i], hostPort[i+1:]
	}
	return hostPort, ""
}
