package odp

import (
	"math/big"
	"strings"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// ValidDecimal reports whether s is a decimal number as text (ODP-64): no exponent, no leading zeros, no "+".
func ValidDecimal(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, fraction, dotted := strings.Cut(s, ".")
	return isNumeral(whole) && (!dotted || fraction != "" && strings.Trim(fraction, "0123456789") == "")
}

// ParseDecimal reads a decimal number as text exactly. As in JSON numbers from strangers, it may have
// [strictjson.MaxNumberBytes] characters at most.
func ParseDecimal(s string) (n *big.Rat, ok bool) {
	if len(s) > strictjson.MaxNumberBytes || !ValidDecimal(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// exact reads a JSON number, which has passed strictjson: that bounds its length and its exponent.
func exact(text string) *big.Rat {
	n, _ := new(big.Rat).SetString(text)
	return n
}

// wholeNumber reads a JSON number as an int64, if it is one exactly.
func wholeNumber(text string) (n int64, ok bool) {
	r := exact(text)
	if !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}
