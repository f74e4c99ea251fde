// Package arguments holds what formats share whose actions take all arguments as one object: where they go in a request
// (AA-5), and which of them may be given by position (AA-4).
package arguments

import (
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/template"
)

// The media types of a body that [Put] makes.
const (
	JSON = "application/json"
	Form = "application/x-www-form-urlencoded"
)

// HasBody reports whether the arguments of a method travel in the body.
func HasBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

// Put adds arguments to a request that has its method, URL and header. They become the body, an empty one when there are
// none, as JSON or where mediaType says so as a form; where the method has no body they become the query. Arrays repeat
// the key in a query or a form, objects are compact JSON there. A fragment of the URL goes away.
func Put(r *call.Request, values *manifest.Values, mediaType string) {
	r.URL, _, _ = strings.Cut(r.URL, "#")
	if !HasBody(r.Method) {
		r.URL = withQuery(r.URL, values)
		return
	}
	r.Header.Set("Content-Type", mediaType)
	if strings.HasPrefix(mediaType, Form) {
		r.Body = appendQuery([]byte{}, values)
		return
	}
	r.Body = values.Object()
}

func withQuery(url string, values *manifest.Values) string {
	query := string(appendQuery(nil, values))
	switch {
	case query == "":
		return url
	case !strings.Contains(url, "?"):
		return url + "?" + query
	case strings.HasSuffix(url, "?") || strings.HasSuffix(url, "&"):
		return url + query
	}
	return url + "&" + query
}

func appendQuery(out []byte, values *manifest.Values) []byte {
	start := len(out)
	for _, name := range values.Names() {
		value, _ := values.Get(name)
		out = template.AppendParam(out, start, name, value)
	}
	return out
}

// Positional returns the required properties of scalar type, in the order of "required" (AA-4).
func Positional(params *input.Set) []string {
	var out []string
	for _, name := range params.Required() {
		if d := params.Describe(name); d.Type != "any" && !d.Repeatable && !d.Object {
			out = append(out, name)
		}
	}
	return out
}
