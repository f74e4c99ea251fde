package input

import (
	"errors"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Values turns words into typed values and checks them completely. It reports all problems at once, in the order of
// the parameters; the values mean something only when there are none.
//
// The --input document comes first, positions and flags override its members, dotted flags single members of those. A
// value given in two ways is a problem, except that a list may be given item by item.
func (s *Set) Values(w Words) (*manifest.Values, []fault.Problem) {
	c := newCall(s, w)
	c.sort(w)
	c.budget = schema.NewBudget(c.size())
	values := &manifest.Values{}
	for i := range c.params {
		if value := c.param(i); value != nil {
			values.Set(c.params[i].Name, value)
		}
	}
	if s.whole != nil {
		c.checkWhole(values)
	}
	if c.budget.Spent() {
		return nil, []fault.Problem{{Keyword: "schema_too_complex", Message: "the arguments take too long to check against the site's schemas"}}
	}
	return values, c.sorted()
}

// size returns how many bytes were given in all.
func (c *call) size() int {
	size := 0
	for _, a := range c.arguments {
		size += len(a.base)
		for _, g := range a.texts {
			size += len(g.text)
		}
	}
	return size
}

// param returns the checked value of one parameter, or nil when it was not given or has problems.
func (c *call) param(i int) jsontext.Value {
	c.err = nil
	value := c.value(i)
	if c.set.whole == nil && !c.arguments[i].failed {
		c.check(i, value)
	}
	c.slow(c.params[i].Name, c.params[i].pointer(nil))
	if c.arguments[i].failed {
		return nil
	}
	return value
}

// check holds the value of a parameter, nil for none, against the parameter's own schema.
func (c *call) check(i int, value jsontext.Value) {
	p := &c.params[i]
	if value == nil {
		if p.Required && !c.unread {
			c.problem(fault.Problem{Param: p.Name, Pointer: p.pointer(nil), Keyword: "required", Message: "is required"})
		}
		return
	}
	var failures []schema.Failure
	if c.err == nil {
		failures, c.err = p.schema.Check(jsontree.Parse(value), c.budget)
	}
	for _, problem := range problemsOf(p.pointer(nil), leaves(failures)) {
		c.problem(problem)
	}
}

// slow makes a problem of a pattern that took too long.
func (c *call) slow(param, pointer string) {
	if slow, ok := errors.AsType[*schema.SlowPatternError](c.err); ok {
		c.problem(fault.Problem{Param: param, Pointer: pointer, Keyword: "pattern", Message: "takes too long to check against the pattern " + cut(slow.Pattern)})
	}
}

// value puts a parameter's value together: the --input member, what was given for the whole, what was given for parts.
func (c *call) value(i int) jsontext.Value {
	value, texts := c.arguments[i].base, c.arguments[i].texts
	if c.arguments[i].failed || len(texts) == 0 {
		return value
	}
	if len(texts) == 1 {
		return c.merge(i, value, texts)
	}
	for _, group := range byPath(texts) {
		value = c.merge(i, value, group)
	}
	return value
}

// merge reads what was given for the whole value or for one part of it, and puts it into the value so far.
func (c *call) merge(i int, value jsontext.Value, texts []given) jsontext.Value {
	p, path := &c.params[i], texts[0].path
	part, wrong := c.read(p.schema.At(path), texts)
	if wrong == nil && len(path) > 0 {
		part, wrong = place(value, p.schema, path, part)
	}
	if c.err != nil {
		return value
	}
	if wrong != nil {
		c.problem(fault.Problem{Param: p.Name, Pointer: p.pointer(path) + wrong.pointer, Keyword: wrong.keyword, Message: wrong.message})
		return value
	}
	return part
}

// byPath groups texts for the same part of a value, the whole first and inner parts later, so that these override.
func byPath(texts []given) [][]given {
	var groups [][]given
	index := map[string]int{}
	for _, g := range texts {
		key := jsontree.Pointer("", g.path...)
		i, ok := index[key]
		if !ok {
			i = len(groups)
			index[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], g)
	}
	slices.SortStableFunc(groups, func(a, b []given) int { return len(a[0].path) - len(b[0].path) })
	return groups
}

// place puts a part into a value, which may be nil, and returns the new value.
func place(value jsontext.Value, s *schema.Schema, path []string, part jsontext.Value) (jsontext.Value, *mismatch) {
	var root *jsontree.Node
	if value != nil {
		root = jsontree.Parse(value)
	}
	root, message := placed(root, s, path, jsontree.Parse(part))
	if message != "" {
		return nil, &mismatch{keyword: "type", message: message}
	}
	out := root.Value()
	if err := strictjson.Check(out); err != nil { // parts can be deep on their own
		return nil, &mismatch{keyword: "depth", message: err.Error()}
	}
	return out, nil
}

func placed(n *jsontree.Node, s *schema.Schema, path []string, part *jsontree.Node) (*jsontree.Node, string) {
	if len(path) == 0 {
		return part, ""
	}
	if n == nil {
		n = container(s)
	}
	token := path[0]
	switch n.Kind {
	case '{':
		member, message := placed(n.Member(token), s.At(path[:1]), path[1:], part)
		n.Set(token, member)
		return n, message
	case '[':
		index, err := strconv.Atoi(token)
		if err != nil || index < 0 || index > len(n.Items) {
			return n, "has no such item: items are numbered from 0 and given in order, without gaps"
		}
		if index == len(n.Items) {
			n.Items = append(n.Items, nil)
		}
		item, message := placed(n.Items[index], s.At(path[:1]), path[1:], part)
		n.Items[index] = item
		return n, message
	}
	return n, "is part of a value that has no members"
}

// container returns the empty value that a dotted flag starts from: null where the schema wants something without parts.
func container(s *schema.Schema) *jsontree.Node {
	switch k := s.Kinds(); {
	case k.Any(schema.ObjectKind):
		return &jsontree.Node{Kind: '{'}
	case k.Any(schema.ListKind):
		return &jsontree.Node{Kind: '['}
	}
	return jsontree.Null()
}
