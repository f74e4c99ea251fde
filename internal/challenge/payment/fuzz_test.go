package payment

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/policy"
)

func fuzzNow() time.Time { return time.Date(2026, 9, 1, 10, 0, 0, 0, time.UTC) }

func fuzzProtocol() *Protocol { return &Protocol{Now: fuzzNow} }

func fuzzRequest() *challenge.Request {
	return &challenge.Request{Method: "POST", URL: "https://shop.example/rent", Origin: "https://shop.example", Body: []byte("{}")}
}

const (
	fuzzX402 = `{"x402Version":2,"resource":{"url":"https://shop.example/rent"},"accepts":[{"scheme":"exact","network":"eip155:84532","amount":"2500",` +
		`"asset":"0xA","payTo":"0xB","maxTimeoutSeconds":60,"extra":{"name":"USDC","version":"2"}}],"extensions":{"payment-identifier":{"info":{"required":true}}}}`
	fuzzX402V1 = `{"x402Version":1,"accepts":[{"scheme":"exact","network":"base","maxAmountRequired":"2500","asset":"0xA","payTo":"0xB",` +
		`"resource":"https://shop.example/rent","maxTimeoutSeconds":60}]}`
	fuzzMPP = `{"amount":"250","currency":"usd","recipient":"acct_7","methodDetails":{}}`
)

// What can be met is whole: an amount, names of one word, an expiry that is yet to come, and what a payer is told of it.
func checkOffers(t *testing.T, offers []challenge.Offer) {
	t.Helper()
	for _, o := range offers {
		d, is := o.Data.(*demand)
		if o.Trouble != "" {
			continue
		}
		if !is {
			t.Fatal("an offer can be met, and has no demand")
		}
		if _, ok := policy.ParseUnits(d.Amount); !ok {
			t.Errorf("amount %q", d.Amount)
		}
		for _, word := range []string{d.Network, d.Scheme, d.Asset} {
			if !plainName(word) {
				t.Errorf("%q is no word", word)
			}
		}
		if !d.Expires.IsZero() && !d.Expires.After(fuzzNow()) {
			t.Errorf("it was over at %s", d.Expires)
		}
		d.request()
	}
}

func FuzzX402(f *testing.F) {
	f.Add(fuzzX402, false)
	f.Add(fuzzX402V1, true)
	f.Add(`{"x402Version":2,"accepts":[]}`, true)
	f.Fuzz(func(t *testing.T, doc string, inBody bool) {
		a := &challenge.Answer{Request: fuzzRequest(), Status: http.StatusPaymentRequired, Header: http.Header{}}
		if inBody {
			a.Body = []byte(doc)
		} else {
			a.Header.Set("PAYMENT-REQUIRED", base64.StdEncoding.EncodeToString([]byte(doc)))
		}
		checkOffers(t, fuzzProtocol().Offers(a))
	})
}

func FuzzX402Header(f *testing.F) {
	f.Add(base64.StdEncoding.EncodeToString([]byte(fuzzX402)))
	f.Add("====")
	f.Fuzz(func(t *testing.T, header string) {
		a := &challenge.Answer{Request: fuzzRequest(), Status: http.StatusPaymentRequired, Header: http.Header{"Payment-Required": {header}}}
		checkOffers(t, fuzzProtocol().Offers(a))
	})
}

func FuzzMPP(f *testing.F) {
	f.Add(fuzzMPP, "c-81", "example", "charge", "2026-09-01T10:05:00Z", "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:")
	f.Add(`{}`, "", "", "", "", "")
	f.Fuzz(func(t *testing.T, wants, id, method, intent, expires, digest string) {
		c := challenge.Challenge{Scheme: "Payment"}
		for _, p := range []challenge.Param{
			{Name: "id", Value: id},
			{Name: "realm", Value: "shop.example"},
			{Name: "method", Value: method},
			{Name: "intent", Value: intent},
			{Name: "request", Value: base64.RawURLEncoding.EncodeToString([]byte(wants))},
			{Name: "expires", Value: expires},
			{Name: "digest", Value: digest},
		} {
			if p.Value != "" {
				c.Params = append(c.Params, p)
			}
		}
		a := &challenge.Answer{Request: fuzzRequest(), Status: http.StatusPaymentRequired, Header: http.Header{}, Challenges: []challenge.Challenge{c}}
		checkOffers(t, fuzzProtocol().Offers(a))
	})
}

