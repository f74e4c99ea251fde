package resource

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Invocation is an Action made ready for its arguments. Making it calls nothing; its request is sent only where a caller
// chose the Action by its id (ODP-98, ODP-99).
type Invocation struct {
	// Action is it in the common model: Input is the schema of all arguments together, Params is empty.
	manifest.Action

	Origin    odp.Origin // of the target
	Foreign   bool       // the target is not the Service's: nothing secret of the Service goes there (ODP-137)
	BodyTypes []string   // the media types that a body of the caller's own may have; empty when any may that it names

	request func(*manifest.Values, *openapi.Body) (*call.Request, []fault.Problem)
}

// Request builds the request from arguments that were checked against Input. body is a body of the caller's own, nil for
// none. There is no request when there are problems.
func (i *Invocation) Request(values *manifest.Values, body *openapi.Body) (*call.Request, []fault.Problem) {
	request, problems := i.request(values, body)
	if len(problems) > 0 {
		return nil, problems
	}
	request.Effect, request.Cost = i.Effect, i.Cost
	return request, nil
}

// Subject is an Offering of a Service whose Actions are to be called.
type Subject struct {
	Service  odp.Origin
	Offering *Offering
}

// HTTP prepares an Action with a compact target. rule is the schema that its request names, complete in itself; nil where
// it names none. Its error is a [*fault.Error].
func (s Subject) HTTP(a *Action, rule jsontext.Value) (*Invocation, error) {
	if a.HTTP == nil {
		return nil, wrongTarget(a)
	}
	c := compact{target: a.HTTP, url: s.Service.Resolve(a.HTTP.Href), rule: rule}
	if a.HTTP.Request != nil {
		c.contentType = a.HTTP.Request.ContentType
		if a.HTTP.Request.SchemaURL != "" && rule == nil {
			return nil, fault.New(fault.Manifest, codeUnusable, "the Action %q cannot be used without the schema of its request", a.ID)
		}
	}
	i, err := s.invocation(a, a.HTTP.Method, c.url, odp.OriginOf(c.url))
	if err != nil {
		return nil, err
	}
	i.Description, i.Input = a.Description, c.input()
	if c.contentType != "" {
		i.BodyTypes = []string{c.contentType}
	}
	i.request = c.request
	i.settleCost()
	return i, nil
}

// settleCost takes the amount out of the cost where arguments may change it: twenty bags cost more than the one whose
// price the Offering tells (ODP-93).
func (i *Invocation) settleCost() {
	if i.Cost != nil && !takesNothing(i.Input) {
		i.Cost = &manifest.Cost{Mode: i.Cost.Mode, Currency: i.Cost.Currency}
	}
}

// takesNothing reports whether a schema of arguments allows none: what else it says can only forbid more.
func takesNothing(input jsontext.Value) bool {
	n := jsontree.Parse(input)
	properties, additional := n.Member("properties"), n.Member("additionalProperties")
	return (properties == nil || len(properties.Names) == 0) && n.Member("patternProperties") == nil && additional != nil && additional.Kind == 'f'
}

// OpenAPI prepares an Action whose target is an operation of an OpenAPI document. Its error is a [*fault.Error].
func (s Subject) OpenAPI(a *Action, d *openapi.Document) (*Invocation, error) {
	if a.OpenAPI == nil {
		return nil, wrongTarget(a)
	}
	o, err := d.Operation(a.OpenAPI.OperationID)
	if err != nil {
		return nil, err
	}
	i, err := s.invocation(a, o.Method, o.Endpoint, o.Origin)
	if err != nil {
		return nil, err
	}
	if i.Description = a.Description; i.Description == "" {
		i.Description = o.Description
	}
	i.Input, i.Args, i.BodyTypes, i.request = o.Input, o.Args, o.BodyTypes, o.Request
	i.settleCost()
	return i, nil
}

func wrongTarget(a *Action) error {
	return fault.New(fault.Internal, "internal", "the Action %q has another kind of target", a.ID)
}

