package payment_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/challenge/payment"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/receipt"
)

// Rules that allow exactly what the shop wants, each with a decision to come.
const (
	mppRule = `[[payment]]
site = "https://shop.example.com"
protocol = "mpp"
network = "example"
asset = "usd"
payee = "acct_7"
max_amount = "250"
decision = "allow"
`
	x402Rule = `[[payment]]
protocol = "x402"
network = "eip155:84532"
asset = "0x036cbd53842c5426634e7929541ec2318f3dcf7e"
max_amount = "2500"
decision = "allow"
`
	payers = `[[payer]]
name = "test"
command = ["PAYER"]
networks = ["example", "lightning", "stripe", "evm", "eip155:84532", "solana"]
timeout = "1m"
`
)

// row is one case: what the shop answers, how the payer behaves, what rules say; and what has to come of it.
type row struct {
	name   string
	shop   []reply // one a request
	payer  string  // a mode of [behave]
	rules  string  // "": both rules; "none": no file
	payers string  // "": the one above

	method string // "": POST, which has an effect
	body   []byte
	read   bool // it has no effect, whatever its method; one by GET never has
	bearer bool // Authorization holds a token
	signIn bool // AEP can be met
	yes    bool
	asks   string // of the person at a terminal: "yes" or "no"; "": there is no terminal
	elsewh bool   // the shop's action leads to another path

	requests int    // that the shop saw
	paid     int    // of these, with a payment
	asked    int    // how often the payer ran, or [unasked]
	fails    string // KIND/CODE; "": the call succeeds
	state    string // of the one receipt; "": there is none
	methods  string // of the requests; "": not looked at
	told     string // a part of what the error says, or its hint
}

// unasked is for payers that have too little time to be sure that they ran.
const unasked = -1

// TestPayments is the proof that no answer of a site and no payer makes anything go out that was not approved.
func TestPayments(t *testing.T) {
	rows := append(append(append(mppRows(), x402Rows()...), payerRows()...), engineRows()...)
	if len(rows) < 40 {
		t.Fatalf("%d rows", len(rows))
	}
	names := map[string]bool{}
	for _, row := range rows {
		if names[row.name] {
			t.Errorf("two rows are %q", row.name)
		}
		names[row.name] = true
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.run(t)
		})
	}
}

