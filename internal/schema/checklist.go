package schema

import "github.com/agentctl/agentctl/internal/schema/jsontree"

func (c *check) list(rules *listRules, n *jsontree.Node, seen []bool) bool {
	ok := c.counts(rules.counts, len(n.Items))
	if rules.unique && c.goesOn(ok) {
		ok = c.unique(n) && ok
	}
	if c.goesOn(ok) {
		ok = c.items(rules, n, seen) && ok
	}
	if rules.contains != nil && c.goesOn(ok) {
		ok = c.contains(rules, n, seen) && ok
	}
	return ok
}

// unique compares canonical forms, so that its time is not quadratic.
func (c *check) unique(n *jsontree.Node) bool {
	if len(n.Items) < 2 {
		return true
	}
	first := make(map[string]int, len(n.Items))
	for i, item := range n.Items {
		c.buffer = appendCanonical(c.buffer[:0], item)
		if !c.spend(1 + len(c.buffer)/8) {
			return false
		}
		if j, twice := first[string(c.buffer)]; twice {
			return c.fail(Failure{Keyword: "uniqueItems", Indices: [2]int{j, i}})
		}
		first[string(c.buffer)] = i
	}
	return true
}

func (c *check) items(rules *listRules, n *jsontree.Node, seen []bool) bool {
	ok := true
	for i := range n.Items {
		s := rules.items
		if i < len(rules.prefix) {
			s = rules.prefix[i]
		} else if rules.closed {
			return c.fail(Failure{Keyword: "additionalItems", Count: len(n.Items) - i})
		}
		if s == nil {
			return ok
		}
		if ok = c.item(s, n, i) && ok; !c.goesOn(ok) {
			return false
		}
		markOne(seen, i)
	}
	return ok
}

func markOne(seen []bool, i int) {
	if seen != nil {
		seen[i] = true
	}
}

func (c *check) contains(rules *listRules, n *jsontree.Node, seen []bool) bool {
	matches := 0
	for i, item := range n.Items {
		if c.holds(rules.contains, item, nil) {
			matches++
			if rules.marks {
				markOne(seen, i)
			}
		}
	}
	return c.counts(rules.matches, matches)
}
