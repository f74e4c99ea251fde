package schema

import (
	"net/netip"
	"strings"
)

// formatNamed returns what checks a format; nil for one that is not known, which allows everything.
func formatNamed(name string) func(string) bool {
	switch name {
	case "date-time":
		return isDateTime
	case "date":
		return isDate
	case "time":
		return isTime
	case "duration":
		return isDuration
	case "email":
		return isEmail
	case "idn-email":
		return isIDNEmail
	case "hostname":
		return isHostname
	case "ipv4":
		return isIPv4
	case "ipv6":
		return isIPv6
	case "uri":
		return isURI
	case "uri-reference":
		return isURIReference
	case "iri":
		return isIRI
	case "iri-reference":
		return isIRIReference
	case "uri-template":
		return isURITemplate
	case "uuid":
		return isUUID
	case "json-pointer":
		return isJSONPointer
	case "relative-json-pointer":
		return isRelativeJSONPointer
	case "regex":
		return isRegex
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isUUID checks the text form of RFC 4122, section 3.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(s[i]) {
				return false
			}
		}
	}
	return true
}

// isJSONPointer checks RFC 6901: "~" stands only before "0" and "1".
func isJSONPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}

// isRelativeJSONPointer checks a number of levels, without leading zeros, before "#" or a JSON Pointer.
func isRelativeJSONPointer(s string) bool {
	rest := strings.TrimLeft(s, "0123456789")
	levels := s[:len(s)-len(rest)]
	if levels == "" || len(levels) > 1 && levels[0] == '0' {
		return false
	}
	return rest == "#" || isJSONPointer(rest)
}

func isIPv4(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is4()
}

func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is6() && addr.Zone() == ""
}

// isHostname checks RFC 1123: labels of up to 63 letters, digits and inner hyphens, 253 characters in all.
func isHostname(s string) bool { return len(s) <= 253 && labels(s, false) }

// labels checks the labels of a host name, among whose letters those beyond ASCII may be.
func labels(s string, international bool) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 && !international || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if !international && len(label) > 3 && label[2:4] == "--" && !strings.EqualFold(label[:2], "xn") {
			return false // reserved by RFC 5891, section 4.2.3.1
		}
		for i := range len(label) {
			c := label[i]
			if !isLetter(c) && !isDigit(c) && c != '-' && (c < 0x80 || !international) {
				return false
			}
		}
	}
	return true
}

func isEmail(s string) bool { return len(s) <= 254 && mailbox(s, false) }

func isIDNEmail(s string) bool { return mailbox(s, true) }

// mailbox checks RFC 5321, section 4.1.2: dotted atoms or a quoted string, before a host name or an address in brackets.
func mailbox(s string, international bool) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 && !international {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		literal, closed := strings.CutSuffix(literal, "]")
		v6, is6 := strings.CutPrefix(literal, "IPv6:")
		if !closed || is6 && !isIPv6(v6) || !is6 && !isIPv4(literal) {
			return false
		}
	} else if !labels(domain, international) {
		return false
	}
	if local[0] == '"' {
		return quotedString(local, international)
	}
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" {
			return false
		}
		for i := range len(atom) {
			c := atom[i]
			if !isLetter(c) && !isDigit(c) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) < 0 && (c < 0x80 || !international) {
				return false
			}
		}
	}
	return true
}

func quotedString(s string, international bool) bool {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return false
	}
	inner := s[1 : len(s)-1]
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		switch c {
		case '\\':
			if i++; i == len(inner) {
				return false
			}
			c = inner[i]
		case '"':
			return false
		}
		if c < ' ' || c == 0x7F || c >= 0x80 && !international {
			return false
		}
	}
	return true
}
