package policy

import (
	"fmt"
	"strings"
	"time"
)

// Verdict is what the rules say about a call, and why.
type Verdict struct {
	Decision Decision `json:"decision"`
	Rule     *Rule    `json:"rule,omitempty"` // the one that decides; nil when none does
	Why      string   `json:"why"`
	Steps    []Step   `json:"considered"` // the rules that are about such a call, in order
}

// Step is what one rule contributes.
type Step struct {
	Rule     int      `json:"rule"`
	Line     int      `json:"line"`
	Decision Decision `json:"decision,omitempty"` // "" when the rule leaves the call to others
	Why      string   `json:"why"`

	rule  *Rule
	limit fit
}

// fit is how a call stands to the limit of a rule.
type fit int

const (
	noLimit fit = iota
	within
	beyond
	elsewhere // the limit is in another currency
)

// Decide holds a call against the rules (contract, section 5). A rule that denies wins wherever it stands; among the others
// the first one decides. Where only limits in other currencies are about the call, none of them applies, and it asks.
// book is what was spent before; it may be nil when [Policy.Counts] reports false.
func (p *Policy) Decide(f *Facts, book *Book, now time.Time) Verdict {
	v := Verdict{Decision: Allow, Why: "it " + f.Consequence(), Steps: []Step{}}
	if reason := f.reasonToAsk(); reason != "" {
		v.Decision, v.Why = Ask, reason
	}
	var foreign *Step
	measured := false
	for _, rule := range p.Rules {
		if !rule.about(f) || rule.limited() && !f.mayCost() { // a limit is about calls that cost something
			continue
		}
		s := rule.judge(f, book, now)
		v.Steps = append(v.Steps, s)
		measured = measured || s.limit == within
		switch {
		case s.limit == elsewhere && foreign == nil && (v.Rule == nil || rule.Decision == Deny):
			foreign = &s
		case s.Decision == "" || v.Decision == Deny && v.Rule != nil:
		case v.Rule == nil || s.Decision == Deny:
			v.Decision, v.Rule, v.Why = s.Decision, s.rule, s.Why
		}
	}
	if v.Decision == Allow && foreign != nil && !measured {
		v.Decision, v.Rule, v.Why = Ask, foreign.rule, foreign.Why
	}
	return v
}

// judge tells what a rule that is about such a call makes of this one.
func (r *Rule) judge(f *Facts, book *Book, now time.Time) Step {
	s := Step{Rule: r.Number, Line: r.Line, Decision: r.Decision, Why: "it is about such calls", rule: r}
	if !r.limited() {
		return s
	}
	s.limit, s.Why = r.measure(f, book, now)
	switch {
	case s.limit == elsewhere, s.limit == within && r.Decision != Allow:
		s.Decision = ""
	case s.limit == beyond && r.Decision == Allow:
		s.Decision = Ask
	}
	return s
}

// measure holds the price of a call, with what was spent before, against the limit.
func (r *Rule) measure(f *Facts, book *Book, now time.Time) (fit, string) {
	price := f.price()
	limit := r.Max + " " + r.Currency
	switch {
	case price.currency != "" && !strings.EqualFold(price.currency, r.Currency):
		return elsewhere, fmt.Sprintf("its limit is in %s, and the call costs %s", r.Currency, price.currency)
	case !price.known:
		return beyond, "the amount is not known, so it does not fit the limit of " + limit
	}
	total, whole := price.amount, price.String()
	if r.Per != PerCall {
		spent := book.sum(r, r.Per.start(now))
		total = total.Add(spent)
		whole = fmt.Sprintf("%s with %s spent before", whole, spent)
	}
	limit += " a " + string(r.Per)
	if total.GreaterThan(r.max) {
		return beyond, whole + " is more than the limit of " + limit
	}
	return within, whole + " is within the limit of " + limit
}

// start is when the present period began, by the clock's own time zone.
func (p Period) start(now time.Time) time.Time {
	year, month, day := now.Date()
	if p == PerMonth {
		day = 1
	}
	start := time.Date(year, month, day, 0, 0, 0, 0, now.Location())
	if first := start.Add(-time.Hour); first.Day() == day { // the hour after midnight comes twice there, when summer time ends
		return first
	}
	return start
}

// Counts reports whether a decision about the call depends on what was spent before.
func (p *Policy) Counts(f *Facts) bool {
	for _, rule := range p.Rules {
		if rule.limited() && rule.Per != PerCall && f.mayCost() && rule.about(f) {
			return true
		}
	}
	return false
}

// Spent returns what was spent of a rule's limit in its present period, in the currency of the limit.
func (r *Rule) Spent(book *Book, now time.Time) (amount string, ok bool) {
	if !r.limited() || r.Per == PerCall {
		return "", false
	}
	return book.sum(r, r.Per.start(now)).String(), true
}
