package odp

import (
	"math/big"
	"strings"
)

// wholeNumber reads a JSON number as an int64, if it is one exactly. The number has passed strictjson, which bounds its
// length and exponent.
func wholeNumber(text string) (n int64, ok bool) {
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// ValidDecimal reports whether s is a decimal number as text (ODP-64): no exponent, no leading zeros, no "+".
func ValidDecimal(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, fraction, dotted := strings.Cut(s, ".")
	return isNumeral(whole) && (!dotted || fraction != "" && strings.Trim(fraction, "0123456789") == "")
}
