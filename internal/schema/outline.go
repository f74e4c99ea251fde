package schema

import (
	"iter"
	"slices"
	"strconv"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Node returns the schema as published; nil for one put together from several.
func (s *Schema) Node() *jsontree.Node { return s.node }

// Kinds returns the types that a value may have. A schema that allows nothing is read like one that allows anything: the
// check then says what is wrong.
func (s *Schema) Kinds() Kinds {
	if s == nil || s.kinds == 0 {
		return AnyKind
	}
	return s.kinds
}

// Applying yields the schema and everything that applies to the same value, or may: through references, "allOf", "anyOf"
// and "oneOf", in this order.
func (s *Schema) Applying() iter.Seq[*Schema] {
	return func(yield func(*Schema) bool) { s.applying(yield) }
}

func (s *Schema) applying(yield func(*Schema) bool) bool {
	if s == nil {
		return true
	}
	if s.node != nil && !yield(s) {
		return false
	}
	for _, group := range [][]*Schema{s.refs, s.all, s.any, s.one} {
		for _, part := range group {
			if !part.applying(yield) {
				return false
			}
		}
	}
	return true
}

// Keyword returns the first value of a keyword in everything that applies; nil when there is none.
func (s *Schema) Keyword(name string) *jsontree.Node {
	for part := range s.Applying() {
		if n := part.node.Member(name); n != nil {
			return n
		}
	}
	return nil
}

// Properties returns what "properties" lists, in its order. What applies besides has its own.
func (s *Schema) Properties() []Property {
	if s.object == nil {
		return nil
	}
	return s.object.properties
}

// Requires reports whether "required" lists a member.
func (s *Schema) Requires(name string) bool {
	return s.object != nil && slices.Contains(s.object.required, name)
}

// Allowed returns the values of "enum", "const", or of branches that each have one; nil when there is no such limit.
func (s *Schema) Allowed() []*jsontree.Node {
	switch {
	case s == nil:
		return nil
	case s.constant != nil:
		return s.constant.nodes
	case s.enum != nil:
		return s.enum.nodes
	}
	for _, group := range [][]*Schema{s.refs, s.all} {
		for _, part := range group {
			if values := part.Allowed(); values != nil {
				return values
			}
		}
	}
	for _, group := range [][]*Schema{s.any, s.one} {
		if values := allowedByEach(group); values != nil {
			return values
		}
	}
	return nil
}

func allowedByEach(group []*Schema) []*jsontree.Node {
	var out []*jsontree.Node
	for _, part := range group {
		values := part.Allowed()
		switch {
		case values != nil:
			out = append(out, values...)
		case part.kinds == NullKind:
			out = append(out, jsontree.Null())
		default:
			return nil
		}
	}
	return out
}

// Member finds the schema of an object's member, through references and combinations. It is nil when nothing is said
// about a member of that name. Patterns of names are not looked at.
func (s *Schema) Member(name string) *Schema {
	return s.part(func(s *Schema) *Schema {
		if s.object == nil {
			return nil
		}
		if property := s.object.property(name); property != nil {
			return property
		}
		return s.object.additional
	})
}

// Item finds the schema of an array's element, as Member does.
func (s *Schema) Item(index int) *Schema {
	return s.part(func(s *Schema) *Schema {
		if s.list == nil {
			return nil
		}
		if index < len(s.list.prefix) {
			return s.list.prefix[index]
		}
		return s.list.items
	})
}

// At finds the schema that a path of members and item numbers leads to; nil when nothing is said about it.
func (s *Schema) At(path []string) *Schema {
	for _, token := range path {
		if s == nil {
			return nil
		}
		if index, err := strconv.Atoi(token); err == nil && !s.kinds.Any(ObjectKind) && index >= 0 {
			s = s.Item(index)
		} else {
			s = s.Member(token)
		}
	}
	return s
}

func (s *Schema) part(direct func(*Schema) *Schema) *Schema {
	if s == nil {
		return nil
	}
	parts := present(direct(s))
	for _, group := range [][]*Schema{s.refs, s.all} {
		for _, each := range group {
			parts = append(parts, present(each.part(direct))...)
		}
	}
	for _, group := range [][]*Schema{s.any, s.one} {
		var branches []*Schema
		for _, branch := range group {
			branches = append(branches, present(branch.part(direct))...)
		}
		parts = append(parts, present(join(branches, true))...)
	}
	return join(parts, false)
}

// join puts schemas together: as alternatives, or to apply all of them. It is nil when there are none, or when they are
// too many to look through: the check then says more.
func join(parts []*Schema, alternatives bool) *Schema {
	parts = distinct(parts)
	if len(parts) == 0 {
		return nil
	}
	if len(parts) == 1 {
		return parts[0]
	}
	s := &Schema{types: AnyKind, all: parts}
	if alternatives {
		s.all, s.any = nil, parts
	}
	if _, err := s.measure(); err != nil {
		return nil
	}
	return s
}

func present(s *Schema) []*Schema {
	if s == nil {
		return nil
	}
	return []*Schema{s}
}

// distinct drops repetitions, which recursive schemas would double with every step into the value.
func distinct(parts []*Schema) []*Schema {
	var out []*Schema
	for _, part := range parts {
		if !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}
