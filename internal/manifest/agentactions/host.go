package agentactions

import (
	"net"
	"strings"

	"golang.org/x/net/idna"
)

// sameHost reports whether a site's name, a port aside, is a host (AA-2).
func sameHost(site, host string) bool {
	if name, _, err := net.SplitHostPort(site); err == nil {
		site = name
	}
	return site != "" && plainHost(site) == plainHost(host)
}

// plainHost returns the one spelling of a host name or address: letters of the alphabet small, others in Punycode.
func plainHost(host string) string {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return strings.ToLower(host)
}
