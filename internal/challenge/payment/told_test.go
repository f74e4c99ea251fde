package payment_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/receipt"
)

// send makes the call of a row in a world that may be used before or after.
func send(t *testing.T, s *shop, w *world) (*call.Result, error) {
	t.Helper()
	caller := call.Caller{
		Client: s.client, Redact: func(text string) string { return text }, Now: clock, Digest: func() string { return strings.Repeat("c", 64) },
		Protocols: func() []challenge.Protocol { return []challenge.Protocol{w.protocol} },
	}
	result, err := caller.Do(t.Context(), &call.Call{
		Request: &call.Request{Method: http.MethodPost, URL: "https://shop.example.com/rent", Body: []byte("test"), Effect: manifest.Send},
		Origin:  "https://shop.example.com", Command: []string{"rent"},
	})
	if err == nil {
		_ = result.Body.Close()
	}
	return result, err
}

// What a payer reads is the contract with it (CH-17), so each member is here.
func TestWhatAPayerIsTold(t *testing.T) {
	const testSum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	request := `"request":{"method":"POST","url":"https://shop.example.com/rent","body_sha256":"` + testSum + `"}`
	approved := `"approved":{"amount":"2500","currency":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","payee":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","network":"eip155:84532"}`
	v2 := change(x402Doc(2, x402Wants), `"error"`, `"extensions":{"sign-in-with-x":{"info":{}}},"error"`)
	for name, test := range map[string]struct {
		demand reply
		want   string
	}{
		"MPP": {mpp(`intent=`, `opaque="eyJhIjoiYiJ9", description="say \"yes\"", intent=`), `{"agentctl_payer":"1","protocol":"mpp",` + request + `,` +
			`"challenge":{"id":"c-81","realm":"shop.example.com","method":"example","intent":"charge","opaque":"eyJhIjoiYiJ9","description":"say \"yes\"",` +
			`"request":"` + base64.RawURLEncoding.EncodeToString([]byte(mppWants)) + `","expires":"2026-09-01T10:05:00Z"},"decoded":` + mppWants + `,` +
			`"approved":{"amount":"250","currency":"usd","payee":"acct_7","network":"example"}}`},
		"x402": {x402Of(v2), `{"agentctl_payer":"1","protocol":"x402","x402_version":2,` + request + `,"required":` + v2 +
			`,"chosen":` + x402Wants + `,"extensions":{"sign-in-with-x":{"info":{}}},` + approved + `}`},
		"x402 version 1": {x402V1(), `{"agentctl_payer":"1","protocol":"x402","x402_version":1,` + request + `,"required":` + x402Doc(1, x402WantsV1) +
			`,"chosen":` + x402WantsV1 + `,` + approved + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, t.TempDir(), &row{})
			if _, err := send(t, newShop(t, []reply{test.demand, ok()}), w); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(w.log)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parsed(t, test.want), parsed(t, string(text))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func parsed(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// A site that wants an id with the payment gets one, and everything else as it was (X402-15).
func TestPaymentIdentifier(t *testing.T) {
	t.Parallel()
	s := newShop(t, []reply{x402Of(change(x402Doc(2, x402Wants), `"error"`,
		`"extensions":{"payment-identifier":{"info":{"required":true,"n":1.50},"schema":{"a":1}},"other":{"b":[2]}},"error"`)), ok()})
	if _, err := send(t, s, newWorld(t, t.TempDir(), &row{})); err != nil {
		t.Fatal(err)
	}
	extensions, _ := s.credentials()[1]["extensions"].(map[string]any)
	identifier, _ := extensions["payment-identifier"].(map[string]any)
	info, _ := identifier["info"].(map[string]any)
	id, _ := info["id"].(string)
	if len(id) < 16 || len(id) > 128 || strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		t.Errorf("id %q", id)
	}
	delete(info, "id")
	if got, want := compact(extensions), `{"other":{"b":[2]},"payment-identifier":{"info":{"n":1.5,"required":true},"schema":{"a":1}}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A payment of something that has an effect carries a key by which the site can tell a second one (MPP-21).
func TestPaidEffectsCarryAKey(t *testing.T) {
	t.Parallel()
	s := newShop(t, []reply{mpp(), ok()})
	if _, err := send(t, s, newWorld(t, t.TempDir(), &row{})); err != nil {
		t.Fatal(err)
	}
	if s.requests[0].Header.Get("Idempotency-Key") != "" || len(s.requests[1].Header.Get("Idempotency-Key")) < 20 {
		t.Errorf("%q, then %q", s.requests[0].Header.Get("Idempotency-Key"), s.requests[1].Header.Get("Idempotency-Key"))
	}
}

// What proves a payment is kept out of all that is told, in the forms that a site may repeat it in (CH-11).
func TestProofsAreHidden(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		demand reply
		field  string
		proof  string
	}{"MPP": {mpp(), "Authorization", "pf_31"}, "x402": {x402(), "Payment-Signature", "0x1234"}} {
		w, s := newWorld(t, t.TempDir(), &row{}), newShop(t, []reply{test.demand, ok()})
		if _, err := send(t, s, w); err != nil {
			t.Fatal(err)
		}
		value := strings.TrimPrefix(s.requests[1].Header.Get(test.field), "Payment ")
		if diff := cmp.Diff([]string{value, test.proof}, w.hidden); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What a site says of a payment is kept, and cannot make its record unreadable.
func TestReceipts(t *testing.T) {
	encoded := func(doc string) string { return base64.StdEncoding.EncodeToString([]byte(doc)) }
	paidBy := `{"success":true,"transaction":"0xabab","network":"eip155:84532","payer":"0x857b","amount":"2400"}`
	for name, test := range map[string]struct {
		shop []reply
		want receipt.Record
	}{
		"MPP":                {[]reply{mpp(), ok("Payment-Receipt", encoded(`{"status":"success","reference":"r-1"}`))}, receipt.Record{State: receipt.Paid, Reference: "r-1", Receipt: `{"status":"success","reference":"r-1"}`}},
		"MPP, of no success": {[]reply{mpp(), ok("Payment-Receipt", encoded(`{"status":"void"}`))}, receipt.Record{State: receipt.Refused, Reason: "void", Receipt: `{"status":"void"}`}},
		"x402":               {[]reply{x402(), ok("PAYMENT-RESPONSE", encoded(paidBy))}, receipt.Record{State: receipt.Paid, Reference: "0xabab", Taken: "2400", Receipt: paidBy}},
		"one beside an error, which MPP does not know":  {[]reply{mpp(), status(403, "Payment-Receipt", encoded(`{"status":"success","reference":"r-1"}`))}, receipt.Record{State: receipt.Refused}},
		"one that is far too large":                     {[]reply{x402(), ok("PAYMENT-RESPONSE", encoded(`{"transaction":"`+strings.Repeat("<", 100<<10)+`"}`))}, receipt.Record{State: receipt.Paid, Reference: strings.Repeat("<", 256) + "…"}},
		"a reason in the header of a new demand":        {[]reply{x402(), x402Of(change(x402Doc(2, x402Wants), "pay first", "insufficient_funds"))}, receipt.Record{State: receipt.Refused, Reason: "insufficient_funds"}},
		"a reason in the body of a new demand":          {[]reply{x402V1(), inBody(change(x402Doc(1, x402WantsV1), "pay first", "invalid_payload"))}, receipt.Record{State: receipt.Refused, Reason: "invalid_payload"}},
		"a reason that is a problem":                    {[]reply{mpp(), {status: 402, body: `{"type":"https://paymentauth.org/problems/verification-failed"}`}}, receipt.Record{State: receipt.Refused, Reason: "verification-failed"}},
		"a reason that is the protocol's own":           {[]reply{x402(), status(402, "PAYMENT-RESPONSE", encoded(`{"success":false,"errorReason":"expired","transaction":""}`))}, receipt.Record{State: receipt.Refused, Reason: "expired", Receipt: `{"success":false,"errorReason":"expired","transaction":""}`}},
		"settlement that failed, as the site's mistake": {[]reply{x402(), status(500, "PAYMENT-RESPONSE", encoded(`{"success":false,"errorReason":"unexpected_settle_error"}`))}, receipt.Record{State: receipt.Unknown, Reason: "unexpected_settle_error", Receipt: `{"success":false,"errorReason":"unexpected_settle_error"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, t.TempDir(), &row{})
			_, _ = send(t, newShop(t, test.shop), w)
			records, err := w.protocol.Receipts.List()
			if err != nil || len(records) != 1 {
				t.Fatalf("%d records, %v", len(records), err)
			}
			r := records[0]
			got := receipt.Record{State: r.State, Reference: r.Reference, Taken: r.Taken, Reason: r.Reason, Receipt: r.Receipt}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if r.Amount == "" || r.Site != "https://shop.example.com" || r.By != string(policy.ByRule) || r.Payer != "test" || w.logged != 2 {
				t.Errorf("%+v, %d times in the log", r, w.logged)
			}
		})
	}
}

