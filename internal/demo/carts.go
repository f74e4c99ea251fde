package demo

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// How much the counter remembers; the oldest goes first.
const (
	maxCarts     = 200
	maxPurchases = 200
	maxLines     = 20 // of one cart
)

// wrapPrice is what gift_wrap costs. It is paid at once, not with the cart.
const wrapPrice cents = 200

func ribbons() []string { return []string{"red", "green", "gold"} }

// cart is what somebody put together at the counter.
type cart struct {
	ID       string     `json:"cart_id"`
	Items    []cartLine `json:"items"`
	Total    cents      `json:"total"`
	Currency string     `json:"currency"`
	Ribbon   string     `json:"ribbon,omitzero"` // of its wrapping
	Bought   string     `json:"order_id,omitzero"`
}

type cartLine struct {
	Product  string `json:"product_id"`
	Quantity int    `json:"quantity"`
	Price    cents  `json:"price"` // of one
}

type purchase struct {
	ID       string     `json:"order_id"`
	Cart     string     `json:"cart_id,omitzero"` // "": it was in none
	Items    []cartLine `json:"items"`
	Paid     cents      `json:"paid"`
	Currency string     `json:"currency"`
	Ribbon   string     `json:"ribbon,omitzero"`
	Time     time.Time  `json:"time"`
}

type product struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Price       cents  `json:"price"`
	Currency    string `json:"currency"`
	Description string `json:"description"`
}

func (s *shop) searchProducts(r *http.Request) (any, error) {
	query := r.URL.Query()
	words, ok, err := oneValue(query, "query")
	if err != nil {
		return nil, err
	}
	if !ok || strings.TrimSpace(words) == "" {
		return nil, invalid("QUERY_MISSING", "query", "there is nothing to look for")
	}
	limit, limited, err := priceLimit(query["max_price"])
	if err != nil {
		return nil, invalid("INVALID_PRICE", "max_price", "max_price must be one amount above zero")
	}
	found := struct {
		Items []product `json:"items"`
	}{[]product{}}
	for _, f := range flavours() {
		if matches(f, words) && (!limited || f.Price <= limit) {
			found.Items = append(found.Items, product{f.SKU, f.Name, f.Price, "credits", f.Description})
		}
	}
	return found, nil
}

// matches reports whether a flavour has one of the words.
func matches(f flavour, words string) bool {
	return words == "*" || mentions(f.SKU+" "+f.Name+" "+f.Description+" popcorn", words)
}

// mentions reports whether a text has one of the words in it, in capitals or not.
func mentions(text, words string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(strings.Fields(strings.ToLower(words)), func(word string) bool { return strings.Contains(text, word) })
}

func (s *shop) addToCart(r *http.Request) (any, error) {
	request, _, err := readBody[struct {
		Product  string         `json:"product_id"`
		Quantity jsontext.Value `json:"quantity"`
		Cart     string         `json:"cart_id"`
	}](r, maxBody)
	if err != nil {
		return nil, err
	}
	f, sold := findFlavour(request.Product)
	quantity, whole := parseWhole(request.Quantity)
	switch {
	case !sold:
		return nil, invalid("PRODUCT_UNKNOWN", "product_id", "there is no product %q; search_products lists them", clip(request.Product))
	case !whole || quantity < 1 || quantity > 20:
		return nil, invalid("INVALID_QUANTITY", "quantity", "quantity must be 1 to 20")
	}
	var result cart
	err = s.store.update(func(state *state) error {
		c, err := state.cart(request.Cart)
		if request.Cart == "" {
			c, err = state.newCart(), nil
		}
		switch {
		case err != nil:
			return err
		case c.Bought != "":
			return alreadyBought(c)
		case len(c.Items) == maxLines:
			return failure(http.StatusConflict, "CART_FULL", "a cart holds %d products", maxLines)
		}
		c.Items = append(c.Items, cartLine{f.SKU, quantity, f.Price})
		c.Total += f.Price * cents(quantity)
		result = *c
		return nil
	})
	return result, err
}

// newCart makes a cart; the oldest goes when there are too many.
func (s *state) newCart() *cart {
	s.Carts = append(latest(s.Carts, maxCarts-1), cart{ID: "cart_" + strings.ToLower(rand.Text()[:10]), Items: []cartLine{}, Currency: "credits"})
	return &s.Carts[len(s.Carts)-1]
}

