package policy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

const token = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"

// paying is a payment of 2500 base units.
func paying(edit func(*Payment)) *Payment {
	p := &Payment{
		Site: "https://shop.example", Command: []string{"rent"}, Method: "POST", URL: "https://shop.example/rent", Body: []byte("{}"), Protocol: "x402",
		Network: "eip155:84532", Scheme: "exact", Asset: token, Payee: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C", Amount: "2500", Call: strings.Repeat("c", 64),
	}
	if edit != nil {
		edit(p)
	}
	return p
}

// paymentRule is a rule about it, with more members.
func paymentRule(more string) string {
	return "[[payment]]\nprotocol = \"x402\"\nnetwork = \"eip155:84532\"\nasset = \"" + token + "\"\n" + more + "\n"
}

func TestParsePaymentRules(t *testing.T) {
	p := parse(t, "[[rule]]\ndecision = \"ask\"\n"+`
[[payment]]
site = "shop"
protocol = "x402"
network = "eip155:84532"
asset = "`+token+`"
payee = "0x2096"
max_amount = "10000"
per = "day"
decision = "allow"
[[payment]]
decision = "deny"
`)
	want := []*PaymentRule{
		{Number: 1, Line: 4, Site: "shop", Protocol: "x402", Network: "eip155:84532", Asset: token, Payee: "0x2096", Max: "10000", Per: PerDay, Decision: Allow},
		{Number: 2, Line: 13, Decision: Deny},
	}
	if diff := cmp.Diff(want, p.Payments, cmpopts.IgnoreUnexported(PaymentRule{})); diff != "" || len(p.Rules) != 1 {
		t.Errorf("%s\n%d rules about calls", diff, len(p.Rules))
	}
}

func TestFaultsOfPaymentRules(t *testing.T) {
	for name, row := range map[string]struct{ text, want string }{
		"no decision":                {"[[payment]]\nprotocol=\"mpp\"", `:1: the payment rule has no decision`},
		"allows without a limit":     {paymentRule(`decision="allow"`), `:1: a payment rule that does not deny needs protocol, network, asset and max_amount`},
		"asks without a limit":       {paymentRule(`decision="ask"`), `:1: a payment rule that does not deny needs`},
		"allows any asset":           {"[[payment]]\nprotocol=\"mpp\"\nnetwork=\"a\"\nmax_amount=\"1\"\ndecision=\"allow\"", `needs protocol, network, asset and max_amount`},
		"allows any network":         {"[[payment]]\nprotocol=\"mpp\"\nasset=\"a\"\nmax_amount=\"1\"\ndecision=\"allow\"", `needs protocol, network, asset and max_amount`},
		"allows any protocol":        {"[[payment]]\nnetwork=\"a\"\nasset=\"a\"\nmax_amount=\"1\"\ndecision=\"allow\"", `needs protocol, network, asset and max_amount`},
		"denies more than of what":   {"[[payment]]\nmax_amount=\"1\"\ndecision=\"deny\"", `max_amount counts base units`},
		"amount with a point":        {paymentRule("max_amount=\"2.5\"\ndecision=\"ask\""), `:5: max_amount "2.5" must be a whole number`},
		"negative amount":            {paymentRule("max_amount=\"-1\"\ndecision=\"ask\""), `:5: max_amount "-1"`},
		"amount with an exponent":    {paymentRule("max_amount=\"1e3\"\ndecision=\"ask\""), `:5: max_amount "1e3"`},
		"amount with a leading zero": {paymentRule("max_amount=\"01\"\ndecision=\"ask\""), `:5: max_amount "01"`},
		"amount of 79 digits":        {paymentRule("max_amount=\"" + strings.Repeat("1", 79) + "\"\ndecision=\"ask\""), `:5: max_amount`},
		"unknown protocol":           {"[[payment]]\nprotocol=\"cash\"\ndecision=\"deny\"", `:2: protocol "cash"`},
		"unknown decision":           {"[[payment]]\ndecision=\"perhaps\"", `:2: decision "perhaps"`},
		"a member of other rules":    {"[[payment]]\ncurrency=\"EUR\"\ndecision=\"deny\"", `:2: "currency" is no member of a payment rule`},
		"period without an amount":   {"[[payment]]\nper=\"day\"\ndecision=\"deny\"", `:1: per needs a max_amount`},
		"before another rule":        {"[[payment]]\nprotocol=\"mpp\"\n[[rule]]\ndecision=\"ask\"", `:1: the payment rule has no decision`},
	} {
		_, err := (&Loader{Path: "policy.toml", Origin: resolve}).Parse([]byte(row.text))
		if e := wantFault(t, err, fault.Internal, "policy_invalid"); !strings.Contains(e.Message, row.want) {
			t.Errorf("%s: %s, want %s", name, e.Message, row.want)
		}
	}
}

