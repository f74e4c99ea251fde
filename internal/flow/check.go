package flow

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Check validates the inputs of a run as far as they are known before it (AA-14): in each step all that does not depend on
// an earlier step's output, and steps that depend on none completely. A problem with an input names it as Param; one with
// the flow itself has a pointer into it instead, such as "/steps/1/with/cart_id".
func (p *Plan) Check(inputs *manifest.Values) []fault.Problem {
	problems := p.missing(inputs)
	for i := range p.Steps {
		for _, problem := range p.Steps[i].problems(inputs) {
			problem = p.Steps[i].about(i, problem)
			if !slices.Contains(problems, problem) { // one input may feed many steps
				problems = append(problems, problem)
			}
		}
	}
	return problems
}

// missing tells which required inputs were not given.
func (p *Plan) missing(inputs *manifest.Values) []fault.Problem {
	var out []fault.Problem
	for _, param := range p.Params {
		if _, given := inputs.Get(param.Name); param.Required && !given {
			out = append(out, fault.Problem{Param: param.Name, Pointer: jsontree.Pointer("", param.Name), Keyword: "required", Message: "is required"})
		}
	}
	return out
}

// problems validates a step's input before earlier outputs are known. Without inputs those are unknown, too. Pointers
// lead into the input.
func (s *Step) problems(inputs *manifest.Values) []fault.Problem {
	unknown := func(ref *reference) bool { return ref.step != fromInput || inputs == nil }
	value, err := s.with.value(func(ref *reference) (jsontext.Value, error) {
		if unknown(ref) {
			return jsontext.Value("null"), nil
		}
		return fromInputs(inputs, ref)
	})
	if err != nil {
		return []fault.Problem{s.resolving(err)}
	}
	if !s.with.has(unknown) {
		return checkBy(s.set, value)
	}
	raw := s.input.asFarAsKnown(s.with, unknown)
	if raw == nil {
		return nil
	}
	set, err := input.CompileObject(raw, nil)
	if err != nil { // what cannot be checked now is checked when it is known
		return nil
	}
	return checkBy(set, value)
}

// resolving is the problem of a reference that leads nowhere, or of an input that is too much.
func (s *Step) resolving(err error) fault.Problem {
	problem := fault.Problem{Keyword: "reference", Message: err.Error()}
	if bad, ok := errors.AsType[*referenceError](err); ok {
		s.with.references(nil, func(path []string, ref *reference) {
			if ref == bad.ref {
				problem.Pointer = jsontree.Pointer("", path...)
			}
		})
	}
	return problem
}

// about tells what a problem with a step's input is about: an input of the flow, where one feeds that place.
func (s *Step) about(step int, problem fault.Problem) fault.Problem {
	if ref, rest := s.with.feeding(slices.Collect(jsontree.Tokens(problem.Pointer))); ref != nil && ref.step == fromInput {
		problem.Param = ref.input
		problem.Pointer = jsontree.Pointer(jsontree.Pointer("", ref.input), append(slices.Clone(ref.path), rest...)...)
		return problem
	}
	problem.Pointer = jsontree.Pointer("", "steps", strconv.Itoa(step), "with") + problem.Pointer
	problem.Message = fmt.Sprintf("in the step %q: %s", cut(s.Name), problem.Message)
	return problem
}

// feeding finds the reference that a way into the input leads to, and what is left of the way.
func (t *template) feeding(path []string) (ref *reference, rest []string) {
	for t != nil && t.ref == nil && len(path) > 0 {
		next := t.member(path[0])
		if i, ok := index(path[0]); ok && t.kind == '[' && i < len(t.items) {
			next = t.items[i]
		}
		t, path = next, path[1:]
	}
	if t == nil {
		return nil, nil
	}
	return t.ref, path
}

// referenceError says why a reference leads to no value.
type referenceError struct {
	ref *reference
	err error
}

func (e *referenceError) Error() string { return fmt.Sprintf("%q: %v", cut(e.ref.text), e.err) }
func (e *referenceError) Unwrap() error { return e.err }

// fromInputs finds the value of a reference to an input; nil when it was not given.
func fromInputs(inputs *manifest.Values, ref *reference) (jsontext.Value, error) {
	value, given := inputs.Get(ref.input)
	if !given {
		return nil, nil
	}
	return picked(value, ref)
}

func picked(value jsontext.Value, ref *reference) (jsontext.Value, error) {
	part, err := pick(value, ref.path)
	if err != nil {
		return nil, &referenceError{ref, err}
	}
	return part, nil
}
