package openapi

import (
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
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

	base       string
	path       string
	parameters []parameter
	body       *bodyPlan
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
	o := &Operation{ID: id, Method: strings.ToUpper(at.method), path: at.path, Accept: d.accept(at)}
	if o.Description = at.operation.Member("summary").Text(); o.Description == "" {
		o.Description = at.operation.Member("description").Text()
	}
	if o.base, err = d.server(at); err != nil {
		return nil, err
	}
	o.Endpoint, o.Origin = o.base+o.path, odp.OriginOf(o.base+"/")
	if o.parameters, err = d.parameters(at); err != nil {
		return nil, err
	}
	if o.Args, err = pathArguments(at, o.parameters); err != nil {
		return nil, err
	}
	b := newBundle(d)
	plan, rule, err := d.body(at, b)
	if err != nil {
		return nil, err
	}
	if o.Input, err = input(o.parameters, plan, rule, b); err != nil {
		return nil, err
	}
	if o.body = plan; plan != nil {
		o.BodyTypes = plan.types
		if rule != nil {
			plan.rule = b.complete(rule)
		}
	}
	return o, nil
}

// pathArguments checks that the path and its parameters fit together, and returns their arguments in the path's order.
func pathArguments(at place, parameters []parameter) ([]string, error) {
	if hasDotSegment(at.path) {
		return nil, unusable(at.pointer, "the path %q has dot segments", fault.Word(at.path))
	}
	var arguments []string
	used := map[string]bool{}
	for literal, name := range pieces(at.path) {
		if err := checkLiteral(literal, at); err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		i := slices.IndexFunc(parameters, func(p parameter) bool { return p.in == inPath && p.name == name })
		if i < 0 {
			return nil, unusable(at.pointer, "its path needs %q, which is no parameter", fault.Word(name))
		}
		if !used[name] {
			arguments = append(arguments, parameters[i].argument)
		}
		used[name] = true
	}
	for _, p := range parameters {
		if p.in == inPath && !used[p.name] {
			return nil, unusable(p.pointer, "the path has no place for %q", fault.Word(p.name))
		}
	}
	return arguments, nil
}

// hasDotSegment reports whether servers and proxies would make another path of one.
func hasDotSegment(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

func checkLiteral(literal string, at place) error {
	if strings.ContainsAny(literal, "?#{}\\") || odp.CheckReference("/"+strings.TrimLeft(literal, "/")) != nil {
		return unusable(at.pointer, "the path %q is not plain", fault.Word(at.path))
	}
	return nil
}

// pieces yields the literal parts of a path, each with the name of the parameter behind it; "" behind the last one.
func pieces(path string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for {
			literal, rest, found := strings.Cut(path, "{")
			name, behind, closed := strings.Cut(rest, "}")
			if !found || !closed || name == "" {
				yield(path, "")
				return
			}
			if !yield(literal, name) {
				return
			}
			path = behind
		}
	}
}

const maxAccept = 8

// accept returns the media types of the operation's successful answers.
func (d *Document) accept(at place) string {
	var types []string
	for status, response := range members(at.operation.Member("responses")) {
		if !strings.HasPrefix(status, "2") {
			continue
		}
		response, _, err := d.resolve(response, "")
		if err != nil {
			return "*/*"
		}
		for name := range members(response.Member("content")) {
			types = append(types, name)
		}
	}
	return Accept(types)
}

// Accept returns the value of an Accept header for these media types: at most 8 of them, and anything when there are none.
func Accept(types []string) string {
	var out []string
	for _, name := range types {
		if essence := odp.Essence(name); essence != "" && !slices.Contains(out, essence) && len(out) < maxAccept {
			out = append(out, essence)
		}
	}
	if len(out) == 0 {
		return "*/*"
	}
	return strings.Join(out, ", ")
}

// flatMember reports whether an argument is a member of the body.
func (o *Operation) flatMember(argument string) bool {
	return !slices.ContainsFunc(o.parameters, func(p parameter) bool { return p.argument == argument })
}
