package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/policy"
)

const payee = "https://service.example"

// paymentAuthorized: ODP-138. A payment needs a live challenge and the caller's policy. What a case says of the caller becomes
// a policy with one rule. What is advertised or shown beforehand means nothing.
func paymentAuthorized(t testcase) error {
	p := payment{site: payee, amount: "5", most: "10", currency: "USD"}
	var challenges, policies int
	for name, amount := range map[string]*string{"amount": &p.amount, "limit": &p.most, "max_amount": &p.most} {
		if t.has(name) {
			*amount = t.text(name)
			policies++
		}
	}
	status := http.StatusPaymentRequired
	for i, name := range t.root.Names {
		switch item := t.root.Items[i]; {
		case name == "valid", name == "expected", anyOf(name, "advertised", "advertisement", "preview", "support"):
		case anyOf(name, "challenge", "live"):
			challenges++
			if item.Kind == 'f' || item.Kind == 'n' {
				status = http.StatusOK
			}
		case item.Kind == 't' || item.Kind == 'f':
			policies++
			if item.Kind == 'f' {
				p.forbid(name)
			}
		}
	}
	if challenges == 0 || policies == 0 {
		return errors.New("the case does not tell of a challenge and of a policy")
	}
	if len(resource.Signals(status, http.Header{"Payment-Required": {"terms"}})) == 0 {
		return t.valid(errors.New("nothing asks for a payment"))
	}
	return t.valid(p.pass())
}

// payment is one to [payee], in USD, with what the caller's rule allows.
type payment struct {
	amount               string
	site, most, currency string // of the rule
	none                 bool   // there is no rule
}

// forbid changes the rule so that the payment breaks what the name says.
func (p *payment) forbid(name string) {
	switch {
	case anyOf(name, "limit", "amount", "budget"):
		p.most = "1"
	case anyOf(name, "asset", "currency", "network"):
		p.currency = "EUR"
	case anyOf(name, "payee", "recipient", "origin"):
		p.site = "https://other.example"
	default:
		p.none = true
	}
}

// pass has the payment pass the gate that all calls pass.
func (p *payment) pass() error {
	text := fmt.Sprintf("[[rule]]\nsite = %q\neffect = \"spend\"\nmax_amount = %q\ncurrency = %q\nper = \"call\"\ndecision = \"allow\"\n", p.site, p.most, p.currency)
	if p.none {
		text = ""
	}
	loader := policy.Loader{Path: "policy.toml", Origin: func(word string) (string, error) { return strings.TrimSuffix(word, "/"), nil }}
	rules, err := loader.Parse([]byte(text))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "agentctl-conformance-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	now := func() time.Time { return time.Unix(1_800_000_000, 0) }
	gate := policy.Gate{
		Policy: rules, Ledger: &policy.Ledger{Path: filepath.Join(dir, "spending.json"), Now: now},
		Pending: &policy.Pending{Dir: filepath.Join(dir, "approvals"), Now: now}, Now: now,
	}
	_, err = gate.Pass(context.Background(), &policy.Facts{
		Site: payee, Command: []string{"offerings", "do", "o", "a"}, Method: http.MethodPost, URL: payee + "/do", Effect: manifest.Spend,
		Cost: &manifest.Cost{Mode: "fixed", Amount: p.amount, Currency: "USD"},
	})
	return err
}
