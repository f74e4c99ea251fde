package demo

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// maxOrders is how many orders the shop keeps; the file stays small enough to be read whole each time.
const maxOrders = 1000

// orderRequest is the body of a new order, laid out by the request template in site/services/orders/create.json.
type orderRequest struct {
	Qty      jsontext.Value `json:"qty"`
	Flavour  *string        `json:"flavour"`
	Toppings []string       `json:"toppings"`
	Note     string         `json:"note"`
	Gift     bool           `json:"gift"`
	Tags     []string       `json:"tags"`
	Street   string         `json:"shipping_street"`
	City     string         `json:"shipping_city"`
	Zip      string         `json:"shipping_zip"`
}

func (s *shop) createOrder(r *http.Request) (document, error) {
	request, _, err := readBody[orderRequest](r, maxBody)
	if err != nil {
		return nil, err
	}
	placed, err := request.order()
	if err != nil {
		return nil, err
	}
	err = s.store.update(func(state *state) error {
		if len(state.Orders) >= maxOrders {
			return failure(http.StatusConflict, "KITCHEN_FULL", "there are %d orders already", maxOrders).with("try", "orders delete")
		}
		placed.ID, placed.Placed = state.nextID(), s.now()
		state.Orders = append(state.Orders, placed)
		return nil
	})
	return placed, err
}

// order checks the request and prices it. Number and time are still missing.
func (q orderRequest) order() (order, error) {
	const maxQty = 100
	qty, whole := parseWhole(q.Qty)
	switch {
	case !whole:
		return order{}, invalid("INVALID_QUANTITY", "qty", "qty must be a whole number")
	case qty < 1:
		return order{}, invalid("INVALID_QUANTITY", "qty", "qty must be at least 1")
	case qty > maxQty:
		return order{}, invalid("INVALID_QUANTITY", "qty", "qty must be at most %d", maxQty)
	}
	sku := "salted"
	if q.Flavour != nil {
		sku = *q.Flavour
	}
	chosen, sold := findFlavour(sku)
	if !sold {
		return order{}, checkWord("flavour", sku, skus())
	}
	address, err := q.address()
	if err != nil {
		return order{}, err
	}
	if err := firstError(
		checkWords("toppings", q.Toppings, toppings()), checkText("note", q.Note, 280), checkTags(q.Tags),
	); err != nil {
		return order{}, err
	}
	bag := chosen.Price + toppingPrice*cents(len(q.Toppings))
	return order{
		Status: confirmed, Flavour: chosen.SKU, Qty: qty, Toppings: q.Toppings, Tags: q.Tags, Note: q.Note, Gift: q.Gift,
		Address: address, Total: bag * cents(qty),
	}, nil
}

func (q orderRequest) address() (*address, error) {
	switch {
	case q.Street == "" && q.City == "" && q.Zip == "":
		return nil, nil // picked up at the counter
	case q.City == "":
		return nil, invalid("INVALID_ADDRESS", "shipping_city", "an address needs a city")
	case q.Zip == "":
		return nil, invalid("INVALID_ADDRESS", "shipping_zip", "an address needs a postal code")
	}
	err := firstError(checkText("shipping_street", q.Street, 120), checkText("shipping_city", q.City, 80), checkText("shipping_zip", q.Zip, 10))
	return &address{Street: q.Street, City: q.City, Zip: q.Zip}, err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
