package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/strictjson"
)

const redacted = "<redacted>"

// dryRun shows the request that would be sent, credentials left out (contract, section 3).
func (a *published) dryRun(request *call.Request) error {
	if _, err := a.loadPolicy(); err != nil { // the call could not be decided about
		return err
	}
	parts, err := a.carries()
	if err != nil {
		return err
	}
	request, header := withRedacted(request, parts)
	if a.structured() {
		return a.printJSON(object(dryRunMembers(request, header)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", request.Method, request.URL)
	for _, name := range sortedNames(header) {
		for _, value := range header[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	text := render.Clean(b.String())
	if body := jsonBody(request); request.Body != nil && body == nil {
		text += "\n" + render.Clean(string(request.Body)) + "\n"
	} else if request.Body != nil {
		text += "\n"
		var pretty bytes.Buffer
		if err := render.Pretty(&pretty, request.Body, a.Color); err != nil {
			return err
		}
		text += pretty.String()
	}
	_, err = a.Out.Write([]byte(text))
	return err
}

// withRedacted shows where a request carries credentials.
func withRedacted(request *call.Request, parts []auth.Part) (*call.Request, http.Header) {
	header := request.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	shown := *request
	for _, part := range parts {
		switch secret := part.Secret(""); secret.In {
		case fetch.InHeader:
			header.Set(secret.Name, redacted)
		case fetch.InCookie:
			header.Set("Cookie", strings.TrimPrefix(header.Get("Cookie")+"; "+secret.Name+"="+redacted, "; "))
		case fetch.InQuery:
			shown.URL = fetch.WithField(shown.URL, secret.Name, redacted)
		}
	}
	return &shown, header
}

// dryRunMembers are {"method","url","headers","body","effect","cost"}; body is absent when none is sent.
func dryRunMembers(request *call.Request, header http.Header) []member {
	headers := []byte{'{'}
	for i, name := range sortedNames(header) {
		if i > 0 {
			headers = append(headers, ',')
		}
		headers = append(headers, strictjson.Quote(name)...)
		headers = append(headers, ':')
		headers = append(headers, strictjson.Quote(strings.Join(header[name], ", "))...)
	}
	members := []member{
		{"method", strictjson.Quote(request.Method)},
		{"url", strictjson.Quote(request.URL)},
		{"headers", append(headers, '}')},
		{"body", shownBody(request)},
		{"effect", strictjson.Quote(string(request.Effect))},
	}
	if request.Cost != nil {
		var cost []member
		for _, m := range []member{{"mode", strictjson.Quote(request.Cost.Mode)}, {"amount", strictjson.Quote(request.Cost.Amount)}, {"currency", strictjson.Quote(request.Cost.Currency)}, {"field", strictjson.Quote(request.Cost.Field)}} {
			if string(m.value) != `""` {
				cost = append(cost, m)
			}
		}
		members = append(members, member{"cost", object(cost)})
	}
	return members
}

// jsonBody is the body if it is JSON, else nil.
func jsonBody(request *call.Request) jsontext.Value {
	if strictjson.Check(request.Body) != nil {
		return nil
	}
	return request.Body
}

// shownBody is the body as a member of a JSON document: what is no JSON is a string.
func shownBody(request *call.Request) jsontext.Value {
	if body := jsonBody(request); body != nil || request.Body == nil {
		return body
	}
	return strictjson.Quote(strings.ToValidUTF8(string(request.Body), "\uFFFD"))
}

// member is one member of a JSON object that is put together here; one without a value is left out.
type member struct {
	name  string
	value jsontext.Value
}

func object(members []member) jsontext.Value {
	out := []byte{'{'}
	for _, m := range members {
		if m.value == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, strictjson.Quote(m.name)...)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

func sortedNames(header http.Header) []string {
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
