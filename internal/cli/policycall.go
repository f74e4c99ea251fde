package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/audit"
	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/site"
)

// facts are what policy decides about a call by.
func (a *published) facts(c *call.Call) *policy.Facts {
	f := c.Facts()
	f.Risk, f.Consent = a.action.Risk, a.action.Consent
	f.Endpoint, f.Description = a.action.Endpoint, a.action.Description
	return f
}

// clear lets a call go out as the contract's section 5 has it: what policy decides, the yes of a person, the price
// counted, the line in the audit log. done must be told what became of the request; it may be given a nil result.
func (a *published) clear(ctx context.Context, c *call.Call) (done func(*call.Result, error), err error) {
	f := a.facts(c)
	gate, err := a.gate()
	if err != nil {
		return nil, err
	}
	if a.oneOfSeveral && gate.Digest != f.Digest() {
		gate.Digest = ""
	}
	passage, err := gate.Pass(ctx, f)
	if err != nil {
		return nil, err
	}
	a.paymentTaken = passage.Payment
	return a.record(f, passage)
}

// record writes a call that may go out into the audit log. done is as that of [published.clear].
func (a *published) record(f *policy.Facts, passage *policy.Passage) (done func(*call.Result, error), err error) {
	var entry *audit.Entry
	if f.Audited() {
		if entry, err = a.auditLog().Begin(auditCall(f, passage)); err != nil {
			a.warnIf(passage.Release())
			return nil, err
		}
	}
	return func(result *call.Result, err error) {
		outcome := outcomeOf(result, err)
		outcome.Code = a.redact(outcome.Code) // a site may repeat there what it was sent
		if outcome.Sent == string(fault.SentNo) {
			a.warnIf(passage.Release())
		}
		if entry != nil {
			a.warnIf(entry.End(outcome))
		}
	}, nil
}

// gate makes what every call passes, of the configuration, the state and the flags.
func (r *run) gate() (*policy.Gate, error) {
	rules, err := r.loadPolicy()
	if err != nil {
		return nil, err
	}
	g := &policy.Gate{
		Policy: rules, Ledger: r.ledger(), Now: r.Now,
		Pending: &policy.Pending{Dir: filepath.Join(r.StateDir, "approvals"), Now: r.Now},
		Yes:     r.Yes, Digest: r.Approve,
	}
	if r.canAsk() {
		g.Ask = r.ask
	}
	return g, nil
}

// canAsk tells whether a person can answer questions (contract, section 3).
func (r *run) canAsk() bool { return (r.asks != nil || r.InTTY && r.ErrTTY) && !r.NoInput }

func (r *run) ledger() *policy.Ledger {
	return &policy.Ledger{Path: filepath.Join(r.StateDir, "spending.json"), Now: r.Now}
}

func (r *run) auditLog() *audit.Log {
	return &audit.Log{Dir: filepath.Join(r.StateDir, "audit"), Now: r.Now}
}

func (r *run) loadPolicy() (*policy.Policy, error) { return r.policyLoader().Load() }

func (r *run) policyLoader() *policy.Loader {
	return &policy.Loader{Path: policy.Path(r.ConfigDir), Origin: func(word string) (string, error) {
		aliases, err := site.LoadAliases(r.ConfigDir)
		if err != nil {
			return "", err
		}
		origin, err := site.Resolve(word, aliases)
		return string(origin), err
	}}
}

// warnIf tells of a failure that must not hide the answer: the request has been made, or its own failure is told.
func (r *run) warnIf(err error) {
	if err != nil {
		_, _ = fmt.Fprintf(r.Err, "warning: %s\n", r.redact(err.Error()))
	}
}

func auditCall(f *policy.Facts, p *policy.Passage) audit.Call {
	c := audit.Call{
		Site: f.Site, Command: f.Command, Method: f.Method, Endpoint: f.Endpoint, Effect: string(f.Effect), Risk: f.Risk, Consent: f.Consent,
		By: string(p.By), Rule: p.Rule, Args: []audit.Arg{},
	}
	if f.Cost != nil {
		c.Amount, c.Currency = f.Cost.Amount, f.Cost.Currency
	}
	for _, field := range f.Fields {
		c.Args = append(c.Args, audit.Arg{Name: field.Name, Type: field.Type, Length: field.Length, Secret: field.Secret})
	}
	return c
}

// outcomeOf sums up what became of a request. Whatever is not certain is unknown.
func outcomeOf(result *call.Result, err error) audit.Outcome {
	if err == nil {
		o := audit.Outcome{Status: result.Status, Sent: string(fault.SentYes)}
		for _, id := range result.IDs {
			o.IDs = append(o.IDs, audit.ID{Name: id.Name, Value: id.Value})
		}
		return o
	}
	e, ok := err.(*fault.Error) //nolint:errorlint // one with a wrapper tells less
	if !ok {
		return audit.Outcome{Kind: string(fault.From(err).Kind), Sent: string(fault.SentUnknown)}
	}
	o := audit.Outcome{Status: e.Status, Kind: string(e.Kind), Code: e.Code, Sent: string(e.Sent)}
	if o.Sent == "" {
		o.Sent = string(fault.SentNo)
	}
	return o
}

// secret reports whether the site declares a parameter, or a part of one, as secret.
func (a *published) secret(path []string) bool {
	return a.params.Secret(path[0], path[1:])
}

// hideSecrets keeps the values of secret parameters out of --verbose and errors.
func (a *published) hideSecrets(values *manifest.Values) {
	for _, name := range values.Names() {
		value, _ := values.Get(name)
		if a.open[name] && value.Kind() != '{' && value.Kind() != '[' {
			continue
		}
		policy.Mask([]string{name}, value, a.secret, func(secret jsontext.Value) { a.hide(plain(secret)) })
	}
}

// openNames are the parameters whose values are no secrets, unless it is a part of one. It spares each line of many the asking.
func (a *published) openNames() map[string]bool {
	names := map[string]bool{}
	for _, param := range a.action.Params {
		names[param.Name] = !a.secret([]string{param.Name}) && !policy.SecretName(param.Name)
	}
	return names
}

// fields are the arguments as a person may see them, and in summary.
func (a *published) fields(values *manifest.Values, upload jsontext.Value) []policy.Field {
	var out []policy.Field
	for _, name := range values.Names() {
		value, _ := values.Get(name)
		field := policy.Field{Name: name, Value: string(policy.Mask([]string{name}, value, a.secret, nil)), Type: valueType(value)}
		if field.Secret = field.Value != string(value); !field.Secret {
			field.Length = valueLength(value)
		}
		out = append(out, field)
	}
	if upload != nil {
		names := strings.Join(a.typed.files, ", ")
		out = append(out, policy.Field{Name: fileFlag, Value: names, Type: "files", Length: len(upload)})
	}
	return out
}

func valueType(value jsontext.Value) string {
	switch value.Kind() {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	}
	return "null"
}

func valueLength(value jsontext.Value) int {
	if value.Kind() == '"' {
		return utf8.RuneCountInString(plain(value))
	}
	return len(value)
}
