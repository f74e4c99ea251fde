package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Validate returns all that is wrong with a value, up to 1,000 failures; nothing when it is valid. Its error is
// [ErrTooMuchWork] or a [*SlowPatternError]; then nothing is known about the value.
func (s *Schema) Validate(value jsontext.Value) ([]Failure, error) {
	return s.Check(jsontree.Parse(value), NewBudget(len(value)))
}

// Check is [Schema.Validate] for those who have the value as a tree, and several checks on one budget.
func (s *Schema) Check(n *jsontree.Node, budget *Budget) ([]Failure, error) {
	valid, err := s.Accepts(n, budget)
	if valid || err != nil {
		return nil, err
	}
	c := &check{budget: budget, loud: true} // most values are valid, so words are only looked for now
	if c.schema(s, n, nil); c.err != nil {
		return nil, c.err
	}
	return c.found, nil
}

// Accepts reports whether a value is valid. Its error is that of [Schema.Validate].
func (s *Schema) Accepts(n *jsontree.Node, budget *Budget) (bool, error) {
	if s == nil {
		return true, nil
	}
	c := check{budget: budget}
	valid := c.schema(s, n, nil)
	return valid && c.err == nil, c.err
}

// check is one pass over a value. Each of its methods below reports whether the value keeps to a rule.
//
// A quiet pass stops at the first failure, a loud one finds all of them. Where somebody asks which items of a value were
// evaluated ("unevaluatedItems", "unevaluatedProperties"), seen has a mark for each of them, otherwise it is nil.
type check struct {
	budget *Budget
	err    error // ends the pass: everything fails from here on
	loud   bool
	found  []Failure // by a loud pass
	told   int       // failures in found, and in those set aside for branches
	path   []step    // of a loud pass
	buffer []byte    // for canonical forms
}

// spend takes steps from the budget. False ends the pass.
func (c *check) spend(steps int) bool {
	if c.err != nil {
		return false
	}
	c.budget.steps -= int64(steps)
	if c.budget.steps < 0 {
		c.err = ErrTooMuchWork
	}
	return c.err == nil
}

// goesOn reports whether to look at the next rule.
func (c *check) goesOn(ok bool) bool { return (ok || c.loud) && c.err == nil }

// fail tells of a failure, if this is a loud pass. It returns false.
func (c *check) fail(f Failure) bool {
	if c.loud && c.told < maxFailures && c.err == nil {
		f.Pointer = pointerOf(c.path)
		c.found = append(c.found, f)
		c.told++
	}
	return false
}

// schema judges a value by a schema.
func (c *check) schema(s *Schema, n *jsontree.Node, seen []bool) bool {
	switch {
	case !c.spend(1):
		return false
	case s.never:
		return c.fail(Failure{Keyword: "false"})
	}
	rest := s.rest(n)
	if rest == nil {
		return c.rules(s, n, seen)
	}
	own := make([]bool, len(n.Items)) // marks that others left are of no concern to this schema
	if !c.rules(s, n, own) || !c.unevaluated(rest, n, own) {
		return false
	}
	mark(seen, own)
	return true
}

// rest returns the schema of items that no other keyword evaluates.
func (s *Schema) rest(n *jsontree.Node) *Schema {
	switch {
	case n.Kind == '{' && s.object != nil:
		return s.object.unevaluated
	case n.Kind == '[' && s.list != nil:
		return s.list.unevaluated
	}
	return nil
}

func (c *check) unevaluated(rest *Schema, n *jsontree.Node, own []bool) bool {
	ok := c.spend(len(own) / 8)
	for i := range own {
		if !c.goesOn(ok) {
			return false
		}
		if !own[i] {
			ok = c.item(rest, n, i) && ok
			own[i] = true
		}
	}
	return ok
}

// mark adds the marks of an inner schema that holds.
func mark(seen, inner []bool) {
	for i := range seen {
		seen[i] = seen[i] || inner[i]
	}
}

// item judges one item of an array or an object.
func (c *check) item(s *Schema, n *jsontree.Node, i int) bool {
	if !c.loud {
		return c.schema(s, n.Items[i], nil)
	}
	next := step{index: i}
	if n.Kind == '{' {
		next = step{name: n.Names[i], index: -1}
	}
	c.path = append(c.path, next)
	ok := c.schema(s, n.Items[i], nil)
	c.path = c.path[:len(c.path)-1]
	return ok
}

// holds judges without a word about failures.
func (c *check) holds(s *Schema, n *jsontree.Node, seen []bool) bool {
	loud := c.loud
	c.loud = false
	ok := c.schema(s, n, seen)
	c.loud = loud
	return ok
}

// rules judges by everything but what is left unevaluated.
func (c *check) rules(s *Schema, n *jsontree.Node, seen []bool) bool {
	ok := c.value(s, n)
	if c.goesOn(ok) {
		switch {
		case n.Kind == '0':
			ok = c.number(s.numbers, n) && ok
		case n.Kind == '"':
			ok = c.text(&s.texts, n) && ok
		case n.Kind == '[' && s.list != nil:
			ok = c.list(s.list, n, seen) && ok
		case n.Kind == '{' && s.object != nil:
			ok = c.object(s.object, n, seen) && ok
		}
	}
	if c.goesOn(ok) {
		ok = c.combined(s, n, seen) && ok
	}
	return ok
}
