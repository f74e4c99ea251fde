package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
)

const environmentHelp = `  AGENTCTL_TOKEN        bearer token for the site named on the command line, and only for that
  AGENTCTL_KEYRING      "file" keeps credentials in a file that only you may read, where there is no keyring
  AGENTCTL_RESOLVE      like --resolve; several are separated by commas
  AGENTCTL_CONFIG_DIR   where aliases and policy.toml are kept, and which sites have a credential
  AGENTCTL_CACHE_DIR    where discovered descriptions are kept; safe to delete
  AGENTCTL_STATE_DIR    where pending approvals, what was spent, the audit log and the demo's orders are kept
  SSL_CERT_FILE         certificates to trust instead of the system's, like --cacert
  HTTPS_PROXY NO_PROXY  proxies, as for curl
  AGENTCTL_PAGER PAGER  the program for output that is longer than the terminal; "cat" or nothing for none
  NO_COLOR              no colours
  CLICOLOR_FORCE        colours in a pipe, too
  TERM=dumb             no colours, no styled markdown, no pager
`

// newHelpCommand makes "agentctl help": for built-in commands, topics, and the commands of a site.
func (r *run) newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND… | SITE COMMAND… | TOPIC]",
		Short: "Explain a command or a topic (exit-statuses, environment)",
		Args:  cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			sites, directive := r.completeSites(cmd, args, "")
			if len(args) == 0 {
				sites = append(sites, "exit-statuses", "environment")
				for _, c := range root.Commands() {
					sites = append(sites, c.Name())
				}
			}
			return sites, directive
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			switch args[0] {
			case "exit-statuses":
				return r.exitStatuses()
			case "environment":
				h := r.newHelp()
				h.section("Environment")
				h.b.WriteString(environmentHelp)
				return h.write(r.Out)
			}
			if isBuiltin(root, args[0]) {
				found, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return fault.New(fault.Usage, "unknown_command", "no help for %q", strings.Join(args, " ")).WithHint("agentctl help")
				}
				return found.Help()
			}
			r.jsonErrors = r.jsonErrors || r.errorsAsJSON()
			return r.dispatch(cmd.Context(), append(args, "--help"))
		},
	}
}
