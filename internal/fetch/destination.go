package fetch

import (
	"net"
	"net/netip"

	"github.com/agentctl/agentctl/internal/fault"
)

// Destination is a connection to come and to have, for those who want to know what the rules of ODP-129 to ODP-133 say of
// one. The dialer holds every connection to the same functions.
type Destination struct {
	URL       string
	Addresses []netip.Addr // what the host resolves to
	Peer      netip.Addr   // what answered in the end
	Local     bool         // the three loopback hosts may be asked
}

// Check returns why the destination is refused, a [*fault.Error]; nil when it is not.
func (d Destination) Check() error {
	t, err := parseTarget(d.URL)
	if err != nil {
		return err
	}
	if loopbackName(t.host) && !d.Local {
		return blocked("%q is this machine", t.host)
	}
	if err := checkLiteral(t.host); err != nil {
		return err
	}
	if err := checkAddresses(t.host, d.Addresses); err != nil {
		return err
	}
	return checkPeer(t.host, d.Peer, d.Addresses)
}

// checkLiteral refuses a host that is a private IP address itself. Names pass: they are checked when they are resolved.
func checkLiteral(host string) error {
	ip, err := netip.ParseAddr(host)
	if isLiteral := err == nil; isLiteral && !loopbackName(host) && !PublicAddress(ip) {
		return blocked("%q is not an address of the public internet", host)
	}
	return nil
}

// checkAddresses refuses a name that resolves to a private address. One among good ones will do: the good ones are there to
// pass a check. Of the three hosts that are this machine nothing but loopback is believed.
func checkAddresses(host string, ips []netip.Addr) error {
	if len(ips) == 0 {
		return &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	for _, ip := range ips {
		switch {
		case loopbackName(host) && !ip.Unmap().IsLoopback():
			return blocked("%q resolves to %s, which is another machine", host, ip)
		case !loopbackName(host) && !PublicAddress(ip):
			return blocked("%q resolves to %s, which is not an address of the public internet", host, ip)
		}
	}
	return nil
}

// checkPeer refuses a connection whose other end is none of the addresses that were checked (ODP-131).
func checkPeer(host string, peer netip.Addr, checked []netip.Addr) error {
	for _, ip := range checked {
		if ip.Unmap() == peer.Unmap() {
			return nil
		}
	}
	return blocked("the connection to %q came out at %s, which it does not resolve to", host, peer)
}

func blocked(format string, args ...any) *fault.Error {
	return fault.New(fault.Unavailable, codeBlocked, format, args...).
		WithHint("--allow-private lets agentctl reach intranets")
}
