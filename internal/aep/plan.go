package aep

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Access is what a Service's OpenAPI document says of who may call an operation. It is a forecast: the live challenge
// decides (AEP-33).
type Access string

// What a plan may say.
const (
	Open      Access = "open"      // nobody need say who asks
	Optional  Access = "optional"  // with or without saying so
	Needed    Access = "needed"    // by one of the methods
	Undecided Access = "undecided" // the document does not tell, contradicts itself, or wants what one credential cannot give
)

// Plan is what an OpenAPI document says of authentication.
type Plan struct {
	operations []planned
	equivalent bool // a trailing slash makes no difference
}

type planned struct {
	method   string
	segments []string
	access   Access
	methods  []string
}

const (
	maxPlanned      = 10_000
	maxOpenAPIBytes = 1 << 20
)

// ParsePlan reads the OpenAPI 3.1 document that an Inspect document names.
func ParsePlan(doc []byte, of OpenAPI) (*Plan, error) {
	r, err := newReader(doc)
	if err == nil && !strings.HasPrefix(r.text("/openapi"), "3.1") {
		r.fail("/openapi", "must be 3.1")
	}
	if err == nil {
		err = r.err
	}
	if err != nil {
		return nil, fault.New(fault.Manifest, "openapi_invalid", "the OpenAPI document at %q cannot be used: %w", fault.Word(of.URL), err)
	}
	p := &Plan{equivalent: of.TrailingSlash == "equivalent"}
	schemes := r.root.At("/components/securitySchemes")
	for template, item := range members(r.root.Member("paths")) {
		for method, operation := range members(item) {
			if !isOperation(method) || len(p.operations) == maxPlanned {
				continue
			}
			security := operation.Member("security")
			if security == nil { // not the empty array, which says that there is none
				security = r.root.Member("security")
			}
			o := planned{method: strings.ToUpper(method), segments: p.split(template)}
			o.access, o.methods = accessOf(security, schemes)
			p.operations = append(p.operations, o)
		}
	}
	return p, nil
}

// Plan fetches the OpenAPI document that an Inspect document names, anonymously, and reads it.
func (c *Client) Plan(ctx context.Context, in *Inspect) (*Plan, error) {
	if in.OpenAPI == nil {
		return nil, fault.New(fault.Manifest, "aep_unsupported", "%s names no OpenAPI document", in.Origin)
	}
	doc, err := c.HTTP.Get(ctx, fetch.Ask{
		URL: in.OpenAPI.URL, Header: http.Header{"Accept": {"application/vnd.oai.openapi+json, application/json"}},
		MaxBytes: maxOpenAPIBytes, Lifetime: fetch.DefaultLifetime,
	})
	if err == nil && doc.Status != http.StatusOK {
		err = noInspect(in.OpenAPI.URL, doc)
	}
	if err == nil {
		err = openapi.CheckMediaType(doc.ContentType)
	}
	if err != nil {
		return nil, err
	}
	return ParsePlan(doc.Body, *in.OpenAPI)
}

// members yields the members of an object; a nil node and any other have none.
func members(n *jsontree.Node) func(yield func(string, *jsontree.Node) bool) {
	return func(yield func(string, *jsontree.Node) bool) {
		if n == nil {
			return
		}
		for i, name := range n.Names {
			if !yield(name, n.Items[i]) {
				return
			}
		}
	}
}

func isOperation(method string) bool {
	return slices.Contains([]string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}, method)
}

// split is a path, or a template of paths, by its slashes.
func (p *Plan) split(path string) []string {
	if p.equivalent && len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return strings.Split(path, "/")
}

// For says how an operation is called: its HTTP method, and the path of the URL, without a query, as it is sent. methods are
// those of [Inspect.Methods] that will do, when Access is Needed or Optional.
func (p *Plan) For(method, path string) (access Access, methods []string) {
	var found []planned
	segments := p.split(path)
	for _, o := range p.operations {
		if o.method == strings.ToUpper(method) && matches(o.segments, segments) {
			found = append(found, o)
		}
	}
	for i, o := range found { // literal text goes before a parameter
		if allOthers(found, i, o.closer) {
			return o.access, o.methods
		}
	}
	return Undecided, nil // nothing, or no one of several: a contradiction
}

func isParameter(segment string) bool { return strings.Contains(segment, "{") }

func matches(template, segments []string) bool {
	return slices.EqualFunc(template, segments, func(t, s string) bool { return t == s || isParameter(t) && s != "" })
}

func allOthers(found []planned, but int, holds func(planned) bool) bool {
	for i, other := range found {
		if i != but && !holds(other) {
			return false
		}
	}
	return true
}

// closer reports whether a template is at least as literal as another in every segment, and more so in one.
func (o planned) closer(other planned) bool {
	literal := false
	for i := range o.segments {
		mine, theirs := isParameter(o.segments[i]), isParameter(other.segments[i])
		if mine && !theirs {
			return false
		}
		literal = literal || !mine && theirs
	}
	return literal
}

// accessOf reads security requirements: each is an alternative, and asks for all of its schemes at once. One with more than
// one scheme, or with one that is none of AEP's, is not reduced to what we could do.
func accessOf(security, schemes *jsontree.Node) (Access, []string) {
	if !security.IsArray() {
		return Undecided, nil
	}
	if len(security.Items) == 0 {
		return Open, nil
	}
	var methods []string
	access := Needed
	for _, alternative := range security.Items {
		switch {
		case alternative.Kind != '{':
			return Undecided, nil
		case len(alternative.Names) == 0:
			access = Optional
		case len(alternative.Names) == 1:
			if method := schemes.Member(alternative.Names[0]).Member("x-aep-authentication-method").Text(); methodForm().MatchString(method) {
				methods = append(methods, method)
			}
		}
	}
	if access == Needed && methods == nil {
		return Undecided, nil
	}
	return access, methods
}
