package call

import (
	"net/http"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
)

// demandOf is what is repeated of an answer with status 402.
func demandOf(contentType, body string, cut bool) paymentDemand {
	r := &rounds{Caller: &Caller{Redact: func(text string) string { return strings.ReplaceAll(text, "s3cret", "***") }}, call: &Call{Request: &Request{}}}
	return r.paymentDemanded(&challenge.Answer{Header: http.Header{"Content-Type": {contentType}}, Body: []byte(body), Cut: cut})
}

func TestWhatIsRepeatedOfAPaymentDemand(t *testing.T) {
	const js = "application/json"
	for name, test := range map[string]struct {
		contentType, body string
		want              paymentDemand
	}{
		"credits":                 {js, `{"amount":12,"balance":3.50,"currency":"credits"}`, paymentDemand{Amount: "12", Balance: "3.50", Currency: "credits", ContentType: js}},
		"text":                    {js, `{"price":"12.00","unit":"EUR"}`, paymentDemand{Amount: "12.00", Currency: "EUR", ContentType: js}},
		"in an error's details":   {js, `{"error":{"details":{"required_credits":5,"available":"2"}}}`, paymentDemand{Amount: "5", Balance: "2", ContentType: js}},
		"a problem":               {"application/problem+json; charset=utf-8", `{"balance":1}`, paymentDemand{Balance: "1", ContentType: "application/problem+json"}},
		"the first counts":        {js, `{"amount":1,"price":2}`, paymentDemand{Amount: "1", ContentType: js}},
		"objects are no amounts":  {js, `{"amount":[1],"balance":null,"currency":{"a":1}}`, paymentDemand{ContentType: js}},
		"an essay is no amount":   {js, `{"amount":"` + strings.Repeat("1", 81) + `"}`, paymentDemand{ContentType: js}},
		"numbers keep their form": {js, `{"amount":1e2}`, paymentDemand{Amount: "1e2", ContentType: js}},
		"broken JSON":             {js, `{"amount":1`, paymentDemand{ContentType: js}},
		"text of another type":    {"text/plain", `{"amount":1}`, paymentDemand{ContentType: "text/plain"}},
		"nothing":                 {"", ``, paymentDemand{}},
	} {
		got := demandOf(test.contentType, test.body, false)
		if got.Body != test.body {
			t.Errorf("%s: body %q", name, got.Body)
		}
		got.Body = ""
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestADemandIsCleaned(t *testing.T) {
	got := demandOf("text/html", "<p>\x1b[2JPay\r\n\tme\u202e s3cret \xff</p>", false)
	if got.Body != "<p>[2JPay me *** </p>" {
		t.Errorf("%q", got.Body)
	}
	if got := demandOf("text/plain", strings.Repeat("x", 60<<10), true); len(got.Body) > maxDemandText+8 {
		t.Errorf("%d bytes", len(got.Body))
	}
	if got := demandOf("application/json", `{"amount":1}`, true); got.Amount != "" {
		t.Error("an amount was read of a body that is cut off")
	}
}

func TestLinksAreShown(t *testing.T) {
	for text, want := range map[string][]string{
		`see https://a.example/pay?x=1#y, or "https://b.example/".`: {"https://a.example/pay?x=1#y", "https://b.example/"},
		`<a href='https://a.example/pay'>https://a.example/pay</a>`: {"https://a.example/pay"},
		`http://a.example javascript:https://`:                      nil,
		`https://a.example/` + "\x1b[31m":                           {"https://a.example/"},
		`https://` + strings.Repeat("a", maxLinkBytes):              nil,
		`https://пример.example/`:                                   nil,
	} {
		if diff := cmp.Diff(want, links(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	if got := links(strings.Repeat("https://a.example/x ", 100) + manyLinks(30)); len(got) != maxDemandLinks {
		t.Errorf("%d links", len(got))
	}
}

func manyLinks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("https://a.example/" + strings.Repeat("x", i) + " ")
	}
	return b.String()
}

// An error tells of all demands, and which scope is missing (BR-4).
func TestAMissingScopeIsNamed(t *testing.T) {
	f := fault.New(fault.Auth, "http_401", "401 Unauthorized")
	scopes(f, []challenge.Seen{{Protocol: "basic"}, {Protocol: "bearer", Offers: []map[string]any{{"scope": "films:rent"}}}})
	if !strings.Contains(f.Message, "scope films:rent") {
		t.Error(f.Message)
	}
}

func FuzzDemand(f *testing.F) {
	f.Add("application/json", `{"error":{"amount":"12","balance":3,"currency":"x","url":"https://a.example/"}}`)
	f.Add("text/html", "<p>\x1b[2J https://a.example/?a=b</p>")
	f.Fuzz(func(t *testing.T, contentType, body string) {
		if len(body) > challenge.MaxBody {
			return
		}
		got := demandOf(contentType, body, false)
		for _, text := range append([]string{got.Body, got.Amount, got.Balance, got.Currency, got.words()}, got.Links...) {
			if len(text) > maxDemandText+8 || strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) }) {
				t.Errorf("%q", text)
			}
		}
		if len(got.Links) > maxDemandLinks {
			t.Errorf("%d links", len(got.Links))
		}
	})
}
