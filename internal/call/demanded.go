package call

import (
	"cmp"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Limits of what is repeated of an answer that demands something (BR-5).
const (
	maxDemandText  = 2 << 10 // bytes of the body
	maxDemandLinks = 10
	maxLinkBytes   = 1 << 10
	maxMoneyBytes  = 80
)

// demanded adds to the fault of a 401 or 402 what the site wants, for programs, and for people what they can do (BR-4, BR-5).
func (r *rounds) demanded(err error) error {
	f := fault.From(err)
	f.Details = withPaid(f.Details, r.paid)
	if r.signIn != nil && r.signIn.Hint != "" && f.Kind == fault.Auth {
		f.Hint = r.signIn.Hint
	}
	a := r.answer
	if r.paid != nil && f.Status != http.StatusPaymentRequired { // MPP-19
		f.Message = servedNot + f.Error()
		f.Hint = cmp.Or(f.Hint, afterPayment)
	}
	if a == nil || f.Status != a.Status {
		return f
	}
	f.Details = withSeen(f.Details, r.seen)
	if a.Status != http.StatusPaymentRequired {
		scopes(f, r.seen)
		return f
	}
	if f.Code == "http_402" || f.Code == "payment-required" { // the second is MPP's word for the same (MPP-19)
		f.Code = "payment_required"
	}
	p := r.paymentDemanded(a)
	if f.Details == nil {
		f.Details = map[string]any{}
	}
	f.Details["payment"] = p
	if r.payment != nil {
		f.Code, f.Message = "payment_refused", "the site wants to be paid again: "+f.Message
		if reason, ok := r.paid["reason"].(string); ok { // CH-8
			f.Message = "the site wants to be paid again: it says " + fault.Word(reason)
		}
		return f
	}
	if known := r.payable(); known != "" {
		f.Message = "the site wants to be paid: " + known
	} else if f.Code == "payment_required" {
		f.Message = "the site wants to be paid in a way that is not known: " + f.Message
	}
	f.Message += p.words()
	if f.Hint == "" && len(p.Links) > 0 {
		f.Hint = "the site names " + p.Links[0] + "; open it yourself if you trust it"
	}
	return f
}

// payable says why none of the offers of known protocols was met; "" when there are none.
func (r *rounds) payable() string {
	for _, s := range r.seen {
		if s.Step != challenge.Payment {
			continue
		}
		for _, o := range s.Offers {
			if trouble, ok := o["trouble"].(string); ok {
				return s.Protocol + ": " + trouble
			}
		}
	}
	return ""
}

// scopes tells what a Bearer challenge says is missing (BR-4).
func scopes(f *fault.Error, seen []challenge.Seen) {
	for _, s := range seen {
		for _, o := range s.Offers {
			if scope, ok := o["scope"].(string); ok && s.Protocol == "bearer" {
				f.Message += ": it wants the scope " + fault.Word(scope)
				return
			}
		}
	}
}

// paymentDemand is what is known of a payment that a site wants, for programs (BR-5). All of it is the site's word.
type paymentDemand struct {
	Cost        any      `json:"cost,omitempty"` // as published with the action
	Amount      string   `json:"amount,omitempty"`
	Balance     string   `json:"balance,omitempty"`
	Currency    string   `json:"currency,omitempty"`
	ContentType string   `json:"content_type,omitempty"`
	Body        string   `json:"body,omitempty"` // its beginning, as text
	Links       []string `json:"links,omitempty"`
}

func (r *rounds) paymentDemanded(a *challenge.Answer) paymentDemand {
	mediaType, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	p := paymentDemand{ContentType: fault.Word(mediaType)}
	if r.call.Cost != nil {
		p.Cost = r.call.Cost
	}
	text := r.Redact(string(a.Body))
	p.Body, p.Links = fault.Cut(plainText(text), maxDemandText), links(text)
	if isJSON(a.Header.Get("Content-Type")) && !a.Cut && strictjson.Check(a.Body) == nil {
		p.money(a.Body, 0)
	}
	return p
}

// words are for people: what the site wants, and what it says there is.
func (p paymentDemand) words() string {
	var parts []string
	if p.Amount != "" {
		parts = append(parts, strings.TrimSpace("it wants "+p.Amount+" "+p.Currency))
	}
	if p.Balance != "" {
		parts = append(parts, strings.TrimSpace("your balance is "+p.Balance+" "+p.Currency))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// money reads the members that usually tell an amount, a balance and a currency, where an error may have them. Nothing is
// published about their names.
func (p *paymentDemand) money(object jsontext.Value, depth int) {
	if object.Kind() != '{' {
		return
	}
	set := func(into *string, value jsontext.Value) {
		text := ""
		switch value.Kind() {
		case '"':
			text, _ = strictjson.String(value)
		case '0':
			text = string(value)
		}
		if *into == "" && len(text) <= maxMoneyBytes {
			*into = plainText(text)
		}
	}
	for name, value := range strictjson.Members(object) {
		switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
		case "amount", "price", "cost", "required", "requiredcredits", "creditsrequired", "amountdue":
			set(&p.Amount, value)
		case "balance", "available", "credits", "creditsavailable", "remaining":
			set(&p.Balance, value)
		case "currency", "unit":
			set(&p.Currency, value)
		}
		if depth < 3 && slices.Contains([]string{"error", "details", "payment", "cost", "price"}, name) {
			p.money(value, depth+1)
		}
	}
}

// plainText makes one line of text without control characters.
func plainText(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// links finds https addresses in text. They are shown, and never asked for (BR-5).
func links(text string) []string {
	var found []string
	for len(found) < maxDemandLinks {
		i := strings.Index(text, "https://")
		if i < 0 {
			break
		}
		text = text[i:]
		end := strings.IndexFunc(text, func(r rune) bool {
			return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"'<>\\`{}|^()[]", r)
		})
		if end < 0 {
			end = len(text)
		}
		link := strings.TrimRight(text[:end], ".,;:!?")
		if len(link) > len("https://") && !strings.HasPrefix(link, "https://paymentauth.org/problems/") && len(link) <= maxLinkBytes && !slices.Contains(found, link) {
			found = append(found, link)
		}
		text = text[end:]
	}
	return found
}
