package agentactions

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxAmountDigits bounds an amount. It is far beyond any price.
const maxAmountDigits = 30

// cost reads what a call costs (AA-7): an amount, or the argument that holds it. What is unclear may be any amount: then
// none is known, and the action asks first.
func (r *record) cost(value jsontext.Value) *manifest.Cost {
	if value.Kind() == 'n' {
		return nil
	}
	var (
		cost   manifest.Cost
		amount jsontext.Value
	)
	if !r.is('{', flaw, "cost", value) {
		return &cost
	}
	at := record{pointer: r.pointer + "/cost"}
	for name, value := range strictjson.SharedMembers(value) {
		switch {
		case name == "field":
			cost.Field = at.text(flaw, name, value)
		case name == "currency":
			cost.Currency = at.text(flaw, name, value)
		case name == "amount" && value.Kind() != 'n':
			amount = value
			cost.Amount = amountOf(value)
		}
	}
	r.issues = append(r.issues, at.issues...)
	switch {
	case (cost.Field == "") == (amount == nil):
		r.add(flaw, "/cost", "cost_invalid", `the cost should have either an "amount" or a "field", so the amount is not known`)
		return &manifest.Cost{Currency: cost.Currency}
	case amount != nil && cost.Amount == "":
		r.add(flaw, "/cost/amount", "cost_invalid", "the amount should be a number that is not negative, so it is not known")
	case cost.Currency == "":
		r.add(flaw, "/cost", "cost_invalid", "the cost does not name its currency")
	}
	return &cost
}

// amountOf returns the amount that a number, or a string of plain digits, says; "" for anything else, as for what is
// negative. Plain digits stay as they are: "25.00" is not "25".
func amountOf(value jsontext.Value) string {
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

// settled returns the cost of a call with these arguments.
func settled(cost *manifest.Cost, values *manifest.Values) *manifest.Cost {
	if cost == nil || cost.Field == "" {
		return cost
	}
	out := manifest.Cost{Currency: cost.Currency}
	if value, given := values.Get(cost.Field); given {
		out.Amount = amountOf(value)
	}
	return &out
}

// payment says in few words what a call costs, for lists.
func payment(cost *manifest.Cost) string {
	if cost == nil {
		return ""
	}
	switch {
	case cost.Field != "" && cost.Currency != "":
		return "amount in " + cost.Field + ", " + cost.Currency
	case cost.Field != "":
		return "amount in " + cost.Field
	case cost.Amount == "":
		return "amount unknown"
	}
	return strings.TrimSpace(cost.Amount + " " + cost.Currency)
}
