package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/policy"
)

// newPolicyCheck makes "agentctl policy check": a call as on any command line, that is not made.
func (r *run) newPolicyCheck() *cobra.Command {
	return &cobra.Command{
		Use:                "check SITE COMMAND… [ARGS…]",
		Short:              "Tell which rule would decide about a call, and why; nothing is sent",
		Example:            "  agentctl policy check demo club join",
		DisableFlagParsing: true, // the flags are the action's
		ValidArgsFunction:  r.completeSites,
		RunE: func(cmd *cobra.Command, args []string) error {
			read := readLine(args, cmd.Root().PersistentFlags(), nil)
			switch {
			case len(read.words) == 0 && len(args) > 0 && (args[0] == "--help" || args[0] == "-h"):
				return cmd.Help()
			case len(read.words) == 0:
				return fault.New(fault.Usage, "invalid_arguments", "SITE is missing").WithHint("%s --help", cmd.CommandPath())
			case isBuiltin(cmd.Root(), read.words[0].text):
				return fault.New(fault.Usage, "invalid_arguments", "%q is built into agentctl; policy is about the actions of sites", read.words[0].text)
			}
			r.checking = true
			return r.dispatch(cmd.Context(), args)
		},
	}
}

// checkReport is what "policy check --json" prints.
type checkReport struct {
	Site    string          `json:"site"`
	Command []string        `json:"command"`
	Effect  manifest.Effect `json:"effect"`
	Risk    string          `json:"risk,omitempty"`
	Consent string          `json:"consent,omitempty"`
	Cost    *manifest.Cost  `json:"cost,omitempty"`
	policy.Verdict
	Yes     bool `json:"yes_is_enough"` // whether --yes approves it, where it asks
	Audited bool `json:"audited"`
}

// checkPolicy tells what policy says of the call. Arguments need not be given: rules look at what the action is, and what
// it costs.
func (a *published) checkPolicy(ctx context.Context) error {
	request := &call.Request{Method: a.action.Method, Effect: a.action.Effect, Cost: a.action.Cost}
	if len(a.typed.words)+len(a.typed.flags)+len(a.Args) > 0 || a.Input != "" {
		values, upload, err := a.arguments(ctx)
		if err != nil {
			return err
		}
		a.hideSecrets(values)
		made, problems := a.action.Request(a.given(values, upload))
		if len(problems) > 0 {
			return invalidArguments(problems, a.path())
		}
		request = made
	}
	f := a.facts(&call.Call{Request: request, Origin: string(a.conn.origin), Command: a.node.Command})
	gate, err := a.gate()
	if err != nil {
		return err
	}
	v, err := gate.Decide(f)
	if err != nil {
		return err
	}
	report := checkReport{
		Site: f.Site, Command: f.Command, Effect: f.Effect, Risk: f.Risk, Consent: f.Consent, Cost: f.Cost, Verdict: v,
		Yes: v.Decision == policy.Ask && !f.Strong(), Audited: f.Audited(),
	}
	return a.print(report, func() error { return a.showCheck(&report, f) })
}

func (r *run) showCheck(report *checkReport, f *policy.Facts) error {
	h := r.newHelp()
	h.paragraph(r.heading(string(report.Decision)) + ": " + strings.Join(report.Command, " ") + " " + f.Consequence())
	rule := "none; this is the default"
	if report.Rule != nil {
		rule = fmt.Sprintf("%d (%s:%d)", report.Rule.Number, policy.Path(r.ConfigDir), report.Rule.Line)
	}
	rows := [][]string{{"site", report.Site}, {"rule", rule}, {"why", report.Why}}
	if report.Decision == policy.Ask {
		rows = append(rows, []string{"approve with", approvedBy(report.Yes)})
	}
	h.rows(rows)
	if len(report.Steps) > 0 {
		h.section("Rules about it")
	}
	var steps [][]string
	for _, step := range report.Steps {
		decision := string(step.Decision)
		if decision == "" {
			decision = "leaves it"
		}
		steps = append(steps, []string{fmt.Sprint(step.Rule), decision, step.Why})
	}
	h.rows(steps)
	return h.write(r.Out)
}

func approvedBy(yes bool) string {
	if yes {
		return "an answer at the terminal, --yes, or --approve"
	}
	return "the command typed at the terminal, or --approve; --yes is not enough"
}
