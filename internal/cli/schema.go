package cli

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// actionSchema is what "--schema" prints: all that a program has to know to call an action. Texts are the site's.
type actionSchema struct {
	Site        string          `json:"site"` // as it was typed
	Command     []string        `json:"command"`
	Format      string          `json:"format"`
	Description string          `json:"description,omitempty"`
	Usage       string          `json:"usage"`
	Positions   []string        `json:"positions"`        // the arguments that may be given by position, in order
	Input       jsontext.Value  `json:"input"`            // JSON Schema 2020-12 of what --input takes
	Output      jsontext.Value  `json:"output,omitempty"` // JSON Schema of the answer, where one is published
	Files       *filesSchema    `json:"files,omitempty"`
	Example     *exampleSchema  `json:"example,omitempty"`
	Effect      manifest.Effect `json:"effect"`
	Risk        string          `json:"risk,omitempty"`
	Consent     string          `json:"consent,omitempty"`
	Cost        *manifest.Cost  `json:"cost,omitempty"`
	Payment     string          `json:"payment,omitempty"` // the mode, where nothing more is known of the cost
	Scope       string          `json:"scope,omitempty"`
	Role        string          `json:"role,omitempty"`
	Approval    approvalSchema  `json:"approval"`
	Request     requestSchema   `json:"request"`
	Exits       []exitSchema    `json:"exit_statuses"`
}

type filesSchema struct {
	Flag     string   `json:"flag"`
	Multiple bool     `json:"multiple"`
	Max      int      `json:"max,omitempty"`
	Dirs     bool     `json:"directories"`
	Only     []string `json:"only,omitempty"`
	Not      []string `json:"not,omitempty"`
}

type exampleSchema struct {
	Input  jsontext.Value `json:"input,omitempty"`
	Output jsontext.Value `json:"output,omitempty"`
}

// approvalSchema tells what happens without --yes and --approve, by the rules as they are now; amounts that depend on the
// arguments, and what was spent before, may make it ask all the same.
type approvalSchema struct {
	Decision policy.Decision `json:"decision"`
	Why      string          `json:"why"`
	Yes      bool            `json:"yes_is_enough"` // whether --yes approves it, where it asks
}

type requestSchema struct {
	Method   string `json:"method"`
	Endpoint string `json:"endpoint"` // as published, placeholders included
}

type exitSchema struct {
	Exit    int        `json:"exit"`
	Kind    fault.Kind `json:"kind,omitempty"`
	Meaning string     `json:"meaning"`
}

// exitSchemas is the table of exit statuses as a document.
func exitSchemas() []exitSchema {
	list := []exitSchema{{0, "", "done"}}
	for _, row := range fault.Table() {
		list = append(list, exitSchema{row.Exit, row.Kind, row.Meaning})
	}
	return list
}

// printDescription tells a program all about the command: what "--schema" prints.
func (a *published) printDescription() error {
	if a.describeFlow != nil {
		return a.describeFlow()
	}
	approval, err := a.approval()
	if err != nil {
		return err
	}
	s := actionSchema{
		Site: a.siteWord, Command: a.node.Command, Format: a.action.Format, Description: a.action.Description, Usage: a.usage(),
		Positions: append([]string{}, a.params.Positions()...), Input: a.inputSchema(), Output: a.action.Output, Effect: a.action.Effect, Risk: a.action.Risk,
		Consent: a.action.Consent, Cost: a.action.Cost, Scope: a.action.Scope, Role: a.action.Role, Approval: approval,
		Request: requestSchema{a.action.Method, a.action.Endpoint},
		Exits:   exitSchemas(),
	}
	if s.Cost == nil {
		s.Payment = a.action.Payment
	}
	if files := a.action.Files; files != nil {
		s.Files = &filesSchema{"--" + fileFlag, files.Multiple, files.MaxFiles, files.Dirs, files.Whitelist, files.Blacklist}
	}
	if e := a.action.Example; e != nil {
		s.Example = &exampleSchema{e.Input, e.Output}
	}
	return a.printSchema(s)
}

// approval is what the rules say of the action, as they are now.
func (a *published) approval() (approvalSchema, error) {
	f := a.facts(&call.Call{
		Request: &call.Request{Method: a.action.Method, Effect: a.action.Effect, Cost: a.action.Cost}, Origin: string(a.conn.origin), Command: a.node.Command,
	})
	gate, err := a.gate()
	if err != nil {
		return approvalSchema{}, err
	}
	v, err := gate.Decide(f)
	return approvalSchema{v.Decision, v.Why, v.Decision == policy.Ask && !f.Strong()}, err
}

// printSchema prints a description as JSON, whatever else is asked for: only a program reads it.
func (a *published) printSchema(s any) error {
	document, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return a.printJSON(document)
}

// inputSchema is one schema of all arguments: the site's own, or one put together of those of its parameters.
func (a *published) inputSchema() jsontext.Value {
	if a.action.Input != nil {
		return a.action.Input
	}
	properties := jsontext.Value("{}")
	required := []string{}
	for _, param := range a.action.Params {
		properties = strictjson.With(properties, param.Name, paramSchema(param))
		if param.Required {
			required = append(required, param.Name)
		}
	}
	names, err := json.Marshal(required)
	if err != nil { // strings always encode
		panic(err)
	}
	schema := jsontext.Value(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`)
	schema = strictjson.With(schema, "properties", properties)
	schema = strictjson.With(schema, "required", names)
	return strictjson.With(schema, "additionalProperties", jsontext.Value("false"))
}

// paramSchema is the schema of one parameter, with what its description tells beside. One that refers to parts of itself gets
// a name of its own, so that its references go on leading there.
func paramSchema(param manifest.Param) jsontext.Value {
	schema := param.Schema
	if schema.Kind() != '{' { // true, false or nothing
		if schema != nil && schema.Kind() == 'f' {
			return schema
		}
		schema = jsontext.Value("{}")
	}
	missing := func(name string) bool {
		_, ok := strictjson.Member(schema, name)
		return !ok
	}
	if bytes.Contains(schema, []byte(`"$ref"`)) && missing("$id") {
		schema = strictjson.With(schema, "$id", strictjson.Quote("urn:agentctl:parameter:"+param.Name))
	}
	text := param.Description
	if text == "" {
		text = param.Label
	}
	if text != "" && missing("description") {
		schema = strictjson.With(schema, "description", strictjson.Quote(render.Clean(text)))
	}
	if param.Example != nil && missing("examples") {
		schema = strictjson.With(schema, "examples", append(append(jsontext.Value("["), param.Example...), ']'))
	}
	return schema
}
