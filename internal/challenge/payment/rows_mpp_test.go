package payment_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"time"
)

// notAmounts are texts that are no whole number of base units.
func notAmounts() map[string]string {
	return map[string]string{
		"a minus": "-250", "a plus": "+250", "an exponent": "25e1", "a point": "2.50", "a leading zero": "0250", "300 digits": strings.Repeat("9", 300),
		"79 digits": strings.Repeat("1", 79), "hexadecimal digits": "0xfa", "nothing": "", "a space": "250 ", "digits of another script": "٢٥٠",
		"an underscore": "2_50", "a word": "NaN",
	}
}

// mppRows are challenges of MPP, good and bad.
func mppRows() []row {
	const refused = "payment/payment_required"
	void := func(name string, demand reply, told string) row {
		return row{name: "MPP: " + name, shop: []reply{demand, ok()}, requests: 1, fails: refused, told: told}
	}
	served := func(name string, demand reply) row {
		return row{name: "MPP: " + name, shop: []reply{demand, ok()}, requests: 2, paid: 1, asked: 1, state: "paid"}
	}
	body := []byte(`{"title":"Ran"}`)
	sum := sha256.Sum256(body)
	digest := base64.StdEncoding.EncodeToString(sum[:])
	good := mppChallenge(mppWants)
	rows := []row{
		served("paid and served", mpp()),
		served("a digest of the body", mpp(`intent=`, `digest="sha-256=:`+digest+`:", intent=`)),
		served("a digest without colons", mpp(`intent=`, `digest="sha-256=`+digest+`", intent=`)),
		served("names of parameters in capitals", mpp(`id=`, `ID=`, `realm=`, `Realm=`)),
		served("spaces around equals signs", mpp(`id=`, `id = `)),
		served("a void challenge before a good one", mppOf(`Payment realm="shop.example.com"`, good)),
		served("a void challenge in the same line", mppOf(`Payment realm="shop.example.com", method="example", `+good)),
		served("a broken field before a good one", mppOf(`Payment id="c-80`, good)),
		served("another scheme in the same line", mppOf(`Bearer realm="a, Payment", `+good)),
		served("no expiry", mpp(`, expires="`+clock().Add(5*time.Minute).Format(time.RFC3339)+`"`, ``)),
		served("a method that no payer serves before one that one does", mppOf(change(good, `"example"`, `"cash"`), good)),
		void("no id", mpp(`id="c-81", `, ``), "no id"),
		void("an empty id", mpp(`"c-81"`, `""`), "no id"),
		void("an id twice", mpp(`realm=`, `id="c-82", realm=`), "twice"),
		void("an amount's request twice", mpp(`realm=`, `request="e30", realm=`), "twice"),
		void("no realm", mpp(`realm="shop.example.com", `, ``), "no realm"),
		void("no request", mppOf(`Payment id="c-81", realm="shop.example.com", method="example", intent="charge"`), "no request"),
		void("nothing but the scheme", mppOf(`Payment`), "no id"),
		void("token68 in place of parameters", mppOf(`Payment abcd==`), "no id"),
		void("a request that is not base64", mppOf(`Payment id="c-81", realm="s", method="example", intent="charge", request="!!"`), "base64"),
		void("a request that is a list", mppOf(mppChallenge(`[250]`)), "no JSON object"),
		void("a request that is no JSON", mppOf(mppChallenge(`{"amount":`)), "not valid JSON"),
		void("a request with the amount twice", mppOf(mppChallenge(change(mppWants, `{`, `{"amount":"1",`))), "not valid JSON"),
		void("a realm that is no UTF-8", mpp(`realm="`, "realm=\"\x80"), "its realm is no text"),
		void("a description that leaves no room for a proof", mpp(`intent=`, `description="`+strings.Repeat("<", 8<<10)+`", intent=`), "no room"),
		void("a request that is nested too deeply", mppOf(mppChallenge(`{"amount":"250","currency":"usd","x":`+strings.Repeat("[", 16)+strings.Repeat("]", 16)+`}`)), "too deeply"),
		void("an amount that is a number", mppOf(mppChallenge(change(mppWants, `"250"`, `250`))), "amount is no text"),
		void("no currency", mppOf(mppChallenge(`{"amount":"250","recipient":"acct_7"}`)), "currency"),
		void("a currency that is a sentence", mppOf(mppChallenge(change(mppWants, `usd`, `usd and your keys`))), "currency"),
		void("a recipient with control characters", mppOf(mppChallenge(change(mppWants, `acct_7`, `acct_7\u001b[2J`))), "recipient"),
		void("a recipient that is an object", mppOf(mppChallenge(change(mppWants, `"acct_7"`, `{}`))), "recipient is no text"),
		void("a method in capitals", mpp(`"example"`, `"Example"`), "method or intent"),
		void("an intent with a line break", mpp(`"charge"`, `"charge now"`), "method or intent"),
		void("an offer that is over", mpp(`10:05:00Z`, `09:59:00Z`), "expired"),
		void("an offer that is over in 4 s", mpp(`10:05:00Z`, `10:00:04Z`), "expired"),
		void("an expiry that is no time", mpp(`2026-09-01T10:05:00Z`, `soon`), "no time"),
		void("the digest of another body", mpp(`intent=`, `digest="sha-256=:`+base64.StdEncoding.EncodeToString(make([]byte, 32))+`:", intent=`), "digest"),
		void("a digest by another algorithm", mpp(`intent=`, `digest="md5=:`+digest+`:", intent=`), "digest"),
		void("opaque data that is none", mpp(`intent=`, `opaque="!!", intent=`), "opaque"),
		void("a quoted value that does not end", mppOf(strings.TrimSuffix(good, `"`)), ""),
		{name: "MPP: a token where the payment belongs", shop: []reply{mpp(), ok()}, bearer: true, requests: 1, fails: refused, told: "room for one"},
		{name: "MPP: an intent that opens a session", shop: []reply{mpp(`"charge"`, `"session"`), ok()}, requests: 1, fails: "payment/payer_missing", told: `by "session"`},
		{
			name: "MPP: a subscription by a payer that takes them, with --yes", shop: []reply{mpp(`"charge"`, `"subscription"`), ok()}, yes: true,
			payers: payers + "schemes = [\"subscription\"]\n", requests: 1, fails: "approval/approval_required",
		},
		{name: "MPP: no rule", shop: []reply{mpp(), ok()}, rules: "none", yes: true, requests: 1, fails: "payment/payment_denied", told: "no [[payment]] rule"},
		{name: "MPP: a rule about other payments", shop: []reply{mpp(), ok()}, rules: x402Rule, yes: true, requests: 1, fails: "payment/payment_denied"},
		{name: "MPP: one base unit more than the rule allows", shop: []reply{mpp(), ok()}, rules: change(mppRule, `"250"`, `"249"`), yes: true, requests: 1, fails: "payment/payment_denied", told: "250 is more than the limit of 249"},
		{name: "MPP: another payee than the rule's", shop: []reply{mpp(), ok()}, rules: change(mppRule, `acct_7`, `acct_8`), requests: 1, fails: "payment/payment_denied"},
		{name: "MPP: no payee where the rule has one", shop: []reply{mppOf(mppChallenge(change(mppWants, `,"recipient":"acct_7"`, ``))), ok()}, requests: 1, fails: "payment/payment_denied"},
		{name: "MPP: another currency than the rule's", shop: []reply{mppOf(mppChallenge(change(mppWants, `usd`, `eur`))), ok()}, requests: 1, fails: "payment/payment_denied"},
		{name: "MPP: another site than the rule's", shop: []reply{mpp(), ok()}, rules: change(mppRule, `shop.example.com`, `stranger.example.com`), requests: 1, fails: "payment/payment_denied"},
		{name: "MPP: a rule that denies behind one that allows", shop: []reply{mpp(), ok()}, rules: mppRule + "[[payment]]\nprotocol = \"mpp\"\ndecision = \"deny\"\n", yes: true, requests: 1, fails: "payment/payment_denied"},
		{name: "MPP: a rule that asks, and nobody to ask", shop: []reply{mpp(), ok()}, rules: asking(), requests: 1, fails: "approval/approval_required"},
		{name: "MPP: a rule that asks, and --yes", shop: []reply{mpp(), ok()}, rules: asking(), yes: true, requests: 2, paid: 1, asked: 1, state: "paid"},
		{name: "MPP: a rule that asks, and a person who pays", shop: []reply{mpp(), ok()}, rules: asking(), asks: "yes", requests: 2, paid: 1, asked: 1, state: "paid"},
		{name: "MPP: a rule that asks, and a person who does not", shop: []reply{mpp(), ok()}, rules: asking(), asks: "no", requests: 1, fails: "approval/declined"},
		{name: "MPP: no payer", shop: []reply{mpp(), ok()}, payers: change(payers, `"example", `, ``), requests: 1, fails: "payment/payer_missing"},
		{name: "MPP: a status that demands nothing", shop: []reply{{status: http.StatusForbidden, header: mpp().header}, ok()}, requests: 1, fails: "auth/http_403"},
		{name: "MPP: a demand to sign in that names a payment", shop: []reply{{status: http.StatusUnauthorized, header: mpp().header}, ok()}, requests: 1, fails: "auth/http_401"},
	}
	for what, amount := range notAmounts() {
		rows = append(rows, void("an amount with "+what, mppOf(mppChallenge(change(mppWants, `"250"`, `"`+amount+`"`))), "amount"))
	}
	return rows
}

// asking is the rule about MPP, with a question.
func asking() string { return change(mppRule, `"allow"`, `"ask"`) }
