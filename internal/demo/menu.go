package demo

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// toppingPrice is what one topping adds to one bag.
const toppingPrice cents = 50

// flavour is something that can be ordered.
type flavour struct {
	SKU         string `json:"sku"`
	Name        string `json:"name"`
	Price       cents  `json:"price"` // of one bag
	Vegan       bool   `json:"vegan"`
	Description string `json:"description"`
}

func flavours() []flavour {
	return []flavour{
		{"salted", "Sea Salt", 350, true, "The one it all began with: hot, crisp, a pinch of sea salt."},
		{"caramel", "Burnt Caramel", 450, false, "Slowly browned butter caramel, cracked by hand."},
		{"truffle", "Black Truffle", 650, true, "Truffle oil and a little pepper. Not for sharing."},
		{"cheddar", "Smoked Cheddar", 500, false, "Aged cheddar over oak smoke."},
		{"chili-lime", "Chili & Lime", 400, true, "Bright first, then warm, then gone."},
	}
}

func toppings() []string { return []string{"butter", "chili", "herbs", "honey", "nuts"} }

func skus() []string {
	var all []string
	for _, f := range flavours() {
		all = append(all, f.SKU)
	}
	return all
}

func findFlavour(sku string) (flavour, bool) {
	for _, f := range flavours() {
		if f.SKU == sku {
			return f, true
		}
	}
	return flavour{}, false
}

type menu struct {
	Flavours []flavour `json:"flavours"`
	Toppings []string  `json:"toppings"`
}

func (s *shop) listMenu(r *http.Request) (document, error) {
	query := r.URL.Query()
	vegan, err := boolValue(query, "vegan")
	if err != nil {
		return nil, err
	}
	limit, limited, err := priceLimit(query["maxPrice"])
	if err != nil {
		return nil, err
	}
	found := menu{Toppings: toppings()}
	for _, f := range flavours() {
		if (!vegan || f.Vegan) && (!limited || f.Price <= limit) {
			found.Flavours = append(found.Flavours, f)
		}
	}
	return found, nil
}

func priceLimit(values []string) (limit cents, limited bool, err error) {
	if len(values) == 0 {
		return 0, false, nil
	}
	limit, ok := parseCents(jsontext.Value(values[0]))
	if len(values) > 1 || !ok || limit <= 0 {
		return 0, false, invalid("INVALID_PRICE", "maxPrice", "maxPrice must be one amount of dollars and cents above zero")
	}
	return limit, true, nil
}

func (m menu) markdown() string {
	var out strings.Builder
	out.WriteString("# 🍿 Menu\n\n")
	if len(m.Flavours) == 0 {
		out.WriteString("*Nothing on the menu is like that.*\n")
		return out.String() + nextStep("menu list")
	}
	list := table{header: []string{"Flavour", "Name", "Bag", "Vegan"}, right: map[int]bool{2: true}}
	for _, f := range m.Flavours {
		list.add(code(f.SKU), escape(f.Name), dollars(f.Price), yes(f.Vegan))
	}
	list.write(&out)
	fmt.Fprintf(&out, "\n**Toppings**, %s a bag each: %s\n", dollars(toppingPrice), strings.Join(m.Toppings, ", "))
	return out.String() + nextStep("orders create 2 --flavour "+m.Flavours[0].SKU)
}

func (s *shop) getFlavour(r *http.Request) (document, error) {
	sku := r.PathValue("sku")
	f, ok := findFlavour(sku)
	if !ok {
		return nil, failure(http.StatusNotFound, "FLAVOUR_NOT_FOUND", "there is no flavour %q", clip(sku)).with("flavours", skus())
	}
	return f, nil
}

func (f flavour) markdown() string {
	suits := "everybody but vegans"
	if f.Vegan {
		suits = "everybody, vegans too"
	}
	return fmt.Sprintf("# %s\n\n*%s*\n\n- **Price:** %s a bag\n- **For:** %s\n", escape(f.Name), escape(f.Description), dollars(f.Price), suits) +
		nextStep("orders create 2 --flavour "+f.SKU)
}
