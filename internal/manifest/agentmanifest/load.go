package agentmanifest

import (
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/arguments"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Capability is one capability in full, with the binding that was chosen for it. Once its input is known it is ready to be
// called many times and by several goroutines. Its Effect, Risk and Consent are what policy asks by (AM-9), Issues what a
// person should know besides.
type Capability struct {
	manifest.Action
	ID     string
	Name   string // for people; may be empty
	Intent string
	Type   string // "resource", "query", "action", "transaction", "conversation" or "handoff"

	Binding  Binding   // the one to take
	Bindings []Binding // all of them, the best first; for help

	// InputSchemaURL is where the schema of the arguments is, absolute (AM-11): it has to be fetched anonymously and given to
	// [Capability.UseInput]. It is "" where Input holds it, and with both unset the binding's own document says what it takes
	// (AM-16, external).
	InputSchemaURL  string
	Output          jsontext.Value // the schema of the answer; nil when none is known
	OutputSchemaURL string         // where it is, absolute; "" when Output holds it, or there is none

	RequiresAuthentication bool   // without a credential nothing is sent (AM-12)
	Idempotent             bool   // an Idempotency-Key goes with each try (AM-13)
	CrossOrigin            bool   // it goes to another origin: never with a credential (AM-4)
	IdentityMismatch       string // the domain that the manifest speaks for, where it does not fit the site (AM-5); else ""
	HumanReview            bool   // a person on the other side must still act (AM-9)
}

// The schemas of those that take nothing, and of those of which nobody says what they take.
const (
	noArguments  = `{"type":"object","additionalProperties":false}`
	anyArguments = `{"type":"object"}`
)

// ParseAction reads a capability from the definition that [Parse] kept of it. binding is the kind of the binding to take, ""
// for the best one (AM-14). The error is a [*fault.Error]: of kind [fault.Usage] with the code binding_unknown when it has
// none of that kind, else of kind [fault.Manifest] with the code of the capability's issue, binding_unsupported,
// address_refused, or one of [input.CompileObject].
func ParseAction(s manifest.Summary, binding string) (*Capability, error) {
	if s.Issue != nil {
		return nil, unusable(s, s.Issue.Code, s.Issue.Pointer, s.Issue.Message)
	}
	definition := jsontree.Parse(s.Definition)
	n := definition.Member("capability")
	from, err := url.Parse(definition.Member("from").Text())
	if n == nil || err != nil || from.Host == "" {
		return nil, unusable(s, "definition_missing", "", "its definition is not there")
	}
	var r report
	if newRules().capability(&r, "", n); len(r.issues) > 0 {
		return nil, unusable(s, r.issues[0].Code, r.issues[0].Pointer, r.issues[0].Message)
	}
	d := read(n, from)
	chosen, e := d.choose(binding)
	if e != nil {
		e.Message = s.Command[0] + " cannot be used: " + e.Message
		return nil, e
	}
	c := &Capability{
		Action: manifest.Action{Summary: s}, ID: n.Member("id").Text(), Name: n.Member("name").Text(), Intent: n.Member("intent").Text(), Type: n.Member("type").Text(),
		Binding: *chosen, Bindings: d.bindings, RequiresAuthentication: d.authentication, Idempotent: d.idempotent, CrossOrigin: chosen.CrossOrigin,
		IdentityMismatch: definition.Member("claims").Text(), HumanReview: d.consent == "human_review",
	}
	c.Method, c.Endpoint = chosen.Method, chosen.Published
	c.Effect, c.Risk, c.Consent = d.effect, d.risk, d.asks(chosen, c.IdentityMismatch)
	c.warn(from)
	if err := c.schemas(n, from); err != nil {
		return nil, err
	}
	return c, nil
}

func unusable(s manifest.Summary, code, pointer, message string) *fault.Error {
	e := fault.New(fault.Manifest, code, "%s cannot be used: %s", s.Command[0], message)
	if pointer != "" {
		e.Details = map[string]any{"pointer": pointer}
	}
	return e
}

// warn tells what a person should know before the call.
func (c *Capability) warn(from *url.URL) {
	if c.IdentityMismatch != "" {
		c.flaw("/identity/domain", "identity_mismatch", "the manifest of "+from.Hostname()+" speaks for "+fault.Word(c.IdentityMismatch))
	}
	if c.CrossOrigin && c.Binding.Kind != HostedCheckout {
		c.flaw("", "cross_origin", "it goes to "+hostOf(c.Binding.URL)+", another origin than the site's")
	}
}

// flaw records an issue that leaves the capability usable.
func (c *Capability) flaw(pointer, code, message string) {
	c.Issues = append(c.Issues, manifest.Issue{Code: code, Pointer: pointer, Message: message, Command: c.Command})
}

// schemas finds out by which schemas arguments and answer are judged (AM-16). A binding that takes no arguments has no say
// in it.
func (c *Capability) schemas(n *jsontree.Node, from *url.URL) error {
	in, out := n.Member("inputSchema"), n.Member("outputSchema")
	switch b := &c.Binding; {
	case b.Kind == Static || b.Kind == HTML || b.Kind == HostedCheckout:
		in = jsontree.Parse(jsontext.Value(noArguments))
	case b.SchemaMode == External && b.Kind != HTTP:
		return nil
	case b.SchemaMode == Overrides && b.input != nil:
		in = b.input
	}
	if c.Binding.SchemaMode == Overrides && c.Binding.output != nil {
		out = c.Binding.output
	}
	if err := c.output(out, from); err != nil {
		c.flaw("/outputSchema", "address_refused", "answers are not checked: the output schema's address "+err.Error())
	}
	switch {
	case in == nil:
		return c.UseInput(jsontext.Value(anyArguments))
	case in.Kind == '{':
		return c.UseInput(in.Value())
	}
	address, err := resolve(in.Text(), from)
	if err != nil {
		return unusable(c.Summary, "address_refused", "/inputSchema", "the input schema's address "+err.Error())
	}
	c.InputSchemaURL = address
	return nil
}

func (c *Capability) output(schema *jsontree.Node, from *url.URL) (err error) {
	switch {
	case schema == nil:
	case schema.Kind == '{':
		c.Output = schema.Value()
	default:
		c.OutputSchemaURL, err = resolve(schema.Text(), from)
	}
	return err
}

// UseInput makes a schema that of the arguments: the one at InputSchemaURL, or the one of the operation or tool that the
// binding names. It must have passed [strictjson.Check]. Required arguments of scalar type may then be given by position.
// The error is a [*fault.Error] of kind [fault.Manifest].
func (c *Capability) UseInput(schema jsontext.Value) error {
	params, err := input.CompileObject(schema, nil)
	if err != nil {
		e := fault.From(err)
		pointer, _ := e.Details["pointer"].(string)
		return unusable(c.Summary, e.Code, "/inputSchema"+pointer, "the input schema: "+e.Error())
	}
	c.Input, c.Args = schema, arguments.Positional(params)
	return nil
}

// Reach holds the capability to where its binding really leads (AM-4), once a document of another format has told: the
// address of the operation, or of the server. It must be called before the arguments are approved. The error is a
// [*fault.Error] of kind [fault.Manifest].
func (c *Capability) Reach(target string) error {
	from := jsontree.Parse(c.Definition).Member("from").Text()
	switch {
	case SameOrigin(from, target):
		return nil
	case c.RequiresAuthentication:
		return unusable(c.Summary, "cross_origin", "", "it needs a credential, which is not sent to "+hostOf(target))
	case c.Effect != manifest.Read:
		c.Consent = atLeastExplicit(c.Consent)
	}
	if !c.CrossOrigin || !SameOrigin(c.Binding.URL, target) {
		c.flaw("", "cross_origin", "it goes to "+hostOf(target)+", another origin than the site's")
	}
	c.CrossOrigin = true
	return nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an unknown host"
	}
	return fault.Word(u.Host)
}
