package schema

import (
	"strings"
	"unicode/utf8"
)

func isURI(s string) bool          { return reference3986(s, false, true) }
func isURIReference(s string) bool { return reference3986(s, false, false) }
func isIRI(s string) bool          { return reference3986(s, true, true) }
func isIRIReference(s string) bool { return reference3986(s, true, false) }

const (
	subDelims  = "!$&'()*+,;="
	pathChars  = subDelims + ":@/"
	queryChars = pathChars + "?"
)

// reference3986 checks a URI reference (RFC 3986, section 4.1), or an IRI reference (RFC 3987, section 2.2) among whose
// characters those beyond ASCII may be.
func reference3986(s string, international, absolute bool) bool {
	rest, fragment, _ := strings.Cut(s, "#")
	rest, query, _ := strings.Cut(rest, "?")
	if !charactersOf(fragment, queryChars, international) || !charactersOf(query, queryChars, international) {
		return false
	}
	scheme, path, ok := strings.Cut(rest, ":")
	if ok && !strings.Contains(scheme, "/") {
		if !isScheme(scheme) { // a first segment with a colon in it would be taken for a scheme
			return false
		}
		rest = path
	} else if absolute {
		return false
	}
	if host, ok := strings.CutPrefix(rest, "//"); ok {
		end := strings.IndexByte(host, '/')
		if end < 0 {
			end = len(host)
		}
		if !isAuthority(host[:end], international) {
			return false
		}
		rest = host[end:]
	}
	return charactersOf(rest, pathChars, international)
}

func isScheme(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && (i == 0 || !isDigit(s[i]) && strings.IndexByte("+-.", s[i]) < 0) {
			return false
		}
	}
	return s != ""
}

func isAuthority(s string, international bool) bool {
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		if !charactersOf(s[:at], subDelims+":", international) {
			return false
		}
		s = s[at+1:]
	}
	host, port := s, ""
	if colon := strings.LastIndexByte(s, ':'); colon > strings.LastIndexByte(s, ']') {
		host, port = s[:colon], s[colon+1:]
	}
	if strings.Trim(port, "0123456789") != "" {
		return false
	}
	if literal, ok := strings.CutPrefix(host, "["); ok {
		literal, closed := strings.CutSuffix(literal, "]")
		return closed && (isIPv6(literal) || isFutureAddress(literal))
	}
	return charactersOf(host, subDelims, international)
}

// isFutureAddress checks what stands in brackets for versions of IP that are still to come: "v1.x".
func isFutureAddress(s string) bool {
	if s == "" || s[0]|0x20 != 'v' {
		return false
	}
	version, address, ok := strings.Cut(s[1:], ".")
	return ok && version != "" && strings.Trim(version, "0123456789abcdefABCDEF") == "" &&
		address != "" && strings.IndexByte(address, '%') < 0 && charactersOf(address, subDelims+":", false)
}

// charactersOf checks that there are only unreserved characters, escapes and those given.
func charactersOf(s, allowed string, international bool) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isLetter(c), isDigit(c), strings.IndexByte("-._~", c) >= 0, strings.IndexByte(allowed, c) >= 0:
		case c == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
			i += 2
		case c >= 0x80 && international:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r < 0xA0 || r&0xFFFE == 0xFFFE {
				return false
			}
			i += size - 1
		default:
			return false
		}
	}
	return true
}

// isURITemplate checks RFC 6570, section 2.
func isURITemplate(s string) bool {
	for s != "" {
		literal, rest, open := strings.Cut(s, "{")
		if !isTemplateLiteral(literal) {
			return false
		}
		if !open {
			return true
		}
		expression, rest, closed := strings.Cut(rest, "}")
		if !closed || !isExpression(expression) {
			return false
		}
		s = rest
	}
	return true
}

func isTemplateLiteral(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c == 0x7F || strings.IndexByte("\"<>\\^`}", c) >= 0 {
			return false
		}
		if c == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])) {
			return false
		}
	}
	return true
}

// isExpression checks what stands in braces: an operator, then variables, each with ":LENGTH" or "*" behind it, or nothing.
func isExpression(s string) bool {
	if s != "" && strings.IndexByte("+#./;?&=,!@|", s[0]) >= 0 {
		s = s[1:]
	}
	for variable := range strings.SplitSeq(s, ",") {
		variable, length, limited := strings.Cut(variable, ":")
		if limited {
			if n, ok := number(length); !ok || len(length) > 4 || n == 0 || length[0] == '0' {
				return false
			}
		} else {
			variable = strings.TrimSuffix(variable, "*")
		}
		for name := range strings.SplitSeq(variable, ".") {
			if name == "" || !charactersOf(name, "", false) || strings.ContainsAny(name, "-~") {
				return false
			}
		}
	}
	return true
}