func TestDecidePayment(t *testing.T) {
	limit := func(n, decision string) string {
		return paymentRule("max_amount=\"" + n + "\"\ndecision=\"" + decision + "\"")
	}
	tests := []struct {
		name, rules string
		edit        func(*Payment)
		want        Decision
		rule        int // 0: none decides
	}{
		{"no rules", "", nil, Deny, 0},
		{"rules about calls are about no payment", "[[rule]]\ndecision=\"allow\"\n", nil, Deny, 0},
		{"within the limit", limit("2500", "allow"), nil, Allow, 1},
		{"above the limit", limit("2499", "allow"), nil, Deny, 1},
		{"a rule that asks", limit("2500", "ask"), nil, Ask, 1},
		{"the first that fits", limit("1", "allow") + limit("9999", "ask") + limit("9999", "allow"), nil, Ask, 2},
		{"one that denies wins", limit("9999", "allow") + "[[payment]]\nsite=\"shop\"\ndecision=\"deny\"\n", nil, Deny, 2},
		{"one that denies what is more", limit("9999", "allow") + limit("2499", "deny"), nil, Deny, 2},
		{"one that denies more than this", limit("9999", "allow") + limit("2500", "deny"), nil, Allow, 1},
		{"another network", limit("9999", "allow"), func(p *Payment) { p.Network = "eip155:8453" }, Deny, 0},
		{"another protocol", limit("9999", "allow"), func(p *Payment) { p.Protocol = "mpp" }, Deny, 0},
		{"another asset", limit("9999", "allow"), func(p *Payment) { p.Asset = "0x1" }, Deny, 0},
		{"the asset in other capitals", limit("9999", "allow"), func(p *Payment) { p.Asset = strings.ToUpper(token[2:]); p.Asset = "0x" + p.Asset }, Allow, 1},
		{"the network by its older name", "[[payment]]\nnetwork=\"base-sepolia\"\ndecision=\"deny\"\n" + limit("9999", "allow"), nil, Deny, 1},
		{"a method that is named like a network", strings.NewReplacer("x402", "mpp", "eip155:84532", "base").Replace(limit("9999", "allow")), func(p *Payment) { p.Protocol, p.Network = "mpp", "base" }, Allow, 1},
		{"a short payee in other capitals", paymentRule("payee=\"acctA\"\nmax_amount=\"9999\"\ndecision=\"allow\""), func(p *Payment) { p.Payee = "accta" }, Deny, 0},
		{"another payee", limit("9999", "allow") + "", func(p *Payment) { p.Payee = "0x1" }, Allow, 1},
		{"another payee than the rule's", paymentRule("payee=\"0x1\"\nmax_amount=\"9999\"\ndecision=\"allow\""), nil, Deny, 0},
		{"no payee where the rule has one", paymentRule("payee=\"0x1\"\nmax_amount=\"9999\"\ndecision=\"allow\""), func(p *Payment) { p.Payee = "" }, Deny, 0},
		{"another site", paymentRule("site=\"other.example\"\nmax_amount=\"9999\"\ndecision=\"allow\""), nil, Deny, 0},
		{"an amount that is none", limit("9999", "allow"), func(p *Payment) { p.Amount = "-2500" }, Deny, 0},
		{"an amount of 300 digits", limit("9999", "allow"), func(p *Payment) { p.Amount = strings.Repeat("1", 300) }, Deny, 0},
		{"one that always asks", limit("9999", "allow"), func(p *Payment) { p.Always = true }, Ask, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := parse(t, test.rules).DecidePayment(paying(test.edit), nil, noon())
			number := 0
			if v.Rule != nil {
				number = v.Rule.Number
			}
			if v.Decision != test.want || number != test.rule {
				t.Errorf("%s by rule %d (%s), want %s by %d", v.Decision, number, v.Why, test.want, test.rule)
			}
		})
	}
}

// The digest covers what is paid, to whom, and for which request; not what a site changes each time.
func TestPaymentDigest(t *testing.T) {
	same := paying(nil).Digest()
	for name, edit := range map[string]func(*Payment){
		"site": func(p *Payment) { p.Site += "x" }, "command": func(p *Payment) { p.Command = []string{"re", "nt"} }, "method": func(p *Payment) { p.Method = "PUT" },
		"URL": func(p *Payment) { p.URL += "?x" }, "body": func(p *Payment) { p.Body = []byte("{ }") }, "no body": func(p *Payment) { p.Body = nil },
		"protocol": func(p *Payment) { p.Protocol = "mpp" }, "network": func(p *Payment) { p.Network = "x" }, "scheme": func(p *Payment) { p.Scheme = "upto" },
		"asset": func(p *Payment) { p.Asset = "x" }, "payee": func(p *Payment) { p.Payee = "x" }, "amount": func(p *Payment) { p.Amount = "2501" }, "call": func(p *Payment) { p.Call = "d" },
	} {
		if paying(edit).Digest() == same {
			t.Errorf("it does not cover the %s", name)
		}
	}
	if later := paying(func(p *Payment) { p.Expires = noon() }); later.Digest() != same || !validDigest(same) {
		t.Errorf("%s, then %s", same, later.Digest())
	}
}

