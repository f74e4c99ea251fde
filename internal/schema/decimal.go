package schema

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// decimal is a number in an exact form that is cheap to compare: 0.DIGITS × 10^exponent.
type decimal struct {
	negative bool
	digits   string // no zeros at either end; "" is zero
	exponent int
}

// parseDecimal takes the text of a number that passed strictjson, which bounds its length and its exponent.
func parseDecimal(text string) decimal {
	text, negative := strings.CutPrefix(text, "-")
	exponent := 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, _ = strconv.Atoi(text[i+1:])
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	switch {
	case fraction == "":
		exponent += len(whole)
	case whole == "0":
		whole = fraction
	default:
		exponent += len(whole)
		whole += fraction
	}
	digits := strings.TrimLeft(whole, "0")
	exponent -= len(whole) - len(digits)
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return decimal{}
	}
	return decimal{negative, digits, exponent}
}

// sign returns -1, 0 or 1.
func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// compare returns -1, 0 or 1, as d is less than, equal to or greater than e.
func (d decimal) compare(e decimal) int {
	if c := cmp.Compare(d.sign(), e.sign()); c != 0 || d.digits == "" {
		return c
	}
	c := cmp.Compare(d.exponent, e.exponent)
	if c == 0 {
		c = strings.Compare(d.digits, e.digits)
	}
	return c * d.sign()
}

func (d decimal) isInteger() bool { return len(d.digits) <= d.exponent || d.digits == "" }

func isInteger(text string) bool {
	return !strings.ContainsAny(text, ".eE") || parseDecimal(text).isInteger()
}

// count returns the value of an integer that is not negative; what is beyond an int becomes the largest.
func (d decimal) count() int {
	if d.exponent > 18 {
		return math.MaxInt
	}
	n, _ := strconv.Atoi(d.digits + strings.Repeat("0", d.exponent-len(d.digits)))
	return n
}

// multipleOf reports whether d is an integer times e, which is not zero.
func (d decimal) multipleOf(e decimal) bool {
	if d.digits == "" {
		return true
	}
	// With the digits as whole numbers, d/e is digits/digits × 10^shift.
	shift := d.exponent - len(d.digits) - (e.exponent - len(e.digits))
	up, down := max(shift, 0), max(-shift, 0)
	if len(d.digits)+up <= 18 && len(e.digits)+down <= 18 {
		return scaled(d.digits, up)%scaled(e.digits, down) == 0
	}
	return new(big.Int).Rem(bigScaled(d.digits, up), bigScaled(e.digits, down)).Sign() == 0
}

// scaled returns digits × 10^zeros; together they are at most 18 digits.
func scaled(digits string, zeros int) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	for range zeros {
		n *= 10
	}
	return n
}

func bigScaled(digits string, zeros int) *big.Int {
	n, _ := new(big.Int).SetString(digits, 10)
	return n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(zeros)), nil))
}

// append writes the number so that equal numbers are the same bytes.
func (d decimal) append(out []byte) []byte {
	if d.negative {
		out = append(out, '-')
	}
	out = append(out, d.digits...)
	return strconv.AppendInt(append(out, 'e'), int64(d.exponent), 10)
}
