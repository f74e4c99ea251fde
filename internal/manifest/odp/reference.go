package odp

import (
	"fmt"
	"strings"
)

// CheckReference judges the syntax of a Resource Reference (ODP-12): an absolute path, or an absolute https URL; plain
// http for the three loopback hosts only. A reference that passes may still need local development (ODP-14).
func CheckReference(ref string) error {
	path := ref
	switch {
	case strings.HasPrefix(ref, "//"):
		return fmt.Errorf("reference %q: must not begin with //", ref)
	case strings.HasPrefix(ref, "/"):
	case strings.HasPrefix(ref, "https://"), strings.HasPrefix(ref, "http://"):
		var err error
		if path, err = cutAuthority(ref); err != nil {
			return fmt.Errorf("reference %q: %w", ref, err)
		}
	default:
		return fmt.Errorf("reference %q: must begin with / or https://", ref)
	}
	if bad := badURLText(path); bad != "" {
		return fmt.Errorf("reference %q: must not hold %q", ref, bad)
	}
	return nil
}

// cutAuthority checks scheme, host and port of an absolute URL and returns what is behind them.
func cutAuthority(ref string) (path string, err error) {
	scheme, rest, _ := strings.Cut(ref, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, _, err := splitAuthority(rest[:end])
	if err != nil {
		return "", err
	}
	if scheme == "http" && !isLoopback(host) {
		return "", fmt.Errorf("http:// is for localhost, 127.0.0.1 and [::1] only")
	}
	return rest[end:], nil
}

// badURLText returns the first thing in a path with query that RFC 3986 does not allow there, or "". Fragments are never
// allowed here.
func badURLText(path string) string {
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case isUnreserved(c), strings.IndexByte("/?:@!$&'()*+,;=", c) >= 0:
		case c == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]):
			i += 2
		default:
			return path[i : i+1]
		}
	}
	return ""
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// Resolve returns the absolute URL of a reference that passed [CheckReference]. A path belongs to the Service Origin,
// never to the document that holds it (ODP-13). The bytes stay as they are.
func (o Origin) Resolve(ref string) string {
	if strings.HasPrefix(ref, "/") {
		return string(o) + ref
	}
	return ref
}

// Owns reports whether a reference that passed [CheckReference] leads to the origin itself.
func (o Origin) Owns(ref string) bool {
	return strings.HasPrefix(ref, "/") || OriginOf(ref) == o
}

// OriginOf returns the origin of an absolute URL that passed [CheckReference], in its canonical spelling.
func OriginOf(ref string) Origin {
	scheme, rest, _ := strings.Cut(ref, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	host, port, err := splitAuthority(strings.ToLower(rest))
	if err != nil {
		return ""
	}
	host = spell(host)
	port = strings.TrimLeft(port, "0")
	if port != "" && (scheme != "https" || port != "443") && (scheme != "http" || port != "80") {
		host += ":" + port
	}
	return Origin(scheme + "://" + host)
}
