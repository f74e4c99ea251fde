package schema

import (
	"math"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// value judges by "type", "enum" and "const".
func (c *check) value(s *Schema, n *jsontree.Node) bool {
	ok := true
	if s.types != AnyKind && !s.types.takes(n.Kind, n.Raw) {
		ok = c.fail(Failure{Keyword: "type", Kinds: s.types})
	}
	if s.enum == nil && s.constant == nil || !c.goesOn(ok) {
		return ok
	}
	c.buffer = appendCanonical(c.buffer[:0], n)
	if s.enum != nil {
		if !c.spend((len(c.buffer)+len(s.enum.nodes))/8) || !s.enum.contain(c.buffer) {
			ok = c.fail(Failure{Keyword: "enum", Values: s.enum.nodes})
		}
	}
	if s.constant != nil {
		if !c.spend(len(c.buffer)/8) || !s.constant.contain(c.buffer) {
			ok = c.fail(Failure{Keyword: "const", Values: s.constant.nodes})
		}
	}
	return ok
}

func (c *check) number(rules []numberRule, n *jsontree.Node) bool {
	if len(rules) == 0 {
		return true
	}
	value := parseDecimal(string(n.Raw))
	ok := true
	for _, rule := range rules {
		if !c.goesOn(ok) || !c.spend(rule.work(value)) {
			return false
		}
		if !rule.holds(value) {
			ok = c.fail(Failure{Keyword: rule.keyword, Text: rule.text})
		}
	}
	return ok
}

func (r numberRule) holds(value decimal) bool {
	switch order := value.compare(r.limit); r.keyword {
	case "minimum":
		return order >= 0
	case "maximum":
		return order <= 0
	case "exclusiveMinimum":
		return order > 0
	case "exclusiveMaximum":
		return order < 0
	}
	return value.multipleOf(r.limit)
}

// work is more than nothing for long numbers, and in a division for those that are long without their exponents.
func (r numberRule) work(value decimal) int {
	digits := len(value.digits)
	if r.keyword == "multipleOf" {
		digits += len(r.limit.digits) + max(value.exponent, -value.exponent) + max(r.limit.exponent, -r.limit.exponent)
	}
	return digits / 8
}

// counts judges a count by its limits.
func (c *check) counts(rules []countRule, count int) bool {
	ok := true
	for _, rule := range rules {
		if rule.most && count > rule.limit || !rule.most && count < rule.limit {
			ok = c.fail(Failure{Keyword: rule.keyword, Limit: rule.limit, Count: count})
		}
	}
	return ok
}

func (c *check) text(rules *textRules, n *jsontree.Node) bool {
	if rules.lengths == nil && rules.pattern == nil && rules.valid == nil {
		return true
	}
	if !c.spend(len(n.Raw) / 16) {
		return false
	}
	text := n.Text()
	ok := true
	if rules.lengths != nil {
		ok = c.counts(rules.lengths, utf8.RuneCountInString(text))
	}
	if rules.pattern != nil && c.goesOn(ok) && !c.match(rules.pattern, text) {
		ok = c.fail(Failure{Keyword: "pattern", Text: rules.pattern.text})
	}
	if rules.valid != nil && c.goesOn(ok) {
		if rules.format == "regex" && !c.spend(64*min(len(text), MaxPatternBytes)) { // compiling is slow
			return false
		}
		if !rules.valid(text) {
			ok = c.fail(Failure{Keyword: "format", Text: rules.format})
		}
	}
	return ok
}

// match looks for a pattern in a text. What takes too long ends the pass: that it does not match would be accepted under
// "not".
func (c *check) match(p *pattern, text string) bool {
	if work := 1 + int64(len(text))*int64(p.size)/8; !c.spend(int(min(work, math.MaxInt32))) {
		return false
	}
	if p.slow == nil {
		return p.linear().MatchString(text)
	}
	if !c.budget.slowSpent() {
		matched, err := p.slow.MatchString(text)
		if err == nil {
			return matched
		}
	}
	c.err = &SlowPatternError{p.text}
	return false
}