func newPaymentGate(t *testing.T, rules string, now func() time.Time) *PaymentGate {
	t.Helper()
	dir, parsed := t.TempDir(), parse(t, rules)
	return &PaymentGate{
		Policy: func() (*Policy, error) { return parsed, nil }, Path: "policy.toml", Now: now,
		Ledger: &PaymentLedger{Path: filepath.Join(dir, "payments.json"), Now: now}, Pending: &Pending{Dir: filepath.Join(dir, "approvals"), Now: now},
	}
}

// pay passes a payment through the gate, as far as it gets.
func pay(g *PaymentGate, p *Payment) (*Passage, error) {
	v, err := g.Decide(p)
	if err != nil {
		return nil, err
	}
	passage, err := g.Pass(context.Background(), p, v)
	if err == nil {
		err = g.Count(p, passage)
	}
	return passage, err
}

func TestLimitsOfPeriods(t *testing.T) {
	for per, next := range map[Period]time.Time{PerDay: noon().AddDate(0, 0, 1), PerMonth: noon().AddDate(0, 1, 0)} {
		now := noon()
		g := newPaymentGate(t, paymentRule(`max_amount="5000"`+"\nper=\""+string(per)+"\"\ndecision=\"allow\""), func() time.Time { return now })
		for i := range 2 {
			if _, err := pay(g, paying(nil)); err != nil {
				t.Fatalf("%s: payment %d: %v", per, i, err)
			}
		}
		_, err := pay(g, paying(nil))
		if e := wantFault(t, err, fault.Payment, "payment_denied"); !strings.Contains(e.Message, "2500 with 5000 paid before") {
			t.Error(e.Message)
		}
		book, err := g.Ledger.Load()
		rules, _ := g.Policy()
		if paid, ok := rules.Payments[0].PaidOf(book, now); err != nil || !ok || paid != "5000" {
			t.Errorf("%s paid, %v", paid, err)
		}
		now = next
		if _, err := pay(g, paying(nil)); err != nil {
			t.Errorf("%s: in the next one: %v", per, err)
		}
	}
}

