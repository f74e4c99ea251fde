package demo

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// refundRequest is the body of a refund; "notify" comes in the query.
type refundRequest struct {
	Reason string `json:"reason"`
	Refund struct {
		Amount jsontext.Value `json:"amount"` // absent: all that is left
	} `json:"refund"`
}

type refund struct {
	Order     string `json:"order"`
	Status    string `json:"status"` // of the order now
	Reason    string `json:"reason"`
	Amount    cents  `json:"amount"`
	Remaining cents  `json:"remaining"` // what could still be refunded
	Notified  bool   `json:"notified"`
}

func (s *shop) createRefund(r *http.Request) (document, error) {
	request, _, err := readBody[refundRequest](r, maxBody)
	if err != nil {
		return nil, err
	}
	if err := checkWord("reason", request.Reason, []string{"damaged", "late", "other"}); err != nil {
		return nil, err
	}
	notify, err := boolValue(r.URL.Query(), "notify")
	if err != nil {
		return nil, err
	}
	paid := refund{Order: r.PathValue("id"), Reason: request.Reason, Notified: notify}
	err = s.store.update(func(state *state) error {
		o := state.find(paid.Order)
		if o == nil {
			return orderNotFound(clip(paid.Order))
		}
		if paid.Amount, err = refundAmount(request.Refund.Amount, o); err != nil {
			return err
		}
		o.Refunded += paid.Amount
		if o.Refunded == o.Total {
			o.Status = refunded
		}
		paid.Status, paid.Remaining = o.Status, o.Total-o.Refunded
		return nil
	})
	return paid, err
}

func refundAmount(wanted jsontext.Value, o *order) (cents, error) {
	left := o.Total - o.Refunded
	if left == 0 {
		return 0, failure(http.StatusConflict, "ALREADY_REFUNDED", "order %q is refunded in full already", o.ID).with("refunded", o.Refunded)
	}
	if wanted == nil {
		return left, nil
	}
	amount, ok := parseCents(wanted)
	switch {
	case !ok || amount <= 0:
		return 0, invalid("INVALID_AMOUNT", "amount", "amount must be dollars and whole cents above zero")
	case amount > left:
		return 0, invalid("AMOUNT_TOO_LARGE", "amount", "amount must be at most %s, which is what is left of order %q", left, o.ID).with("maximum", left)
	}
	return amount, nil
}

func (f refund) markdown() string {
	page := fmt.Sprintf("# Refund of order %s\n\n**%s** goes back, because: *%s*.\n\n- **Still refundable:** %s\n- **Customer told:** %s\n",
		code(f.Order), dollars(f.Amount), f.Reason, dollars(f.Remaining), map[bool]string{true: "yes, by email", false: "no"}[f.Notified])
	return page + nextStep("orders get "+f.Order)
}
