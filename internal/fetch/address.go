package fetch

import "net/netip"

// PublicAddress reports whether an address belongs to the open internet: what a public name may resolve to (contract
// section 7, ODP-130). Addresses that carry another one inside (IPv4-mapped, NAT64) are judged by what they carry;
// transition mechanisms that nobody should meet any more (6to4, Teredo) are refused, and so are zones: an address that
// needs one is of this network.
func PublicAddress(addr netip.Addr) bool {
	if addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	if addr.Is4() {
		return !inAny(addr, reserved4())
	}
	if inAny(addr, []string{"64:ff9b::/96"}) { // NAT64, RFC 6052: the last four bytes are where it leads
		bytes := addr.As16()
		return PublicAddress(netip.AddrFrom4([4]byte(bytes[12:])))
	}
	return inAny(addr, []string{"2000::/3"}) && !inAny(addr, reserved6())
}

func inAny(addr netip.Addr, prefixes []string) bool {
	for _, prefix := range prefixes {
		if netip.MustParsePrefix(prefix).Contains(addr) {
			return true
		}
	}
	return false
}

// reserved4 lists what the IANA registry of special-purpose IPv4 addresses does not call globally reachable, and multicast.
func reserved4() []string {
	return []string{
		"0.0.0.0/8",       // this network
		"10.0.0.0/8",      // private
		"100.64.0.0/10",   // carrier-grade NAT
		"127.0.0.0/8",     // loopback
		"169.254.0.0/16",  // link-local: cloud metadata
		"172.16.0.0/12",   // private
		"192.0.0.0/24",    // protocol assignments
		"192.0.2.0/24",    // documentation
		"192.88.99.0/24",  // 6to4 relays
		"192.168.0.0/16",  // private
		"198.18.0.0/15",   // benchmarks
		"198.51.100.0/24", // documentation
		"203.0.113.0/24",  // documentation
		"224.0.0.0/4",     // multicast
		"240.0.0.0/4",     // future use, broadcast
	}
}

// reserved6 lists what is not globally reachable inside 2000::/3, the only global unicast space. Outside of it lie
// loopback, link-local, unique local, multicast, what is discarded (100::/64, 100:0:0:1::/64), segment routing (5f00::/16),
// NAT64 of one network (64:ff9b:1::/48) and the rest.
func reserved6() []string {
	return []string{
		"2001::/23",     // protocol assignments: Teredo, benchmarks, ORCHID
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4
		"3fff::/20",     // documentation
	}
}
