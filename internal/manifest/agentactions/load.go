package agentactions

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/arguments"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Action is one action in full, ready to be called many times and by several goroutines. Its Input is the schema of all
// arguments; Params is nil, since [input.CompileObject] makes the parameters of it.
type Action struct {
	manifest.Action
	path []piece
}

// ParseAction reads an action from the definition that [Parse] kept of it. The error is a [*fault.Error] of kind
// [fault.Manifest]: with the code of the action's issue, one of [input.CompileObject], or "path_unknown" when the path
// takes something that the input does not declare. Its details hold a JSON Pointer into the definition.
func ParseAction(s manifest.Summary) (*Action, error) {
	if s.Issue != nil {
		return nil, unusable(s, s.Issue.Code, s.Issue.Pointer, s.Issue.Message)
	}
	if s.Definition == nil {
		return nil, unusable(s, "definition_missing", "", "its definition is not there")
	}
	path, err := parsePath(s.Endpoint)
	if err != nil {
		return nil, unusable(s, "path_invalid", "/path", "the path "+err.Error())
	}
	a := &Action{Action: manifest.Action{Summary: s, Input: inputOf(s.Definition)}, path: path}
	params, err := input.CompileObject(a.Input, nil)
	if err != nil {
		e := fault.From(err)
		pointer, _ := e.Details["pointer"].(string)
		return nil, unusable(s, e.Code, "/input"+pointer, "the input: "+e.Error())
	}
	a.Args = arguments.Positional(params)
	if err := a.hold(params); err != nil {
		return nil, err
	}
	return a, nil
}

func unusable(s manifest.Summary, code, pointer, message string) error {
	e := fault.New(fault.Manifest, code, "%s cannot be used: %s", s.Command[0], message)
	if pointer != "" {
		e.Details = map[string]any{"pointer": pointer}
	}
	return e
}

// inputOf returns the published input schema. Without one the action takes no arguments (AA-3).
func inputOf(definition jsontext.Value) jsontext.Value {
	schema, ok := strictjson.Member(definition, "input")
	if !ok || schema.Kind() == 'n' {
		return jsontext.Value(`{"type":"object","additionalProperties":false}`)
	}
	return schema
}

// hold holds the path and the cost to what the input declares.
func (a *Action) hold(params *input.Set) error {
	declared := params.Params()
	find := func(name string) int {
		return slices.IndexFunc(declared, func(p manifest.Param) bool { return p.Name == name })
	}
	for _, piece := range a.path {
		if !piece.property {
			continue
		}
		switch i := find(piece.text); {
		case i < 0:
			return unusable(a.Summary, "path_unknown", "/path", fmt.Sprintf("the path takes %q, which the input does not declare", fault.Word(piece.text)))
		case !declared[i].Required:
			a.flaw("/path", "path_optional", fmt.Sprintf("the path takes %q, which is not required: without it there is no call", fault.Word(piece.text)))
		}
	}
	if cost := a.Cost; cost != nil && cost.Field != "" && find(cost.Field) < 0 {
		a.flaw("/cost/field", "cost_field_unknown", fmt.Sprintf("the cost is in %q, which the input does not declare", fault.Word(cost.Field)))
	}
	return nil
}

// flaw records an issue that leaves the action usable.
func (a *Action) flaw(pointer, code, message string) {
	a.Issues = append(a.Issues, manifest.Issue{Code: code, Pointer: pointer, Message: message, Command: a.Command})
}