func (s Subject) invocation(a *Action, method, endpoint string, target odp.Origin) (*Invocation, error) {
	if err := checkDestination(s.Service, target); err != nil {
		return nil, err
	}
	i := &Invocation{Origin: target, Foreign: target != s.Service}
	i.Summary = manifest.Summary{
		Format: odp.Format, Command: []string{"offerings", "do", s.Offering.ID, a.ID}, Method: method, Endpoint: endpoint,
		Effect: effectOf(a.Rel, method, s.Offering.Price), Risk: riskOf(a.Rel), Cost: costOf(a.Rel, s.Offering.Price),
	}
	return i, nil
}

// noArguments is the schema of an Action that takes none.
const noArguments = `{"type":"object","additionalProperties":false}`

// compact is a compact target on its way to a request.
type compact struct {
	target      *HTTPTarget
	url         string
	contentType string         // "" when the target names none
	rule        jsontext.Value // nil when the target names no schema
}

// bodiless reports whether there is never a body (ODP-104).
func (c compact) bodiless() bool { return c.target.Method == http.MethodGet && c.target.Request == nil }

// fromArguments reports whether arguments can be put together to a body.
func (c compact) fromArguments() bool {
	return !c.bodiless() && (c.contentType == "" || openapi.IsJSON(c.contentType) || openapi.IsForm(c.contentType))
}

// input returns the schema of all arguments: compact targets have none but those of the body (ODP-103).
func (c compact) input() jsontext.Value {
	switch {
	case !c.fromArguments():
		return jsontext.Value(noArguments)
	case c.rule == nil:
		return jsontext.Value(`{"type":"object"}`)
	}
	return c.rule
}

func (c compact) request(values *manifest.Values, own *openapi.Body) (*call.Request, []fault.Problem) {
	header := http.Header{"Accept": {openapi.Accept(c.target.ResponseTypes)}}
	body, contentType, problems := c.body(values, own)
	if len(problems) > 0 {
		return nil, problems
	}
	if body != nil {
		header.Set("Content-Type", contentType)
	}
	return &call.Request{Method: c.target.Method, URL: c.url, Header: header, Body: body}, nil
}

// body returns the body to send: none unless the caller gave one (ODP-104).
func (c compact) body(values *manifest.Values, own *openapi.Body) (body []byte, contentType string, problems []fault.Problem) {
	given := len(values.Names()) > 0
	switch {
	case own == nil && !given:
		return nil, "", nil
	case own != nil && given:
		return refuseBody("a body and arguments for the body were both given")
	case c.bodiless():
		return refuseBody("the Action takes no body")
	case own != nil:
		return c.own(own)
	case !c.fromArguments():
		return refuseBody("the Action takes a body of the type " + c.contentType)
	case openapi.IsForm(c.contentType):
		body, problems = openapi.AppendForm([]byte{}, values.Object())
		return body, c.contentType, problems
	case c.contentType != "":
		return values.Object(), c.contentType, nil
	}
	return values.Object(), "application/json", nil
}

// own takes a body of the caller's. One that a schema is about is checked before it is sent, or not sent.
func (c compact) own(own *openapi.Body) (body []byte, contentType string, problems []fault.Problem) {
	contentType = c.contentType
	isJSON := len(openapi.CheckJSON(own.Data, nil)) == 0
	switch {
	case contentType != "" && own.Type != "" && odp.Essence(own.Type) != odp.Essence(contentType):
		return refuseBody("the body must be of the type " + contentType)
	case contentType == "" && own.Type != "":
		contentType = own.Type
	case contentType == "" && isJSON:
		contentType = "application/json"
	case contentType == "":
		return refuseBody("the type of the body has to be named")
	}
	switch {
	case !openapi.Sendable(contentType):
		return refuseBody("the type of the body is no media type")
	case openapi.IsJSON(contentType):
		problems = openapi.CheckJSON(own.Data, c.rule)
	case c.rule != nil:
		return refuseBody("a body of the type " + contentType + " cannot be checked against the schema of the Action")
	}
	return own.Data, contentType, problems
}

func refuseBody(message string) ([]byte, string, []fault.Problem) {
	return nil, "", []fault.Problem{{Keyword: "body", Message: message}}
}
