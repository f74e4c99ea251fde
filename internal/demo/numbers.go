package demo

import (
	"fmt"
	"math/big"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// cents is an amount of money in hundredths. As text and in JSON it is a decimal number with two places: 4.50.
type cents int64

func (c cents) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return fmt.Sprintf("%s%d.%02d", sign, c/100, c%100)
}

// MarshalJSON writes a JSON number.
func (c cents) MarshalJSON() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalJSON reads a JSON number that is a whole number of cents.
func (c *cents) UnmarshalJSON(text []byte) error {
	amount, ok := parseCents(text)
	if !ok {
		return fmt.Errorf("%q is not an amount of money", text)
	}
	*c = amount
	return nil
}

// maxNumber bounds every number that a caller may give; it keeps products of them far from overflowing.
const maxNumber = 1_000_000_000

// parseCents reads a JSON number of dollars exactly. It refuses fractions of a cent and amounts beyond maxNumber cents.
func parseCents(text jsontext.Value) (cents, bool) {
	n, ok := parseScaled(text, 100)
	return cents(n), ok
}

// parseWhole reads a JSON number that is whole, however it is written: 2, 2.0 and 2e0 are the same.
func parseWhole(text jsontext.Value) (int, bool) {
	n, ok := parseScaled(text, 1)
	return int(n), ok
}

func parseScaled(text jsontext.Value, scale int64) (int64, bool) {
	if text.Kind() != '0' || strictjson.Check(text) != nil { // Check also bounds the exponent
		return 0, false
	}
	exact, ok := new(big.Rat).SetString(string(text))
	if !ok {
		return 0, false
	}
	exact.Mul(exact, big.NewRat(scale, 1))
	if !exact.IsInt() || exact.Num().CmpAbs(big.NewInt(maxNumber)) > 0 {
		return 0, false
	}
	return exact.Num().Int64(), true
}
