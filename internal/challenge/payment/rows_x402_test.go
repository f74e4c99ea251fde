package payment_test

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// x402Rows are demands by x402, good and bad.
func x402Rows() []row {
	const refused = "payment/payment_required"
	void := func(name string, demand reply, told string) row {
		return row{name: "x402: " + name, shop: []reply{demand, ok()}, requests: 1, fails: refused, told: told}
	}
	served := func(name string, demand reply) row {
		return row{name: "x402: " + name, shop: []reply{demand, ok()}, requests: 2, paid: 1, asked: 1, state: "paid"}
	}
	denied := func(name string, demand reply) row {
		return row{name: "x402: " + name, shop: []reply{demand, ok()}, yes: true, requests: 1, fails: "payment/payment_denied"}
	}
	encoded := func(doc string) string { return base64.StdEncoding.EncodeToString([]byte(doc)) }
	v2 := x402Doc(2, x402Wants)
	identified := change(v2, `"error"`, `"extensions":{"payment-identifier":{"info":{"required":true},"schema":{}}},"error"`)
	rows := []row{
		served("version 2", x402()),
		served("version 1", x402V1()),
		served("version 2 in the body", inBody(v2)),
		served("a header in the alphabet of URLs", status(402, "PAYMENT-REQUIRED", strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(encoded(v2)))),
		served("the payee in other capitals", x402(`0x209693Bc6afc0C5328bA36FaF03C514EF312287C`, `0x209693bc6afc0c5328ba36faf03c514ef312287c`)),
		served("a void offer before a good one", x402Of(x402Doc(2, `{"scheme":"exact"}`, x402Wants))),
		served("a dearer offer before one that the rule allows", x402Of(x402Doc(2, change(x402Wants, `"2500"`, `"2501"`), x402Wants))),
		served("a network without a rule before one with one", x402Of(x402Doc(2, change(x402Wants, `eip155:84532`, `eip155:8453`), x402Wants))),
		served("another path as the resource", x402(`.com/rent`, `.com/buy`)),
		served("an id that it wants", x402Of(identified)),
		served("beside MPP that no rule allows", reply{status: 402, header: http.Header{
			"Payment-Required": {encoded(v2)}, "Www-Authenticate": {mppChallenge(change(mppWants, "acct_7", "acct_8"))},
		}}),
		{name: "x402: beside MPP, both allowed", shop: []reply{{status: 402, header: http.Header{
			"Payment-Required": {encoded(v2)}, "Www-Authenticate": {mppChallenge(mppWants)},
		}}, ok()}, requests: 2, paid: 1, asked: 1, state: "paid"},
		{name: "x402: a token in Authorization is no hindrance", shop: []reply{x402(), ok()}, bearer: true, requests: 2, paid: 1, asked: 1, state: "paid"},
		void("a header that is not base64", status(402, "PAYMENT-REQUIRED", "%%%"), "base64"),
		void("a header that is no JSON", status(402, "PAYMENT-REQUIRED", encoded("pay")), "not valid JSON"),
		void("a header that is nested too deeply", x402Of(change(v2, `"error"`, `"x":`+strings.Repeat("[", 20)+strings.Repeat("]", 20)+`,"error"`)), "too deeply"),
		void("a header larger than 32 KiB", x402Of(change(v2, `"error"`, `"x":"`+strings.Repeat("x", 25<<10)+`","error"`)), "larger than 32 KiB"),
		void("two headers", reply{status: 402, header: http.Header{"Payment-Required": {encoded(v2), encoded(v2)}}}, "two"),
		void("a member twice", x402Of(change(v2, `"error"`, `"accepts":[],"error"`)), "not valid JSON"),
		void("version 3", x402Of(change(v2, `"x402Version":2`, `"x402Version":3`)), "version 3"),
		void("a version that is text", x402Of(change(v2, `"x402Version":2`, `"x402Version":"2"`)), "version"),
		void("version 1 in the header", x402Of(x402Doc(1, x402WantsV1)), "version 1"),
		void("nothing to accept", x402Of(x402Doc(2)), "accepts nothing"),
		void("an object to accept", x402Of(`{"x402Version":2,"accepts":{}}`), "accepts nothing"),
		void("text to accept", x402Of(x402Doc(2, `"free"`)), "no object"),
		void("no payee", x402(`"payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C",`, ``), "payTo"),
		void("no asset", x402(`"asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e",`, ``), "asset"),
		void("a payee that is a sentence", x402(`"0x209693Bc6afc0C5328bA36FaF03C514EF312287C"`, `"my friend"`), "payTo"),
		void("the amount of version 1 in version 2", x402(`"amount"`, `"maxAmountRequired"`), "amount"),
		void("an amount that is a number", x402(`"2500"`, `2500`), "amount"),
		void("no time limit", x402(`"maxTimeoutSeconds":60,`, ``), "maxTimeoutSeconds"),
		void("a time limit of nothing", x402(`"maxTimeoutSeconds":60`, `"maxTimeoutSeconds":0`), "maxTimeoutSeconds"),
		void("a time limit that is text", x402(`"maxTimeoutSeconds":60`, `"maxTimeoutSeconds":"60"`), "maxTimeoutSeconds"),
		void("a time limit of years", x402(`"maxTimeoutSeconds":60`, `"maxTimeoutSeconds":99999999`), "maxTimeoutSeconds"),
		void("a resource of another origin", x402(`https://shop.example.com`, `https://stranger.example.com`), "another origin"),
		void("a resource at another port", x402(`https://shop.example.com`, `https://shop.example.com:444`), "another origin"),
		void("a resource without TLS", x402(`https://shop.example.com`, `http://shop.example.com`), "another origin"),
		void("a resource that is relative", x402(`https://shop.example.com/rent`, `/rent`), "another origin"),
		void("no resource", x402(`"resource":{"url":"https://shop.example.com/rent"},`, ``), "what is paid for"),
		void("version 1 for a resource of another origin", x402V1(`https://shop.example.com`, `https://stranger.example.com`), "another origin"),
		void("version 1 without a resource", x402V1(`"resource":"https://shop.example.com/rent",`, ``), "what is paid for"),
		void("extensions that are a list", x402Of(change(v2, `"error"`, `"extensions":[],"error"`)), "extensions"),
		void("a body that is broken", inBody(x402Doc(1, x402WantsV1)+"}"), "not valid JSON"),
		void("a body that is cut off", inBody(`{"pad":"`+strings.Repeat(" ", 64<<10)+`",`+x402Doc(1, x402WantsV1)[1:]), ""),
		void("a page that tells of it", inBody(`<p>"x402Version": 1</p>`), "not known"),
		denied("a network with real money", x402(`eip155:84532`, `eip155:8453`)),
		denied("version 1 on a network with real money", x402V1(`base-sepolia`, `base`)),
		denied("a network that only sounds alike", x402V1(`base-sepolia`, `Base-Sepolia`)),
		denied("another token", x402(`0x036C`, `0x136C`)),
		denied("one base unit more than the rule allows", x402(`"2500"`, `"2501"`)),
		denied("78 digits", x402(`"2500"`, `"`+strings.Repeat("9", 78)+`"`)),
		{name: "x402: a ceiling, where the payer signs nothing but exact amounts", shop: []reply{x402(`"exact"`, `"upto"`), ok()}, requests: 1, fails: "payment/payer_missing"},
		{name: "x402: refused after the payment, in the words of version 2", shop: []reply{x402(), {status: 402, header: http.Header{
			"Payment-Required": {encoded(v2)}, "Payment-Response": {encoded(`{"success":false,"errorReason":"insufficient_funds","transaction":"","network":"eip155:84532"}`)},
		}}}, requests: 2, paid: 1, asked: 1, state: "refused", fails: "payment/payment_refused"},
		{name: "x402: refused after the payment, in the words of version 1", shop: []reply{x402V1(), x402V1()}, requests: 2, paid: 1, asked: 1, state: "refused", fails: "payment/payment_refused"},
		{name: "x402: served, and said to have failed", shop: []reply{x402(), ok("PAYMENT-RESPONSE", encoded(`{"success":false,"transaction":""}`))}, requests: 2, paid: 1, asked: 1, state: "refused"},
		{name: "x402: an allowance is missing", shop: []reply{x402(), status(http.StatusPreconditionFailed)}, requests: 2, paid: 1, asked: 1, state: "refused", fails: "rejected/http_412"},
		{name: "x402: a receipt that is junk", shop: []reply{x402(), ok("PAYMENT-RESPONSE", "junk")}, requests: 2, paid: 1, asked: 1, state: "paid"},
	}
	for what, amount := range notAmounts() {
		rows = append(rows,
			void("an amount with "+what, x402(`"2500"`, `"`+amount+`"`), "amount"),
			void("version 1, an amount with "+what, x402V1(`"2500"`, `"`+amount+`"`), "amount"))
	}
	return rows
}
