package demo

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// maxHolds is how many reservations of the machine are remembered; the oldest goes first.
const maxHolds = 200

// What the machine costs.
const (
	machineDay      cents = 1500
	machineDelivery cents = 500
)

// hold keeps the popcorn machine for somebody.
type hold struct {
	ID   string `json:"hold_id"`
	Day  string `json:"day"` // the first one
	Days int    `json:"days"`
}

// holdMachine keeps the machine, unless somebody else has it on one of these days.
func (s *shop) holdMachine(r *http.Request) (any, error) {
	request, _, err := readBody[struct {
		Day  string         `json:"day"`
		Days jsontext.Value `json:"days"`
	}](r, maxBody)
	if err != nil {
		return nil, err
	}
	days := 1
	if request.Days != nil {
		if days, err = countOf("days", request.Days, 14); err != nil {
			return nil, err
		}
	}
	day, err := time.Parse(time.DateOnly, request.Day)
	switch {
	case err != nil:
		return nil, invalid("INVALID_DAY", "day", "day must be a date such as 2027-05-01")
	case day.AddDate(0, 0, 1).Before(s.now()):
		return nil, invalid("DAY_PAST", "day", "%s is over", request.Day)
	}
	kept := hold{Day: request.Day, Days: days}
	err = s.store.update(func(state *state) error {
		for _, other := range state.Holds {
			if other.meets(kept) {
				return failure(http.StatusConflict, "MACHINE_TAKEN", "somebody has the machine for %d days from %s", other.Days, other.Day).with("field", "day")
			}
		}
		kept.ID = state.number("hold_")
		state.Holds = append(latest(state.Holds, maxHolds-1), kept)
		return nil
	})
	return kept, err
}

// meets reports whether two reservations have a day in common. Their dates were checked before they were kept.
func (h hold) meets(other hold) bool {
	a, _ := time.Parse(time.DateOnly, h.Day)
	b, _ := time.Parse(time.DateOnly, other.Day)
	return a.Before(b.AddDate(0, 0, other.Days)) && b.Before(a.AddDate(0, 0, h.Days))
}

// rentMachine takes the money for some days with the machine, whenever they are.
func (s *shop) rentMachine(r *http.Request) (any, error) {
	request, _, err := readBody[struct {
		Days jsontext.Value `json:"days"`
	}](r, maxBody)
	if err != nil {
		return nil, err
	}
	if err := checkWord("machine", r.PathValue("machine"), []string{"red"}); err != nil {
		return nil, err
	}
	days, err := countOf("days", request.Days, 30)
	if err != nil {
		return nil, err
	}
	delivery, err := boolValue(r.URL.Query(), "delivery")
	if err != nil {
		return nil, err
	}
	paid := machineDay * cents(days)
	if delivery {
		paid += machineDelivery
	}
	sold, err := s.sell(purchase{Items: []cartLine{{"machine", 1, paid}}})
	return struct {
		purchase
		Days     int  `json:"days"`
		Delivery bool `json:"delivery"`
	}{sold, days, delivery}, err
}

// countOf reads a whole number from 1 to most.
func countOf(field string, value jsontext.Value, most int) (int, error) {
	n, whole := parseWhole(value)
	if !whole || n < 1 || n > most {
		return 0, invalid("INVALID_"+strings.ToUpper(field), field, "%s must be 1 to %d", field, most)
	}
	return n, nil
}
