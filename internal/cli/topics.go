package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/fault"
)

// environmentVariables are those that a run looks at, with what they mean.
func environmentVariables() [][2]string {
	return [][2]string{
		{"AGENTCTL_TOKEN", "bearer token for the site named on the command line, and only for that"},
		{"AGENTCTL_KEYRING", `"file" keeps credentials in a file that only you may read, where there is no keyring`},
		{"AGENTCTL_RESOLVE", "like --resolve; several are separated by commas"},
		{"AGENTCTL_CONFIG_DIR", "where aliases, policy.toml and payer.toml are kept, and which sites have a credential"},
		{"AGENTCTL_CACHE_DIR", "where discovered descriptions are kept; safe to delete"},
		{"AGENTCTL_STATE_DIR", "where pending approvals, what was spent, receipts, the audit log and the demo's orders are kept"},
		{"SSL_CERT_FILE", "certificates to trust instead of the system's, like --cacert"},
		{"HTTPS_PROXY", "a proxy, as for curl; HTTP_PROXY and NO_PROXY too"},
		{"AGENTCTL_PAGER", "the program for output that is longer than the terminal, before PAGER; \"cat\" or nothing for none"},
		{"PAGER", "the same for every program"},
		{"NO_COLOR", "no colours"},
		{"CLICOLOR_FORCE", "colours in a pipe, too"},
		{"TERM", `"dumb": no colours and no styled markdown`},
	}
}

// topic is a page of help that is about no command.
type topic struct {
	name  string
	about string
	show  func(r *run) error
}

func topics() []topic {
	return []topic{
		{"exit-statuses", "What the exit status tells", (*run).exitStatuses},
		{"environment", "The variables that are looked at", (*run).environment},
		{"batch", "Calls for each line of a file", func(r *run) error { return r.page("batch", "Calls for each line of a file", batchHelp) }},
		{"payments", "What is paid, by which program", func(r *run) error { return r.page("payments", "Payments", paymentsHelp) }},
	}
}

func isTopic(name string) bool { return slices.Contains(topicNames(), name) }

// environment is the topic about variables.
func (r *run) environment() error {
	var rows [][]string
	variables := []variableSchema{}
	for _, v := range environmentVariables() {
		rows = append(rows, []string{v[0], v[1]})
		variables = append(variables, variableSchema{v[0], v[1]})
	}
	return r.print(variables, func() error {
		h := r.newHelp()
		h.section("Environment")
		h.rows(rows)
		return h.write(r.Out)
	})
}

func topicNames() (names []string) {
	for _, t := range topics() {
		names = append(names, t.name)
	}
	return names
}

// page prints a topic whose text is laid out already.
func (r *run) page(name, title, text string) error {
	return r.print(map[string]string{"topic": name, "text": text}, func() error {
		h := r.newHelp()
		h.section(title)
		h.b.WriteString(text)
		return h.write(r.Out)
	})
}

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

const paymentsHelp = `  A site may answer that it wants to be paid first (status 402), by MPP or x402. agentctl holds
  no money and no key. It pays only what a rule in policy.toml allows, and only by a program of
  yours, a payer. Amounts are whole numbers of base units; currencies are never converted.

  In policy.toml (agentctl policy edit), where nothing is paid without such a rule:

    [[payment]]
    site = "shop.example"
    protocol = "x402"             # or mpp
    network = "eip155:84532"      # CAIP-2 of x402, or the method of MPP
    asset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
    max_amount = "10000"          # in base units
    per = "day"                   # call, day or month
    decision = "ask"              # allow, ask or deny

  In payer.toml beside it, in the order of your preference:

    [[payer]]
    name = "test wallet"
    command = ["/usr/local/bin/payer", "--key", "/home/me/key"]
    protocols = ["x402"]
    networks = ["eip155:84532"]
    timeout = "60s"

  A payer reads one JSON object and writes one: docs/payments.md describes both. What was sent
  is kept: agentctl receipts list.
`

// newHelpCommand makes "agentctl help": for built-in commands, topics, and the commands of a site.
func (r *run) newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND… | SITE COMMAND… | TOPIC]",
		Short: "Explain a command or a topic (" + strings.Join(topicNames(), ", ") + ")",
		Long: "Explain a command or a topic: " + strings.Join(topicNames(), ", ") + ".\n\n" +
			"With --json it does so for a program: alone everything that is built in, else what is named.",
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			found, directive := r.completeSites(cmd, args, "")
			if len(args) == 0 {
				for _, t := range topics() {
					found = append(found, cobra.CompletionWithDesc(t.name, t.about))
				}
				for _, c := range root.Commands() {
					if described(c) {
						found = append(found, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return found, directive
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			for _, t := range topics() {
				if t.name == args[0] {
					return t.show(r)
				}
			}
			if isBuiltin(root, args[0]) {
				found, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return fault.New(fault.Usage, "unknown_command", "no help for %q", strings.Join(args, " ")).WithHint("agentctl help")
				}
				return found.Help()
			}
			return r.dispatch(cmd.Context(), slices.Concat(args, givenFlags(cmd.Flags()), []string{"--help"}))
		},
	}
}

// givenFlags are the flags that a line gave, to be given to another.
func givenFlags(set *pflag.FlagSet) (flags []string) {
	set.Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, value := range list.GetSlice() {
				flags = append(flags, "--"+f.Name+"="+value)
			}
			return
		}
		flags = append(flags, "--"+f.Name+"="+f.Value.String())
	})
	return flags
}
