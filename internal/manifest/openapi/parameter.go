package openapi

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Place is where a parameter goes.
type Place string

// The places of OpenAPI.
const (
	InPath   Place = "path"
	InQuery  Place = "query"
	InHeader Place = "header"
	InCookie Place = "cookie"
)

// Limits of parameters. They are far beyond honest use.
const (
	MaxParameters = 1000 // of one list
	maxName       = 256  // bytes of a name
)

// Parameter is a value that a request has outside its body.
type Parameter struct {
	Name        string
	In          Place
	Argument    string // the name that callers know it by
	Required    bool
	Writing     Writing
	Description string
	Schema      *jsontree.Node // nil: anything
	Example     *jsontree.Node // nil: none
	Only        jsontext.Value // what is sent where nothing is given: the one value of a parameter that is needed; or nil
	Pointer     string         // where it stands
	schemaAt    string         // where its schema stands
}

// DefaultWriting is how a parameter is written that does not say it.
func DefaultWriting(in Place) Writing {
	if in == InQuery || in == InCookie {
		return Writing{Style: Form, Explode: true}
	}
	return Writing{Style: Simple}
}

// Same reports whether two parameters stand for one part of a request.
func (p Parameter) Same(q Parameter) bool {
	return p.In == q.In && (p.Name == q.Name || p.In == InHeader && strings.EqualFold(p.Name, q.Name))
}

// Ignored reports whether OpenAPI says that a parameter means nothing: these headers are made otherwise.
func (p Parameter) Ignored() bool {
	return p.In == InHeader && slices.ContainsFunc([]string{"Accept", "Content-Type", "Authorization"},
		func(name string) bool { return strings.EqualFold(name, p.Name) })
}

// Settable reports whether an argument may become a header: it is a name, and neither part of how messages travel nor
// what carries a credential.
func Settable(name string) bool {
	lower := strings.ToLower(name)
	return isToken(name) && !ofTransport(name) && !strings.HasPrefix(lower, "proxy-") && !slices.Contains([]string{
		"cookie", "cookie2", "aep-authorization", "payment-signature", "x-payment", "forwarded", "origin", "referer",
	}, lower)
}

// ofTransport reports whether a header is part of how messages travel: whoever sends them makes it.
func ofTransport(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "sec-") || slices.Contains([]string{
		"host", "connection", "content-length", "content-encoding", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive",
		"accept-encoding",
	}, lower)
}

// isToken reports whether a text can be the name of a header or a cookie (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}

// Visible reports whether a name holds no characters that nobody sees.
func Visible(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Cf, r)
	})
}

// Merge returns the parameters of a path item with those of an operation, which replace those of the same name in the
// same place.
func Merge(shared, own []Parameter) []Parameter {
	shared = slices.DeleteFunc(shared, func(p Parameter) bool { return slices.ContainsFunc(own, p.Same) })
	return append(shared, own...)
}

// NameArguments gives each parameter the name that callers use: its own, or with its place before it where that one is
// taken. An Argument that is set already is kept if it is free. Its error is an [*Error].
func NameArguments(list []Parameter, taken map[string]bool) error {
	taken = cloneSet(taken)
	for i := range list {
		p := &list[i]
		if p.Argument == "" || taken[p.Argument] {
			p.Argument = p.Name
		}
		if taken[p.Argument] {
			p.Argument = string(p.In) + "-" + p.Name
		}
		if taken[p.Argument] {
			return invalid(p.Pointer, "two parameters share the name %q", fault.Word(p.Name))
		}
		taken[p.Argument] = true
	}
	return nil
}

func cloneSet(set map[string]bool) map[string]bool {
	out := make(map[string]bool, len(set))
	for name := range set {
		out[name] = true
	}
	return out
}

// parameterReader reads the parameters of an operation. What cannot be sent is left out if it need not be sent.
type parameterReader struct {
	find  Lookup
	flaws *[]*Error
}

func (r parameterReader) list(list *jsontree.Node, pointer string) ([]Parameter, error) {
	if !list.IsArray() {
		if list != nil {
			return nil, invalid(pointer, "the parameters are no list")
		}
		return nil, nil
	}
	if len(list.Items) > MaxParameters {
		return nil, invalid(pointer, "more than %d parameters", MaxParameters)
	}
	var out []Parameter
	for i, n := range list.Items {
		n, at, err := r.find.Resolve(n, jsontree.Pointer(pointer, list.Token(i)))
		if err != nil {
			return nil, err
		}
		p := Parameter{
			Name: n.Member("name").Text(), In: Place(n.Member("in").Text()), Required: isTrue(n.Member("required")), Pointer: at,
			Argument: n.Member("x-cli-name").Text(), Description: describedBy(n, "x-cli-description", "description"), Schema: n.Member("schema"),
			Example: n.Member("example"), schemaAt: jsontree.Pointer(at, "schema"),
		}
		wrong := p.read(n)
		switch {
		case p.Ignored(), p.In == InHeader && ofTransport(p.Name):
		case wrong != nil && p.Required:
			return nil, wrong
		case wrong != nil:
			*r.flaws = append(*r.flaws, wrong)
		case slices.ContainsFunc(out, p.Same):
			*r.flaws = append(*r.flaws, invalid(at, "the parameter %q is there twice", fault.Word(p.Name)))
		default:
			r.settle(&p)
			out = append(out, p)
		}
	}
	return out, nil
}

