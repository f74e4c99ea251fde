package interagentic

import (
	"bytes"
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
	"github.com/agentctl/agentctl/internal/template"
)

// Request renders the action with arguments that were validated before. origin is "https://host[:port]". upload is the
// value for the body's member that Files.BodyKey names, or nil (F-3). human asks for the form for people. The
// problems are arguments that must not go where the action puts them (T-3); there is no request when there are any.
func (a *Action) Request(origin string, values *manifest.Values, upload jsontext.Value, human bool) (*call.Request, []fault.Problem) {
	r := rendering{action: a, lookup: func(name string) ([]byte, bool) { return values.Get(name) }}
	url := r.url(origin, human)
	header := r.header()
	body := r.body(upload)
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	if body != nil && header.Get("Content-Type") == "" {
		if header == nil {
			header = make(http.Header)
		}
		header.Set("Content-Type", "application/json")
	}
	return &call.Request{Method: a.Method, URL: url, Header: header, Body: body, Effect: a.Effect, Cost: a.Cost}, nil
}

// rendering is one request in the making.
type rendering struct {
	action   *Action
	lookup   template.Lookup
	problems []fault.Problem
}

// check turns the error of a template into a problem.
func (r *rendering) check(err error) {
	if value, ok := errors.AsType[*template.ValueError](err); ok {
		r.problems = append(r.problems, fault.Problem{
			Param: value.Name, Pointer: string(jsontext.Pointer("").AppendToken(value.Name)), Keyword: "template", Message: value.Message,
		})
	}
}

func (r *rendering) url(origin string, human bool) string {
	out := append(make([]byte, 0, 256), strings.TrimRight(origin, "/")...)
	out, err := r.action.path.AppendPath(out, r.lookup)
	r.check(err)
	mark := len(out)
	out = startQuery(out)
	start := len(out)
	out = r.query(out)
	if human && !asksForHuman(out) {
		out = template.AppendParam(out, start, "humanReadable", jsontext.Value("true"))
	}
	if len(out) == start {
		out = out[:mark]
	}
	return string(out)
}

// startQuery makes a URL ready to take query parameters behind those that its endpoint may have. A "?" in it always begins
// a query, because those in arguments are encoded.
func startQuery(url []byte) []byte {
	switch {
	case bytes.IndexByte(url, '?') < 0:
		return append(url, '?')
	case bytes.HasSuffix(url, []byte("?")) || bytes.HasSuffix(url, []byte("&")):
		return url
	default:
		return append(url, '&')
	}
}

func (r *rendering) query(out []byte) []byte {
	a := r.action
	if a.request != nil {
		if a.request.query == nil {
			return out
		}
		out, err := a.request.query.Append(out, r.lookup)
		r.check(err)
		return out
	}
	if hasBody(a.Method) {
		return out
	}
	start := len(out)
	for i := range a.Params {
		if value, ok := r.free(i); ok {
			out = template.AppendParam(out, start, a.Params[i].Name, value)
		}
	}
	return out
}

// free returns a given argument that the endpoint does not use (T-7).
func (r *rendering) free(i int) (value jsontext.Value, ok bool) {
	if r.action.inPath[i] {
		return nil, false
	}
	return r.lookup(r.action.Params[i].Name)
}

// asksForHuman reports whether the action says by itself which form it wants.
func asksForHuman(url []byte) bool {
	return bytes.Contains(url, []byte("?humanReadable=")) || bytes.Contains(url, []byte("&humanReadable="))
}

func (r *rendering) header() http.Header {
	if r.action.request == nil {
		return nil
	}
	header := make(http.Header)
	for _, h := range r.action.request.headers {
		value, ok, err := h.value.Header(r.lookup)
		r.check(err)
		if ok {
			header.Set(h.name, value)
		}
	}
	return header
}

// body returns the JSON body, or nil for none.
func (r *rendering) body(upload jsontext.Value) []byte {
	body := r.templateBody()
	if r.action.request == nil && hasBody(r.action.Method) {
		body = r.plainBody()
	}
	if upload == nil || r.action.Files == nil {
		return body
	}
	if body != nil && jsontext.Value(body).Kind() != '{' {
		r.problems = append(r.problems, fault.Problem{Param: "file", Keyword: "template", Message: "cannot be added to a body that is not an object"})
		return nil
	}
	return withMember(body, r.action.Files.BodyKey, upload)
}

func (r *rendering) templateBody() []byte {
	if r.action.request == nil || r.action.request.body == nil {
		return nil
	}
	body, ok, err := r.action.request.body.Append(nil, r.lookup)
	r.check(err)
	if !ok {
		return nil
	}
	return body
}

// plainBody is the body of an action without request templates: the arguments under their own names (T-7).
func (r *rendering) plainBody() []byte {
	var (
		out      = append(make([]byte, 0, 128), '{')
		takesAny bool
	)
	for i := range r.action.Params {
		takesAny = takesAny || !r.action.inPath[i]
		if value, ok := r.free(i); ok {
			out = appendMember(out, r.action.Params[i].Name, value)
		}
	}
	if !takesAny {
		return nil
	}
	return append(out, '}')
}

// appendMember appends a member to an object that is still open.
func appendMember(out []byte, name string, value jsontext.Value) []byte {
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	out, _ = jsontext.AppendQuote(out, name)
	out = append(out, ':')
	return append(out, value...)
}

// withMember returns the object with one more member, in place of one of the same name.
func withMember(object jsontext.Value, name string, value jsontext.Value) []byte {
	out := append(make([]byte, 0, len(object)+len(value)+len(name)+8), '{')
	for key, kept := range strictjson.Members(object) {
		if key != name {
			out = appendMember(out, key, kept)
		}
	}
	return append(appendMember(out, name, value), '}')
}
