package openapi

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	standard "github.com/agentctl/agentctl/internal/manifest/openapi"
)

// Operation is an operation that can be called.
type Operation struct {
	ID          string
	Method      string // upper case
	Endpoint    string // the absolute URL with its placeholders
	Origin      odp.Origin
	Description string         // one line of the document's; may be empty
	Input       jsontext.Value // JSON Schema of all arguments together
	Args        []string       // the parameters of the path, in its order
	BodyTypes   []string       // the media types that a body from the caller may have; nil when there is no body
	Accept      string         // what its successful answers are

	plan standard.Plan
}

// Operation prepares the one operation of that id (ODP-108 to ODP-110). Its error is a [*fault.Error] whose details name
// the place.
func (d *Document) Operation(id string) (*Operation, error) {
	at, err := d.find(id)
	switch {
	case err != nil:
		return nil, err
	case at.item.Member("$ref") != nil:
		return nil, unusable(at.pointer, "its path item refers to another one")
	case !slices.Contains([]string{"get", "head", "post", "put", "patch", "delete"}, at.method):
		return nil, unusable(at.pointer, "the method %s is not supported", strings.ToUpper(at.method))
	case !d.dialectOK():
		return nil, unusable("/jsonSchemaDialect", "the dialect of its schemas is not understood")
	}
	o := &Operation{ID: id, Method: strings.ToUpper(at.method), Accept: d.accept(at)}
	o.plan = standard.Plan{Method: o.Method, Path: at.path, Accept: o.Accept}
	if o.Description = at.operation.Member("summary").Text(); o.Description == "" {
		o.Description = at.operation.Member("description").Text()
	}
	if o.plan.Base, err = d.server(at); err != nil {
		return nil, err
	}
	o.Endpoint, o.Origin = o.plan.Base+at.path, odp.OriginOf(o.plan.Base+"/")
	if o.plan.Parameters, err = d.parameters(at); err != nil {
		return nil, err
	}
	if o.Args, err = pathArguments(at, o.plan.Parameters); err != nil {
		return nil, err
	}
	in := standard.Inputs{Parameters: o.plan.Parameters, Bundle: &standard.Bundle{Find: d.lookup(), Strict: true}}
	if in.Body, in.Rule, err = d.body(at, in.Bundle); err != nil {
		return nil, refusal(err)
	}
	if o.Input, err = in.Schema(); err != nil {
		return nil, refusal(err)
	}
	if o.plan.Body = in.Body; in.Body != nil {
		o.BodyTypes = in.Body.Types
		if in.Rule != nil {
			in.Body.Rule = in.Bundle.Complete(in.Rule)
		}
	}
	return o, nil
}

// Request builds the request from arguments that were checked against [Operation.Input]. A body of the caller's own goes
// in place of arguments that are no parameters; body is nil for none. There is no request when there are problems.
func (o *Operation) Request(values *manifest.Values, body *Body) (*call.Request, []fault.Problem) {
	request, problems := o.plan.Request(values, standard.Own{Body: body})
	if request != nil && (odp.CheckReference(request.URL) != nil || odp.OriginOf(request.URL) != o.Origin) {
		return nil, []fault.Problem{{Keyword: "style", Message: "the arguments do not make a URL of the operation"}}
	}
	return request, problems
}

// pathArguments checks that the path and its parameters fit together, and returns their arguments in the path's order.
func pathArguments(at place, parameters []standard.Parameter) ([]string, error) {
	if standard.HasDotSegment(at.path) {
		return nil, unusable(at.pointer, "the path %q has dot segments", fault.Word(at.path))
	}
	used := map[string]bool{}
	for literal, name := range standard.Pieces(at.path) {
		if err := checkLiteral(literal, at); err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		if !slices.ContainsFunc(parameters, func(p standard.Parameter) bool { return p.In == standard.InPath && p.Name == name }) {
			return nil, unusable(at.pointer, "its path needs %q, which is no parameter", fault.Word(name))
		}
		used[name] = true
	}
	for _, p := range parameters {
		if p.In == standard.InPath && !used[p.Name] {
			return nil, unusable(p.Pointer, "the path has no place for %q", fault.Word(p.Name))
		}
	}
	return standard.PathArguments(at.path, parameters), nil
}

func checkLiteral(literal string, at place) error {
	if strings.ContainsAny(literal, "?#{}\\") || odp.CheckReference("/"+strings.TrimLeft(literal, "/")) != nil {
		return unusable(at.pointer, "the path %q is not plain", fault.Word(at.path))
	}
	return nil
}

// accept returns the media types of the operation's successful answers.
func (d *Document) accept(at place) string {
	var types []string
	for status, response := range at.operation.Member("responses").Members() {
		if !strings.HasPrefix(status, "2") {
			continue
		}
		response, _, err := d.lookup().Resolve(response, "")
		if err != nil {
			return "*/*"
		}
		for name := range response.Member("content").Members() {
			types = append(types, name)
		}
	}
	return Accept(types)
}

// Accept returns the value of an Accept header for these media types: at most 8 of them, and anything when there are none.
func Accept(types []string) string { return standard.Accept(types) }
