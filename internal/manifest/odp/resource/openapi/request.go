package openapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// maxURL bounds the URL of a request: servers take no longer ones.
const maxURL = 64 << 10

// Request builds the request from arguments that were checked against [Operation.Input]. A body of the caller's own goes
// in place of arguments that are no parameters; body is nil for none. There is no request when there are problems.
func (o *Operation) Request(values *manifest.Values, body *Body) (*call.Request, []fault.Problem) {
	m := making{o: o, values: values, header: http.Header{"Accept": {o.Accept}}}
	target := m.url()
	m.headers()
	data := m.body(body)
	if len(m.problems) == 0 && len(target) > maxURL {
		m.problem(fault.Problem{Keyword: "style", Message: "the arguments make the URL too long"})
	}
	if len(m.problems) == 0 && (odp.CheckReference(target) != nil || odp.OriginOf(target) != o.Origin) {
		m.problem(fault.Problem{Keyword: "style", Message: "the arguments do not make a URL of the operation"})
	}
	if len(m.problems) > 0 {
		return nil, m.problems
	}
	return &call.Request{Method: o.Method, URL: target, Header: m.header, Body: data}, nil
}

// making is one request in the making.
type making struct {
	o        *Operation
	values   *manifest.Values
	header   http.Header
	problems []fault.Problem
}

func (m *making) problem(p fault.Problem) { m.problems = append(m.problems, p) }

// given returns the value of a parameter. One that is needed and missing is a problem (ODP-110).
func (m *making) given(p *parameter) (value jsontext.Value, ok bool) {
	value, ok = m.values.Get(p.argument)
	if !ok && p.required {
		m.problem(fault.Problem{Param: p.argument, Pointer: badValue(p.argument, "").Pointer, Keyword: "required", Message: "is required"})
	}
	return value, ok
}

func (m *making) url() string {
	out := []byte(m.o.base + m.path())
	var query []byte
	for i := range m.o.parameters {
		p := &m.o.parameters[i]
		if p.in != inQuery {
			continue
		}
		if value, ok := m.given(p); ok {
			if query, ok = p.appendQuery(query, value); !ok {
				m.problem(badValue(p.argument, "has a shape that cannot go into a URL"))
			}
		}
	}
	if len(query) > 0 {
		out = append(append(out, '?'), query...)
	}
	return string(out)
}

// path fills the placeholders of the path.
func (m *making) path() string {
	var out strings.Builder
	for literal, name := range pieces(m.o.path) {
		out.WriteString(literal)
		i := slices.IndexFunc(m.o.parameters, func(p parameter) bool { return p.in == inPath && p.name == name })
		if name == "" || i < 0 {
			continue
		}
		p := &m.o.parameters[i]
		value, ok := m.given(p)
		if !ok {
			continue
		}
		text, ok := p.simple(value, escape)
		switch {
		case !ok:
			m.problem(badValue(p.argument, "has a shape that cannot go into a URL"))
		case text == "" || strings.Contains(text, "%00"):
			m.problem(badValue(p.argument, "must be neither empty nor hold a NUL character: it is a part of the URL's path"))
		}
		out.WriteString(text)
	}
	path := out.String()
	if hasDotSegment(path) {
		for _, argument := range m.o.Args {
			m.problem(badValue(argument, "must not make \".\" or \"..\" of a part of the URL's path"))
		}
	}
	return path
}

func (m *making) headers() {
	for i := range m.o.parameters {
		p := &m.o.parameters[i]
		if p.in != inHeader {
			continue
		}
		value, ok := m.given(p)
		if !ok {
			continue
		}
		text, ok := p.simple(value, asIs)
		if !ok || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
			m.problem(badValue(p.argument, "must be printable ASCII, and of a shape that can go into a header"))
			continue
		}
		m.header.Set(p.name, text)
	}
}

// body returns the body to send, or nil for none.
func (m *making) body(own *Body) []byte {
	plan := m.o.body
	object := m.object()
	switch {
	case own != nil && plan == nil:
		m.problem(fault.Problem{Keyword: "body", Message: "the operation takes no body"})
	case own != nil && object != nil:
		m.problem(fault.Problem{Keyword: "body", Message: "a body and arguments for the body were both given"})
	case own != nil:
		return m.own(own)
	case plan == nil:
	case plan.mediaType == "" && plan.required:
		m.problem(fault.Problem{Keyword: "body", Message: "needs a body of the type " + strings.Join(plan.types, " or ")})
	case object == nil && plan.required && plan.argument == "":
		return m.encode(jsontext.Value("{}"))
	case object == nil && plan.required:
		m.problem(fault.Problem{Param: plan.argument, Pointer: "/" + plan.argument, Keyword: "required", Message: "is required"})
	case object != nil:
		return m.encode(object)
	}
	return nil
}

// object returns what the arguments say about the body; nil when nothing.
func (m *making) object() jsontext.Value {
	if m.o.body == nil || m.o.body.mediaType == "" {
		return nil
	}
	if argument := m.o.body.argument; argument != "" {
		value, _ := m.values.Get(argument)
		return value
	}
	var object manifest.Values
	for _, name := range m.values.Names() {
		if value, _ := m.values.Get(name); m.o.flatMember(name) {
			object.Set(name, value)
		}
	}
	if len(object.Names()) == 0 {
		return nil
	}
	return object.Object()
}

func (m *making) encode(value jsontext.Value) []byte {
	m.header.Set("Content-Type", m.o.body.mediaType)
	if !IsForm(m.o.body.mediaType) {
		return value
	}
	if value.Kind() != '{' {
		m.problem(badValue(m.o.body.argument, "must be an object: it is sent as a form"))
		return nil
	}
	form, problems := AppendForm([]byte{}, value)
	m.problems = append(m.problems, problems...)
	return form
}

// own takes a body of the caller's, whose type must be one that the operation names.
func (m *making) own(body *Body) []byte {
	plan := m.o.body
	mediaType := body.Type
	if mediaType == "" {
		mediaType = plan.types[0]
	}
	essence := odp.Essence(mediaType)
	if !Sendable(mediaType) || strings.Contains(essence, "*") ||
		!slices.ContainsFunc(plan.types, func(t string) bool { return covers(odp.Essence(t), essence) }) {
		m.problem(fault.Problem{Keyword: "body", Message: "the body must be of the type " + strings.Join(plan.types, " or ")})
		return nil
	}
	if IsJSON(essence) && essence == odp.Essence(plan.mediaType) {
		m.problems = append(m.problems, CheckJSON(body.Data, plan.rule)...)
	}
	m.header.Set("Content-Type", mediaType)
	return body.Data
}

// covers reports whether a range of media types holds one.
func covers(ranged, essence string) bool {
	kind, _, _ := strings.Cut(essence, "/")
	return ranged == "*/*" || ranged == essence || ranged == kind+"/*"
}
