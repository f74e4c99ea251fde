package aep

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

const (
	maxMethods   = 16
	didWeb       = "did:web"
	bindingHTTP  = "http"
	defaultBase  = "/aep/"
	majorVersion = "1."
)

// Inspect is what a Service says of itself (AEP-6), bound to the origin that said it (AEP-4).
type Inspect struct {
	Service DID
	URL     string // where it is published
	Origin  string // of URL: where the commands are
	Version string

	Commands   []string    // commands.supported
	GrantTypes []string    // commands.grant_types
	Methods    []string    // authentication.methods, in the Service's order of preference; nil when nothing is advertised
	Algorithms []Algorithm // core.signing_algorithms
	Required   []string    // claim names
	Preferred  []string
	Optional   []string
	Extensions []string
	OpenAPI    *OpenAPI // nil when the Service publishes none

	Fresh time.Time // until when it may be used unasked

	base   string
	config *jsontree.Node // commands.grant_types_config
}

// OpenAPI tells where a Service describes its operations (AEP-33).
type OpenAPI struct {
	URL           string // absolute
	TrailingSlash string // "strict" or "equivalent"
}

// ParseInspect reads an Inspect document that was published at an absolute https URL, and binds it to that URL's origin. Its
// faults have code "inspect_invalid", "aep_unsupported" or "service_identity_mismatch"; their kind is [fault.Manifest].
//
// Additions to the protocol are ignored: members that it does not know, and names in lists.
func ParseInspect(doc []byte, at string) (*Inspect, error) {
	where, err := parseHTTPS(at)
	if err != nil {
		return nil, badInspect(at, err)
	}
	r, err := newReader(doc)
	if err != nil {
		return nil, badInspect(at, err)
	}
	in := &Inspect{URL: at, Origin: originOf(where)}
	in.read(r)
	service := r.text("/service/did")
	if r.err == nil && !strings.HasPrefix(service, "did:") {
		r.fail("/service/did", "must be a DID")
	}
	if r.err != nil {
		return nil, badInspect(at, r.err)
	}
	if err := in.supported(r); err != nil {
		return nil, err
	}
	in.resolveOpenAPI(where)
	in.Service, err = bind(service, in.Origin)
	return in, err
}

func (in *Inspect) read(r *reader) {
	for _, part := range []string{"/bindings", "/commands", "/core", "/http", "/identity", "/service"} {
		r.object(part)
	}
	in.Version = r.text("/aep_version")
	if in.Version != "" && !versionForm().MatchString(in.Version) {
		r.fail("/aep_version", "must be two numbers with a dot between them")
	}
	in.Commands = r.someTexts("/commands/supported")
	in.GrantTypes = r.texts("/commands/grant_types")
	if r.optionalObject("/commands/grant_types_config") {
		in.config = r.root.At("/commands/grant_types_config")
	}
	for _, algorithm := range r.texts("/core/signing_algorithms") {
		in.Algorithms = append(in.Algorithms, Algorithm(algorithm))
	}
	if in.Algorithms == nil && r.root.At("/core/signing_algorithms") != nil {
		r.fail("/core/signing_algorithms", "must not be empty")
	}
	if r.optionalObject("/authentication") {
		in.readMethods(r)
	}
	if r.optionalObject("/claims") {
		in.Required, in.Preferred, in.Optional = r.texts("/claims/required"), r.texts("/claims/preferred"), r.texts("/claims/optional")
	}
	if r.optionalObject("/extensions") {
		in.Extensions = r.texts("/extensions/supported")
	}
	in.readHTTP(r)
}

func (in *Inspect) readMethods(r *reader) {
	in.Methods = r.someTexts("/authentication/methods")
	if len(in.Methods) > maxMethods {
		r.fail("/authentication/methods", "must have at most %d items", maxMethods)
	}
	seen := map[string]bool{}
	for _, method := range in.Methods {
		if seen[method] || !methodForm().MatchString(method) {
			r.fail("/authentication/methods", "must be names in lower case, each once")
		}
		seen[method] = true
	}
}

func (in *Inspect) readHTTP(r *reader) {
	in.base = defaultBase
	if r.root.At("/http/endpoint_base") != nil {
		in.base = r.text("/http/endpoint_base")
		if !plainPath(in.base) {
			r.fail("/http/endpoint_base", "must be a path that begins with /")
		}
	}
	if r.optionalObject("/http/openapi") {
		in.OpenAPI = &OpenAPI{URL: r.text("/http/openapi/url"), TrailingSlash: r.text("/http/openapi/path_matching/trailing_slash")}
		if slash := in.OpenAPI.TrailingSlash; slash != "strict" && slash != "equivalent" {
			r.fail("/http/openapi/path_matching/trailing_slash", `must be "strict" or "equivalent"`)
		}
	}
}

