package schema

import (
	"math/big"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// Decimals say the same as exact fractions.
func FuzzDecimal(f *testing.F) {
	for _, seed := range [][2]string{{"0", "-0.0"}, {"1.50", "15e-1"}, {"-1e3", "1000"}, {"0.1", "0.3"}, {"123456789012345678901", "7"}, {"1e1000", "1e-1000"}, {"19.99", "0.01"}, {"9e18", "3"}, {"0.00120", "12E-4"}} {
		f.Add(seed[0], seed[1])
		f.Add(seed[1], seed[0])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, text := range []string{a, b} {
			if value := jsontext.Value(text); value.Kind() != '0' || strictjson.Check(value) != nil || len(text) > 200 || strings.TrimSpace(text) != text {
				t.Skip()
			}
		}
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		d, e := parseDecimal(a), parseDecimal(b)
		if d.compare(e) != x.Cmp(y) {
			t.Errorf("%s and %s: got %d, want %d", a, b, d.compare(e), x.Cmp(y))
		}
		if equal := string(d.append(nil)) == string(e.append(nil)); equal != (x.Cmp(y) == 0) {
			t.Errorf("%s and %s: %v in their canonical forms", a, b, equal)
		}
		if d.isInteger() != x.IsInt() || d.sign() != x.Sign() {
			t.Errorf("%s: integer %v, sign %d", a, d.isInteger(), d.sign())
		}
		if x.IsInt() && x.Sign() >= 0 && x.Num().IsInt64() && int64(d.count()) != x.Num().Int64() && d.exponent <= 18 {
			t.Errorf("%s: count %d", a, d.count())
		}
		if y.Sign() != 0 && d.multipleOf(e) != new(big.Rat).Quo(x, y).IsInt() {
			t.Errorf("%s is a multiple of %s: %v", a, b, d.multipleOf(e))
		}
	})
}
