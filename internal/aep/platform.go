package aep

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Platform holds the keys of agents and publishes their documents, for owners who do not (AEP-34). It is told who asks by
// a field that the owner configured, which goes to the platform's own origin and nowhere else.
type Platform struct {
	Client *Client
	Origin string // "https://p.example"
	Field  Field
}

// PlatformDocument is what a platform says of itself.
type PlatformDocument struct {
	Algorithms []Algorithm
	Lifetime   time.Duration // of an assertion, where none is asked for
	DIDMethods []string

	provision, sign, list, lifecycle string // paths on the platform's origin
}

const identityID = "{agent_identity_id}"

// Discover reads a platform's document.
func (p *Platform) Discover(ctx context.Context) (*PlatformDocument, error) {
	at := p.Origin + "/.well-known/aep-platform"
	doc, err := p.Client.document(ctx, at)
	if err != nil {
		return nil, err
	}
	return ParsePlatform(doc.Body, at)
}

// ParsePlatform reads the document of a platform that is published at a URL.
func ParsePlatform(doc []byte, at string) (*PlatformDocument, error) {
	r, err := newReader(doc)
	if err != nil {
		return nil, badInspect(at, err)
	}
	for _, part := range []string{"/endpoints", "/http", "/identity", "/platform", "/signing"} {
		r.object(part)
	}
	d := &PlatformDocument{
		provision: r.endpoint("/endpoints/provision"), sign: r.endpoint("/endpoints/sign"),
		list: r.endpoint("/endpoints/list"), lifecycle: r.endpoint("/endpoints/lifecycle"),
		Lifetime: r.seconds("/signing/default_lifetime_seconds"), DIDMethods: r.someTexts("/identity/did_methods"),
		Algorithms: r.algorithms("/signing/algorithms"),
	}
	if version := r.text("/aep_version"); version != "" && !versionForm().MatchString(version) {
		r.fail("/aep_version", "must be two numbers with a dot between them")
	}
	if r.err != nil {
		return nil, badInspect(at, r.err)
	}
	return d, nil
}

// endpoint wants a path on the platform's own origin; the base of its HTTP binding is not put before it again (AEP-34).
func (r *reader) endpoint(pointer string) string {
	path := r.text(pointer)
	if path != "" && !plainPath(strings.ReplaceAll(path, identityID, "x")) {
		r.fail(pointer, "must be a path that begins with /")
	}
	return path
}

// seconds wants a number of seconds as AEP writes it, "1" to "300".
func (r *reader) seconds(pointer string) time.Duration {
	text := r.text(pointer)
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n < 1 || n > 300 || text[0] == '0' || text[0] == '+' {
		r.fail(pointer, `must be "1" to "300"`)
	}
	return time.Duration(n) * time.Second
}

func (r *reader) algorithms(pointer string) []Algorithm {
	var algorithms []Algorithm
	for _, text := range r.someTexts(pointer) {
		algorithms = append(algorithms, Algorithm(text))
	}
	return algorithms
}

// Hosted is an agent whose key a platform holds.
type Hosted struct {
	Agent      DID
	Service    DID
	ID         string // of the agent at the platform
	State      string // "active", "revoked", "suspended" or "terminated"
	Algorithms []Algorithm
}

// ParseHosted reads what a platform says of an agent (AEP-35).
func ParseHosted(doc []byte) (Hosted, error) {
	r, err := newReader(doc)
	if err != nil {
		return Hosted{}, badAnswer("provision", "%w", err)
	}
	return readHosted(r)
}

func readHosted(r *reader) (Hosted, error) {
	h := Hosted{ID: r.text("/agent_identity_id"), State: r.text("/status"), Algorithms: r.algorithms("/signing_algorithms")}
	h.Agent, h.Service = r.did("/agent_did"), r.did("/service_did")
	if r.text("/key_id") != h.Agent.String() {
		r.fail("/key_id", "must be the agent's DID")
	}
	if r.text("/did_document_url") != h.Agent.DocumentURL() {
		r.fail("/did_document_url", "must be where the agent's DID is looked up")
	}
	if !slices.Contains([]string{"active", "revoked", "suspended", "terminated"}, h.State) {
		r.fail("/status", "%q is no state", fault.Word(h.State))
	}
	if r.err != nil {
		return Hosted{}, badAnswer("provision", "%w", r.err)
	}
	return h, nil
}

