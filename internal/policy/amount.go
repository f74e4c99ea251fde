package policy

import (
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// maxAmountDigits bounds each side of an amount's point. It is far beyond any price, and keeps sums cheap.
const maxAmountDigits = 30

// parseAmount reads an amount in plain digits, such as "9.50". A sign, an exponent, or more than [maxAmountDigits] before
// or after the point is no amount: a negative one would give money back to a limit.
func parseAmount(text string) (decimal.Decimal, bool) {
	whole, fraction, point := strings.Cut(text, ".")
	if whole == "" || point && fraction == "" || len(whole) > maxAmountDigits || len(fraction) > maxAmountDigits ||
		strings.Trim(whole+fraction, "0123456789") != "" {
		return decimal.Decimal{}, false
	}
	amount, err := decimal.NewFromString(text)
	return amount, err == nil
}

// price is what one call costs, as far as it is known before it is made.
type price struct {
	known    bool // amount holds
	amount   decimal.Decimal
	text     string // the amount in its own digits
	currency string // "" when it is not known
}

// price reads what the site says about the cost. An amount is known only where it is for the whole call: one that is "per
// hour" or "from" is not.
func (f *Facts) price() price {
	if f.Cost == nil {
		return price{}
	}
	p := price{text: f.Cost.Amount, currency: currency(f.Cost.Currency)}
	p.amount, p.known = parseAmount(f.Cost.Amount)
	if mode := f.Cost.Mode; mode != "" && !strings.EqualFold(mode, "fixed") && !free(mode) {
		p.known = false
	}
	if p.currency == "" {
		p.known = false
	}
	return p
}

func (p price) String() string { return p.text + " " + p.currency }

func free(mode string) bool {
	return strings.EqualFold(mode, "free") || strings.EqualFold(mode, "none")
}

// maxCurrency is the length of the longest name of a currency.
const maxCurrency = 16

// currency returns a name of letters and digits, and "" for anything else: a name is shown in the middle of questions, so
// a sentence is none.
func currency(name string) string {
	if len(name) > maxCurrency || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) {
		return ""
	}
	return name
}
