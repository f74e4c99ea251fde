package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// maxUnitDigits bounds an amount in base units: 2^256 has 78 digits, and no asset counts further.
const maxUnitDigits = 78

// ParseUnits reads an amount in base units: decimal digits without a sign, a point, an exponent or leading zeros
// (X402-7). Anything else is none.
func ParseUnits(text string) (*big.Int, bool) {
	if text == "" || len(text) > maxUnitDigits || strings.Trim(text, "0123456789") != "" || len(text) > 1 && text[0] == '0' {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}

// Payment is what a decision about paying rests on. All of it is out of the live challenge and the request that it answers;
// nothing that a site says to people is in it (CH-14).
type Payment struct {
	Site     string   // origin
	Command  []string // the action
	Method   string
	URL      string
	Body     []byte // nil when none is sent
	Protocol string // "mpp" or "x402"
	Network  string // a CAIP-2 network of x402, or a method of MPP
	Scheme   string // the scheme of x402, or the intent of MPP
	Asset    string // a token's address, or a currency
	Payee    string // "" where the challenge names none
	Amount   string // in base units; of the scheme "upto" the most that may be taken
	Expires  time.Time
	Call     string // the digest of the call that is paid for

	Always bool // no rule is enough: a person has to say yes each time (MPP-9)
}

// Digest names exactly this payment for exactly this request: who is paid how much of what, and for which request, under
// which approval. What differs each time that the site is asked, such as an id or an expiry, is not in it.
func (p *Payment) Digest() string {
	body := "none"
	if p.Body != nil {
		sum := sha256.Sum256(p.Body)
		body = hex.EncodeToString(sum[:])
	}
	canonical, err := json.Marshal([]any{
		"agentctl payment 1", p.Site, p.Command, p.Method, p.URL, body, p.Protocol, p.Network, p.Scheme, p.Asset, p.Payee, p.Amount, p.Call,
	})
	if err != nil { // strings always encode
		panic(err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// Price is the amount with what it is of, as a rule would have them: never with a decimal point, since nobody but the
// payee says where that would be (MPP-5, X402-10).
func (p *Payment) Price() string { return p.Amount + " base units of " + p.Asset }

// PaymentRule is one [[payment]] of policy.toml. Members that were not given are empty, and match everything. What no rule is
// about is not paid (CH-13).
type PaymentRule struct {
	Number   int      `json:"payment_rule"` // its place among the payment rules, from 1
	Line     int      `json:"line"`         // of its header in the file
	Site     string   `json:"site,omitempty"`
	Protocol string   `json:"protocol,omitempty"`
	Network  string   `json:"network,omitempty"`
	Asset    string   `json:"asset,omitempty"`
	Payee    string   `json:"payee,omitempty"`
	Max      string   `json:"max_amount,omitempty"` // in base units
	Per      Period   `json:"per,omitempty"`        // set where Max is
	Decision Decision `json:"decision"`

	site sitePattern
	max  *big.Int
}

// limited reports whether the rule has a limit.
func (r *PaymentRule) limited() bool { return r.Max != "" }

// about reports whether the rule is about such a payment, whatever its amount.
func (r *PaymentRule) about(p *Payment) bool {
	return (r.Site == "" || r.site.matches(p.Site, r.Decision == Deny)) &&
		(r.Protocol == "" || r.Protocol == p.Protocol) &&
		(r.Network == "" || p.OnNetwork(r.Network)) &&
		(r.Asset == "" || sameAddress(r.Asset, p.Asset) || len(r.Asset) <= maxCurrencyCode && strings.EqualFold(r.Asset, p.Asset)) &&
		(r.Payee == "" || sameAddress(r.Payee, p.Payee))
}

// maxCurrencyCode is how long the code of a currency can be, which is written in either case.
const maxCurrencyCode = 5

// sameAddress compares names of assets and payees. Hexadecimal addresses are written in either case; all others are what they are.
func sameAddress(a, b string) bool {
	return a == b || (strings.HasPrefix(a, "0x") || strings.HasPrefix(a, "0X")) && strings.EqualFold(a, b)
}

// OnNetwork reports whether the payment is on a network that a person named: of x402 in either of the two ways to name one, of MPP a method.
func (p *Payment) OnNetwork(name string) bool {
	return strings.EqualFold(name, p.Network) || p.Protocol == "x402" && strings.EqualFold(CAIP2(strings.ToLower(name)), p.Network)
}

// CAIP2 names a network of x402's version 1 as version 2 does (X402-6). What it does not know stays.
func CAIP2(name string) string {
	switch name {
	case "base":
		return "eip155:8453"
	case "base-sepolia":
		return "eip155:84532"
	case "avalanche":
		return "eip155:43114"
	case "avalanche-fuji":
		return "eip155:43113"
	case "polygon":
		return "eip155:137"
	case "ethereum":
		return "eip155:1"
	}
	return name
}

// PaymentVerdict is what the rules say about a payment, and why.
type PaymentVerdict struct {
	Decision Decision     `json:"decision"`
	Rule     *PaymentRule `json:"rule,omitempty"` // the one that decides; nil when none does
	Why      string       `json:"why"`
}

// DecidePayment holds a payment against the rules. A rule that denies wins wherever it stands; among the others the first
// one decides whose limit the amount fits. Where there is none, the payment is denied (CH-13).
func (p *Policy) DecidePayment(f *Payment, book *PaymentBook, now time.Time) PaymentVerdict {
	v := PaymentVerdict{Decision: Deny, Why: "no [[payment]] rule is about it"}
	amount, ok := ParseUnits(f.Amount)
	if !ok {
		return PaymentVerdict{Decision: Deny, Why: "the amount is none"}
	}
	for _, rule := range p.Payments {
		if !rule.about(f) {
			continue
		}
		fits, why := rule.measure(amount, book, now)
		switch {
		case rule.Decision == Deny && (!rule.limited() || !fits):
			return PaymentVerdict{Deny, rule, why}
		case rule.Decision == Deny:
		case v.Rule != nil && v.Decision != Deny:
		case fits:
			v = PaymentVerdict{rule.Decision, rule, why}
		default:
			v = PaymentVerdict{Deny, rule, why}
		}
	}
	if v.Decision == Allow && f.Always {
		v.Decision, v.Why = Ask, "such a payment asks each time"
	}
	return v
}

// measure holds an amount, with what was paid before, against the limit.
func (r *PaymentRule) measure(amount *big.Int, book *PaymentBook, now time.Time) (fits bool, why string) {
	if !r.limited() {
		return true, "it is about such payments"
	}
	total, whole := new(big.Int).Set(amount), amount.String()
	if r.Per != PerCall {
		spent := book.sum(r, r.Per.start(now))
		total.Add(total, spent)
		whole = fmt.Sprintf("%s with %s paid before", whole, spent)
	}
	limit := r.Max + " a " + string(r.Per)
	if total.Cmp(r.max) > 0 {
		return false, whole + " is more than the limit of " + limit
	}
	return true, whole + " is within the limit of " + limit
}

// PaidOf returns what was paid of a rule's limit in its present period, in base units.
func (r *PaymentRule) PaidOf(book *PaymentBook, now time.Time) (amount string, ok bool) {
	if !r.limited() || r.Per == PerCall {
		return "", false
	}
	return book.sum(r, r.Per.start(now)).String(), true
}

// PaymentsTo are the rules that may let a payment to a site pass.
func (p *Policy) PaymentsTo(origin string) (list []*PaymentRule) {
	for _, rule := range p.Payments {
		if rule.Decision != Deny && (rule.Site == "" || rule.site.matches(origin, false)) {
			list = append(list, rule)
		}
	}
	return list
}
