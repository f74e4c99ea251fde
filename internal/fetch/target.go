package fetch

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/agentctl/agentctl/internal/fault"
)

// target is a URL that may be asked, in canonical form: host in lower-case ASCII, no default port, no fragment, no
// user information, a path.
type target struct {
	url      *url.URL
	host     string // without brackets
	port     string // always set
	hostPort string // both: the key of overrides and connections
}

// origin is what a credential and a redirect are bound to.
func (t target) origin() string { return t.url.Scheme + "://" + t.hostPort }

func (t target) String() string { return t.url.String() }

// parseTarget reads an absolute URL. Errors are of kind [fault.Usage].
func parseTarget(raw string) (target, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return target{}, invalidURL(raw, "it is not an absolute URL")
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return target{}, invalidURL(raw, "only https is spoken")
	case u.User != nil: // it may hold a password: not quoted
		return target{}, fault.New(fault.Usage, "invalid_url", "a URL with a user name or password is refused")
	case !plainQuery(u.RawQuery):
		return target{}, invalidURL(raw, "its query is not percent-encoded")
	}
	t := target{port: u.Port()}
	if t.host, err = canonicalHost(u); err != nil {
		return target{}, invalidURL(raw, err.Error())
	}
	if t.port == "" {
		t.port = defaultPort(u.Scheme)
	}
	if n, err := strconv.ParseUint(t.port, 10, 16); err != nil || n == 0 || t.port[0] == '0' {
		return target{}, invalidURL(raw, "its port is no port")
	}
	if u.Scheme == "http" && !loopbackName(t.host) {
		return target{}, fault.New(fault.Usage, "insecure_url", "plain http is refused for %q", t.host).
			WithHint("use https://%s; http is only for localhost, 127.0.0.1 and [::1]", u.Host)
	}
	t.hostPort = net.JoinHostPort(t.host, t.port)
	u.Fragment, u.RawFragment = "", ""
	u.Host = t.hostPort
	if t.port == defaultPort(u.Scheme) {
		u.Host = strings.TrimSuffix(u.Host, ":"+t.port)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	t.url = u
	return t, nil
}

func invalidURL(raw, why string) *fault.Error {
	return fault.New(fault.Usage, "invalid_url", "%s is refused: %s", quote(raw), why)
}

func defaultPort(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return "443"
}

// loopbackName reports whether host is one of the three that may be asked over plain http, spelled exactly so (IA-2).
func loopbackName(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// plainQuery reports whether a query can stand in a request line as it is.
func plainQuery(query string) bool {
	for i := range len(query) {
		if query[i] <= ' ' || query[i] >= 0x7f {
			return false
		}
	}
	return true
}

type hostError string

func (e hostError) Error() string { return string(e) }

// canonicalHost returns the host in lower-case ASCII without brackets. An IP address has exactly one spelling here:
// browsers and C libraries also read 2130706433, 0177.0.0.1 and 0x7f.1 as 127.0.0.1, which slips past checks.
func canonicalHost(u *url.URL) (string, error) {
	host := strings.ToLower(u.Hostname())
	if strings.HasPrefix(u.Host, "[") {
		addr, err := netip.ParseAddr(host)
		if err != nil || !addr.Is6() || addr.Zone() != "" && !domainName(addr.Zone()) { // a zone is an interface's name
			return "", hostError("its host is no IPv6 address")
		}
		return host, nil
	}
	if !isASCII(host) {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", hostError("its host is no domain name")
		}
		host = ascii
	}
	if !domainName(host) {
		return "", hostError("its host is no domain name")
	}
	if endsInNumber(host) {
		if _, err := netip.ParseAddr(host); err != nil {
			return "", hostError("an IP address is written as four decimal numbers")
		}
	}
	return host, nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// domainName reports whether host has the form of a name (RFC 1123; underscores are in use). One final dot is allowed.
func domainName(host string) bool {
	if len(host) > 254 {
		return false
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(host, "."), ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for i := range len(label) {
			switch b := label[i]; {
			case 'a' <= b && b <= 'z', '0' <= b && b <= '9', b == '-', b == '_':
			default:
				return false
			}
		}
	}
	return true
}

// endsInNumber reports whether the URL standard would read host as an IPv4 address: its last label is a decimal, octal or
// hexadecimal number (https://url.spec.whatwg.org/#ends-in-a-number-checker).
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits, hex := strings.CutPrefix(last, "0x")
	for i := range len(digits) {
		decimal := '0' <= digits[i] && digits[i] <= '9'
		if !decimal && (!hex || digits[i] < 'a' || digits[i] > 'f') {
			return false
		}
	}
	return true
}

// CheckURL says why no request goes to a URL: what [Client.Do] refuses before it looks anything up. Nil when one may.
func CheckURL(raw string) error {
	_, err := parseTarget(raw)
	return err
}

// SameOrigin reports whether two URLs that may be asked have one origin: scheme, host and effective port.
func SameOrigin(a, b string) bool {
	one, err := parseTarget(a)
	if err != nil {
		return false
	}
	other, err := parseTarget(b)
	return err == nil && one.origin() == other.origin()
}
