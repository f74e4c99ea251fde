// Package flow runs the sequences of actions that a site publishes (AA-11 to AA-17): it checks them before anything is
// sent, puts earlier outputs into later inputs, and keeps each run in a file so that it can go on where it stopped. It
// knows neither the wire nor the command line: whoever runs a flow makes its calls.
package flow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Limits of one flow, beyond honest use.
const (
	MaxSteps      = 100
	MaxReferences = 1000
)

// Plan is a flow that can be run as far as can be told before it is: every action is there and usable, every reference
// points backwards, and what is literal in its inputs is valid. It is read-only: runs may share it.
type Plan struct {
	Name        string
	Description string
	Params      []manifest.Param // the flow's inputs, in the order in which its steps read them (AA-13)
	Steps       []Step

	digest string // of all that is published about the flow and its actions
}

// Step is one call of a plan.
type Step struct {
	Name   string           // the action's name, as published
	Action *manifest.Action // never nil

	with  *template
	input *document  // the schema of the action's input
	set   *input.Set // the same, compiled
}

// Lookup finds the action of a name, as published, with its whole input schema in Input. Its error says why the action
// cannot be used.
type Lookup func(name string) (*manifest.Action, error)

// Compile makes the plan of a flow. Its error is a [*fault.Error] of kind [fault.Manifest] with every problem of the flow;
// their pointers lead into the flow as published: "/steps/1/with/cart_id".
func Compile(f manifest.Flow, actions Lookup) (*Plan, error) {
	if f.Issue != nil {
		return nil, fault.New(fault.Manifest, f.Issue.Code, "the flow %q cannot be used: %s", cut(f.Name), f.Issue.Message)
	}
	c := &compiler{steps: f.Steps}
	c.all(actions)
	if c.problems == nil {
		c.literals()
	}
	if c.problems != nil {
		e := fault.New(fault.Manifest, "flow_invalid", "the flow %q cannot be used", cut(f.Name))
		e.Problems = c.problems
		return nil, e
	}
	p := &Plan{Name: f.Name, Description: f.Description, Steps: c.plan}
	p.Params = params(p.Steps)
	p.digest = digest(f, p.Steps)
	return p, nil
}

type compiler struct {
	steps      []manifest.Step
	plan       []Step
	references int
	problems   []fault.Problem
}

// complain adds a problem with a step. pointer leads into the step.
func (c *compiler) complain(step int, pointer, keyword string, err error) {
	pointer = jsontree.Pointer("", "steps", strconv.Itoa(step)) + pointer
	message := fmt.Sprintf("in the step %q: %v", cut(c.steps[step].Action), err)
	c.problems = append(c.problems, fault.Problem{Pointer: pointer, Keyword: keyword, Message: message})
}

func (c *compiler) all(actions Lookup) {
	if len(c.steps) == 0 || len(c.steps) > MaxSteps {
		message := fmt.Sprintf("a flow has 1 to %d steps", MaxSteps)
		c.problems = append(c.problems, fault.Problem{Pointer: "/steps", Keyword: "steps", Message: message})
		return
	}
	for i, published := range c.steps {
		c.plan = append(c.plan, c.step(i, published, actions))
	}
	if c.references > MaxReferences {
		message := fmt.Sprintf("a flow has at most %d references", MaxReferences)
		c.problems = append(c.problems, fault.Problem{Pointer: "/steps", Keyword: "reference", Message: message})
	}
}

func (c *compiler) step(i int, published manifest.Step, actions Lookup) Step {
	s := Step{Name: published.Action, with: c.with(i, published.With)}
	action, err := actions(published.Action)
	if err == nil && action == nil {
		err = errors.New("there is no such action")
	}
	if err == nil && action.Issue != nil {
		err = errors.New(action.Issue.Message)
	}
	if err == nil {
		s.Action = action
		s.set, err = input.CompileObject(action.Input, nil)
	}
	if err != nil {
		c.complain(i, "/action", "action", err)
		return s
	}
	s.input = newDocument(jsontree.Parse(wholeSchema(action)))
	return s
}

// with reads the input that a step publishes.
func (c *compiler) with(step int, with jsontext.Value) *template {
	if with == nil {
		return &template{kind: '{'}
	}
	if err := strictjson.Check(with); err != nil || with.Kind() != '{' {
		c.complain(step, "/with", "with", errors.New("it must be a JSON object"))
		return &template{kind: '{'}
	}
	t := parseTemplate(jsontree.Parse(strictjson.Compact(with)), "/with", func(pointer string, err error) {
		c.complain(step, pointer, "reference", err)
	})
	t.references(nil, func(path []string, ref *reference) {
		c.references++
		if err := c.backwards(step, ref); err != nil {
			c.complain(step, jsontree.Pointer("/with", path...), "reference", err)
		}
	})
	return t
}

func (c *compiler) backwards(step int, ref *reference) error {
	switch {
	case ref.step >= len(c.steps):
		return fmt.Errorf("%q names no step: the flow has %d, numbered from 0", cut(ref.text), len(c.steps))
	case ref.step >= step:
		return fmt.Errorf("%q does not point backwards", cut(ref.text))
	}
	return nil
}

// literals checks what is the same in every run.
func (c *compiler) literals() {
	for i := range c.plan {
		for _, problem := range c.plan[i].problems(nil) {
			c.complain(i, "/with"+problem.Pointer, problem.Keyword, errors.New(problem.Message))
		}
	}
}

// wholeSchema is the JSON Schema of an action's whole input.
func wholeSchema(a *manifest.Action) jsontext.Value {
	if a.Input == nil {
		return jsontext.Value("true")
	}
	return strictjson.Compact(a.Input)
}

// digest tells whether what a site publishes about a flow is still the same.
func digest(f manifest.Flow, steps []Step) string {
	type part struct {
		Action, Method, Endpoint, Effect, Scope string
		With, Input, Definition                 []byte
	}
	var parts []part
	for i, s := range steps {
		parts = append(parts, part{
			s.Name, s.Action.Method, s.Action.Endpoint, string(s.Action.Effect), s.Action.Scope,
			strictjson.Compact(f.Steps[i].With), wholeSchema(s.Action), s.Action.Definition,
		})
	}
	text, _ := json.Marshal(parts) // strings and bytes only
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
