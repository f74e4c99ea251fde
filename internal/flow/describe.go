package flow

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Description is one step of a plan as it would be run (AA-15).
type Description struct {
	Action string          `json:"action"` // its name, as published
	Effect manifest.Effect `json:"effect"`
	Cost   *manifest.Cost  `json:"cost,omitempty"` // as published: Field names the input that holds the amount
	Input  jsontext.Value  `json:"input"`          // what is not known before the run stands there as its reference
}

// Describe tells what a run with these inputs would do. The inputs must have passed [Plan.Check].
func (p *Plan) Describe(inputs *manifest.Values) []Description {
	var out []Description
	for i := range p.Steps {
		s := &p.Steps[i]
		value, err := s.with.value(func(ref *reference) (jsontext.Value, error) {
			if ref.step != fromInput {
				return strictjson.Quote(ref.text), nil
			}
			return fromInputs(inputs, ref)
		})
		if err != nil { // cannot be after Check
			value = jsontext.Value("{}")
		}
		out = append(out, Description{Action: s.Name, Effect: s.Action.Effect, Cost: s.Action.Cost, Input: value})
	}
	return out
}
