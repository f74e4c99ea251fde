package openapi

import (
	"net/url"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// security returns the ways to authenticate that an operation lists: those that can be used first, calling without any after
// those with a credential. Nil means that nothing is said.
func (r *actionReader) security(list *jsontree.Node) [][]manifest.Scheme {
	if !list.IsArray() {
		return nil
	}
	out := [][]manifest.Scheme{}
	for _, requirement := range list.Items {
		way := []manifest.Scheme{}
		for name, scopes := range requirement.Members() {
			s := r.scheme(name)
			for _, scope := range scopes.Items {
				s.Scopes = append(s.Scopes, scope.Text())
			}
			way = append(way, s)
		}
		out = append(out, way)
	}
	if len(out) == 0 { // an empty list takes back what is said elsewhere
		out = append(out, []manifest.Scheme{})
	}
	slices.SortStableFunc(out, func(a, b []manifest.Scheme) int { return rank(a) - rank(b) })
	return out
}

func rank(way []manifest.Scheme) int {
	switch {
	case slices.ContainsFunc(way, func(s manifest.Scheme) bool { return !usable(s) }):
		return 2
	case len(way) == 0:
		return 1
	}
	return 0
}

// usable reports whether there is a way to make a credential for a scheme.
func usable(s manifest.Scheme) bool {
	switch s.Type {
	case manifest.Bearer, manifest.Basic:
		return true
	case manifest.APIKey:
		return s.Field != "" && slices.Contains([]string{"header", "query", "cookie"}, s.In)
	case manifest.OAuth2:
		return slices.ContainsFunc(s.Flows, func(f manifest.OAuthFlow) bool {
			return f.TokenURL != "" && (f.Grant == "client_credentials" || f.Grant == "device_code" && f.DeviceURL != "")
		})
	}
	return false
}

// scheme reads a Security Scheme Object. One that is not there or not understood keeps its type, which nothing can use.
func (r *actionReader) scheme(name string) manifest.Scheme {
	pointer := jsontree.Pointer("/components/securitySchemes", name)
	s := manifest.Scheme{Name: name}
	n := r.find(pointer)
	if n != nil {
		n, _, _ = r.find.Resolve(n, pointer)
	}
	if n == nil {
		r.flaw(&Error{CodeMissingRef, pointer, "the security scheme " + quoted(name) + " is not there"})
		s.Type = "unknown"
		return s
	}
	switch kind := n.Member("type").Text(); kind {
	case "http":
		switch scheme := strings.ToLower(n.Member("scheme").Text()); scheme {
		case "bearer", "basic":
			s.Type = manifest.SchemeType(scheme)
		default:
			s.Type = manifest.SchemeType("http-" + scheme)
		}
	case "apiKey":
		s.Type, s.In, s.Field = manifest.APIKey, n.Member("in").Text(), n.Member("name").Text()
		if s.In != "query" && !isToken(s.Field) {
			s.Field = "" // it cannot be used
		}
	case "oauth2":
		s.Type, s.Flows = manifest.OAuth2, r.flows(n.Member("flows"))
	default:
		s.Type = manifest.SchemeType(kind)
	}
	return s
}

func (r *actionReader) flows(list *jsontree.Node) []manifest.OAuthFlow {
	var out []manifest.OAuthFlow
	for name, n := range list.Members() {
		f := manifest.OAuthFlow{Grant: grantNamed(name), TokenURL: r.address(n.Member("tokenUrl").Text())}
		for scope := range n.Member("scopes").Members() {
			f.Scopes = append(f.Scopes, scope)
		}
		device := r.address(describedBy(n, "deviceAuthorizationUrl", "x-deviceAuthorizationUrl", "x-device-authorization-url"))
		if f.Grant == "device_code" {
			f.DeviceURL = device
		} else if device != "" {
			out = append(out, manifest.OAuthFlow{Grant: "device_code", TokenURL: f.TokenURL, DeviceURL: device, Scopes: f.Scopes})
		}
		out = append(out, f)
	}
	return out
}

// grantNamed returns the grant that a member of "flows" stands for.
func grantNamed(flow string) string {
	switch flow {
	case "clientCredentials":
		return "client_credentials"
	case "deviceAuthorization", "x-deviceAuthorization", "deviceCode":
		return "device_code"
	case "authorizationCode":
		return "authorization_code"
	}
	return flow
}

// address returns an absolute URL; "" when it cannot be made, or is not one that a secret may be sent to.
func (r *actionReader) address(text string) string {
	u, err := url.Parse(text)
	if err != nil || text == "" {
		return ""
	}
	if !u.IsAbs() {
		base, err := url.Parse(r.base)
		if err != nil {
			return ""
		}
		u = base.ResolveReference(u)
	}
	if u.Host == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
		return ""
	}
	return u.String()
}
