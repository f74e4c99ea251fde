package openapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxURL bounds the URL of a request: servers take no longer ones.
const maxURL = 64 << 10

// Plan is how arguments become one request.
type Plan struct {
	Method     string // upper case
	Base       string // absolute, without a slash at its end
	Path       string // with its placeholders
	Accept     string
	Parameters []Parameter
	Body       *BodyPlan // nil: it has none
}

// Own is what a caller sends besides arguments; the zero value is nothing.
type Own struct {
	// Body goes in place of the arguments that are no parameters; nil for none.
	Body *Body
	// Open reads the file of a path that is the value of an argument. Nil where there are no files.
	Open func(path string) (File, error)
}

// Request builds the request from arguments that were checked. There is none when there are problems.
func (p *Plan) Request(values *manifest.Values, own Own) (*call.Request, []fault.Problem) {
	m := making{plan: p, values: values, own: own, header: http.Header{"Accept": {p.Accept}}}
	target := m.url()
	m.headers()
	data := m.body()
	if len(m.problems) == 0 && len(target) > maxURL {
		m.problem(fault.Problem{Keyword: "style", Message: "the arguments make the URL too long"})
	}
	if len(m.problems) == 0 && !p.owns(target) {
		m.problem(fault.Problem{Keyword: "style", Message: "the arguments do not make a URL of the operation"})
	}
	if len(m.problems) > 0 {
		return nil, m.problems
	}
	return &call.Request{Method: p.Method, URL: target, Header: m.header, Body: data}, nil
}

// owns reports whether a URL is one below the base: a last look at what was put together.
func (p *Plan) owns(target string) bool {
	base, err := url.Parse(p.Base)
	if err != nil {
		return false
	}
	u, err := url.Parse(target)
	return err == nil && u.Scheme == base.Scheme && u.Host == base.Host && u.User == nil && u.Fragment == "" && strings.HasPrefix(u.Path, base.Path)
}

// making is one request in the making.
type making struct {
	plan     *Plan
	values   *manifest.Values
	own      Own
	header   http.Header
	problems []fault.Problem
}

func (m *making) problem(p fault.Problem) { m.problems = append(m.problems, p) }

// given yields the parameters of one place that have a value. One that is needed and missing is a problem.
func (m *making) given(in Place, each func(p *Parameter, value jsontext.Value)) {
	for i := range m.plan.Parameters {
		p := &m.plan.Parameters[i]
		if p.In != in {
			continue
		}
		switch value, ok := m.values.Get(p.Argument); {
		case ok:
			each(p, value)
		case p.Only != nil:
			each(p, p.Only)
		case p.Required:
			m.problem(missing(p.Argument))
		}
	}
}

func (m *making) url() string {
	out := append([]byte(m.plan.Base), m.path()...)
	var query []byte
	m.given(InQuery, func(p *Parameter, value jsontext.Value) {
		var ok bool
		if query, ok = p.Writing.appendPairs(query, p.Name, value); !ok {
			m.problem(badValue(p.Argument, "has a shape that cannot go into a URL"))
		}
	})
	if len(query) == 0 {
		return string(out)
	}
	separator := byte('?')
	if strings.Contains(m.plan.Path, "?") {
		separator = '&'
	}
	return string(append(append(out, separator), query...))
}

// path fills the placeholders of the path.
func (m *making) path() []byte {
	texts := map[string]string{}
	m.given(InPath, func(p *Parameter, value jsontext.Value) {
		text, ok := p.Writing.segment(p.Name, value)
		switch {
		case !ok:
			m.problem(badValue(p.Argument, "has a shape that cannot go into a URL"))
		case text == "" || strings.Contains(text, "%00"):
			m.problem(badValue(p.Argument, "must be neither empty nor hold a NUL character: it is a part of the URL's path"))
		}
		texts[p.Name] = text
	})
	var out []byte
	for literal, name := range Pieces(m.plan.Path) {
		out = append(appendLiteral(out, literal), texts[name]...)
	}
	if HasDotSegment(string(out)) {
		for _, argument := range PathArguments(m.plan.Path, m.plan.Parameters) {
			m.problem(badValue(argument, "must not make \".\" or \"..\" of a part of the URL's path"))
		}
	}
	return out
}

func (m *making) headers() {
	m.given(InHeader, func(p *Parameter, value jsontext.Value) {
		text, ok := p.Writing.simple(value, asIs)
		if !ok || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
			m.problem(badValue(p.Argument, "must be printable ASCII, and of a shape that can go into a header"))
			return
		}
		m.header.Set(p.Name, text)
	})
	var cookies []byte
	m.given(InCookie, func(p *Parameter, value jsontext.Value) {
		var ok bool
		if cookies, ok = p.Writing.appendPairs(cookies, p.Name, value); !ok {
			m.problem(badValue(p.Argument, "has a shape that cannot go into a cookie"))
		}
	})
	if len(cookies) > 0 {
		m.header.Set("Cookie", strings.ReplaceAll(string(cookies), "&", "; "))
	}
}

