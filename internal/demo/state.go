package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The states of an order.
const (
	confirmed = "confirmed"
	popping   = "popping"
	delivered = "delivered"
	refunded  = "refunded"
)

func statuses() []string { return []string{confirmed, popping, delivered, refunded} }

// state is everything that the shop remembers. It is also the layout of its file.
type state struct {
	Version int     `json:"version"`
	Counter int     `json:"counter"` // numbers given to orders so far; only grows, so that no number is used twice
	Orders  []order `json:"orders"`  // oldest first
	Member  *member `json:"member,omitzero"`
	Photos  int     `json:"photos"` // pictures that were ever uploaded; the pictures themselves are not kept

	// What the counter remembers; what it signs grants with.
	Carts     []cart     `json:"carts,omitzero"`     // oldest first
	Purchases []purchase `json:"purchases,omitzero"` // oldest first
	GrantKey  string     `json:"grant_key,omitzero"`

	// Who has the popcorn machine.
	Holds []hold `json:"holds,omitzero"` // oldest first

	// What the cinema remembers.
	Bookings []booking `json:"bookings,omitzero"` // oldest first
	Events   []event   `json:"events,omitzero"`   // oldest first
	Receipts []receipt `json:"receipts,omitzero"` // oldest first
}

// stateVersion is the layout that this program reads and writes.
const stateVersion = 1

type order struct {
	ID       string    `json:"id"`
	Status   string    `json:"status"`
	Flavour  string    `json:"flavour"`
	Qty      int       `json:"qty"` // bags
	Toppings []string  `json:"toppings"`
	Tags     []string  `json:"tags"`
	Note     string    `json:"note,omitzero"`
	Gift     bool      `json:"gift,omitzero"`
	Address  *address  `json:"address,omitzero"` // nil: picked up at the counter
	Total    cents     `json:"total"`
	Refunded cents     `json:"refunded"` // how much of Total went back
	Placed   time.Time `json:"placed"`
}

type address struct {
	Street string `json:"street,omitzero"`
	City   string `json:"city"`
	Zip    string `json:"zip"`
}

type member struct {
	Name       string    `json:"name"`
	Newsletter bool      `json:"newsletter"`
	Until      time.Time `json:"until"`
}

// openingDay is the state before anybody did anything: three orders, so that there is something to list.
func openingDay(now time.Time) *state {
	return &state{Version: stateVersion, Orders: []order{
		{
			ID: "ord_8fJ2", Status: delivered, Flavour: "caramel", Qty: 2, Toppings: []string{"nuts"}, Tags: []string{"friends", "party"},
			Address: &address{Street: "12 Rue des Lilas", City: "Paris", Zip: "75001"}, Total: 1000, Placed: now.Add(-50 * time.Hour),
		},
		{
			ID: "ord_Kq71", Status: popping, Flavour: "truffle", Qty: 1, Toppings: []string{}, Tags: []string{},
			Note: "no bag, please", Total: 650, Placed: now.Add(-25 * time.Minute),
		},
		{
			ID: "ord_3mZx", Status: confirmed, Flavour: "salted", Qty: 6, Toppings: []string{"butter"}, Tags: []string{"party"}, Gift: true,
			Address: &address{City: "Lyon", Zip: "69002"}, Total: 2400, Placed: now.Add(-4 * time.Minute),
		},
	}}
}

// check refuses a state that this program cannot have written.
func (s *state) check() error {
	if s.Version != stateVersion {
		return fmt.Errorf("its version is %d, not %d", s.Version, stateVersion)
	}
	seen := make(map[string]bool, len(s.Orders))
	for _, o := range s.Orders {
		_, sold := findFlavour(o.Flavour)
		switch {
		case o.ID == "" || seen[o.ID]:
			return fmt.Errorf("an order has no number of its own: %q", o.ID)
		case !sold || o.Qty < 1 || !slices.Contains(statuses(), o.Status):
			return fmt.Errorf("order %q is not one of this shop", o.ID)
		case o.Total < 0 || o.Refunded < 0 || o.Refunded > o.Total:
			return fmt.Errorf("the amounts of order %q do not add up", o.ID)
		}
		seen[o.ID] = true
	}
	return nil
}

// find returns the order of that number, to read or to change, or nil.
func (s *state) find(id string) *order {
	for i := range s.Orders {
		if s.Orders[i].ID == id {
			return &s.Orders[i]
		}
	}
	return nil
}

// nextID returns a number that no order has: short, and not telling how many there were.
func (s *state) nextID() string {
	for {
		s.Counter++
		if id := orderID(s.Counter); s.find(id) == nil {
			return id
		}
	}
}

// number returns a number that was not given before, behind a prefix that tells of what it is.
func (s *state) number(prefix string) string {
	s.Counter++
	return prefix + strings.TrimPrefix(orderID(s.Counter), "ord_")
}

// latest returns the last n of what is remembered.
func latest[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }

// orderID scatters 1, 2, 3, … over four base-62 digits. The factor shares no divisor with 62, so that numbers repeat only
// after all 62⁴ of them.
func orderID(n int) string {
	const (
		digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		size   = 62 * 62 * 62 * 62
		factor = 9_176_473
		offset = 1_234_567
	)
	rest := (n%size*factor + offset) % size
	id := []byte("ord_0000")
	for i := len(id) - 1; rest > 0; i-- {
		id[i], rest = digits[rest%62], rest/62
	}
	return string(id)
}
