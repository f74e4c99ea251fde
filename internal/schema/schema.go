// Package schema checks JSON values against JSON Schemas: draft 2020-12, and drafts 4 to 2019-09 where "$schema" names one.
// It also answers what a schema says about the types and the parts of values, for those who read and describe them.
//
// Schemas and values come from strangers, so everything is bounded by counting, never by a clock: what a schema may cost
// is measured when it is compiled, and every check has a [Budget] of steps. The one exception are patterns that only a
// backtracking engine understands; those have a time limit. Nothing is ever fetched, and numbers are compared exactly.
//
// Values must have passed [github.com/agentctl/agentctl/internal/strictjson.Check], which bounds their depth and numbers.
package schema

import (
	"iter"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Schema is one compiled schema, or several put together to one. It is read-only: checks may use it side by side. Its
// questions may be put to nil: nothing is said then.
type Schema struct {
	node    *jsontree.Node // as published; nil for one put together by join
	pointer string         // where it stands in what was compiled

	never    bool       // the schema false
	types    Kinds      // what "type" allows
	kinds    Kinds      // what "type", "enum", "const" and everything that applies in place allow: see [Schema.narrow]
	enum     *constants // nil when absent
	constant *constants // of "const"; nil when absent

	numbers []numberRule
	texts   textRules
	list    *listRules   // nil when there are none; so are the others
	object  *objectRules //

	refs, all, any, one    []*Schema // in place: targets of references, "allOf", "anyOf", "oneOf"
	not, when, then, other *Schema   // "if" is when, "else" other

	cost int // schemas evaluated on one value; 0: not counted yet, -1: being counted
}

// numberRule is "minimum" or another limit of numbers.
type numberRule struct {
	keyword string
	limit   decimal
	text    string // as the schema writes it
}

// countRule is "minLength" or another limit of a count.
type countRule struct {
	keyword string
	limit   int
	most    bool // the limit is a maximum
}

type textRules struct {
	lengths []countRule
	pattern *pattern
	format  string
	valid   func(string) bool // of the format; nil when it is none that is known
}

type listRules struct {
	counts      []countRule
	unique      bool
	prefix      []*Schema
	items       *Schema // of what is behind prefix
	closed      bool    // "additionalItems" is false: reported once, not for every item
	contains    *Schema
	matches     []countRule // how many items must match contains
	unevaluated *Schema
	marks       bool // "contains" counts as evaluating items: since 2020-12
}

type objectRules struct {
	counts      []countRule
	required    []string
	dependent   []dependentNames
	schemas     []Property // of "dependentSchemas" and "dependencies"
	properties  []Property
	index       map[string]*Schema // of properties, where they are many
	patterns    []patternProperty
	additional  *Schema
	names       *Schema
	unevaluated *Schema
}

type dependentNames struct {
	keyword string
	name    string
	needs   []string
}

// Property is a named part of a schema.
type Property struct {
	Name   string
	Schema *Schema
}

type patternProperty struct {
	names  *pattern
	schema *Schema
}

// inPlace yields every schema that is evaluated on the same value.
func (s *Schema) inPlace() iter.Seq[*Schema] {
	return func(yield func(*Schema) bool) {
		for _, group := range [][]*Schema{s.refs, s.all, s.any, s.one, {s.not, s.when, s.then, s.other}} {
			for _, part := range group {
				if part != nil && !yield(part) {
					return
				}
			}
		}
		if s.object == nil {
			return
		}
		for _, p := range s.object.schemas {
			if !yield(p.Schema) {
				return
			}
		}
	}
}
