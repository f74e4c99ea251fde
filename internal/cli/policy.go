package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/render"
)

// newPolicy makes "agentctl policy": the rules about what may be sent without asking.
func (r *run) newPolicy() *cobra.Command {
	path := &cobra.Command{
		Use:   "path",
		Short: "Print where the rules are kept",
		Args:  takes(),
		RunE: func(*cobra.Command, []string) error {
			file := policy.Path(r.ConfigDir)
			return r.print(map[string]string{"path": file}, func() error {
				_, err := fmt.Fprintln(r.Out, file)
				return err
			})
		},
	}
	show := &cobra.Command{
		Use:   "show",
		Short: "List the rules, and what is spent of their limits",
		Args:  takes(),
		RunE:  func(*cobra.Command, []string) error { return r.policyShow() },
	}
	edit := &cobra.Command{
		Use:   "edit",
		Short: "Change the rules in VISUAL or EDITOR; they are checked before they count",
		Args:  takes(),
		RunE:  func(cmd *cobra.Command, _ []string) error { return r.policyEdit(cmd.Context()) },
	}
	return group(&cobra.Command{Use: "policy", Short: "What may be sent without asking, what asks, and what is denied"},
		show, r.newPolicyCheck(), edit, path)
}

// shownPaymentRule is a payment rule with what is paid of its limit.
type shownPaymentRule struct {
	*policy.PaymentRule
	Paid string `json:"paid,omitempty"` // in the present day or month
}

// shownRule is a rule with what is spent of its limit.
type shownRule struct {
	*policy.Rule
	Spent string `json:"spent,omitempty"` // in the present day or month
}

func (r *run) policyShow() error {
	rules, err := r.loadPolicy()
	if err != nil {
		return err
	}
	book, err := r.ledger().Load()
	if err != nil {
		return err
	}
	all := []any{} // rules, then payment rules
	rows := [][]string{{"RULE", "DECISION", "SITE", "ACTION", "ABOUT", "LIMIT"}}
	for _, rule := range rules.Rules {
		spent, _ := rule.Spent(book, r.Now())
		all = append(all, shownRule{rule, spent})
		rows = append(rows, []string{
			fmt.Sprint(rule.Number), string(rule.Decision), orAny(rule.Site), orAny(rule.Action), ruleSubject(rule), ruleLimit(rule, spent),
		})
	}
	payments, err := r.paymentRules(rules)
	if err != nil {
		return err
	}
	payRows := [][]string{{"PAYMENT RULE", "DECISION", "SITE", "PROTOCOL", "NETWORK", "ASSET", "PAYEE", "LIMIT"}}
	for _, rule := range payments {
		all = append(all, rule)
		payRows = append(payRows, []string{
			fmt.Sprint(rule.Number), string(rule.Decision), orAny(rule.Site), orAny(rule.Protocol), orAny(rule.Network), orAny(rule.Asset), orAny(rule.Payee),
			limitText(rule.Max, "", rule.Per, rule.Decision, rule.Paid, "paid"),
		})
	}
	return r.print(all, func() error {
		if len(all) == 0 {
			return r.say("no rules: reading and writing go through, everything else asks, and nobody is paid; agentctl policy edit makes some")
		}
		o := r.columns()
		o.Header = r.Color
		for i, table := range [][][]string{rows, payRows} {
			if len(table) == 1 {
				continue
			}
			if i > 0 && len(rows) > 1 {
				if _, err := fmt.Fprintln(r.Out); err != nil {
					return err
				}
			}
			if err := render.Columns(r.Out, table, o); err != nil {
				return err
			}
		}
		return nil
	})
}

// paymentRules are those of a policy, with what is paid of their limits.
func (r *run) paymentRules(rules *policy.Policy) ([]shownPaymentRule, error) {
	if len(rules.Payments) == 0 {
		return nil, nil
	}
	book, err := r.paymentLedger().Load()
	if err != nil {
		return nil, err
	}
	list := make([]shownPaymentRule, len(rules.Payments))
	for i, rule := range rules.Payments {
		paid, _ := rule.PaidOf(book, r.Now())
		list[i] = shownPaymentRule{rule, paid}
	}
	return list, nil
}

func orAny(text string) string {
	if text == "" {
		return "*"
	}
	return text
}

// ruleSubject tells which effects and risks a rule is about.
func ruleSubject(rule *policy.Rule) string {
	var parts []string
	if rule.Effect != "" {
		parts = append(parts, rule.Effect)
	}
	if rule.Risk != "" && rule.Decision == policy.Allow {
		parts = append(parts, "risk up to "+rule.Risk)
	} else if rule.Risk != "" {
		parts = append(parts, "risk from "+rule.Risk)
	}
	if rule.Max == "" && rule.Currency != "" {
		parts = append(parts, "in "+rule.Currency)
	}
	return orAny(strings.Join(parts, ", "))
}

func ruleLimit(rule *policy.Rule, spent string) string {
	if rule.Decision == policy.Ask { // it asks beyond its limit, as one that denies does
		return limitText(rule.Max, rule.Currency, rule.Per, policy.Deny, spent, "spent")
	}
	return limitText(rule.Max, rule.Currency, rule.Per, rule.Decision, spent, "spent")
}

// limitText tells a limit, and what is used of it. A rule that denies does so beyond it.
func limitText(most, unit string, per policy.Period, decision policy.Decision, used, how string) string {
	if most == "" {
		return ""
	}
	limit := strings.Join(strings.Fields(most+" "+unit), " ") + " a " + string(per)
	if decision == policy.Deny {
		limit = "beyond " + limit
	}
	if used != "" {
		limit += ", " + used + " " + how
	}
	return limit
}

// errNoEditor says that there is nothing to edit with.
func errNoEditor(err error) error {
	return fault.New(fault.Usage, "no_editor", "the editor cannot be run, or failed, so the rules are as before: %w", err).
		WithHint("set VISUAL or EDITOR, or edit the file that agentctl policy path prints")
}
