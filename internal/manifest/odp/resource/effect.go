package resource

import (
	"net/http"

	"github.com/agentctl/agentctl/internal/manifest"
)

// Unknown is the effect of an Action of which nobody can say what it does: it asks (contract, section 5). It is none of
// the words that a site chooses, or one could call its relation "read".
const Unknown manifest.Effect = "unknown"

// reserveRisk makes a reservation ask, though it only changes something.
const reserveRisk = "medium"

// effectOf tells what an Action does by its relation, the method of its target and the price of its Offering.
//
// A download or a quote reads, where its method promises to (RFC 9110, section 9.2.1); a purchase spends; what invoke and
// unknown relations do is known only where the Offering is free.
func effectOf(rel, method string, price *Price) manifest.Effect {
	switch rel {
	case Purchase:
		return manifest.Spend
	case Reserve:
		return atLeastWrite(byMethod(method))
	case Download, GetQuote:
		return byMethod(method)
	}
	if price.IsFree() {
		return byMethod(method)
	}
	return Unknown
}

func byMethod(method string) manifest.Effect {
	switch method {
	case http.MethodGet, http.MethodHead:
		return manifest.Read
	case http.MethodDelete:
		return manifest.Delete
	}
	return manifest.Write
}

func atLeastWrite(effect manifest.Effect) manifest.Effect {
	if effect == manifest.Read {
		return manifest.Write
	}
	return effect
}

func riskOf(rel string) string {
	if rel == Reserve {
		return reserveRisk
	}
	return ""
}

// costOf returns what a call costs as far as the Offering's price tells: that is the price of taking the Offering. A quote
// and a reservation take nothing yet, and a download reads something about it (the manual of a drill is not the drill).
// A site that wants to be paid for a download answers 402, and nothing was paid then.
func costOf(rel string, price *Price) *manifest.Cost {
	switch rel {
	case GetQuote, Reserve, Download:
		return nil
	}
	return price.Cost()
}