// settle lets a parameter that is needed and has but one value, such as a version, be left out: then that one is sent.
// What fills the path is given in any case.
func (r parameterReader) settle(p *Parameter) {
	if !p.Required || p.In == InPath || p.Schema == nil {
		return
	}
	schema, _, err := r.find.Resolve(p.Schema, p.schemaAt)
	if err != nil {
		return
	}
	only := schema.Member("const")
	if values := schema.Member("enum"); only == nil && values.IsArray() && len(values.Items) == 1 {
		only = values.Items[0]
	}
	if only == nil {
		return
	}
	if _, ok := plain(only); ok {
		p.Only, p.Required = only.Value(), false
	}
}

// read completes a parameter from what is published of it.
func (p *Parameter) read(n *jsontree.Node) *Error {
	p.Writing = DefaultWriting(p.In)
	switch {
	case p.Name == "" || len(p.Name) > maxName || !Visible(p.Name):
		return invalid(p.Pointer, "the parameter %q has no name that can be used", fault.Word(p.Name))
	case !slices.Contains([]Place{InPath, InQuery, InHeader, InCookie}, p.In):
		return unsupported(p.Pointer, "the parameter %q is in %q, which is not supported", fault.Word(p.Name), fault.Word(string(p.In)))
	case p.In == InHeader && !p.Ignored() && !Settable(p.Name):
		return unsupported(p.Pointer, "%q is a header that no argument can set", fault.Word(p.Name))
	case p.In == InCookie && !isToken(p.Name):
		return invalid(p.Pointer, "%q cannot be the name of a cookie", fault.Word(p.Name))
	}
	p.Required = p.Required || p.In == InPath
	if !Visible(p.Argument) || len(p.Argument) > maxName {
		p.Argument = ""
	}
	return p.readWriting(n)
}

func (p *Parameter) readWriting(n *jsontree.Node) *Error {
	if content := n.Member("content"); content != nil {
		return p.readContent(content)
	}
	if style := Style(n.Member("style").Text()); style != "" {
		if !slices.Contains(stylesIn(p.In), style) {
			return unsupported(p.Pointer, "the parameter %q has the style %q, which %s has not", fault.Word(p.Name), fault.Word(string(style)), p.In)
		}
		p.Writing = Writing{Style: style, Explode: style == Form}
	}
	if explode := n.Member("explode"); explode != nil {
		p.Writing.Explode = explode.Kind == 't'
	}
	p.Writing.Reserved = p.In == InQuery && isTrue(n.Member("allowReserved"))
	return nil
}

// readContent reads the one media type of a parameter that is written in no style: JSON, or text as it is.
func (p *Parameter) readContent(content *jsontree.Node) *Error {
	if content.Kind != '{' || len(content.Names) != 1 {
		return invalid(p.Pointer, "the parameter %q must have one media type", fault.Word(p.Name))
	}
	mediaType := content.Names[0]
	p.Schema, p.schemaAt = content.Items[0].Member("schema"), jsontree.Pointer(p.Pointer, "content", mediaType, "schema")
	isAny := essence(mediaType) == "*/*"
	p.Writing.JSON = !strings.HasPrefix(essence(mediaType), "text/") && (!isAny || p.Schema.Member("type").Text() != "string")
	if p.Writing.JSON && !isAny && !IsJSON(mediaType) {
		return unsupported(p.Pointer, "the parameter %q is %q, which is not supported", fault.Word(p.Name), fault.Word(mediaType))
	}
	return nil
}

func stylesIn(in Place) []Style {
	switch in {
	case InPath:
		return []Style{Simple, Label, Matrix}
	case InQuery:
		return []Style{Form, SpaceDelimited, PipeDelimited, DeepObject}
	case InCookie:
		return []Style{Form}
	default:
		return []Style{Simple}
	}
}

func isTrue(n *jsontree.Node) bool { return n != nil && n.Kind == 't' }

// describedBy returns the first of some members that is a text.
func describedBy(n *jsontree.Node, names ...string) string {
	for _, name := range names {
		if text := n.Member(name).Text(); text != "" {
			return text
		}
	}
	return ""
}

func badValue(argument, message string) fault.Problem {
	return fault.Problem{Param: argument, Pointer: jsontree.Pointer("", argument), Keyword: "style", Message: message}
}

func missing(argument string) fault.Problem {
	return fault.Problem{Param: argument, Pointer: jsontree.Pointer("", argument), Keyword: "required", Message: "is required"}
}
