package demo

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// openCatalogueActions adds what the offerings' Actions lead to. Nothing of it is kept: the shop is a practice shop.
func (s *shop) openCatalogueActions(mux *http.ServeMux) {
	mux.HandleFunc("GET "+odpBase+"/recipes/caramel.txt", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, "text/plain; charset=utf-8", "Brown 100 g of butter. Add 200 g of sugar and a pinch of salt. Pour over popcorn. Do not touch.\n")
	})
	mux.HandleFunc("POST "+odpBase+"/offerings/{id}/purchases", answering(s.buyListed))
	mux.HandleFunc("POST "+odpBase+"/machines/holds", answering(s.holdMachine))
	mux.HandleFunc("POST "+odpBase+"/machines/{machine}/rentals", answering(s.rentMachine))
}

// answering makes a handler of what answers with JSON, or an error.
func answering(run func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		doc, err := run(r)
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusCreated, doc)
	}
}

func (s *shop) buyListed(r *http.Request) (any, error) {
	l, ok := findListed(r.PathValue("id"))
	if !ok || l.kind != "popcorn" && l.kind != "topping" {
		return nil, failure(http.StatusNotFound, "NOT_FOUND", "there is no offering %q to buy", clip(r.PathValue("id")))
	}
	request, _, err := readBody[struct {
		Quantity jsontext.Value `json:"quantity"`
		Note     string         `json:"note"`
	}](r, maxBody)
	if err != nil {
		return nil, err
	}
	quantity, whole := parseWhole(request.Quantity)
	if !whole || quantity < 1 || quantity > 20 {
		return nil, invalid("INVALID_QUANTITY", "quantity", "quantity must be 1 to 20")
	}
	return map[string]any{"offering": l.id, "quantity": quantity, "paid": l.price * cents(quantity), "currency": "credits"}, nil
}

func (s *shop) holdMachine(r *http.Request) (any, error) {
	request, _, err := readBody[struct {
		Day string `json:"day"`
	}](r, maxBody)
	if err != nil {
		return nil, err
	}
	return map[string]any{"machine": "red", "held_for": clip(request.Day)}, nil
}

func (s *shop) rentMachine(r *http.Request) (any, error) {
	request, _, err := readBody[struct {
		Days jsontext.Value `json:"days"`
	}](r, maxBody)
	if err != nil {
		return nil, err
	}
	days, whole := parseWhole(request.Days)
	if !whole || days < 1 || days > 30 {
		return nil, invalid("INVALID_DAYS", "days", "days must be 1 to 30")
	}
	delivery, err := boolValue(r.URL.Query(), "delivery")
	if err != nil {
		return nil, err
	}
	return map[string]any{"machine": clip(r.PathValue("machine")), "days": days, "delivery": delivery, "paid": cents(1500 * days), "currency": "credits"}, nil
}
