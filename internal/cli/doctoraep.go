package cli

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/challenge/payment"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/site"
)

// examineAgent looks at the person's agent at a site, without asking the site.
func (r *run) examineAgent(c *checkup, origin site.Origin, word string) {
	account, err := r.accountOf(origin)
	if err != nil {
		return // told before
	}
	store, err := r.store()
	if err != nil {
		return
	}
	agent, ok, err := store.Agent(account)
	switch {
	case err != nil:
		c.failed(problem, "agent", err)
		return
	case !ok:
		c.ok("agent", "none; agentctl aep inspect "+word+" tells whether the site wants one")
		return
	}
	switch agent.State {
	case aep.Active:
		c.ok("agent", agent.DID.String()+", active")
	case "":
		c.add(warning, "agent", agent.DID.String()+" is not enrolled", "agentctl aep enroll "+word)
	case aep.Pending, aep.Rejected, aep.Unavailable, aep.Suspended, aep.Terminated:
		c.add(warning, "agent", agent.DID.String()+" is "+string(agent.State), "agentctl aep status "+word)
	}
	for _, g := range agent.Grants {
		name := strings.TrimSpace(string(g.Type) + " " + g.ID)
		if !g.Expires.After(r.Now()) {
			c.add(warning, "grant", name+" expired "+r.distance(g.Expires), "agentctl aep grant "+word+" "+string(g.Type))
			continue
		}
		c.ok("grant", name+" until "+r.when(g.Expires))
	}
}

// examinePayments looks at what may be paid to a site, and by whom.
func (r *run) examinePayments(c *checkup, origin site.Origin) {
	rules, err := r.loadPolicy()
	if err != nil {
		c.failed(problem, "payments", err)
		return
	}
	payers, err := payment.LoadPayers(payment.PayerPath(r.ConfigDir))
	if err != nil {
		c.failed(problem, "payers", err)
		return
	}
	about := rules.PaymentsTo(string(origin))
	switch {
	case len(about) == 0 && len(payers) == 0:
		c.ok("payments", "nothing is paid; agentctl help payments tells how that would be")
	case len(about) == 0:
		c.ok("payments", "no rule allows any to this site; agentctl policy edit")
	case len(payers) == 0:
		c.add(warning, "payments", counted(len(about), "rule")+" about this site, and no payer", "agentctl help payments")
	default:
		var names []string
		for _, p := range payers {
			names = append(names, p.Name)
		}
		c.ok("payments", counted(len(about), "rule")+" about this site, paid by "+strings.Join(names, ", "))
		r.examinePayers(c, about, payers)
	}
}

// examinePayers tells of rules that nobody can pay by, and of payers that are not there. None is run.
func (r *run) examinePayers(c *checkup, rules []*policy.PaymentRule, payers []payment.Payer) {
	for _, rule := range rules {
		if !slices.ContainsFunc(payers, func(p payment.Payer) bool { return p.On(rule.Protocol, rule.Network) }) {
			c.add(warning, "payments", fmt.Sprintf("payment rule %d is about %s on %s, which no payer serves", rule.Number, rule.Protocol, rule.Network), "agentctl help payments")
		}
	}
	for _, p := range payers {
		if _, err := exec.LookPath(p.Command[0]); err != nil {
			c.add(warning, "payer", p.Name+" cannot be run: "+err.Error(), "mend "+payment.PayerPath(r.ConfigDir))
		}
	}
}
