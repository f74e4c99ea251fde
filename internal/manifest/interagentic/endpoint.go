package interagentic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/template"
)

// endpoint reads an endpoint; it may use templates. One that cannot be used is a fatal finding.
func (r *reader) endpoint() string {
	endpoint, ok := r.text(fatal)
	if !ok {
		return ""
	}
	if bad := checkEndpoint(endpoint); bad != nil {
		r.add(fatal, bad.code, "the endpoint %s", bad.message)
	} else if endpoint[0] != '/' {
		r.add(flaw, "endpoint_relative", `the endpoint should begin with "/"`)
	}
	return endpoint
}

// pathFault is what makes a baseUrl or an endpoint unusable.
type pathFault struct{ code, message string }

// checkBase judges a baseUrl: a path without templates and without a query (IA-11, T-1).
func checkBase(base string) *pathFault {
	switch {
	case base == "":
		return nil
	case strings.Contains(base, "{{$") || strings.Contains(base, "<<$"):
		return &pathFault{"base_url_invalid", "must not hold templates"}
	case strings.Contains(base, "?"):
		return &pathFault{"base_url_invalid", `must not hold a "?"`}
	}
	return checkPath(base, "base_url_invalid")
}

// checkEndpoint judges an endpoint with its templates in their places (IA-11, T-11).
func checkEndpoint(endpoint string) *pathFault {
	text, err := template.ParseText(endpoint)
	if syntax, ok := errors.AsType[*template.SyntaxError](err); ok {
		return &pathFault{"template_invalid", syntax.Error()}
	}
	if endpoint == "" {
		return &pathFault{"endpoint_invalid", `must be a path such as "/orders"`}
	}
	return checkPath(text.Shape("x"), "endpoint_invalid")
}

// checkPath judges the literal text of a path, with a query perhaps. It refuses what browsers, proxies and servers are
// known to read in different ways, and what leads to another host or out of the path.
func checkPath(path, code string) *pathFault {
	if namesHost(path) {
		return &pathFault{"cross_origin", "must be a path on the site itself, not an address with a host"}
	}
	if i := strings.IndexFunc(path, isForbidden); i >= 0 {
		return &pathFault{code, fmt.Sprintf("must not hold %q", path[i:i+1])}
	}
	if hasBrokenEscape(path) {
		return &pathFault{code, `has a "%" without two hexadecimal digits behind it`}
	}
	path, _, _ = strings.Cut(path, "?")
	for segment := range strings.SplitSeq(path, "/") {
		if template.IsDotSegment(segment) {
			return &pathFault{code, `must not hold the segments "." or ".."`}
		}
	}
	return nil
}

// namesHost reports whether a URL parser would take the reference to another host: "https:…", "//host", or the same with
// backslashes, which browsers read as slashes.
func namesHost(path string) bool {
	slashes := strings.ReplaceAll(path, `\`, "/")
	if strings.HasPrefix(slashes, "//") {
		return true
	}
	scheme, _, found := strings.Cut(slashes, ":")
	return found && !strings.ContainsAny(scheme, "/?#")
}

func isForbidden(r rune) bool {
	return r <= ' ' || r == 0x7f || r == '\\' || r == '#'
}

// hasBrokenEscape reports whether a "%" is no percent-encoding.
func hasBrokenEscape(path string) bool {
	for i := range len(path) {
		if path[i] == '%' && (i+2 >= len(path) || !isHex(path[i+1]) || !isHex(path[i+2])) {
			return true
		}
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// join puts the endpoint behind the baseUrl: one slash in front, exactly one between them (IA-11).
func join(base, endpoint string) string {
	base = strings.Trim(base, "/")
	if base != "" {
		base = "/" + base
	}
	return base + "/" + strings.TrimPrefix(endpoint, "/")
}
