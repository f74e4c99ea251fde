package openapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Site lists every operation as a command: its tag, if it has one, and its name. Those that ask to be hidden are left out.
// Each definition is one compact object, see [ParseAction]; what it refers to is among [Document.Parts].
func (d *Document) Site() *manifest.Site {
	site := &manifest.Site{
		Format: Format, Name: d.info.title, Description: line(d.info.description), Version: d.info.version,
		Groups: d.groups(), Actions: make([]manifest.Summary, 0, len(d.operations)), Issues: slices.Clone(d.issues),
	}
	size := 0
	for _, op := range d.operations {
		if op.hidden {
			continue
		}
		s := d.summary(op)
		if size += len(s.Definition); size > maxDefinitions {
			s.Definition, s.Issue = nil, tooLarge(op).issue(op.command)
		}
		site.Issues = append(site.Issues, op.flaws()...)
		site.Actions = append(site.Actions, s)
		if s.Issue != nil {
			site.Issues = append(site.Issues, *s.Issue)
		}
		for _, alias := range op.aliases {
			also := s
			also.Command = alias
			site.Actions = append(site.Actions, also)
		}
	}
	return site
}

// Names calls each with the id, which may be "", the capability, which may be "", and the command of every operation that
// [Document.Site] lists.
func (d *Document) Names(each func(id, capability string, command []string)) {
	for _, op := range d.operations {
		if !op.hidden {
			each(op.id, op.capability, op.command)
		}
	}
}

// Operation returns the one operation of that id. None and several are errors of kind [fault.Manifest].
func (d *Document) Operation(id string) (manifest.Summary, error) {
	return d.one(func(op *operation) bool { return op.id == id }, "id", id)
}

// ForCapability returns the one operation that names that capability (AM-15), as [Document.Operation] does.
func (d *Document) ForCapability(capability string) (manifest.Summary, error) {
	return d.one(func(op *operation) bool { return op.capability == capability }, "x-agent-capability", capability)
}

func (d *Document) one(is func(*operation) bool, what, name string) (manifest.Summary, error) {
	var found *operation
	for _, op := range d.operations {
		switch {
		case name == "" || !is(op):
		case found != nil:
			return manifest.Summary{}, fault.New(fault.Manifest, "operation_ambiguous", "more than one operation has the %s %q", what, fault.Word(name))
		default:
			found = op
		}
	}
	if found == nil {
		return manifest.Summary{}, fault.New(fault.Manifest, "operation_missing", "no operation has the %s %q", what, fault.Word(name))
	}
	return d.summary(found), nil
}

func (d *Document) summary(op *operation) manifest.Summary {
	s := manifest.Summary{
		Format: Format, Command: op.command, Description: op.short(), Method: op.method, Endpoint: op.path,
		Effect: op.effectOf(), Scope: op.scope, Definition: d.definition(op),
	}
	s.Cost, _ = manifest.ReadCost(op.cost)
	s.Payment = s.Cost.Words()
	wrong := op.wrong
	if wrong == nil && len(s.Definition) > maxDefinition {
		wrong = tooLarge(op)
	}
	if wrong != nil {
		s.Issue = wrong.issue(op.command)
	}
	return s
}

func tooLarge(op *operation) *Error {
	return &Error{CodeTooLarge, op.pointer, "the operation, or all of them together, are too large with what they share"}
}

// short returns a line about an operation.
func (op *operation) short() string {
	text := line(op.heading())
	if text == "" {
		text = sentence(op.description)
	}
	return strings.TrimSpace(op.mark() + text)
}

// heading returns what an operation says of itself in short.
func (op *operation) heading() string { return cmp.Or(op.cliDescription, op.summary) }

// mark returns what stands before all that is said about an operation.
func (op *operation) mark() string {
	if op.deprecated {
		return "(deprecated) "
	}
	return ""
}

// long returns all that is said about an operation, or "" where that is the short line.
func (op *operation) long() string {
	heading, text := strings.TrimSpace(op.heading()), strings.TrimSpace(op.description)
	switch {
	case text == "" || strings.HasSuffix(heading, text):
		text = heading
	case heading != "" && !strings.HasPrefix(text, heading):
		text = heading + "\n\n" + text
	}
	if text = strings.TrimSpace(op.mark() + text); text == op.short() {
		return ""
	}
	return text
}

// effectOf returns what an operation does to the world: what it says itself, else what its method says.
func (op *operation) effectOf() manifest.Effect {
	switch effect := manifest.Effect(op.effect); {
	case op.effect == "":
	case manifest.ValidSegment(op.effect):
		return effect // one that is not known asks
	default:
		return "unknown"
	}
	switch op.method {
	case "GET", "HEAD", "OPTIONS":
		return manifest.Read
	case "DELETE":
		return manifest.Delete
	}
	return manifest.Write
}

// flaws lists what is wrong with what an operation says for agents, and takes nothing away.
func (op *operation) flaws() []manifest.Issue {
	_, issues := manifest.ReadCost(op.cost)
	for i := range issues {
		issues[i].Pointer = pointerTo(op.pointer, "x-agent-cost") + issues[i].Pointer
	}
	switch effect := op.effectOf(); effect {
	case manifest.Read, manifest.Write, manifest.Send, manifest.Spend, manifest.Delete:
	default:
		issues = append(issues, manifest.Issue{
			Code: "effect_unknown", Pointer: pointerTo(op.pointer, "x-agent-effect"),
			Message: fmt.Sprintf("the effect %q is not known, so the action asks first", fault.Word(op.effect)),
		})
	}
	for i := range issues {
		issues[i].Command = op.command
	}
	return issues
}

// definition puts together what [ParseAction] needs to know of an operation.
func (d *Document) definition(op *operation) jsontext.Value {
	out := append(make(object, 0, 256+len(op.description)+len(op.shared)+len(op.parameters)+len(op.body)), '{')
	out.text("openapi", d.version)
	out.text("method", op.method)
	out.text("path", sent(op.path))
	out.text("base", op.base)
	out.text("pointer", op.pointer)
	out.text("from", d.from)
	out.text("description", op.long())
	out.text("accept", Accept(op.answer.types))
	if op.answer.link && op.method == "GET" {
		out.raw("next", jsontext.Value("true"))
	}
	out.raw("shared", op.shared)
	out.raw("parameters", op.parameters)
	out.raw("requestBody", op.body)
	out.raw("security", op.security)
	return jsontext.Value(append(out, '}'))
}

// object is a JSON object that is being written.
type object []byte

func (o *object) raw(name string, value jsontext.Value) {
	if value == nil {
		return
	}
	if len(*o) > 1 {
		*o = append(*o, ',')
	}
	*o, _ = jsontext.AppendQuote(*o, name)
	*o = strictjson.AppendCompact(append(*o, ':'), value)
}

func (o *object) text(name, text string) {
	if text != "" {
		o.raw(name, strictjson.Quote(text))
	}
}
