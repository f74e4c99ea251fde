package demo

import (
	"math/rand/v2"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/demo/catalogue"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// The catalogue is what the shop offers, by the Offering Discovery Protocol. It only describes; here is what its Actions do.

// offeringAction is the target of an Action, and the status of its success.
type offeringAction struct {
	status int
	run    func(r *http.Request) (any, error)
}

func (s *shop) offeringActions() map[string]offeringAction {
	return map[string]offeringAction{
		"POST " + catalogue.Base + "/purchases/{id}":             {http.StatusCreated, s.buyOffering},
		"POST " + catalogue.Base + "/jars/{topping}":             {http.StatusCreated, s.buyJar},
		"POST " + catalogue.Base + "/machines/holds":             {http.StatusCreated, s.holdMachine},
		"POST " + catalogue.Base + "/machines/{machine}/rentals": {http.StatusCreated, s.rentMachine},
		"GET " + catalogue.Base + "/evenings/{guests}":           {http.StatusOK, s.quoteEvening},
		"GET " + catalogue.Base + "/draw":                        {http.StatusOK, s.drawFlavour},
	}
}

// openCatalogue adds the catalogue and its Actions to the site. Its many paths are prepared when somebody asks for one.
func (s *shop) openCatalogue(mux *http.ServeMux) {
	s.offer = catalogue.New(odp.Origin(Origin))
	serve := lazily(s.catalogueMux)
	mux.Handle(odp.WellKnown, serve)
	mux.Handle(catalogue.Base+"/", serve)
}

func (s *shop) catalogueMux() http.Handler {
	mux := http.NewServeMux()
	s.offer.Open(mux)
	for pattern, action := range s.offeringActions() {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			doc, err := action.run(r)
			if err != nil {
				writeError(w, err)
				return
			}
			writeJSON(w, action.status, doc)
		})
	}
	return mux
}

// offeringOrder is the body of a purchase.
type offeringOrder struct {
	Name     string         `json:"name"`
	Quantity jsontext.Value `json:"quantity"` // nil: one
	To       *string        `json:"to"`
	Ribbon   *string        `json:"ribbon"`
}

// check refuses words that an order cannot have.
func (o offeringOrder) check() error {
	if err := checkName("name", o.Name); err != nil {
		return err
	}
	if o.To != nil {
		if err := checkWord("to", *o.To, []string{"counter", "seat"}); err != nil {
			return err
		}
	}
	if o.Ribbon != nil {
		if err := checkWord("ribbon", *o.Ribbon, ribbons()); err != nil {
			return err
		}
	}
	return nil
}

// boughtOffering is the answer to a purchase.
type boughtOffering struct {
	purchase
	Name string `json:"name"`
	To   string `json:"to"`
}

// buyOffering sells some of an Offering that has a price.
func (s *shop) buyOffering(r *http.Request) (any, error) {
	order, _, err := readBody[offeringOrder](r, maxBody)
	if err != nil {
		return nil, err
	}
	id := r.PathValue("id")
	price, wrapped, err := s.offeringPrice(id)
	if err != nil {
		return nil, err
	}
	if err := order.check(); err != nil {
		return nil, err
	}
	quantity := 1
	if order.Quantity != nil {
		if quantity, err = countOf("quantity", order.Quantity, 20); err != nil {
			return nil, err
		}
	}
	done := boughtOffering{Name: order.Name, To: "counter"}
	if order.To != nil {
		done.To = *order.To
	}
	ribbon := ""
	if order.Ribbon != nil {
		if !wrapped {
			return nil, invalid("NO_RIBBON", "ribbon", "only presents have a ribbon")
		}
		ribbon = *order.Ribbon
		price += wrapPrice
	}
	done.purchase, err = s.sell(purchase{Items: []cartLine{{id, quantity, price}}, Ribbon: ribbon})
	return done, err
}

// buyJar sells a jar of a topping. There is nothing to say about it, so that the price in the list is the price.
func (s *shop) buyJar(r *http.Request) (any, error) {
	if err := http.NewCrossOriginProtection().Check(r); err != nil { // a page elsewhere could send a request without a body
		return nil, failure(http.StatusForbidden, "CROSS_ORIGIN", "pages of another site may not buy here")
	}
	if r.ContentLength != 0 {
		if _, _, err := readBody[struct{}](r, maxBody); err != nil {
			return nil, err
		}
	}
	id := "topping-" + r.PathValue("topping")
	price, _, err := s.offeringPrice(id)
	if err != nil {
		return nil, err
	}
	return s.sell(purchase{Items: []cartLine{{id, 1, price}}})
}

// offeringPrice is what one of an Offering costs. Where the price only starts there, a ribbon is more.
func (s *shop) offeringPrice(id string) (price cents, wrapped bool, err error) {
	preview, err := s.offer.Price(id)
	if err != nil {
		return 0, false, err
	}
	if preview == nil || preview.Type != resource.Fixed && preview.Type != resource.StartingAt {
		return 0, false, failure(http.StatusNotFound, "NOT_FOR_SALE", "%q is not for sale", clip(id))
	}
	price, ok := parseCents(jsontext.Value(preview.Amount))
	if !ok {
		return 0, false, failure(http.StatusInternalServerError, "INTERNAL", "%q has a price that nobody can pay", id)
	}
	return price, preview.Type == resource.StartingAt, nil
}

// quoteEvening tells what an evening costs: 40 credits, 3 a guest, and 25 for each extra.
func (s *shop) quoteEvening(r *http.Request) (any, error) {
	guests, err := strconv.Atoi(r.PathValue("guests"))
	if err != nil || guests < 1 || guests > 200 {
		return nil, invalid("INVALID_GUESTS", "guests", "guests must be 1 to 200")
	}
	extras := append([]string{}, r.URL.Query()["extras"]...)
	if err := checkWords("extras", extras, []string{"film", "candyfloss"}); err != nil {
		return nil, err
	}
	return struct {
		Guests   int      `json:"guests"`
		Extras   []string `json:"extras"`
		Price    cents    `json:"price"`
		Currency string   `json:"currency"`
	}{guests, extras, cents(4000 + 300*guests + 2500*len(extras)), "credits"}, nil
}

// drawFlavour looks into a surprise bag. The next one may be another.
func (s *shop) drawFlavour(*http.Request) (any, error) {
	all := flavours()
	return all[rand.IntN(len(all))], nil //nolint:gosec // nobody's money depends on it
}
