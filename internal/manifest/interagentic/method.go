package interagentic

import (
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// method reads an HTTP method, in upper case. CONNECT and TRACE ask for something else than an action.
func (r *reader) method() string {
	text, ok := r.text(fatal)
	method := strings.ToUpper(text)
	switch {
	case !ok:
	case !isToken(method) || method == "CONNECT" || method == "TRACE":
		r.add(fatal, "method_invalid", "%q is not a method that an action can have", fault.Word(text))
	default:
		return method
	}
	return ""
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2, as methods and header names are.
func isToken(s string) bool {
	for i := range len(s) {
		if !isTokenByte(s[i]) {
			return false
		}
	}
	return s != ""
}

func isTokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// hasBody reports whether arguments go into a JSON body when no request template says otherwise (T-7).
func hasBody(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}
