package fetch

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// Override sends connections for one host and port to a fixed address, without DNS, proxy or address rules. The name in
// the URL, in TLS and in the Host header stays.
type Override struct {
	Host string // lower case, without brackets
	Port uint16
	Addr netip.AddrPort
}

// ParseOverride reads HOST:PORT:ADDRESS[:PORT], curl's --resolve with an optional port behind the address, which is PORT
// when left out. IPv6 addresses stand in brackets. Its error is of kind [fault.Usage].
func ParseOverride(s string) (Override, error) {
	host, rest, ok1 := cutHost(s)
	portText, address, ok2 := strings.Cut(rest, ":")
	port, ok3 := parsePort(portText)
	if !ok1 || !ok2 || !ok3 {
		return Override{}, badOverride(s, "write HOST:PORT:ADDRESS[:PORT]")
	}
	host = strings.ToLower(host)
	if _, err := netip.ParseAddr(host); err != nil && !domainName(host) {
		return Override{}, badOverride(s, "HOST is no domain name")
	}
	if _, _, hasPort := cutHost(address); !hasPort {
		address += ":" + portText
	}
	addr, err := netip.ParseAddrPort(address)
	if err != nil || addr.Port() == 0 {
		return Override{}, badOverride(s, "ADDRESS is an IP address, IPv6 in brackets, and may have a port behind it")
	}
	return Override{Host: host, Port: port, Addr: addr}, nil
}

// String is the form that [ParseOverride] reads.
func (o Override) String() string {
	return o.key() + ":" + o.Addr.String()
}

func (o Override) key() string { return net.JoinHostPort(o.Host, strconv.Itoa(int(o.Port))) }

// cutHost splits s at the colon behind its host, which may be in brackets.
func cutHost(s string) (host, rest string, ok bool) {
	if bracketed, found := strings.CutPrefix(s, "["); found {
		return strings.Cut(bracketed, "]:")
	}
	return strings.Cut(s, ":")
}

func parsePort(s string) (uint16, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return uint16(n), err == nil && n > 0 && s[0] != '+'
}

func badOverride(s, why string) *fault.Error {
	return fault.New(fault.Usage, "invalid_resolve", "--resolve: %s: %s", quote(s), why).
		WithHint("for example --resolve popcorn.club:443:127.0.0.1:8443")
}
