package odp

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// scalar is one value of a filter, typed.
type scalar struct {
	key    string   // equal values of one type have equal keys, and no others (ODP-65)
	number *big.Rat // of integer, number and decimal
	at     *instant // of date-time
}

// newScalar reads a JSON value as one of the filter's type (ODP-64). The error says what it must be.
func newScalar(kind FilterType, value jsontext.Value) (scalar, error) {
	var s scalar
	var ok bool
	text, isText := strictjson.String(value)
	switch {
	case isText:
		s, ok = textScalar(kind, text)
	case kind == BooleanFilter:
		s.key, ok = string(value), value.Kind() == 't' || value.Kind() == 'f'
	case (kind == IntegerFilter || kind == NumberFilter) && value.Kind() == '0':
		s.number = exact(string(value))
		s.key, ok = s.number.RatString(), kind == NumberFilter || s.number.IsInt()
	}
	if !ok {
		return scalar{}, errors.New(kind.rule())
	}
	return s, nil
}

// textScalar reads a value of a type that is a string on the wire.
func textScalar(kind FilterType, text string) (s scalar, ok bool) {
	switch kind {
	case StringFilter:
		return scalar{key: text}, true
	case DecimalFilter:
		if s.number, ok = ParseDecimal(text); ok {
			s.key = s.number.RatString()
		}
	case DateFilter:
		_, ok = parseDate(text)
		s.key = text
	case DateTimeFilter:
		var at instant
		at, ok = parseInstant(text)
		s = scalar{key: fmt.Sprintf("%d:%d.%s", at.minute, at.second, at.fraction), at: &at}
	case BooleanFilter, IntegerFilter, NumberFilter:
	}
	return s, ok
}

// rule says what a value of the type must be.
func (t FilterType) rule() string {
	switch t {
	case StringFilter:
		return "must be a string"
	case BooleanFilter:
		return "must be true or false"
	case IntegerFilter:
		return "must be a whole number"
	case NumberFilter:
		return "must be a number"
	case DecimalFilter:
		return `must be a decimal number as a string, such as "1.50"`
	case DateFilter:
		return `must be a date that exists, such as "2026-02-28"`
	case DateTimeFilter:
		return `must be a date-time of RFC 3339, such as "2026-02-28T09:00:00Z"`
	default:
		return fmt.Sprintf("has the unknown type %q", string(t))
	}
}

// compare returns -1, 0 or 1 for values of one ordered type.
func (s scalar) compare(other scalar) int {
	switch {
	case s.number != nil:
		return s.number.Cmp(other.number)
	case s.at != nil:
		return s.at.compare(*other.at)
	}
	return strings.Compare(s.key, other.key) // dates, which sort as text
}

// literal turns text of a command line into a JSON value of the filter's type. It is not checked.
func (t FilterType) literal(text string) jsontext.Value {
	switch t {
	case IntegerFilter, NumberFilter:
		if strictjson.Check([]byte(text)) == nil {
			return strictjson.Compact(jsontext.Value(text))
		}
	case BooleanFilter:
		if text == "true" || text == "false" {
			return jsontext.Value(text)
		}
	case StringFilter, DecimalFilter, DateFilter, DateTimeFilter:
	}
	return strictjson.Quote(text)
}
