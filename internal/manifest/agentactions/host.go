package agentactions

import (
	"net"

	"github.com/agentctl/agentctl/internal/manifest"
)

// sameHost reports whether a site's name, a port aside, is a host (AA-2).
func sameHost(site, host string) bool {
	if name, _, err := net.SplitHostPort(site); err == nil {
		site = name
	}
	return site != "" && manifest.PlainHost(site) == manifest.PlainHost(host)
}
