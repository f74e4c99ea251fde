package input

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Values turns words into typed values and checks them completely. It reports all problems at once, in the order of
// the parameters; the values mean something only when there are none.
//
// The --input document comes first, positions and flags override its members, dotted flags single members of those. A
// value given in two ways is a problem, except that a list may be given item by item.
func (s *Set) Values(w Words) (*manifest.Values, []fault.Problem) { return s.values(w, patience) }

func (s *Set) values(w Words, limit time.Duration) (*manifest.Values, []fault.Problem) {
	c := newCall(s, w)
	c.sort(w)
	if !s.guarded {
		values := c.check()
		return values, s.sort(c.problems)
	}
	values, ok := guard(limit+c.patience(), c.check)
	if !ok {
		return nil, []fault.Problem{{Keyword: "schema_too_complex", Message: "the arguments take too long to check against the site's schemas"}}
	}
	return values, s.sort(c.problems)
}

// check types and validates everything that was given. It may run guarded, so it must not wait for anything.
func (c *call) check() *manifest.Values {
	values := &manifest.Values{}
	for i := range c.set.params {
		if value := c.param(i); value != nil {
			values.Set(c.set.params[i].Name, value)
		}
	}
	return values
}

// param returns the checked value of one parameter, or nil when it was not given or has problems.
func (c *call) param(i int) (value jsontext.Value) {
	p := &c.set.params[i]
	defer recoverSlow(func(pattern string) {
		value = nil
		c.problem(fault.Problem{Param: p.Name, Pointer: p.pointer(nil), Keyword: "pattern", Message: "takes too long to check against the pattern " + cut(pattern)})
	})
	value = c.read(i)
	switch {
	case c.arguments[i].failed:
		return nil
	case value == nil && p.Required && !c.unread:
		c.problem(fault.Problem{Param: p.Name, Pointer: p.pointer(nil), Keyword: "required", Message: "is required"})
		return nil
	case value == nil:
		return nil
	}
	err := p.outline.validator.Validate(decode(value))
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		for _, problem := range problemsOf(p.Name, invalid) {
			c.problem(problem)
		}
		return nil
	}
	return value
}

// read puts a parameter's value together: the --input member, what was given for the whole, what was given for parts.
func (c *call) read(i int) jsontext.Value {
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
	p, path := &c.set.params[i], texts[0].path
	part, wrong := read(p.outline.at(path), texts)
	if wrong == nil && len(path) > 0 {
		part, wrong = place(value, p.outline, path, part)
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
		key := pointerOf(g.path)
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
func place(value jsontext.Value, s *schema, path []string, part jsontext.Value) (jsontext.Value, *mismatch) {
	var root *tree
	if value != nil {
		root = parseTree(value)
	}
	root, message := root.place(s, path, parseTree(part))
	if message != "" {
		return nil, &mismatch{keyword: "type", message: message}
	}
	out := root.value()
	if err := strictjson.Check(out); err != nil { // parts can be deep on their own
		return nil, &mismatch{keyword: "depth", message: err.Error()}
	}
	return out, nil
}

func (t *tree) place(s *schema, path []string, part *tree) (*tree, string) {
	if len(path) == 0 {
		return part, ""
	}
	if t == nil {
		t = s.container()
	}
	token := path[0]
	switch t.kind {
	case '{':
		member, message := t.member(token).place(s.at(path[:1]), path[1:], part)
		t.set(token, member)
		return t, message
	case '[':
		index, err := strconv.Atoi(token)
		if err != nil || index < 0 || index > len(t.items) {
			return t, "has no such item: items are numbered from 0 and given in order, without gaps"
		}
		if index == len(t.items) {
			t.items = append(t.items, nil)
		}
		item, message := t.items[index].place(s.at(path[:1]), path[1:], part)
		t.items[index] = item
		return t, message
	}
	return t, "is part of a value that has no members"
}

// container returns the empty value that a dotted flag starts from: null where the schema wants something without parts.
func (s *schema) container() *tree {
	switch k := s.typed(); {
	case k.any(objectKind):
		return newObject()
	case k.any(listKind):
		return &tree{kind: '['}
	}
	return &tree{kind: 'n', scalar: jsontext.Value("null")}
}

// decode returns a value that passed strictjson in the types that the validator wants.
func decode(value jsontext.Value) any {
	if kind := value.Kind(); kind != '{' && kind != '[' {
		return decodeScalar(value)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil { // cannot be after strictjson.Check
		return nil
	}
	return out
}
