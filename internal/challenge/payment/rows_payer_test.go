package payment_test

import "strings"

// payerRows are payers that do not do what they should.
func payerRows() []row {
	const invalid = "payment/payer_answer_invalid"
	hasty := change(payers, `"1m"`, `"300ms"`)
	by := func(name, mode string, demand reply, fails string) row {
		return row{name: "payer: " + name, payer: mode, shop: []reply{demand, ok()}, requests: 1, asked: 1, fails: fails}
	}
	good := func(name, mode string, demand reply) row {
		return row{name: "payer: " + name, payer: mode, shop: []reply{demand, ok()}, requests: 2, paid: 1, asked: 1, state: "paid"}
	}
	hang := by("hangs", "hangs", mpp(), "payment/payer_failed")
	hang.payers, hang.asked = hasty, unasked
	child := by("hangs in a child", "hangs in a child", mpp(), "payment/payer_failed")
	child.payers, child.asked = change(payers, `"1m"`, `"1s"`), unasked
	gone := by("is not there", "good", mpp(), "payment/payer_failed")
	gone.payers, gone.asked = change(payers, `PAYER`, `/nonexistent/payer`), 0
	lightning := func(name, proof, fails string) row {
		r := by(name, `good "proof":"pf_31"=>"preimage":"`+proof+`"`, mppOf(change(mppChallenge(
			`{"amount":"250","currency":"usd","recipient":"acct_7","methodDetails":{"paymentHash":"66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"}}`),
			`"example"`, `"lightning"`)), fails)
		r.rules = change(mppRule, `"example"`, `"lightning"`)
		return r
	}
	return []row{
		good("a header of MPP that is ready made", "ready", mpp()),
		good("a header of x402 that is ready made", "ready", x402()),
		good("a header of x402 version 1 that is ready made", "ready", x402V1()),
		good("more headers than one, which go nowhere", `ready header {"header"=>{"headers":[{"name":"X-Evil","value":"1"}],"header"`, x402()),
		by("declines", "declines", mpp(), "payment/payer_declined"),
		by("fails", "fails", mpp(), "payment/payer_failed"),
		hang, child, gone,
		by("prints nothing", "prints nothing", mpp(), invalid),
		by("prints junk", "prints junk", mpp(), invalid),
		by("prints a list", "prints a list", mpp(), invalid),
		by("prints too much", "prints too much", mpp(), "payment/payer_failed"),
		by("prints depth", "prints depth", mpp(), invalid),
		by("prints two objects", "prints two objects", mpp(), invalid),
		by("repeats a member", "repeats a member", mpp(), invalid),
		by("a payload that is text", `good {"proof":"pf_31"}=>"pf_31"`, mpp(), invalid),
		by("a header and a payload", `good {"payload"=>{"header":{},"payload"`, mpp(), invalid),
		by("neither header nor payload", `good "payload"=>"paid"`, mpp(), invalid),
		by("a source that is no text", `good {"payload"=>{"source":7,"payload"`, mpp(), invalid),

		by("x402: a second authorization, by Permit2", `good "signature"=>"permit2Authorization":{"permitted":{"token":"0x1","amount":"99999"}},"signature"`, x402(), invalid),
		by("MPP: another challenge", `ready "c-81"=>"c-80"`, mpp(), invalid),
		by("MPP: another amount in the request", `ready "request":"=>"request":"e30`, mpp(), invalid),
		by("MPP: another method", `ready "method":"example"=>"method":"stripe"`, mpp(), invalid),
		by("MPP: another realm", `ready shop.example.com=>stranger.example.com`, mpp(), invalid),
		by("MPP: leaves the expiry out", `ready "expires"=>"expired"`, mpp(), invalid),
		by("MPP: adds a digest", `ready "id"=>"digest":"sha-256=:AA==:","id"`, mpp(), invalid),
		by("MPP: no payload", `ready "payload"=>"pay"`, mpp(), invalid),
		by("MPP: no challenge", `ready "challenge"=>"demand"`, mpp(), invalid),
		by("MPP: another header", `ready header "Authorization"=>"Cookie"`, mpp(), invalid),
		by("MPP: another scheme", `ready header Payment =>Basic `, mpp(), invalid),
		by("MPP: two credentials", `ready header Payment =>Payment e30, Payment `, mpp(), invalid),
		by("MPP: a line break in the header", `ready header Payment =>Payment \r\nX-Evil: 1\r\n`, mpp(), invalid),
		lightning("MPP: a preimage that is none", "00", invalid),
		lightning("MPP: the preimage of another invoice", strings.Repeat("11", 32), invalid),

		by("x402: a larger amount", `good "value":"2500"=>"value":"2501"`, x402(), invalid),
		by("x402: a smaller amount", `good "value":"2500"=>"value":"1"`, x402(), invalid),
		by("x402: another payee", `good "to":"0x2=>"to":"0x3`, x402(), invalid),
		by("x402: good for an hour", `good "validBefore":"1788256860"=>"validBefore":"1788260400"`, x402(), invalid),
		by("x402: good until it was asked", `good "validBefore":"1788256860"=>"validBefore":"1788256800"`, x402(), invalid),
		by("x402: no nonce", `good "nonce":"0x=>"nonce":"0y`, x402(), invalid),
		by("x402: no authorization", `good "authorization"=>"authorisation"`, x402(), invalid),
		by("x402: another amount accepted", `ready "amount":"2500"=>"amount":"2501"`, x402(), invalid),
		by("x402: another network accepted", `ready eip155:84532=>eip155:8453`, x402(), invalid),
		by("x402: another payee, accepted too", `ready 0x2096=>0x3096`, x402(), invalid),
		by("x402: another resource", `ready /rent=>/buy`, x402(), invalid),
		by("x402: another version", `ready "x402Version":2=>"x402Version":1`, x402(), invalid),
		by("x402: the header of version 1", `ready header PAYMENT-SIGNATURE=>X-PAYMENT`, x402(), invalid),
		by("x402: version 1 for another network", `ready base-sepolia=>base`, x402V1(), invalid),
		by("x402: version 1, a larger amount", `ready "value":"2500"=>"value":"2501"`, x402V1(), invalid),
		by("x402: an extension left out", `ready "payment-identifier"=>"other"`, x402Of(change(x402Doc(2, x402Wants),
			`"error"`, `"extensions":{"payment-identifier":{"info":{"required":true}}},"error"`)), invalid),
	}
}