// A site cannot make the record unreadable, and with it the list of all, neither by what it says nor by where it leads a read.
func TestRecordsStayReadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), &row{})
	said := base64.StdEncoding.EncodeToString([]byte(`{"memo":"` + strings.Repeat(`<\"`, 5000) + `"}`))
	s := newShop(t, []reply{status(http.StatusFound, "Location", "/rent?"+strings.Repeat("&", 100<<10)), x402(), ok("PAYMENT-RESPONSE", said)})
	caller := call.Caller{
		Client: s.client, Redact: func(text string) string { return text }, Now: clock, Digest: func() string { return "" },
		Protocols: func() []challenge.Protocol { return []challenge.Protocol{w.protocol} },
	}
	result, err := caller.Do(t.Context(), &call.Call{
		Request: &call.Request{Method: http.MethodGet, URL: "https://shop.example.com/rent", Effect: manifest.Read},
		Origin:  "https://shop.example.com", Command: []string{"rent"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = result.Body.Close()
	records, err := w.protocol.Receipts.List()
	if err != nil || len(records) != 1 || records[0].State != receipt.Paid || records[0].Receipt == "" {
		t.Errorf("%+v, %v", records, err)
	}
}

// A site that says it took something else than was approved is told of.
func TestReceiptsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		demand              reply
		field, receipt, say string
	}{
		"more":            {x402(), "PAYMENT-RESPONSE", `{"success":true,"transaction":"0x1","amount":"2501"}`, "took 2501, which is more than the 2500"},
		"another network": {x402(), "PAYMENT-RESPONSE", `{"success":true,"transaction":"0x1","network":"eip155:8453"}`, "is about eip155:8453, and not about eip155:84532"},
		"another method":  {mpp(), "Payment-Receipt", `{"status":"success","method":"stripe"}`, "is about stripe, and not about example"},
		"its older name":  {x402(), "PAYMENT-RESPONSE", `{"success":true,"network":"base-sepolia"}`, ""},
	} {
		w := newWorld(t, t.TempDir(), &row{})
		encoded := base64.StdEncoding.EncodeToString([]byte(test.receipt))
		if _, err := send(t, newShop(t, []reply{test.demand, ok(test.field, encoded)}), w); err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(w.said, "\n"); !strings.Contains(said, test.say) || strings.Contains(said, "warning") != (test.say != "") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// An approval is good for the same payment of the same request, whatever id the site gives it the next time, and once.
func TestApprovalByDigest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), &row{rules: asking()})
	_, err := send(t, newShop(t, []reply{mpp()}), w)
	digest, is := fault.From(err).Details["approval"].(string)
	if !is {
		t.Fatal(err)
	}
	later := []reply{mpp(`c-81`, `c-99`, `10:05:00Z`, `10:06:00Z`), ok()}
	dearer := []reply{mppOf(mppChallenge(change(mppWants, "250", "249"))), ok()}
	for i, test := range []struct {
		digest, fails string
		shop          []reply
	}{
		{digest, "approval_required", dearer}, // it covers the amount
		{digest, "", later},
		{digest, "approval_expired", later},
		{strings.Repeat("0", 64), "approval_required", later},
	} {
		w.protocol.Gate.Digest = test.digest
		_, err := send(t, newShop(t, test.shop), w)
		code := ""
		if err != nil {
			code = fault.From(err).Code
		}
		if code != test.fails {
			t.Errorf("%d: %v, want %q", i, err, test.fails)
		}
	}
}