func (row *row) run(t *testing.T) {
	s, dir := newShop(t, row.shop), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.cancel = cancel
	world := newWorld(t, dir, row)
	body := row.body
	if body == nil && row.method == "" {
		body = []byte(`{"title":"Ran"}`)
	}
	request := &call.Request{
		Method: cmp.Or(row.method, http.MethodPost), URL: "https://shop.example.com/rent?days=2", Body: body, Effect: manifest.Send,
		Header: http.Header{"X-Tenant": {"7"}},
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if row.read || row.method == http.MethodGet {
		request.Effect = manifest.Read
	}
	protocols := []challenge.Protocol{world.protocol}
	if row.signIn {
		protocols = append(protocols, &signIn{})
	}
	caller := call.Caller{
		Client: s.client, Redact: func(text string) string { return text }, Now: clock, Digest: func() string { return strings.Repeat("c", 64) },
		Protocols: func() []challenge.Protocol { return protocols },
	}
	if row.bearer {
		caller.Secrets = []fetch.Secret{{In: fetch.InHeader, Name: "Authorization", Value: "Bearer tok"}}
	}
	result, err := caller.Do(ctx, &call.Call{Request: request, Origin: "https://shop.example.com", Command: []string{"rent"}})
	if err == nil {
		_ = result.Body.Close()
	}
	row.judge(t, s, world, err)
}

// judge compares what came of it, and holds what went out to what was approved.
func (row *row) judge(t *testing.T, s *shop, w *world, err error) {
	t.Helper()
	if got := len(s.requests); got != row.requests || got > 4 {
		t.Errorf("%d requests, want %d", got, row.requests)
	}
	credentials := s.credentials()
	if len(credentials) != row.paid {
		t.Errorf("%d of them with a payment, want %d", len(credentials), row.paid)
	}
	if s.stranger != 0 {
		t.Error("the stranger was asked")
	}
	if !row.elsewh {
		s.same(t)
	}
	var methods []string
	for i, r := range s.requests {
		methods = append(methods, r.Method)
		if r.Method == http.MethodGet && s.bodies[i]+r.Header.Get("Content-Type") != "" {
			t.Errorf("request %d is a GET with a body", i)
		}
	}
	if got := strings.Join(methods, " "); row.methods != "" && got != row.methods {
		t.Errorf("the requests were %s, want %s", got, row.methods)
	}
	for _, c := range credentials {
		approved(t, c)
	}
	assertions := map[string]bool{}
	for i, r := range s.requests {
		if value := r.Header.Get("Aep-Authorization"); value != "" && assertions[value] { // AEP-15, CO-2
			t.Errorf("request %d carries an assertion that was used before", i)
		} else {
			assertions[value] = true
		}
	}
	if got := w.payerRuns(t); got != row.asked && row.asked != unasked {
		t.Errorf("the payer ran %d times, want %d", got, row.asked)
	}
	failed := ""
	if err != nil {
		f := fault.From(err)
		failed = string(f.Kind) + "/" + f.Code
		if !strings.Contains(f.Message+" "+f.Hint, row.told) {
			t.Errorf("it does not say %q: %s (%s)", row.told, f.Message, f.Hint)
		}
		if details := compact(f.Details); row.paid > 0 && !strings.Contains(details, `"paid":{`) || f.Kind == fault.Payment && f.Status == http.StatusPaymentRequired && !strings.Contains(details, `"challenges":[`) && !strings.Contains(details, `"payment":{`) {
			t.Errorf("the error does not tell programs of the payment: %s", details)
		}
		if strings.Contains(f.Message+f.Hint+compact(f.Details), "pf_31") {
			t.Errorf("the error tells the proof: %s %s", f.Message, compact(f.Details))
		}
	}
	if failed != row.fails {
		t.Errorf("%q (%v), want %q", failed, err, row.fails)
	}
	records, lerr := w.protocol.Receipts.List()
	var states []string
	for _, r := range records {
		states = append(states, string(r.State))
	}
	if got := strings.Join(states, " "); lerr != nil || got != row.state {
		t.Errorf("receipts %q (%v), want %q", got, lerr, row.state)
	}
	if counted := w.counted(t); counted != (row.state == "paid" || row.state == "refused" || row.state == "unknown") {
		t.Errorf("counted: %t, receipts %q", counted, row.state)
	}
}

// approved holds a payment that was sent to the only two that rules allow.
func approved(t *testing.T, c map[string]any) {
	t.Helper()
	if echo, is := c["challenge"].(map[string]any); is {
		text := fmt.Sprint(echo["request"])
		if !strings.Contains(mppChallenge(mppWants), `"`+text+`"`) || echo["method"] != "example" || echo["intent"] != "charge" {
			t.Errorf("the payment is for another challenge: %v", echo)
		}
		return
	}
	payload, _ := c["payload"].(map[string]any)
	a, _ := payload["authorization"].(map[string]any)
	if a["value"] != "2500" || !strings.EqualFold(fmt.Sprint(a["to"]), "0x209693Bc6afc0C5328bA36FaF03C514EF312287C") {
		t.Errorf("the payment is another one: %v", c)
	}
	if accepted, is := c["accepted"].(map[string]any); is && (accepted["amount"] != "2500" || accepted["network"] != "eip155:84532") {
		t.Errorf("it accepts something else: %v", accepted)
	}
}

// world is all that a payment touches besides the site.
type world struct {
	protocol *payment.Protocol
	log      string
	logged   int
	said     []string
	hidden   []string
}

func newWorld(t *testing.T, dir string, row *row) *world {
	t.Helper()
	w := &world{log: filepath.Join(dir, "payer.log")}
	rules := cmp.Or(row.rules, mppRule+x402Rule)
	if rules == "none" {
		rules = ""
	}
	loader := &policy.Loader{Path: "policy.toml", Origin: func(word string) (string, error) { return word, nil }}
	parsed, err := loader.Parse([]byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	payerText := strings.ReplaceAll(cmp.Or(row.payers, payers), "PAYER", os.Args[0])
	list, err := payment.ParsePayers("payer.toml", []byte(payerText))
	if err != nil {
		t.Fatal(err)
	}
	gate := &policy.PaymentGate{
		Policy: func() (*policy.Policy, error) { return parsed, nil }, Path: "policy.toml", Now: clock, Yes: row.yes,
		Ledger:  &policy.PaymentLedger{Path: filepath.Join(dir, "payments.json"), Now: clock},
		Pending: &policy.Pending{Dir: filepath.Join(dir, "approvals"), Now: clock},
	}
	if row.asks != "" {
		gate.Ask = func(context.Context, *policy.Payment, policy.PaymentVerdict) (bool, error) {
			return row.asks == "yes", nil
		}
	}
	w.protocol = &payment.Protocol{
		Gate: gate, Receipts: &receipt.Store{Dir: filepath.Join(dir, "receipts")}, Command: []string{"rent"}, Now: clock,
		Payers: func() ([]payment.Payer, error) { return list, nil },
		Environ: func() []string { // the race detector would have each payer wait for a second at its end
			return []string{"GORACE=atexit_sleep_ms=0", payerMode + "=" + cmp.Or(row.payer, "good"), payerLog + "=" + w.log}
		},
		Tell: func(message string) { w.said = append(w.said, message) },
		Log: func(*policy.Payment, *policy.Passage) (func(*challenge.Outcome, receipt.State), error) {
			w.logged++
			return func(*challenge.Outcome, receipt.State) { w.logged++ }, nil
		},
		Hide:   func(secret string) { w.hidden = append(w.hidden, secret) },
		Redact: payment.Redactor{Text: func(text string) string { return text }, JSON: func(doc []byte) []byte { return doc }},
		Aside:  func(do func() error) error { return do() },
	}
	return w
}

// payerRuns counts the requests that the payer read: each is a line.
func (w *world) payerRuns(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(w.log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}

// counted tells whether anything counts as spent.
func (w *world) counted(t *testing.T) bool {
	t.Helper()
	book, err := w.protocol.Gate.Ledger.Load()
	if err != nil {
		t.Fatal(err)
	}
	total := new(big.Int)
	for _, p := range book.Paid {
		n, _ := new(big.Int).SetString(p.Amount, 10)
		total.Add(total, n)
	}
	return total.Sign() > 0
}

// signIn stands for a protocol that signs in: each request has a credential of its own.
type signIn struct{ made int }

func (*signIn) Name() string         { return "aep" }
func (*signIn) Step() challenge.Step { return challenge.SignIn }

func (*signIn) Offers(a *challenge.Answer) []challenge.Offer {
	var offers []challenge.Offer
	for range a.Of("AEP") {
		offers = append(offers, challenge.Offer{Scheme: "aep", Facts: map[string]any{}})
	}
	return offers
}

func (s *signIn) Meet(ctx context.Context, a *challenge.Answer, _ []challenge.Offer) (*challenge.Credential, error) {
	return s.renew(ctx, a.Request)
}

func (s *signIn) renew(context.Context, *challenge.Request) (*challenge.Credential, error) {
	s.made++
	return &challenge.Credential{
		Fields: []fetch.Secret{{In: fetch.InHeader, Name: "AEP-Authorization", Value: fmt.Sprintf("AEP jwt-%d", s.made)}}, Renew: s.renew,
	}, nil
}