// plainPath accepts a path that, behind an origin, leads nowhere else than below it: no query, no step up.
func plainPath(path string) bool {
	u, err := url.Parse(path)
	if err != nil || !strings.HasPrefix(path, "/") || strings.ContainsAny(path, `?#\`) || len(path) > maxURLBytes {
		return false
	}
	plain, err := url.PathUnescape(path)
	return err == nil && !strings.Contains("/"+plain+"/", "/../") && !strings.Contains("/"+plain+"/", "/./") &&
		(u.Host != "" || u.EscapedPath() == path)
}

// resolveOpenAPI makes the address of the OpenAPI document absolute. One that leads nowhere is left out: it is a forecast
// only (AEP-33).
func (in *Inspect) resolveOpenAPI(where *url.URL) {
	if in.OpenAPI == nil {
		return
	}
	reference, err := where.Parse(in.OpenAPI.URL)
	if err == nil {
		_, err = parseHTTPS(reference.String())
	}
	if err != nil {
		in.OpenAPI = nil
		return
	}
	in.OpenAPI.URL = reference.String()
}

// supported refuses a Service that speaks nothing that we do.
func (in *Inspect) supported(r *reader) error {
	methods, bindings := r.someTexts("/identity/methods"), r.someTexts("/bindings/supported")
	switch {
	case r.err != nil:
		return badInspect(in.URL, r.err)
	case !strings.HasPrefix(in.Version, majorVersion):
		return unsupported("version %q of AEP", fault.Word(in.Version))
	case !slices.Contains(bindings, bindingHTTP):
		return unsupported("a binding other than HTTP")
	case !slices.Contains(methods, didWeb):
		return unsupported("an identity method other than did:web")
	}
	return nil
}

// bind holds a Service's DID to the origin that its Inspect document came from (AEP-4).
func bind(service, origin string) (DID, error) {
	did, err := ParseDID(service)
	switch {
	case err != nil:
		return DID{}, mismatch("%w", err)
	case did.Origin() != origin:
		return DID{}, mismatch("%q is no DID of %s", fault.Word(service), origin)
	}
	return did, nil
}

func mismatch(format string, args ...any) *fault.Error {
	return fault.New(fault.Manifest, "service_identity_mismatch", "the Service is not who it says it is: "+format, args...)
}

func unsupported(format string, args ...any) *fault.Error {
	return fault.New(fault.Manifest, "aep_unsupported", "the Service wants "+format, args...)
}

func badInspect(at string, err error) *fault.Error {
	return fault.New(fault.Manifest, "inspect_invalid", "the AEP document at %q cannot be used: %w", fault.Word(at), err)
}

func versionForm() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+\.[0-9]+$`) }

func methodForm() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`) }

// Supports says why a command must not be called (AEP-7); nil when it may.
func (in *Inspect) Supports(op Op) error {
	switch {
	case !op.isCommand() || !slices.Contains(in.Commands, string(op)):
		return fault.New(fault.Manifest, "aep_unsupported", "%s has no command %q", in.Origin, op)
	case (op == OpGrant || op == OpRevoke) && len(in.GrantTypes) == 0:
		return fault.New(fault.Manifest, "aep_unsupported", "%s has no grant types, so there is no %q", in.Origin, op)
	}
	return nil
}

// endpoint is the URL of a command (AEP-8).
func (in *Inspect) endpoint(op Op) string {
	return in.Origin + strings.TrimRight(in.base, "/") + "/" + string(op)
}

// Algorithm returns the first algorithm of the Service that keys can be made for, to make one for it (AEP-9). ok is false
// when there is none.
func (in *Inspect) Algorithm() (algorithm Algorithm, ok bool) {
	for _, algorithm := range in.Algorithms {
		if algorithm == EdDSA || algorithm == ES256 {
			return algorithm, true
		}
	}
	return "", false
}

// takes says why the Service would not take what an agent signs.
func (in *Inspect) takes(who Signer) error {
	if !slices.Contains(in.Algorithms, who.Algorithm()) {
		return fault.New(fault.Auth, "algorithm_unsupported", "%s does not take keys of %s, which %q has", in.Origin, who.Algorithm(), fault.Word(who.DID().String()))
	}
	return nil
}

// Method returns the first of the Service's ways to authenticate that serve accepts (AEP-28). ok is false when there is
// none, or nothing is advertised.
func (in *Inspect) Method(serve func(method string) bool) (method string, ok bool) {
	i := slices.IndexFunc(in.Methods, serve)
	if i < 0 {
		return "", false
	}
	return in.Methods[i], true
}

// headerNames are the headers that a Service's API keys may go into; nil when it does not say (AEP-26).
func (in *Inspect) headerNames() []string {
	list := in.config.Member(string(APIKey)).Member("header_names")
	if !list.IsArray() {
		return nil
	}
	names := []string{}
	for _, item := range list.Items {
		names = append(names, item.Text())
	}
	return names
}
