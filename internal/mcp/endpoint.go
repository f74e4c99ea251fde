package mcp

import (
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Endpoint reads what is at the URL that a manifest calls a server, which may be metadata that names the endpoint (AM-15):
// a JSON object with "server": {"url"}, or with "endpoint" or "url" itself. ok is false for everything else. An endpoint that
// may not be asked, because it is on another origin or no reference of AM-4, is a fault of kind [fault.Manifest].
func Endpoint(doc []byte, from string) (endpoint string, ok bool, err error) {
	to := reference(doc)
	if to == "" {
		return "", false, nil
	}
	endpoint, err = resolve(from, to)
	return endpoint, err == nil, err
}

// reference is what the metadata calls the endpoint; "" when it names none.
func reference(doc jsontext.Value) string {
	if strictjson.Check(doc) != nil {
		return ""
	}
	server, _ := strictjson.Member(doc, "server")
	for _, place := range []struct {
		in   jsontext.Value
		name string
	}{{server, "url"}, {doc, "endpoint"}, {doc, "url"}} {
		value, _ := strictjson.Member(place.in, place.name)
		if to, _ := strictjson.String(value); to != "" {
			return to
		}
	}
	return ""
}

func resolve(from, to string) (string, error) {
	refused := fault.New(fault.Manifest, "mcp_endpoint_invalid", "the endpoint %q of the MCP server is refused", fault.Word(to))
	base, err := url.Parse(from)
	if err != nil {
		return "", refused
	}
	target, err := base.Parse(to)
	if err != nil || strings.HasPrefix(to, "//") || strings.ContainsRune(to, '\\') {
		return "", refused
	}
	target.Fragment, target.RawFragment = "", ""
	if err := fetch.SameOriginRedirect(from, target.String()); err != nil {
		return "", fault.New(fault.Manifest, "mcp_endpoint_invalid", "the endpoint %q of the MCP server is not on its own origin", fault.Word(to))
	}
	return target.String(), nil
}
