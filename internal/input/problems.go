package input

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/agentctl/agentctl/internal/fault"
)

// maxProblems bounds what is reported about one argument; a list of a million items may have a million.
const maxProblems = 50

// problemsOf turns what the validator found in a parameter's value into problems.
func problemsOf(name string, err *jsonschema.ValidationError) []fault.Problem {
	var out []fault.Problem
	base := pointerTo("", name)
	for _, leaf := range leaves(err) {
		at := base + pointerOf(leaf.InstanceLocation)
		p := fault.Problem{Param: name, Pointer: at, Keyword: keyword(leaf.ErrorKind), Message: wording(leaf.ErrorKind)}
		missing := missingMembers(leaf.ErrorKind)
		if missing == nil {
			out = append(out, p)
		}
		for _, member := range missing {
			p.Pointer = pointerTo(at, member)
			out = append(out, p)
		}
		if len(out) >= maxProblems {
			out = append(out[:maxProblems], fault.Problem{Param: name, Pointer: base, Message: "has more problems than are shown"})
			break
		}
	}
	return out
}

func missingMembers(k jsonschema.ErrorKind) []string {
	switch k := k.(type) {
	case *kind.Required:
		return k.Missing
	case *kind.DependentRequired:
		return k.Missing
	case *kind.Dependency:
		return k.Missing
	}
	return nil
}

func keyword(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case nil, *kind.FalseSchema:
		return "false"
	case *kind.Not:
		return "not"
	case *kind.Dependency:
		return "dependencies"
	case *kind.RefCycle:
		return "$ref"
	default:
		if path := k.KeywordPath(); len(path) > 0 {
			return path[0]
		}
	}
	return ""
}

func pointerOf(location []string) string {
	pointer := ""
	for _, token := range location {
		pointer = pointerTo(pointer, token)
	}
	return pointer
}

// leaves returns what is really wrong, without the errors that only repeat that something below them is.
func leaves(err *jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch k := err.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		var out []*jsonschema.ValidationError
		for _, cause := range err.Causes {
			out = append(out, leaves(cause)...)
		}
		return out
	case *kind.AnyOf:
		return closest(err)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return closest(err)
		}
	case *kind.PropertyNames:
		// The library lets later members overwrite the location of this one error: only the root is certain.
		return []*jsonschema.ValidationError{{SchemaURL: err.SchemaURL, ErrorKind: k}}
	}
	return []*jsonschema.ValidationError{err}
}

// closest explains why no branch of an "anyOf" or "oneOf" matched: as one list of what is allowed where the branches
// differ in type or in a constant, as the faults of the one branch that was meant where that is clear, else as it is.
func closest(err *jsonschema.ValidationError) []*jsonschema.ValidationError {
	var branches [][]*jsonschema.ValidationError
	for _, cause := range err.Causes {
		branches = append(branches, leaves(cause))
	}
	if merged := merge(err, branches); merged != nil {
		return []*jsonschema.ValidationError{merged}
	}
	meant := keep(branches, func(leaf *jsonschema.ValidationError) bool {
		return isA[*kind.Type](leaf) && len(leaf.InstanceLocation) == len(err.InstanceLocation)
	})
	if len(meant) > 1 { // objects told apart by a constant member
		meant = keep(meant, func(leaf *jsonschema.ValidationError) bool {
			return isA[*kind.Const](leaf) || isA[*kind.Enum](leaf)
		})
	}
	if len(meant) == 1 {
		return meant[0]
	}
	return []*jsonschema.ValidationError{err}
}

// keep returns the branches without a leaf of the kind that tells that the branch was not meant.
func keep(branches [][]*jsonschema.ValidationError, not func(*jsonschema.ValidationError) bool) [][]*jsonschema.ValidationError {
	var out [][]*jsonschema.ValidationError
	for _, leaves := range branches {
		if !slices.ContainsFunc(leaves, not) {
			out = append(out, leaves)
		}
	}
	return out
}

// merge joins branches that all fail by the type, or all by the constant, of the value itself.
func merge(err *jsonschema.ValidationError, branches [][]*jsonschema.ValidationError) *jsonschema.ValidationError {
	var types []string
	var values []any
	for _, leaves := range branches {
		if len(leaves) != 1 || len(leaves[0].InstanceLocation) != len(err.InstanceLocation) {
			return nil
		}
		switch k := leaves[0].ErrorKind.(type) {
		case *kind.Type:
			types = append(types, k.Want...)
		case *kind.Const:
			values = append(values, k.Want)
		case *kind.Enum:
			values = append(values, k.Want...)
		default:
			return nil
		}
	}
	merged := *err
	switch {
	case len(values) == 0 && len(types) > 0:
		merged.ErrorKind = &kind.Type{Want: types}
	case len(values) > 0 && !slices.ContainsFunc(types, func(t string) bool { return t != "null" }):
		if len(types) > 0 {
			values = append(values, nil)
		}
		merged.ErrorKind = &kind.Enum{Want: values}
	default:
		return nil
	}
	return &merged
}

func isA[T jsonschema.ErrorKind](err *jsonschema.ValidationError) bool {
	_, ok := err.ErrorKind.(T)
	return ok
}

// sort puts problems in the order of the parameters, then of their place; what is about no parameter comes last.
func (s *Set) sort(problems []fault.Problem) []fault.Problem {
	position := func(p fault.Problem) int {
		if i, ok := s.index[p.Param]; ok {
			return i
		}
		return len(s.params)
	}
	slices.SortStableFunc(problems, func(a, b fault.Problem) int {
		if d := position(a) - position(b); d != 0 {
			return d
		}
		if d := strings.Compare(a.Pointer, b.Pointer); d != 0 {
			return d
		}
		return strings.Compare(a.Keyword+a.Message, b.Keyword+b.Message)
	})
	return slices.Compact(problems)
}