// body returns the body to send, or nil for none.
func (m *making) body() []byte {
	plan, own := m.plan.Body, m.own.Body
	object := m.object()
	switch {
	case own != nil && plan == nil:
		m.problem(fault.Problem{Keyword: "body", Message: "the operation takes no body"})
	case own != nil && object != nil:
		m.problem(fault.Problem{Keyword: "body", Message: "a body and arguments for the body were both given"})
	case own != nil:
		return m.ownBody(own)
	case plan == nil:
	case plan.MediaType == "" && plan.Required:
		m.problem(fault.Problem{Keyword: "body", Message: "needs a body of the type " + strings.Join(plan.Types, " or ")})
	case object == nil && plan.Required && plan.Argument == "":
		return m.encode(jsontext.Value("{}"))
	case object == nil && plan.Required:
		m.problem(missing(plan.Argument))
	case object != nil:
		return m.encode(object)
	}
	return nil
}

// object returns what the arguments say about the body; nil when nothing.
func (m *making) object() jsontext.Value {
	plan := m.plan.Body
	if plan == nil || plan.MediaType == "" {
		return nil
	}
	if plan.Argument != "" {
		value, _ := m.values.Get(plan.Argument)
		return value
	}
	var object manifest.Values
	for _, name := range m.values.Names() {
		if value, _ := m.values.Get(name); !m.plan.IsParameter(name) {
			object.Set(name, value)
		}
	}
	if len(object.Names()) == 0 {
		return nil
	}
	return object.Object()
}

// IsParameter reports whether an argument is no part of the body.
func (p *Plan) IsParameter(argument string) bool {
	return slices.ContainsFunc(p.Parameters, func(p Parameter) bool { return p.Argument == argument })
}

// encode writes the value of a body, and sets the header that tells its type.
func (m *making) encode(value jsontext.Value) []byte {
	plan := m.plan.Body
	mediaType := plan.MediaType
	m.header.Set("Content-Type", mediaType)
	switch {
	case IsJSON(mediaType):
		return value
	case !inArguments(mediaType):
		return m.single(value)
	case IsForm(mediaType) && value.Kind() == '"': // a form that is a text is one that was written already
		text, _ := strictjson.String(value)
		return []byte(text)
	case value.Kind() != '{':
		m.problem(badValue(plan.Argument, "must be an object: it is sent as a form"))
		return nil
	case isMultipart(mediaType):
		body, mediaType := m.multipart(value)
		m.header.Set("Content-Type", mediaType)
		return body
	}
	form, problems := AppendForm([]byte{}, spelledOut(value, plan.Encoding), plan.Encoding)
	m.problems = append(m.problems, problems...)
	return form
}

// single returns a body that is one text, or one file.
func (m *making) single(value jsontext.Value) []byte {
	argument, n := m.plan.Body.Argument, jsontree.Parse(value)
	if len(m.plan.Body.Files) > 0 {
		file, _ := m.file(argument, n)
		return file.Data
	}
	text, ok := plain(n)
	if !ok {
		m.problem(badValue(argument, "must be a text"))
	}
	m.header.Set("Content-Type", charset(m.plan.Body.MediaType))
	return []byte(text)
}

// ownBody takes a body of the caller's, whose type must be one that the operation names.
func (m *making) ownBody(body *Body) []byte {
	plan := m.plan.Body
	mediaType := body.Type
	if mediaType == "" {
		mediaType = plan.Types[0]
		if plan.MediaType != "" {
			mediaType = plan.MediaType
		}
	}
	if !Sendable(mediaType) || isRange(mediaType) || !slices.ContainsFunc(plan.Types, func(t string) bool { return Covers(t, mediaType) }) {
		m.problem(fault.Problem{Keyword: "body", Message: "the body must be of the type " + strings.Join(plan.Types, " or ")})
		return nil
	}
	if isMultipart(mediaType) && !hasBoundary(mediaType) {
		m.problem(fault.Problem{Keyword: "body", Message: "a multipart body needs its boundary: give its members as arguments"})
		return nil
	}
	if IsJSON(mediaType) && essence(mediaType) == essence(plan.MediaType) {
		m.problems = append(m.problems, CheckJSON(body.Data, plan.Rule)...)
	}
	m.header.Set("Content-Type", mediaType)
	return body.Data
}
