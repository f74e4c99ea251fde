package odp

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Origin is the ASCII origin of a Service (RFC 6454, section 6.2), which is its identity (ODP-8): "https://a.example".
// Two Services are the same if and only if their origins are the same bytes.
type Origin string

// maxHost is the longest host name of the DNS.
const maxHost = 253

// ParseOrigin reads an origin in its one canonical spelling: lower-case scheme and host, no port that is the scheme's
// own, and nothing behind (ODP-8). Plain http is accepted for the three loopback hosts only (ODP-9); whether they may be
// used at all is the caller's decision, see [Origin.Local].
func ParseOrigin(s string) (Origin, error) {
	scheme, authority, found := strings.Cut(s, "://")
	if !found || scheme != "https" && scheme != "http" {
		return "", fmt.Errorf("origin %q: must begin with https://", s)
	}
	host, port, err := splitAuthority(authority)
	switch {
	case err != nil:
		return "", fmt.Errorf("origin %q: %w", s, err)
	case !canonicalHost(host):
		return "", fmt.Errorf("origin %q: the host is not in its canonical spelling", s)
	case scheme == "http" && !isLoopback(host):
		return "", fmt.Errorf("origin %q: http:// is for localhost, 127.0.0.1 and [::1] only", s)
	case port == "443" && scheme == "https" || port == "80" && scheme == "http":
		return "", fmt.Errorf("origin %q: a default port is left out", s)
	case len(port) > 1 && port[0] == '0':
		return "", fmt.Errorf("origin %q: the port has a leading zero", s)
	}
	return Origin(s), nil
}

// Local reports whether the origin is on one of the three loopback spellings: it needs local development to be switched
// on (ODP-9, ODP-14).
func (o Origin) Local() bool {
	_, authority, _ := strings.Cut(string(o), "://")
	host, _, err := splitAuthority(authority)
	return err == nil && isLoopback(host)
}

func isLoopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "[::1]"
}

// splitAuthority splits HOST or HOST:PORT; an IPv6 address keeps its brackets. The port is "" or from 1 to 65535.
func splitAuthority(authority string) (host, port string, err error) {
	if strings.Contains(authority, "@") {
		return "", "", fmt.Errorf("must not hold user information")
	}
	end := strings.LastIndexByte(authority, ']') + 1
	host = authority
	if colon := strings.IndexByte(authority[end:], ':'); colon >= 0 {
		host, port = authority[:end+colon], authority[end+colon+1:]
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", "", fmt.Errorf("the port must be a number from 1 to 65535")
		}
	}
	if !validHost(host) {
		return "", "", fmt.Errorf("the host name is empty or not valid")
	}
	return host, port, nil
}

// validHost accepts a name of ASCII labels or an IP address, IPv6 in brackets and without a zone.
func validHost(host string) bool {
	if inside, ok := strings.CutPrefix(host, "["); ok {
		inside, ok = strings.CutSuffix(inside, "]")
		addr, err := netip.ParseAddr(inside)
		return ok && err == nil && addr.Is6() && addr.Zone() == ""
	}
	if len(host) > maxHost {
		return false
	}
	last := ""
	for label := range strings.SplitSeq(host, ".") {
		if !validLabel(label) {
			return false
		}
		last = label
	}
	if isDigit(last[0]) && strings.Trim(last, "0123456789abcdefABCDEFxX") == "" { // URL parsers would read it as IPv4
		_, err := netip.ParseAddr(host)
		return err == nil
	}
	return true
}

func validLabel(label string) bool {
	for i := range len(label) {
		if c := label[i]; !isAlphanumeric(c) && c != '-' && c != '_' {
			return false
		}
	}
	return label != "" && len(label) <= 63
}

// canonicalHost reports whether a valid host is spelled in the one way that an origin has.
func canonicalHost(host string) bool {
	if host[0] == '[' {
		addr, err := netip.ParseAddr(host[1 : len(host)-1])
		return err == nil && addr.String() == host[1:len(host)-1]
	}
	return strings.ToLower(host) == host && !strings.Contains(host, "_") && host[0] != '-' && host[len(host)-1] != '-'
}

// spell returns a valid host in lower case as an origin spells it.
func spell(host string) string {
	if host[0] != '[' {
		return host
	}
	addr, err := netip.ParseAddr(host[1 : len(host)-1])
	if err != nil {
		return host
	}
	return "[" + addr.String() + "]"
}
