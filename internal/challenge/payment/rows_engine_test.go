package payment_test

import (
	"net/http"
	"strings"
)

// says adds a part of what the error must say.
func (row row) says(told string) row {
	row.told = told
	return row
}

// engineRows are sites that answer oddly, before and after the payment.
func engineRows() []row {
	const unknown = "unavailable/payment_outcome_unknown"
	aep := status(http.StatusUnauthorized, "WWW-Authenticate", `AEP service_did="did:web:shop.example.com", inspect="https://shop.example.com/.well-known/aep"`)
	to := func(code int, where string) reply { return status(code, "Location", where) }
	paidThen := func(name string, answer reply, fails, state string) row {
		return row{name: "paid, then " + name, shop: []reply{x402(), answer, ok()}, requests: 2, paid: 1, asked: 1, fails: fails, state: state}
	}
	return []row{
		{name: "nothing demanded", shop: []reply{ok()}, requests: 1},
		{name: "a success that names a payment", shop: []reply{ok("PAYMENT-REQUIRED", x402().header.Get("Payment-Required"))}, requests: 1},
		{name: "a read is paid for", method: http.MethodGet, shop: []reply{x402(), ok()}, requests: 2, paid: 1, asked: 1, state: "paid"},
		{name: "a token that may not do this", bearer: true, shop: []reply{status(403, "WWW-Authenticate", `Bearer error="insufficient_scope", scope="films:rent"`), ok()}, requests: 1, fails: "auth/http_403", told: "scope films:rent"},
		{name: "a token that is refused", bearer: true, shop: []reply{status(401, "WWW-Authenticate", `Bearer error="invalid_token"`), ok()}, requests: 1, fails: "auth/http_401"},
		{name: "forbidden, with a payment that is no demand", shop: []reply{{status: 403, header: mpp().header}, ok()}, requests: 1, fails: "auth/http_403"},
		{name: "a 402 that says nothing", shop: []reply{status(402), ok()}, requests: 1, fails: "payment/payment_required", told: "not known"},
		{name: "a 402 with a page and a link", shop: []reply{inBody("Buy at https://stranger.example.com/pay?x=1."), ok()}, requests: 1, fails: "payment/payment_required", told: "https://stranger.example.com/pay?x=1"},
		{name: "a 402 with credits", shop: []reply{inBody(`{"error":{"code":"insufficient_credits","required":12,"balance":3}}`), ok()}, requests: 1, fails: "payment/insufficient_credits", told: "your balance is 3"},
		{name: "a 402 by another scheme", shop: []reply{status(402, "WWW-Authenticate", `Cash note="20"`), ok()}, requests: 1, fails: "payment/payment_required"},

		paidThen("another demand", x402(), "payment/payment_refused", "refused"),
		paidThen("a demand by the other protocol", mpp(), "payment/payment_refused", "refused"),
		paidThen("a dearer demand", x402(`"2500"`, `"9999"`), "payment/payment_refused", "refused"),
		paidThen("a demand to sign in", aep, "auth/sign_in_after_payment", "refused"),
		paidThen("a demand that breaks off", breaksOff(http.StatusPaymentRequired), "unavailable/connection_reset", "refused").says("the payment was sent"),
		paidThen("a demand to sign in that breaks off", breaksOff(http.StatusUnauthorized), "unavailable/connection_reset", "refused").says("ask the site before paying again"),
		paidThen("forbidden", status(http.StatusForbidden), "auth/http_403", "refused").says("the payment was sent"),
		paidThen("a bad request", status(http.StatusBadRequest), "rejected/http_400", "refused"),
		paidThen("an error", status(http.StatusInternalServerError), unknown, "unknown"),
		paidThen("busy, come back later", status(http.StatusServiceUnavailable, "Retry-After", "0"), unknown, "unknown"),
		paidThen("too many requests", status(http.StatusTooManyRequests, "Retry-After", "0"), "unavailable/http_429", "refused"),
		paidThen("silence", abort(), unknown, "unknown"),
		paidThen("Ctrl-C", cancelled(), "interrupted/payment_outcome_unknown", "unknown"),
		paidThen("elsewhere at the same site", to(http.StatusTemporaryRedirect, "/other"), unknown, "unknown"),
		paidThen("elsewhere at a stranger's", to(http.StatusPermanentRedirect, "https://stranger.example.com/rent"), unknown, "unknown"),
		paidThen("elsewhere without TLS", to(http.StatusFound, "http://shop.example.com/rent"), unknown, "unknown"),
		paidThen("nowhere", to(http.StatusSeeOther, ""), unknown, "unknown"),

		{name: "led on before the demand", method: http.MethodGet, elsewh: true, shop: []reply{to(307, "/other"), x402(), ok()}, requests: 3, paid: 1, asked: 1, state: "paid"},
		{name: "a question by POST that becomes a GET before the demand", read: true, elsewh: true, shop: []reply{to(303, "/other"), x402(), ok()}, requests: 3, paid: 1, asked: 1, state: "paid", methods: "POST GET GET"},
		{name: "a question by POST that becomes a GET after the sign-in", read: true, signIn: true, elsewh: true, shop: []reply{aep, to(302, "/other"), x402(), ok()}, requests: 4, paid: 1, asked: 1, state: "paid", methods: "POST POST GET GET"},
		{name: "an effect led on before the demand", shop: []reply{to(307, "/other"), x402(), ok()}, requests: 1, fails: "unavailable/redirect_refused"},
		{name: "led to a stranger before the demand", method: http.MethodGet, shop: []reply{to(302, "https://stranger.example.com/rent"), ok()}, requests: 1, fails: "unavailable/redirect_refused"},
		{name: "led to a stranger after the sign-in", method: http.MethodGet, signIn: true, shop: []reply{aep, to(302, "https://stranger.example.com/rent"), ok()}, requests: 2, fails: "unavailable/redirect_refused"},
		{name: "an effect led on after the sign-in", signIn: true, shop: []reply{aep, to(307, "/other"), ok()}, requests: 2, fails: "unavailable/redirect_refused"},
		{name: "led on after the sign-in, then a demand", method: http.MethodGet, signIn: true, elsewh: true, shop: []reply{aep, to(307, "/other"), x402(), ok()}, requests: 4, paid: 1, asked: 1, state: "paid"},
		{name: "led on too often to pay", method: http.MethodGet, signIn: true, elsewh: true, shop: []reply{aep, to(307, "/a"), to(307, "/b"), x402(), ok()}, requests: 4, fails: "payment/payment_required"},

		{name: "sign in, then pay by MPP", signIn: true, shop: []reply{aep, mpp(), ok()}, requests: 3, paid: 1, asked: 1, state: "paid"},
		{name: "sign in, then pay by x402", signIn: true, shop: []reply{aep, x402(), ok()}, requests: 3, paid: 1, asked: 1, state: "paid"},
		{name: "sign in, then pay, then sign in", signIn: true, shop: []reply{aep, x402(), aep, ok()}, requests: 3, paid: 1, asked: 1, fails: "auth/sign_in_after_payment", state: "refused"},
		{name: "sign in, then pay, then pay", signIn: true, shop: []reply{aep, x402(), x402(), ok()}, requests: 3, paid: 1, asked: 1, fails: "payment/payment_refused", state: "refused"},
		{name: "sign in twice", signIn: true, shop: []reply{aep, aep, ok()}, requests: 2, fails: "auth/http_401"},
		{name: "sign in where nobody can, and a demand beside it", shop: []reply{{status: 401, header: http.Header{
			"Www-Authenticate": {aep.header.Get("Www-Authenticate"), mppChallenge(mppWants)},
		}}, ok()}, requests: 1, fails: "auth/http_401"},
		{name: "both demanded at once, with the status of payments", signIn: true, shop: []reply{{status: 402, header: http.Header{
			"Www-Authenticate": {aep.header.Get("Www-Authenticate") + ", " + mppChallenge(mppWants)},
		}}, ok()}, requests: 2, paid: 1, asked: 1, state: "paid"},

		{name: "challenges larger than 32 KiB", shop: []reply{mppOf(`Cash x="`+strings.Repeat("x", 33<<10)+`"`, mppChallenge(mppWants)), ok()}, requests: 1, fails: "payment/payment_required"},
		{name: "a thousand challenges", shop: []reply{mppOf(strings.Repeat("Cash, ", 1000) + mppChallenge(mppWants)), ok()}, requests: 1, fails: "payment/payment_required"},
	}
}
