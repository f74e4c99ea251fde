package interagentic

import (
	"strings"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// credits is the currency of amounts, which the format does not name.
const credits = "credits"

// price is what a payment member says.
type price struct {
	cost   *manifest.Cost // nil when nothing is said
	spends bool           // whether the call may cost something
}

// payment reads the mode alone, as an index has it, or {mode, amount}, as a detail has it; either form is taken in both.
// A wrong type is fatal: nobody should pay by accident.
func (r *reader) payment() price {
	if r.d.PeekKind() == '"' {
		mode, _ := r.text(fatal)
		return priceOf(mode, "", false)
	}
	var (
		mode, amount string
		unclear      bool
	)
	for name := range r.object(fatal) {
		switch name {
		case "mode":
			mode, _ = r.text(fatal)
		case "amount":
			amount, unclear = r.amount()
		default:
			r.skip()
		}
	}
	return priceOf(mode, amount, unclear)
}

// amount reads a number, its digits as they are; one in quotes counts, with a remark. Anything else is unclear: it may be
// any amount.
func (r *reader) amount() (digits string, unclear bool) {
	value := r.raw()
	digits, quoted := strictjson.String(value)
	if !quoted {
		digits = string(value)
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	plain := strings.Trim(whole+fraction, "0123456789") == "" && (whole+fraction != "" || value == nil)
	if quoted || !plain {
		r.add(flaw, "amount_invalid", "the amount must be a number in plain digits, not negative")
	}
	if !plain {
		return "", true
	}
	return digits, false
}

// priceOf decides whether a call may cost something. An amount has the last word, whatever the mode calls itself: a
// "free" action with a price asks first. Modes are an open set, so an unknown one without an amount does cost.
func priceOf(mode, amount string, unclear bool) price {
	if mode == "" && amount == "" && !unclear {
		return price{}
	}
	cost := &manifest.Cost{Mode: mode, Amount: amount}
	if amount != "" {
		cost.Currency = credits
	}
	free := strings.EqualFold(mode, "none") || strings.EqualFold(mode, "free")
	switch {
	case unclear:
		return price{cost, true}
	case amount != "":
		return price{cost, strings.Trim(amount, "0.") != ""}
	}
	return price{cost, !free}
}

// effectOf tells what an action does to the world.
func effectOf(method string, spends bool) manifest.Effect {
	switch {
	case spends:
		return manifest.Spend
	case method == "GET" || method == "HEAD":
		return manifest.Read
	case method == "DELETE":
		return manifest.Delete
	}
	return manifest.Write
}
