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

const batchHelp = `  agentctl SITE COMMAND --each FILE calls an action for each line of FILE, or of standard input (-).

  What it reads     JSON Lines, an object of arguments a line; or CSV with a header of names, where dots
                    lead into a value and an empty cell is not given. What the command line gives is common
                    to all; a line's own value wins.
  Before it sends   All lines are checked, and all problems told with their numbers. What asks is asked about
                    once: how many calls, how much in all. --approve takes the digest of exactly these lines.
  What it prints    {"line","exit","status","result"} or {"line","exit","kind","error"}, a line each, in order.
                    The exit status is that of the first failure by the order of lines.

  --concurrency N   calls at a time: 4, at most 64
  --fail-fast       start no more when one has failed
  --state FILE      keep what was done, and go on there; what nobody knows about is not sent again
  --retry-unknown   send that again, too
  --each-format F   jsonl or csv, whatever the file begins with
  --dry-run         show all requests, send none

  These names are the batch's only where --each is on the line; give a parameter of that name with --arg.
`

// newHelpCommand makes "agentctl help": for built-in commands, topics, and the commands of a site.
func (r *run) newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND… | SITE COMMAND… | TOPIC]",
		Short: "Explain a command or a topic (exit-statuses, environment, batch)",
		Args:  cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			sites, directive := r.completeSites(cmd, args, "")
			if len(args) == 0 {
				sites = append(sites, "exit-statuses", "environment", "batch")
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
			case "batch":
				h := r.newHelp()
				h.section("Calls for each line of a file")
				h.b.WriteString(batchHelp)
				return h.write(r.Out)
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
