package demo

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// snack is something to eat in the cinema.
type snack struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Price    cents  `json:"price"`
	Currency string `json:"currency"`
	Vegan    bool   `json:"vegan"`
	about    string // to look for words in
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
	for _, each := range snacks() {
		if (each.Vegan || !request.Vegan) && (len(request.Most) == 0 || each.Price <= limit) && (request.Query == "" || mentions(each.about, request.Query)) {
			list.Items = append(list.Items, each)
		}
	}
	return list, nil
}

// snacks are the flavours and the toppings of the menu, under the names that they have in the catalogue.
func snacks() []snack {
	var all []snack
	for _, f := range flavours() {
		all = append(all, snack{f.SKU, f.Name, f.Price, "credits", f.Vegan, f.SKU + " " + f.Name + " " + f.Description + " popcorn"})
	}
	for _, name := range toppings() {
		vegan := name != "butter" && name != "honey"
		all = append(all, snack{"topping-" + name, strings.ToUpper(name[:1]) + name[1:], toppingPrice, "credits", vegan, name + " topping"})
	}
	return all
}
