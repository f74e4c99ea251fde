package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Action is one operation in full, ready to be called many times and by several goroutines. Its Input is the schema of all
// arguments; Params is nil, since input.CompileObject makes the parameters of it.
type Action struct {
	manifest.Action
	NextLink  bool     // its answers are lists that may go on behind a Link of rel="next"
	FileArgs  []string // the arguments whose values are paths of files
	BodyTypes []string // the media types that a body of the caller's own may have; nil when there is no body
	Server    string   // the absolute URL that the path is joined to

	plan       Plan
	idempotent bool
}

// ParseAction makes an action of a summary that [Document.Site] made, without the document: part returns what a reference
// such as "#/components/schemas/Pet" leads to, see [Document.Parts], or nil. Only what the operation's inputs reach is asked
// for. The error is that of part, or a [*fault.Error] of kind [fault.Manifest] that names the place.
func ParseAction(s manifest.Summary, part func(ref string) (jsontext.Value, error)) (*Action, error) {
	if s.Issue != nil {
		return nil, unusable(s.Issue.Code, s.Issue.Pointer, "%s", s.Issue.Message)
	}
	if s.Definition == nil {
		return nil, unusable(CodeInvalid, "", "its definition is not there")
	}
	r := newActionReader(s, part)
	a, err := r.action()
	switch {
	case r.lost != nil:
		return nil, r.lost
	case err != nil:
		e, ok := err.(*Error) //nolint:errorlint // no reader wraps one
		if !ok {
			return nil, err
		}
		return nil, unusable(e.Code, e.Pointer, "%s", e.Message)
	}
	return a, nil
}

// actionReader is one definition while it is read.
type actionReader struct {
	summary manifest.Summary
	root    *jsontree.Node
	pointer string // to the operation in the document
	base    string // what addresses of authorization servers belong to
	find    Lookup
	flaws   []*Error
	lost    error // of part
}

func newActionReader(s manifest.Summary, part func(string) (jsontext.Value, error)) *actionReader {
	r := &actionReader{summary: s, root: jsontree.Parse(s.Definition)}
	r.pointer, r.base = r.root.Member("pointer").Text(), describedBy(r.root, "from", "base")
	known, left := map[string]*jsontree.Node{}, maxReached
	r.find = func(pointer string) *jsontree.Node {
		if n, ok := known[pointer]; ok || r.lost != nil {
			return n
		}
		value, err := part("#" + pointer)
		if err != nil {
			r.lost = err
		}
		switch left -= len(value); {
		case value == nil:
			known[pointer] = nil
		case left < 0:
			known[pointer] = Unread()
		default:
			known[pointer] = jsontree.Parse(value)
		}
		return known[pointer]
	}
	return r
}

func (r *actionReader) flaw(e *Error) { r.flaws = append(r.flaws, e) }

func (r *actionReader) action() (*Action, error) {
	a := &Action{Action: manifest.Action{Summary: r.summary}, NextLink: isTrue(r.root.Member("next"))}
	a.Description = cmp.Or(r.root.Member("description").Text(), r.summary.Description)
	a.Server = r.root.Member("base").Text()
	a.Endpoint = a.Server + r.root.Member("path").Text()
	a.plan = Plan{Method: r.root.Member("method").Text(), Base: r.root.Member("base").Text(), Path: r.root.Member("path").Text(), Accept: r.root.Member("accept").Text()}
	parameters, err := r.parameters()
	if err != nil {
		return nil, err
	}
	bundle := &Bundle{Find: r.find, Old: isOld(r.root.Member("openapi").Text())}
	plan, rule, err := r.body(bundle, a.plan.Method)
	if err != nil {
		return nil, err
	}
	if err := NameArguments(parameters, r.taken(plan, rule, bundle)); err != nil {
		return nil, err
	}
	a.idempotent = freeKey(parameters)
	in := Inputs{Parameters: parameters, Body: plan, Rule: rule, Bundle: bundle}
	if a.Input, err = in.Schema(); err != nil {
		return nil, err
	}
	a.plan.Parameters, a.plan.Body = parameters, plan
	if plan != nil {
		a.BodyTypes, a.FileArgs = plan.Types, plan.Files
		if rule != nil && IsJSON(plan.MediaType) {
			plan.Rule = bundle.Complete(rule)
		}
	}
	r.flaws = append(r.flaws, bundle.Flaws...)
	a.Input = r.compilable(a.Input)
	a.Args = PathArguments(a.plan.Path, parameters)
	a.Security = r.security(r.root.Member("security"))
	for _, e := range r.flaws {
		a.Issues = append(a.Issues, *e.issue(a.Command))
	}
	return a, nil
}

func (r *actionReader) parameters() ([]Parameter, error) {
	reader := parameterReader{find: r.find, flaws: &r.flaws}
	above := r.pointer[:max(strings.LastIndexByte(r.pointer, '/'), 0)]
	shared, err := reader.list(r.root.Member("shared"), jsontree.Pointer(above, "parameters"))
	if err != nil {
		return nil, err
	}
	own, err := reader.list(r.root.Member("parameters"), jsontree.Pointer(r.pointer, "parameters"))
	if err != nil {
		return nil, err
	}
	list, flaws := fitPath(r.root.Member("path").Text(), Merge(shared, own), r.pointer)
	r.flaws = append(r.flaws, flaws...)
	return list, nil
}

// TakesArguments reports whether a request can be made of arguments alone: there is no body, or one that arguments make.
func (a *Action) TakesArguments() bool { return a.plan.Body == nil || a.plan.Body.MediaType != "" }

// taken returns the names of arguments that the body has.
func (r *actionReader) taken(plan *BodyPlan, rule *jsontree.Node, b *Bundle) map[string]bool {
	switch {
	case plan == nil:
		return nil
	case rule == nil || !b.isObject(rule):
		return map[string]bool{BodyArgument: true}
	}
	names := b.members(rule)
	names[BodyArgument] = names[BodyArgument] || b.closed(rule)
	return names
}

// idempotencyKey is the header that tells that a request was sent before. An operation that takes it declares that it is
// idempotent (contract, section 7): then each call has a key of its own, unless the caller gives one.
const idempotencyKey = "Idempotency-Key"

// freeKey reports whether there is an idempotency key among the parameters, and makes it one that need not be given.
func freeKey(list []Parameter) bool {
	i := slices.IndexFunc(list, func(p Parameter) bool { return p.In == InHeader && strings.EqualFold(p.Name, idempotencyKey) })
	if i >= 0 {
		list[i].Required = false
	}
	return i >= 0
}

// Request builds the request from arguments that were checked against the input, and from what the caller sends besides. Its
// URL is absolute. There is no request when there are problems.
func (a *Action) Request(values *manifest.Values, own Own) (*call.Request, []fault.Problem) {
	request, problems := a.plan.Request(values, own)
	if request == nil {
		return nil, problems
	}
	request.Effect, request.Cost = a.Effect, a.Cost.Settled(values)
	request.Idempotent = a.idempotent && request.Header.Get(idempotencyKey) == ""
	return request, nil
}
