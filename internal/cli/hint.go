package cli

import (
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// nextCommand is what to try after an error whose reason names no command of its own; "" where nothing would help.
func (r *run) nextCommand(e *fault.Error) string {
	site := shellWord(e.Site)
	switch {
	case e.Kind == fault.Usage && r.executed != "":
		return r.executed + " --help"
	case e.Kind == fault.Usage && e.Site != "":
		return strings.Join(append([]string{"agentctl", site}, e.Command...), " ") + " --help"
	case e.Kind == fault.Usage:
		return "agentctl --help"
	case e.Kind == fault.Manifest && e.Site != "":
		return "agentctl site show " + site
	case e.Kind == fault.Unavailable && e.Site != "" && slices.Contains(wayIsBroken(), e.Code):
		return "agentctl doctor " + site
	case e.Code == "policy_denied" && e.Site != "":
		return "agentctl policy show"
	}
	return ""
}

// wayIsBroken are the codes of failures between here and a site, which doctor looks into.
func wayIsBroken() []string {
	return []string{"dns_failed", "connect_failed", "connection_reset", "tls_failed", "proxy_failed", "protocol_error"}
}
