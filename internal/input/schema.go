package input

import (
	"iter"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is the outline of one JSON Schema: what is needed to turn words into typed values and to tell a person about
// them. Whether a value is right is the validator's business, not the outline's.
type schema struct {
	tree     *tree   // the schema itself; nil for one put together by all or either
	pointer  string  // where it stands in the parameter's schema
	declared kinds   // what "type", "enum" and "const" allow
	kinds    kinds   // declared, narrowed by everything that applies in place
	values   []*tree // of "enum" or "const"; nil when there is neither

	all        []*schema   // "allOf" and the targets of references: each applies to the same value
	either     [][]*schema // "anyOf" and "oneOf": of each group at least one applies
	inPlace    []*schema   // "not", "if", "dependentSchemas", …: evaluated on the same value, but of no use for typing
	elsewhere  []*schema   // evaluated on parts of the value: vetted, otherwise of no use
	properties []property
	additional *schema // nil when absent
	prefix     []*schema
	items      *schema // nil when absent

	validator *jsonschema.Schema // set where a reading has to be tried: see [prepare]
	cost      int                // evaluations on one value; 0: not counted yet, -1: being counted
}

type property struct {
	name   string
	schema *schema
}

// parts yields every schema that stands directly in this one or is referred to by it.
func (s *schema) parts() iter.Seq[*schema] {
	return func(yield func(*schema) bool) {
		groups := append([][]*schema{s.all, s.inPlace, s.elsewhere, s.prefix, {s.additional, s.items}}, s.either...)
		for _, part := range slices.Concat(groups...) {
			if part != nil && !yield(part) {
				return
			}
		}
		for _, p := range s.properties {
			if !yield(p.schema) {
				return
			}
		}
	}
}

// allOf joins schemas that all apply to one value; nil when there are none.
func allOf(parts []*schema) *schema {
	if len(parts) < 2 {
		return first(parts)
	}
	s := &schema{declared: anyKind, all: parts}
	s.narrow()
	return s
}

// eitherOf joins schemas of which one applies to a value; nil when there are none.
func eitherOf(parts []*schema) *schema {
	if len(parts) < 2 {
		return first(parts)
	}
	s := &schema{declared: anyKind, either: [][]*schema{parts}}
	s.narrow()
	return s
}

func first(parts []*schema) *schema {
	if len(parts) == 0 {
		return nil
	}
	return parts[0]
}

// narrow sets kinds from what is declared here and in everything that applies in place. Those must be narrowed already.
func (s *schema) narrow() {
	s.kinds = s.declared
	for _, part := range s.all {
		s.kinds &= part.kinds
	}
	for _, group := range s.either {
		var union kinds
		for _, part := range group {
			union |= part.kinds
		}
		s.kinds &= union
	}
}

// member finds the schema of an object's member, through references and combinations. It is nil when nothing is said
// about a member of that name. Patterns of names are left to the validator.
func (s *schema) member(name string) *schema {
	return s.part(func(s *schema) *schema {
		for _, p := range s.properties {
			if p.name == name {
				return p.schema
			}
		}
		return s.additional
	})
}

// item finds the schema of an array's element, as member does.
func (s *schema) item(index int) *schema {
	return s.part(func(s *schema) *schema {
		if index < len(s.prefix) {
			return s.prefix[index]
		}
		return s.items
	})
}

func (s *schema) part(direct func(*schema) *schema) *schema {
	var parts []*schema
	add := func(part *schema) {
		if part != nil {
			parts = append(parts, part)
		}
	}
	add(direct(s))
	for _, part := range s.all {
		add(part.part(direct))
	}
	for _, group := range s.either {
		var branches []*schema
		for _, branch := range group {
			if part := branch.part(direct); part != nil {
				branches = append(branches, part)
			}
		}
		add(eitherOf(branches))
	}
	return allOf(parts)
}

// at finds the schema that a path of members and item numbers leads to; nil when nothing is said about it.
func (s *schema) at(path []string) *schema {
	for _, token := range path {
		if s == nil {
			return nil
		}
		next := (*schema)(nil)
		if index, err := strconv.Atoi(token); err == nil && !s.kinds.any(objectKind) && index >= 0 {
			next = s.item(index)
		} else {
			next = s.member(token)
		}
		s = next
	}
	return s
}

// typed returns the types to read text as. A schema that allows nothing is read like one that allows anything: the
// validator then says what is wrong.
func (s *schema) typed() kinds {
	if s == nil || s.kinds == 0 {
		return anyKind
	}
	return s.kinds
}

// accepts reports whether a value is valid. It is only asked where text has more than one reading.
func (s *schema) accepts(value jsontext.Value) bool {
	if s == nil {
		return true
	}
	if s.validator != nil {
		return s.validator.Validate(decode(value)) == nil
	}
	for _, part := range s.all {
		if !part.accepts(value) {
			return false
		}
	}
	for _, group := range s.either {
		if !anyAccepts(group, value) {
			return false
		}
	}
	return true
}

func anyAccepts(group []*schema, value jsontext.Value) bool {
	for _, part := range group {
		if part.accepts(value) {
			return true
		}
	}
	return false
}

// find returns the first answer that is not nil for the schema and, in order, for everything that applies in place.
func find[T any](s *schema, answer func(*schema) *T) *T {
	if s == nil {
		return nil
	}
	if s.tree != nil {
		if a := answer(s); a != nil {
			return a
		}
	}
	for _, part := range s.all {
		if a := find(part, answer); a != nil {
			return a
		}
	}
	for _, group := range s.either {
		for _, part := range group {
			if a := find(part, answer); a != nil {
				return a
			}
		}
	}
	return nil
}