// fuzzDemand is what the first offer of an answer wants.
func fuzzDemand(f *testing.F, a *challenge.Answer) *demand {
	f.Helper()
	offers := fuzzProtocol().Offers(a)
	d, ok := offers[0].Data.(*demand)
	if !ok || offers[0].Trouble != "" {
		f.Fatalf("%+v", offers[0])
	}
	return d
}

// Whatever a payer writes, what would be sent of it is for what was demanded.
func FuzzPayerAnswer(f *testing.F) {
	header := http.Header{"Payment-Required": {base64.StdEncoding.EncodeToString([]byte(fuzzX402))}}
	byX402 := fuzzDemand(f, &challenge.Answer{Request: fuzzRequest(), Status: http.StatusPaymentRequired, Header: header})
	challenges, _ := challenge.Parse([]string{`Payment id="c-81", realm="shop.example", method="example", intent="charge", request="` + base64.RawURLEncoding.EncodeToString([]byte(fuzzMPP)) + `"`})
	byMPP := fuzzDemand(f, &challenge.Answer{Request: fuzzRequest(), Status: http.StatusPaymentRequired, Header: http.Header{}, Challenges: challenges})
	authorization := `{"signature":"0x1","authorization":{"to":"0xB","value":"2500","validBefore":"1788256860","nonce":"0x` + strings.Repeat("0f", 32) + `"}}`
	f.Add(`{"payload":`+authorization+`}`, true)
	f.Add(`{"payload":{"proof":"pf_31"},"source":"did:web:a"}`, false)
	f.Add(`{"header":{"name":"Authorization","value":"Payment `+buildMPP(challenges[0], []byte(`{"proof":"x"}`), nil)+`"}}`, false)
	f.Add(`{"header":{"name":"PAYMENT-SIGNATURE","value":"e30="}}`, true)
	f.Fuzz(func(t *testing.T, answer string, x402 bool) {
		d := byMPP
		if x402 {
			d = byX402
		}
		value, err := d.read([]byte(answer), fuzzProtocol())
		if err != nil {
			return
		}
		doc, err := decode(value)
		if err != nil || strings.ContainsAny(value, " ,\r\n") {
			t.Fatalf("%q would be sent: %v", value, err)
		}
		if !x402 {
			if repeated := member(doc, "challenge"); str(repeated, "id") != "c-81" || str(repeated, "request") == "" {
				t.Errorf("it is for another challenge: %s", doc)
			}
			return
		}
		a := member(member(doc, "payload"), "authorization")
		if permit := member(member(doc, "payload"), "permit2Authorization"); permit != nil && a == nil {
			a = permit
			if str(member(a, "permitted"), "amount") != "2500" {
				t.Errorf("it permits something else: %s", doc)
			}
			return
		}
		if str(a, "value") != "2500" || !strings.EqualFold(str(a, "to"), "0xB") || str(member(doc, "accepted"), "amount") != "2500" {
			t.Errorf("it pays something else: %s", doc)
		}
	})
}

func FuzzPayers(f *testing.F) {
	f.Add("[[payer]]\nname = \"a\"\ncommand = [\"b\", \"c\"]\nnetworks = [\"*\"]\ntimeout = \"5s\"\nprotocols = [\"mpp\"]\nschemes = [\"charge\"]\n")
	f.Add("[[payer]]\nname = 'a'\n[[payer]]\n")
	f.Fuzz(func(t *testing.T, text string) {
		payers, err := ParsePayers("payer.toml", []byte(text))
		if err != nil && len(payers) > 0 {
			t.Error("a file with a fault gives payers")
		}
		for _, p := range payers {
			if p.Name == "" || len(p.Command) == 0 || p.Command[0] == "" || len(p.Networks) == 0 || p.Timeout <= 0 || p.Timeout > maxPayLimit {
				t.Errorf("%+v", p)
			}
		}
	})
}
