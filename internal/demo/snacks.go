package demo

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// snack is something to eat in the cinema.
type snack struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Price    cents  `json:"price"`
	Currency string `json:"currency"`
	Vegan    bool   `json:"vegan"`
}

type snackList struct {
	Items []snack `json:"items"`
}

// snackRequest says which snacks are looked for.
type snackRequest struct {
	Query string         `json:"query"`
	Vegan bool           `json:"vegan"`
	Most  jsontext.Value `json:"max_price"` // nil: any price
}

func (s *shop) findSnacks(r *http.Request) (any, error) {
	query := r.URL.Query()
	words, _, err := oneValue(query, "query")
	if err != nil {
		return nil, err
	}
	vegan, err := boolValue(query, "vegan")
	if err != nil {
		return nil, err
	}
	most, _, err := oneValue(query, "max_price")
	if err != nil {
		return nil, err
	}
	return snacksLike(snackRequest{words, vegan, jsontext.Value(most)})
}

func snacksLike(request snackRequest) (snackList, error) {
	limit, ok := parseCents(request.Most)
	if len(request.Most) > 0 && (!ok || limit <= 0) {
		return snackList{}, invalid("INVALID_PRICE", "max_price", "max_price must be an amount above zero")
	}
	if err := checkText("query", request.Query, 80); err != nil {
		return snackList{}, err
	}
	list := snackList{[]snack{}}
	for _, l := range catalogue() {
		edible := l.kind == "popcorn" || l.kind == "topping"
		vegan := l.vegan != nil && *l.vegan
		if edible && (vegan || !request.Vegan) && (len(request.Most) == 0 || l.price <= limit) &&
			(request.Query == "" || found(request.Query, l.id, l.name, l.description, l.kind)) {
			list.Items = append(list.Items, snack{l.id, l.name, l.price, "credits", vegan})
		}
	}
	return list, nil
}