// did wants a DID.
func (r *reader) did(pointer string) DID {
	did, err := ParseDID(r.text(pointer))
	if err != nil {
		r.fail(pointer, "%v", err)
	}
	return did
}

// Provision has the platform make the agent for a Service, or find the one that it made before.
func (p *Platform) Provision(ctx context.Context, d *PlatformDocument, service DID) (Hosted, error) {
	var body manifest.Values
	body.Set("service_did", strictjson.Quote(service.String()))
	r, err := p.post(ctx, d.provision, body.Object())
	if err != nil {
		return Hosted{}, err
	}
	h, err := readHosted(r)
	if err == nil && h.Service != service {
		err = badAnswer("provision", "it is for %q", fault.Word(h.Service.String()))
	}
	return h, err
}

// SetState changes the state of an agent: to "active", "suspended", "revoked" or "terminated".
func (p *Platform) SetState(ctx context.Context, d *PlatformDocument, h Hosted, state string) (Hosted, error) {
	var body manifest.Values
	body.Set("status", strictjson.Quote(state))
	r, err := p.post(ctx, h.path(d.lifecycle), body.Object())
	if err != nil {
		return Hosted{}, err
	}
	return readHosted(r)
}

func (h Hosted) path(template string) string {
	return strings.ReplaceAll(template, identityID, url.PathEscape(h.ID))
}

// maxHosted is how many agents a list may name.
const maxHosted = 1000

// List returns the agents that the platform holds for a Service; the zero DID asks for all.
func (p *Platform) List(ctx context.Context, d *PlatformDocument, service DID) ([]Hosted, error) {
	path := d.list
	if !service.IsZero() {
		path += "?" + url.Values{"service_did": {service.String()}}.Encode()
	}
	a, err := p.Client.exchange(ctx, p.request(http.MethodGet, path))
	if err != nil {
		return nil, err
	}
	r, err := p.success(a, http.StatusOK)
	if err != nil {
		return nil, err
	}
	return readHostedList(r)
}

func readHostedList(r *reader) ([]Hosted, error) {
	data := r.root.Member("data")
	if !data.IsArray() || len(data.Items) > maxHosted {
		return nil, badAnswer("list", "/data: must be an array of at most %d agents", maxHosted)
	}
	var agents []Hosted
	for _, item := range data.Items {
		h, err := readHosted(&reader{root: item})
		if err != nil {
			return nil, err
		}
		agents = append(agents, h)
	}
	return agents, nil
}

// request is one to the platform, with the field that tells who asks.
func (p *Platform) request(method, path string) fetch.Request {
	request := fetch.Request{
		Method: method, URL: p.Origin + path, MaxBytes: maxAnswerBytes,
		Header: http.Header{"Accept": {mediaType + ", " + problemMediaType}},
	}
	switch {
	case strings.EqualFold(p.Field.Name, string(Authorization)):
		request.Credential = p.Field.Value
	case p.Field.Name != "":
		request.Header.Set(p.Field.Name, p.Field.Value)
	}
	return request
}

// post sends a body under a key of its own. 200 and 201 are a success.
func (p *Platform) post(ctx context.Context, path string, body jsontext.Value) (*reader, error) {
	a, err := p.send(ctx, path, body)
	if err != nil {
		return nil, err
	}
	return p.success(a, http.StatusOK, http.StatusCreated)
}

func (p *Platform) send(ctx context.Context, path string, body jsontext.Value) (answer, error) {
	key, err := p.Client.id()
	if err != nil {
		return answer{}, err
	}
	request := p.request(http.MethodPost, path)
	request.Body = body
	request.Header.Set("Content-Type", mediaType)
	request.Header.Set("Idempotency-Key", key)
	return p.Client.exchange(ctx, request)
}

func (p *Platform) success(a answer, statuses ...int) (*reader, error) {
	if !slices.Contains(statuses, a.status) {
		return nil, failure(a, strings.NewReplacer(pairs(textsIn(jsontree.String(p.Field.Value)))...))
	}
	if !isMediaType(a.contentType, mediaType) {
		return nil, badAnswer("platform", "it has the type %q", fault.Word(a.contentType))
	}
	r, err := newReader(a.body)
	if err != nil {
		return nil, badAnswer("platform", "%w", err)
	}
	return r, nil
}
