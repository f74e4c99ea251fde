package agentactions

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// unknownEffect stands for an effect that is missing or that nobody can read. Like every one that is not known it asks.
const unknownEffect manifest.Effect = "unknown"

func (p *parser) actions(value jsontext.Value) error {
	var names namesSeen
	err := list("actions", value, MaxActions, func(i int, definition jsontext.Value) {
		r := record{pointer: "/actions/" + strconv.Itoa(i)}
		action, ok := r.action(definition)
		if ok {
			names.add(action.Command[0], r.pointer)
			action.Issue = r.conclude(action.Command)
			p.site.Actions = append(p.site.Actions, action)
		}
		p.keep(&r, action.Command)
	})
	for i, pointer := range names.repeated() {
		action := &p.site.Actions[i]
		r := record{pointer: pointer}
		r.add(fatal, "/name", "action_duplicate", sameName, action.Command[0])
		if action.Issue == nil {
			action.Issue = r.conclude(action.Command)
		}
		p.keep(&r, action.Command)
	}
	return err
}

// action reads what lists need (AA-3). It is ok=false when the action has no sound name to list it by.
func (r *record) action(definition jsontext.Value) (action manifest.Summary, ok bool) {
	if definition.Kind() != '{' {
		r.add(fatal, "", "wrong_type", "an action must be an object")
		return action, false
	}
	action = manifest.Summary{Format: Format, Definition: strictjson.Compact(definition)}
	for name, value := range strictjson.SharedMembers(definition) {
		switch name {
		case "name":
			action.Command = r.name(value)
		case "description":
			action.Description = r.text(flaw, name, value)
		case "method":
			action.Method = strings.ToUpper(r.text(fatal, name, value))
		case "path":
			action.Endpoint = r.text(fatal, name, value)
		case "effect":
			action.Effect = r.effect(value)
		case "scope":
			action.Scope = r.text(fatal, name, value)
		case "input":
			r.input(value)
		case "cost":
			action.Cost = r.cost(value)
		}
	}
	if action.Command == nil {
		if r.worst == nil {
			r.add(fatal, "", "name_missing", "the action has no name")
		}
		return action, false
	}
	action.Payment = action.Cost.Words()
	r.require(&action)
	return action, true
}

// name reads the name of an action or a flow, the one word of its command.
func (r *record) name(value jsontext.Value) []string {
	name := r.text(fatal, "name", value)
	switch {
	case manifest.ValidSegment(name):
		return []string{name}
	case value.Kind() == '"':
		r.add(fatal, "/name", "name_invalid", "%q cannot be a name: 1 to 64 letters, digits, \".\", \"_\" or \"-\", not beginning with \"-\"", fault.Word(name))
	}
	return nil
}

// require holds an action to what none can be without.
func (r *record) require(action *manifest.Summary) {
	if action.Effect == "" {
		action.Effect = unknownEffect
		r.add(flaw, "", "effect_missing", "the action does not say its effect, so it asks first")
	}
	switch action.Method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE":
	case "":
		r.add(fatal, "", "method_missing", "the action has no method")
	default:
		r.add(fatal, "/method", "method_invalid", "%q is not a method that an action can have", fault.Word(action.Method))
		action.Method = ""
	}
	if action.Endpoint == "" {
		r.add(fatal, "", "path_missing", "the action has no path")
	} else if _, err := parsePath(action.Endpoint); err != nil {
		r.add(fatal, "/path", "path_invalid", "the path %v", err)
	}
}

// effect reads an effect (AA-6). One that is not known stays as it is published, as long as it is a word: it stands in
// lists and questions.
func (r *record) effect(value jsontext.Value) manifest.Effect {
	text := r.text(flaw, "effect", value)
	switch effect := manifest.Effect(text); effect {
	case manifest.Read, manifest.Write, manifest.Send, manifest.Spend, manifest.Delete:
		return effect
	}
	if text == "" {
		return ""
	}
	r.add(flaw, "/effect", "effect_unknown", "the effect %q is not known, so the action asks first", fault.Word(text))
	if !manifest.ValidSegment(text) {
		return unknownEffect
	}
	return manifest.Effect(text)
}

// input looks only at the kind of an input schema.
func (r *record) input(value jsontext.Value) {
	switch value.Kind() {
	case '{', 't', 'f', 'n':
	default:
		r.add(fatal, "/input", "schema_invalid", "the input must be a JSON Schema, which is an object or a boolean")
	}
}