func (s *state) cart(id string) (*cart, error) {
	for i := range s.Carts {
		if s.Carts[i].ID == id {
			return &s.Carts[i], nil
		}
	}
	return nil, failure(http.StatusNotFound, "CART_NOT_FOUND", "there is no cart %q", clip(id)).with("field", "cart_id")
}

func alreadyBought(c *cart) error {
	return failure(http.StatusConflict, "CART_BOUGHT", "the cart %s was bought already, as %s", c.ID, c.Bought).with("field", "cart_id")
}

func (s *shop) viewCart(r *http.Request) (any, error) {
	current, err := s.store.view()
	if err != nil {
		return nil, err
	}
	return current.cart(r.PathValue("cart_id"))
}

func (s *shop) emptyCart(r *http.Request) (any, error) {
	id := r.PathValue("cart_id")
	err := s.store.update(func(state *state) error {
		c, err := state.cart(id)
		if err != nil {
			return err
		}
		if c.Bought != "" {
			return alreadyBought(c)
		}
		state.Carts = slices.DeleteFunc(state.Carts, func(each cart) bool { return each.ID == id })
		return nil
	})
	return map[string]string{"cart_id": id, "status": "emptied"}, err
}

func (s *shop) giftWrap(r *http.Request) (any, error) {
	request, _, err := readBody[struct {
		Cart   string  `json:"cart_id"`
		Ribbon *string `json:"ribbon"`
	}](r, maxBody)
	if err != nil {
		return nil, err
	}
	ribbon := "red"
	if request.Ribbon != nil {
		ribbon = *request.Ribbon
	}
	if err := checkWord("ribbon", ribbon, ribbons()); err != nil {
		return nil, err
	}
	err = s.store.update(func(state *state) error {
		c, err := state.cart(request.Cart)
		switch {
		case err != nil:
			return err
		case c.Bought != "":
			return alreadyBought(c)
		case c.Ribbon != "":
			return failure(http.StatusConflict, "WRAPPED", "the cart %s is wrapped already", c.ID).with("field", "cart_id")
		}
		c.Ribbon = ribbon
		return nil
	})
	return struct {
		Cart   string `json:"cart_id"`
		Ribbon string `json:"ribbon"`
		Paid   cents  `json:"paid"`
	}{request.Cart, ribbon, wrapPrice}, err
}

// checkout sells a cart once, for exactly what the buyer agreed to.
func (s *shop) checkout(r *http.Request) (any, error) {
	request, _, err := readBody[struct {
		Cart   string         `json:"cart_id"`
		Amount jsontext.Value `json:"amount"`
	}](r, maxBody)
	if err != nil {
		return nil, err
	}
	amount, ok := parseCents(request.Amount)
	if !ok {
		return nil, invalid("INVALID_AMOUNT", "amount", "amount must be a number of credits with at most two places")
	}
	var bought purchase
	err = s.store.update(func(state *state) error {
		c, err := state.cart(request.Cart)
		switch {
		case err != nil:
			return err
		case c.Bought != "":
			return alreadyBought(c)
		case amount != c.Total:
			return failure(http.StatusConflict, "PRICE_CHANGED", "the cart comes to %s credits, not %s", c.Total, amount).with("field", "amount")
		}
		bought = state.sell(purchase{Cart: c.ID, Items: c.Items, Paid: c.Total, Currency: c.Currency, Ribbon: c.Ribbon, Time: s.now()})
		c.Bought = bought.ID
		return nil
	})
	return bought, err
}

// sell gives a purchase its number and keeps it.
func (s *state) sell(p purchase) purchase {
	p.ID = s.number("buy_")
	s.Purchases = append(latest(s.Purchases, maxPurchases-1), p)
	return p
}

// sell sells something that was in no cart.
func (s *shop) sell(asked purchase) (sold purchase, err error) {
	asked.Currency, asked.Time = "credits", s.now()
	for _, line := range asked.Items {
		asked.Paid += line.Price * cents(line.Quantity)
	}
	err = s.store.update(func(state *state) error {
		sold = state.sell(asked)
		return nil
	})
	return sold, err
}

func (s *shop) listPurchases(*http.Request) (any, error) {
	current, err := s.store.view()
	if err != nil {
		return nil, err
	}
	list := struct {
		Purchases []purchase `json:"purchases"`
	}{append([]purchase{}, current.Purchases...)}
	slices.Reverse(list.Purchases)
	return list, nil
}
