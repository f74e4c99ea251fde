package cli

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest"
)

// flowSchema is what "--schema" prints of a flow. It has no effect and no price of its own: each of its steps has.
type flowSchema struct {
	Site        string         `json:"site"` // as it was typed
	Command     []string       `json:"command"`
	Format      string         `json:"format"`
	Description string         `json:"description,omitempty"`
	Usage       string         `json:"usage"`
	Input       jsontext.Value `json:"input"` // JSON Schema 2020-12 of what --input takes
	Steps       []stepSchema   `json:"steps"` // in the order in which they are made
	Exits       []exitSchema   `json:"exit_statuses"`
}

type stepSchema struct {
	Command     []string        `json:"command"` // the action that it calls
	Description string          `json:"description,omitempty"`
	Effect      manifest.Effect `json:"effect"`
	Risk        string          `json:"risk,omitempty"`
	Cost        *manifest.Cost  `json:"cost,omitempty"`
	Approval    approvalSchema  `json:"approval"`
}

// printDescription tells a program all about the flow.
func (f *oneFlow) printDescription() error {
	s := flowSchema{
		Site: f.siteWord, Command: f.node.Command, Format: f.action.Format, Description: f.action.Description, Usage: f.usage(),
		Input: f.inputSchema(), Steps: []stepSchema{}, Exits: exitSchemas(),
	}
	for _, step := range f.plan.Steps {
		a := f.actions[step.Name]
		approval, err := a.approval()
		if err != nil {
			return err
		}
		s.Steps = append(s.Steps, stepSchema{
			Command: a.node.Command, Description: a.action.Description, Effect: a.action.Effect, Risk: a.action.Risk, Cost: a.action.Cost, Approval: approval,
		})
	}
	return f.printSchema(s)
}