// Runs side by side cannot pay the same rest of a limit twice.
func TestALimitHoldsAmongRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	limit := change(x402Rule, `"2500"`, "\"7500\"\nper = \"day\"")
	var wait sync.WaitGroup
	var mu sync.Mutex
	paid := 0
	for range 8 {
		wait.Go(func() {
			w := newWorld(t, dir, &row{rules: limit})
			s := newShop(t, []reply{x402(), ok()})
			_, err := send(t, s, w)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				paid++
			} else if code := fault.From(err).Code; code != "payment_denied" || len(s.requests) != 1 {
				t.Errorf("%v, after %d requests", err, len(s.requests))
			}
		})
	}
	wait.Wait()
	if paid != 3 {
		t.Errorf("%d were paid, and 3 are allowed", paid)
	}
	if n := newWorld(t, dir, &row{rules: limit}).payerRuns(t); n != 3 {
		t.Errorf("the payer was asked %d times, and may pay 3 times", n)
	}
}

// When what is spent, or the record of it, cannot be kept, nothing is sent (CH-14).
func TestNothingIsSentThatCannotBeCounted(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(w *world){
		"the ledger": func(w *world) { // a directory cannot be replaced by a file
			w.protocol.Gate.Ledger.Path = w.log + ".d/payments.json"
			_ = os.WriteFile(w.log+".d", nil, 0o600)
		},
		"the record": func(w *world) { w.protocol.Receipts.Dir = w.log + "/receipts" },
		"the log": func(w *world) {
			w.protocol.Log = func(*policy.Payment, *policy.Passage) (func(*challenge.Outcome, receipt.State), error) {
				return nil, context.DeadlineExceeded
			}
		},
	} {
		w := newWorld(t, t.TempDir(), &row{})
		damage(w)
		s := newShop(t, []reply{x402(), ok()})
		if _, err := send(t, s, w); err == nil || len(s.requests) != 1 {
			t.Errorf("%s: %v, after %d requests", name, err, len(s.requests))
		}
		if name == "the ledger" {
			continue
		}
		if w.counted(t) {
			t.Errorf("%s: it is counted all the same", name)
		}
		records, err := w.protocol.Receipts.List()
		if name == "the log" && (err != nil || len(records) != 1 || records[0].State != receipt.NotSent) {
			t.Errorf("%s: %+v, %v", name, records, err)
		}
	}
}
