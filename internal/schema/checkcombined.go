package schema

import "github.com/agentctl/agentctl/internal/schema/jsontree"

// combined judges by what applies to the value in place. Where all parts must hold they share the marks: if one fails,
// nobody looks at them.
func (c *check) combined(s *Schema, n *jsontree.Node, seen []bool) bool {
	ok := true
	for _, group := range [2][]*Schema{s.refs, s.all} {
		for _, part := range group {
			if !c.goesOn(ok) {
				return false
			}
			ok = c.schema(part, n, seen) && ok
		}
	}
	if s.any != nil && c.goesOn(ok) {
		ok = c.any(s.any, n, seen) && ok
	}
	if s.one != nil && c.goesOn(ok) {
		ok = c.one(s.one, n, seen) && ok
	}
	if s.not != nil && c.goesOn(ok) && c.holds(s.not, n, nil) {
		ok = c.fail(Failure{Keyword: "not"})
	}
	if s.when != nil && c.goesOn(ok) {
		ok = c.condition(s, n, seen) && ok
	}
	return ok
}

// fresh returns marks for a branch that may fail: nil where nobody asks.
func (c *check) fresh(seen []bool) []bool {
	if seen == nil {
		return nil
	}
	c.spend(len(seen) / 16)
	return make([]bool, len(seen))
}

// condition judges by "if", "then" and "else".
func (c *check) condition(s *Schema, n *jsontree.Node, seen []bool) bool {
	own := c.fresh(seen)
	branch := s.other
	if c.holds(s.when, n, own) {
		mark(seen, own)
		branch = s.then
	}
	return c.err == nil && (branch == nil || c.schema(branch, n, seen))
}

// branch judges by one of several alternatives, whose failures count only if all of them fail.
func (c *check) branch(s *Schema, n *jsontree.Node, seen []bool) (failures []Failure, ok bool) {
	outer, own := c.found, c.fresh(seen)
	c.found = nil
	if ok = c.schema(s, n, own); ok {
		mark(seen, own)
	}
	failures, c.found = c.found, outer
	return failures, ok
}

func (c *check) any(parts []*Schema, n *jsontree.Node, seen []bool) bool {
	told := c.told
	var branches [][]Failure
	matched := false
	for _, part := range parts {
		failures, ok := c.branch(part, n, seen)
		matched = matched || ok
		if matched && seen == nil || c.err != nil {
			break
		}
		if c.loud {
			branches = append(branches, failures)
		}
	}
	if matched {
		c.told = told
		return true
	}
	return c.none("anyOf", branches, told)
}

func (c *check) one(parts []*Schema, n *jsontree.Node, seen []bool) bool {
	told := c.told
	var branches [][]Failure
	match := -1
	for i, part := range parts {
		failures, ok := c.branch(part, n, seen)
		switch {
		case c.err != nil:
			return false
		case ok && match >= 0:
			c.told = told
			return c.fail(Failure{Keyword: "oneOf", Indices: [2]int{match, i}})
		case ok:
			match = i
		}
		if c.loud {
			branches = append(branches, failures)
		}
	}
	if match >= 0 {
		c.told = told
		return true
	}
	return c.none("oneOf", branches, told)
}

// none tells that no branch matches, and why unless that is too much.
func (c *check) none(keyword string, branches [][]Failure, told int) bool {
	if c.told >= maxFailures {
		c.told, branches = told, nil
	}
	return c.fail(Failure{Keyword: keyword, Branches: branches})
}
