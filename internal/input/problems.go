package input

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// maxProblems bounds what is reported about one argument; a list of a million items may have a million.
const maxProblems = 50

// problemsOf turns what is wrong with a value, as [leaves] tells it, into problems. base is the pointer, into the arguments,
// to the value.
func problemsOf(base string, failures []schema.Failure) []fault.Problem {
	var out []fault.Problem
	add := func(pointer, keyword, message string) {
		out = append(out, fault.Problem{Param: paramOf(pointer), Pointer: pointer, Keyword: keyword, Message: message})
	}
	for _, f := range failures {
		missing := missingMembers(f)
		if missing == nil {
			add(base+f.Pointer, f.Keyword, wording(f))
		}
		for _, member := range missing {
			add(jsontree.Pointer(base+f.Pointer, member), f.Keyword, wording(f))
		}
		if len(out) >= maxProblems {
			out = out[:maxProblems]
			add(base, "", "has more problems than are shown")
			break
		}
	}
	return out
}

// paramOf returns the parameter that a pointer into the arguments leads to, "" for all arguments together.
func paramOf(pointer string) string {
	for token := range jsontext.Pointer(pointer).Tokens() {
		return token
	}
	return ""
}

func missingMembers(f schema.Failure) []string {
	switch f.Keyword {
	case "required", "dependentRequired", "dependencies":
		return f.Names
	}
	return nil
}

// leaves returns what is really wrong: why no branch matches in place of that none does, where that can be told.
func leaves(failures []schema.Failure) []schema.Failure {
	var out []schema.Failure
	for _, f := range failures {
		if f.Branches == nil {
			out = append(out, f)
		} else {
			out = append(out, closest(f)...)
		}
	}
	return out
}

// closest explains why no branch of an "anyOf" or "oneOf" matched: as one list of what is allowed where the branches
// differ in type or in a constant, as the faults of the one branch that was meant where that is clear, else as it is.
func closest(f schema.Failure) []schema.Failure {
	var branches [][]schema.Failure
	for _, branch := range f.Branches {
		branches = append(branches, leaves(branch))
	}
	if merged, ok := merge(f, branches); ok {
		return []schema.Failure{merged}
	}
	meant := keep(branches, func(leaf schema.Failure) bool { return leaf.Keyword == "type" && leaf.Pointer == f.Pointer })
	if len(meant) > 1 { // objects told apart by a constant member
		meant = keep(meant, func(leaf schema.Failure) bool { return leaf.Keyword == "const" || leaf.Keyword == "enum" })
	}
	if len(meant) == 1 {
		return meant[0]
	}
	return []schema.Failure{f}
}

// keep returns the branches without a leaf of the kind that tells that the branch was not meant.
func keep(branches [][]schema.Failure, not func(schema.Failure) bool) [][]schema.Failure {
	var out [][]schema.Failure
	for _, leaves := range branches {
		if !slices.ContainsFunc(leaves, not) {
			out = append(out, leaves)
		}
	}
	return out
}

// merge joins branches that all fail by the type, or all by the constant, of the value itself.
func merge(f schema.Failure, branches [][]schema.Failure) (schema.Failure, bool) {
	merged := schema.Failure{Pointer: f.Pointer}
	for _, leaves := range branches {
		if len(leaves) != 1 || leaves[0].Pointer != f.Pointer {
			return merged, false
		}
		switch leaf := leaves[0]; leaf.Keyword {
		case "type":
			merged.Kinds |= leaf.Kinds
		case "const", "enum":
			merged.Values = append(merged.Values, leaf.Values...)
		default:
			return merged, false
		}
	}
	switch {
	case merged.Values == nil:
		merged.Keyword = "type"
	case merged.Kinds == schema.NullKind:
		merged.Values = append(merged.Values, jsontree.Null())
		fallthrough
	case merged.Kinds == 0:
		merged.Keyword = "enum"
	}
	return merged, merged.Keyword != ""
}

// sorted returns the problems in the order of the parameters, then of their place; what is about no parameter comes last.
func (c *call) sorted() []fault.Problem {
	position := func(p fault.Problem) int {
		if i, ok := c.find(p.Param); ok {
			return i
		}
		return len(c.params)
	}
	slices.SortStableFunc(c.problems, func(a, b fault.Problem) int {
		if d := position(a) - position(b); d != 0 {
			return d
		}
		if d := strings.Compare(a.Pointer, b.Pointer); d != 0 {
			return d
		}
		return strings.Compare(a.Keyword+a.Message, b.Keyword+b.Message)
	})
	return slices.Compact(c.problems)
}
