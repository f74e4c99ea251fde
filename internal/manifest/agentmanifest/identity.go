package agentmanifest

import (
	"net"
	"net/netip"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// nobody stands for the domain of a manifest that names none.
const nobody = "no domain"

// mismatch returns the domain that a manifest speaks for where it does not fit the host that it was read from (AM-5), and
// "" where it does.
func mismatch(root *jsontree.Node, host string) string {
	domain := root.Member("identity").Member("domain").Text()
	switch {
	case domain == "":
		return nobody
	case fits(domain, host):
		return ""
	}
	return domain
}

// fits reports whether a domain, a port aside, is a host or a parent of it. A name without a dot, such as "com", is nobody's
// parent.
func fits(domain, host string) bool {
	if name, _, err := net.SplitHostPort(domain); err == nil {
		domain = name
	}
	domain, host = manifest.PlainHost(domain), manifest.PlainHost(host)
	if domain == host {
		return domain != ""
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	return strings.Contains(domain, ".") && strings.HasSuffix(host, "."+domain)
}
