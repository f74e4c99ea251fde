package agentactions

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// flows reads the flows as they are published (AA-11). Whether their actions and references exist is judged when one is
// about to run, by internal/flow.
func (p *parser) flows(value jsontext.Value) error {
	var names namesSeen
	err := list("flows", value, MaxFlows, func(i int, definition jsontext.Value) {
		r := record{pointer: "/flows/" + strconv.Itoa(i)}
		if flow, ok := r.flow(definition); ok {
			names.add(flow.Name, r.pointer)
			flow.Issue = r.conclude(nil)
			p.site.Flows = append(p.site.Flows, flow)
		}
		p.keep(&r, nil)
	})
	for i, pointer := range names.repeated() {
		flow := &p.site.Flows[i]
		r := record{pointer: pointer}
		r.add(fatal, "/name", "flow_duplicate", sameName, flow.Name)
		if flow.Issue == nil {
			flow.Issue = r.conclude(nil)
		}
		p.keep(&r, nil)
	}
	return err
}

func (r *record) flow(definition jsontext.Value) (flow manifest.Flow, ok bool) {
	if definition.Kind() != '{' {
		r.add(fatal, "", "wrong_type", "a flow must be an object")
		return flow, false
	}
	var name []string
	for member, value := range strictjson.SharedMembers(definition) {
		switch member {
		case "name":
			name = r.name(value)
		case "description":
			flow.Description = r.text(flaw, member, value)
		case "steps":
			flow.Steps = r.steps(value)
		}
	}
	switch {
	case name == nil && r.worst == nil:
		r.add(fatal, "", "name_missing", "the flow has no name")
		fallthrough
	case name == nil:
		return flow, false
	case len(flow.Steps) == 0 && r.worst == nil:
		r.add(fatal, "", "steps_missing", "the flow has no steps")
	}
	flow.Name = name[0]
	return flow, true
}

func (r *record) steps(value jsontext.Value) []manifest.Step {
	var steps []manifest.Step
	if !r.is('[', fatal, "steps", value) {
		return nil
	}
	for i, element := range strictjson.SharedElements(value) {
		if i == MaxSteps {
			r.add(fatal, "/steps", "too_large", "a flow has at most %d steps", MaxSteps)
			return nil
		}
		steps = append(steps, r.step(jsontree.Pointer("/steps", strconv.Itoa(i)), element))
	}
	return steps
}

// step reads one step. All of its faults are fatal to the flow: nobody should run half of it.
func (r *record) step(pointer string, value jsontext.Value) manifest.Step {
	var step manifest.Step
	if value.Kind() != '{' {
		r.add(fatal, pointer, "wrong_type", "a step must be an object")
		return step
	}
	at := record{pointer: r.pointer + pointer}
	for name, value := range strictjson.SharedMembers(value) {
		switch name {
		case "action":
			step.Action = at.text(fatal, name, value)
		case "with":
			if at.is('{', fatal, name, value) {
				step.With = strictjson.Compact(value)
			}
		}
	}
	if step.Action == "" && at.worst == nil {
		at.add(fatal, "", "action_missing", "the step names no action")
	}
	r.issues = append(r.issues, at.issues...)
	if r.worst == nil {
		r.worst = at.worst
	}
	return step
}
