package manifest

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxAmountDigits bounds an amount. It is far beyond any price.
const maxAmountDigits = 30

// ReadCost reads a published cost object (AA-7): an amount, or the argument that holds it. What is unclear may be any amount:
// then none is known, and the action asks first. Null is nil, no cost. The issues are flaws, their pointers below the object.
func ReadCost(value jsontext.Value) (*Cost, []Issue) {
	if value == nil || value.Kind() == 'n' {
		return nil, nil
	}
	r := costReader{cost: &Cost{}}
	if value.Kind() != '{' {
		r.issue("", "wrong_type", `"cost" must be an object`)
		return r.cost, r.issues
	}
	for name, value := range strictjson.SharedMembers(value) {
		switch {
		case name == "field":
			r.cost.Field = r.text(name, value)
		case name == "currency":
			r.cost.Currency = r.text(name, value)
		case name == "amount" && value.Kind() != 'n':
			r.given, r.cost.Amount = true, AmountOf(value)
		}
	}
	return r.conclude()
}

// costReader is one cost object while it is read.
type costReader struct {
	cost   *Cost
	given  bool // an amount is there
	issues []Issue
}

func (r *costReader) issue(pointer, code, message string) {
	r.issues = append(r.issues, Issue{Code: code, Pointer: pointer, Message: message})
}

func (r *costReader) text(name string, value jsontext.Value) string {
	text, ok := strictjson.String(value)
	if !ok && value.Kind() != 'n' {
		r.issue("/"+name, "wrong_type", fmt.Sprintf("%q must be a string", name))
	}
	return text
}

func (r *costReader) conclude() (*Cost, []Issue) {
	switch {
	case (r.cost.Field == "") == !r.given:
		r.issue("", "cost_invalid", `the cost should have either an "amount" or a "field", so the amount is not known`)
		return &Cost{Currency: r.cost.Currency}, r.issues
	case r.given && r.cost.Amount == "":
		r.issue("/amount", "cost_invalid", "the amount should be a number that is not negative, so it is not known")
	case r.cost.Currency == "":
		r.issue("", "cost_invalid", "the cost does not name its currency")
	}
	return r.cost, r.issues
}

// AmountOf returns the amount that a number, or a string of plain digits, says; "" for anything else, as for what is
// negative. Plain digits stay as they are: "25.00" is not "25".
func AmountOf(value jsontext.Value) string {
	text, quoted := strictjson.String(value)
	if !quoted {
		text = string(value)
	}
	if value.Kind() == '0' && strings.ContainsAny(text, "eE") {
		exact, err := decimal.NewFromString(text)
		if err != nil { // cannot be after strictjson.Check
			return ""
		}
		text = exact.String()
	}
	if !isAmount(text) {
		return ""
	}
	return text
}

// isAmount reports whether text is an amount in plain digits. One that begins with a zero too many is octal to some.
func isAmount(text string) bool {
	whole, fraction, point := strings.Cut(text, ".")
	switch {
	case whole == "" || point && fraction == "" || len(text) > maxAmountDigits:
		return false
	case whole[0] == '0' && whole != "0":
		return false
	}
	return strings.Trim(whole+fraction, "0123456789") == ""
}

// Settled returns the cost of a call with these arguments.
func (c *Cost) Settled(values *Values) *Cost {
	if c == nil || c.Field == "" {
		return c
	}
	out := Cost{Currency: c.Currency}
	if value, given := values.Get(c.Field); given {
		out.Amount = AmountOf(value)
	}
	return &out
}

// Words says in few words what a call costs, for lists; "" for nothing.
func (c *Cost) Words() string {
	switch {
	case c == nil:
		return ""
	case c.Field != "" && c.Currency != "":
		return "amount in " + c.Field + ", " + c.Currency
	case c.Field != "":
		return "amount in " + c.Field
	case c.Amount == "":
		return "amount unknown"
	}
	return strings.TrimSpace(c.Amount + " " + c.Currency)
}
