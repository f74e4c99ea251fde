package resource

import (
	"cmp"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// Price is a price preview (section 12). It authorises nothing: what a live challenge asks counts (ODP-93). An Offering
// without one has no known price; it is not free (ODP-91).
type Price struct {
	Type     string // one of the types below, or another one: then it is all that is known (ODP-92)
	Amount   string // exact decimal, of "fixed", "starting_at" and "metered"
	Minimum  string // exact decimals, of "range"
	Maximum  string
	Currency string // for display; names no way to pay (ODP-90)
	Unit     string // of "metered"
}

// The types of prices.
const (
	Free       = "free"
	Quote      = "quote" // on request
	Fixed      = "fixed"
	StartingAt = "starting_at"
	Range      = "range"
	Metered    = "metered" // by unit
)

// readPrice reads a price. ok is false for one of a type that is not known, which is no fault of the Offering (ODP-92).
func readPrice(c *odp.Cursor) (p *Price, ok bool) {
	if c == nil {
		return nil, true
	}
	p = &Price{Type: c.Member("type").Text(1, 64)}
	switch p.Type {
	case Free, Quote:
	case Fixed, StartingAt:
		p.Amount, p.Currency = readMoney(c, "amount"), readCurrency(c)
	case Range:
		p.Minimum, p.Maximum, p.Currency = readMoney(c, "minimum"), readMoney(c, "maximum"), readCurrency(c)
		if !c.Failed() && compareMoney(p.Minimum, p.Maximum) > 0 {
			c.Member("minimum").Fail("must not be more than the maximum %s", p.Maximum)
		}
	case Metered:
		p.Amount, p.Currency = readMoney(c, "amount"), readCurrency(c)
		p.Unit = c.Member("unit").Text(1, 128)
	default:
		return p, c.Failed()
	}
	return p, true
}

func readMoney(c *odp.Cursor, name string) string {
	member := c.Member(name)
	text := member.String()
	if member.Is('"') && !validMoney(text) {
		member.Fail("must be an amount such as \"9.50\"")
		return ""
	}
	return text
}

func readCurrency(c *odp.Cursor) string { return c.Member("currency").Text(1, 64) }

// validMoney reports whether s is an amount in plain digits, without sign or leading zeros (ODP-90).
func validMoney(s string) bool { return odp.ValidDecimal(s) && s[0] != '-' }

// compareMoney compares two valid amounts exactly, however many digits they have.
func compareMoney(a, b string) int {
	wholeA, fractionA, _ := strings.Cut(a, ".")
	wholeB, fractionB, _ := strings.Cut(b, ".")
	return cmp.Or(
		cmp.Compare(len(wholeA), len(wholeB)),
		strings.Compare(wholeA, wholeB),
		strings.Compare(strings.TrimRight(fractionA, "0"), strings.TrimRight(fractionB, "0")),
	)
}

// IsFree reports whether the price says that there is nothing to pay. A price that is absent does not (ODP-91).
func (p *Price) IsFree() bool { return p != nil && p.Type == Free }

// Cost returns what a call that takes the Offering costs; nil when nothing is said. Only a fixed price has an amount: of
// the others the mode is known, and that there is something to pay.
func (p *Price) Cost() *manifest.Cost {
	switch {
	case p == nil:
		return nil
	case p.Type == Fixed:
		return &manifest.Cost{Mode: Fixed, Amount: p.Amount, Currency: p.Currency}
	}
	return &manifest.Cost{Mode: p.Type, Currency: p.Currency}
}

// String returns the price for people: "6.50 EUR per day".
func (p *Price) String() string {
	switch {
	case p == nil:
		return ""
	case p.Type == Fixed:
		return p.Amount + " " + p.Currency
	case p.Type == StartingAt:
		return "from " + p.Amount + " " + p.Currency
	case p.Type == Range:
		return p.Minimum + " to " + p.Maximum + " " + p.Currency
	case p.Type == Metered:
		return p.Amount + " " + p.Currency + " per " + p.Unit
	case p.Type == Quote:
		return "on request"
	}
	return p.Type
}