func TestWhatWasNotSentIsNotCounted(t *testing.T) {
	g := newPaymentGate(t, paymentRule("max_amount=\"2500\"\nper=\"day\"\ndecision=\"allow\""), noon)
	passage, err := pay(g, paying(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := passage.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := pay(g, paying(nil)); err != nil {
		t.Error(err)
	}
}

// Two that were both allowed cannot both be counted where there is room for one.
func TestCountDecidesAgain(t *testing.T) {
	g := newPaymentGate(t, paymentRule("max_amount=\"10000\"\nper=\"day\"\ndecision=\"allow\""), noon)
	v, err := g.Decide(paying(nil))
	if err != nil || v.Decision != Allow {
		t.Fatal(v, err)
	}
	var wait sync.WaitGroup
	var counted, denied sync.Map
	for i := range 20 {
		wait.Go(func() {
			passage, err := g.Pass(t.Context(), paying(nil), v)
			if err == nil {
				err = g.Count(paying(nil), passage)
			}
			if err == nil {
				counted.Store(i, true)
			} else {
				denied.Store(i, fault.From(err).Code)
			}
		})
	}
	wait.Wait()
	n := 0
	counted.Range(func(any, any) bool { n++; return true })
	denied.Range(func(_, code any) bool {
		if code != "payment_denied" {
			t.Errorf("%v", code)
		}
		return true
	})
	if n != 4 {
		t.Errorf("%d were counted, and there is room for 4", n)
	}
}

func TestWhoApproves(t *testing.T) {
	person := func(yes bool) func(context.Context, *Payment, PaymentVerdict) (bool, error) {
		return func(context.Context, *Payment, PaymentVerdict) (bool, error) { return yes, nil }
	}
	asks := paymentRule("max_amount=\"2500\"\ndecision=\"ask\"")
	always := func(p *Payment) { p.Always = true }
	for name, test := range map[string]struct {
		rules string
		edit  func(*Payment)
		set   func(*PaymentGate)
		by    Authority
		fails string
	}{
		"a rule":                     {paymentRule("max_amount=\"2500\"\ndecision=\"allow\""), nil, func(*PaymentGate) {}, ByRule, ""},
		"--yes":                      {asks, nil, func(g *PaymentGate) { g.Yes = true }, ByYes, ""},
		"--yes where there is none":  {"", nil, func(g *PaymentGate) { g.Yes = true }, "", "payment_denied"},
		"--yes for a subscription":   {asks, always, func(g *PaymentGate) { g.Yes = true }, "", "approval_required"},
		"a person":                   {asks, always, func(g *PaymentGate) { g.Ask = person(true) }, ByPerson, ""},
		"a person who says no":       {asks, nil, func(g *PaymentGate) { g.Ask = person(false) }, "", "declined"},
		"nobody":                     {asks, nil, func(*PaymentGate) {}, "", "approval_required"},
		"a digest that is not known": {asks, nil, func(g *PaymentGate) { g.Digest = paying(nil).Digest() }, "", "approval_expired"},
	} {
		g := newPaymentGate(t, test.rules, noon)
		test.set(g)
		passage, err := pay(g, paying(test.edit))
		code := ""
		if err != nil {
			code = fault.From(err).Code
		}
		if code != test.fails || err == nil && passage.By != test.by {
			t.Errorf("%s: %v, want %q by %q", name, err, test.fails, test.by)
		}
	}
}

// The digest of a payment sends its call once, whether the site wants to be paid this time or not, and approves no other payment, not even
// with --yes beside it.
func TestThePaymentsDigestIsUsedOnce(t *testing.T) {
	g := newPaymentGate(t, paymentRule("max_amount=\"9999\"\ndecision=\"ask\""), noon)
	call := facts(func(f *Facts) { f.Effect = manifest.Spend })
	payment := func(amount string) *Payment {
		return paying(func(p *Payment) { p.Amount, p.Call = amount, call.Digest() })
	}
	_, err := pay(g, payment("2500"))
	digest, _ := wantFault(t, err, fault.Approval, "approval_required").Details["approval"].(string)
	calls := newGate(t.TempDir(), "", noon)
	calls.Pending, calls.Digest = g.Pending, digest
	passage, err := calls.Pass(t.Context(), call)
	if err != nil || passage.By != ByDigest || passage.Payment != digest {
		t.Fatalf("%+v, %v", passage, err)
	}
	_, err = calls.Pass(t.Context(), call)
	wantFault(t, err, fault.Approval, "approval_mismatch") // it is gone, so nobody knows what it was for

	g.Digest, g.Taken, g.Yes = digest, passage.Payment, true
	_, err = pay(g, payment("2501"))
	wantFault(t, err, fault.Approval, "approval_required")
	if paid, err := pay(g, payment("2500")); err != nil || paid.By != ByDigest {
		t.Errorf("%+v, %v", paid, err)
	}
}

// A refusal tells what a rule would have to be; such a rule has it asked about.
func TestTheRuleThatIsWantedIsOne(t *testing.T) {
	g := newPaymentGate(t, "", noon)
	_, err := pay(g, paying(nil))
	wanted, _ := wantFault(t, err, fault.Payment, "payment_denied").Details["rule_wanted"].(string)
	if v := parse(t, wanted).DecidePayment(paying(nil), nil, noon()); v.Decision != Ask {
		t.Errorf("%s has it %s: %s", wanted, v.Decision, v.Why)
	}
}

func TestDamagedPaymentLedger(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "{", "another version": `{"version":2,"paid":[]}`, "a negative amount": `{"version":1,"paid":[{"at":"2027-03-15T06:00:00Z","amount":"-1"}]}`,
		"an unknown member": `{"version":1,"paid":[],"x":1}`, "no time": `{"version":1,"paid":[{"amount":"1"}]}`,
	} {
		g := newPaymentGate(t, paymentRule("max_amount=\"2500\"\ndecision=\"allow\""), noon)
		if err := os.WriteFile(g.Ledger.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := pay(g, paying(nil)); err == nil || fault.From(err).Code != "state_damaged" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzPaymentBook(f *testing.F) {
	f.Add(`{"version":1,"paid":[{"at":"2027-03-15T06:00:00Z","site":"https://shop.example","protocol":"x402","network":"eip155:84532","asset":"` + token + `","amount":"2500"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		book, err := parsePaymentBook([]byte(text))
		if err != nil {
			return
		}
		rule := parse(t, paymentRule("max_amount=\"1\"\nper=\"month\"\ndecision=\"allow\"")).Payments[0]
		if book.sum(rule, time.Time{}).Sign() < 0 {
			t.Error("a negative sum")
		}
	})
}

func FuzzParseUnits(f *testing.F) {
	for _, seed := range []string{"0", "250", "-1", "1e3", "01", "٢", strings.Repeat("9", 78), strings.Repeat("9", 79)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, ok := ParseUnits(text); ok && fmt.Sprint(n) != text {
			t.Errorf("%q is read as %s", text, n)
		}
	})
}
