package demo

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// maxSeats is how many seats one booking has at most.
const maxSeats = 6

// screening is a film that is shown every day.
type screening struct{ id, film, genre, starts string }

func screenings() []screening {
	return []screening{
		{"matinee", "Some Like It Salted", "comedy", "15:00"},
		{"evening", "The Maize Runner", "drama", "19:30"},
		{"late", "Night of the Living Bread", "horror", "22:15"},
	}
}

func screeningIDs() []string {
	var all []string
	for _, each := range screenings() {
		all = append(all, each.id)
	}
	return all
}

func genres() []string { return []string{"comedy", "drama", "horror"} }

func rows() []string { return []string{"A", "B", "C"} }

// hall lists the seats, best first.
func hall() []string {
	var all []string
	for _, row := range rows() {
		for _, number := range []string{"1", "2", "3", "4"} {
			all = append(all, row+number)
		}
	}
	return all
}

// booking is seats that are kept for somebody on one day.
type booking struct {
	ID        string   `json:"id"`
	Day       string   `json:"day"`
	Screening string   `json:"screening"`
	Seats     []string `json:"seats"`
	Name      string   `json:"name"`
	Extras    []string `json:"extras,omitzero"`
}

func (s *shop) today() string { return s.now().Format(time.DateOnly) }

// freeSeats are those that nobody has.
func (s *state) freeSeats(day, screening string) []string {
	free := hall()
	for _, b := range s.Bookings {
		if b.Day == day && b.Screening == screening {
			free = slices.DeleteFunc(free, func(seat string) bool { return slices.Contains(b.Seats, seat) })
		}
	}
	return free
}

type shown struct {
	ID     string `json:"id"`
	Film   string `json:"film"`
	Genre  string `json:"genre"`
	Starts string `json:"starts"`
	Free   int    `json:"free"` // seats
}

func (s *shop) listScreenings(r *http.Request) (any, error) {
	wanted := r.URL.Query()["genre"]
	if err := checkWords("genre", wanted, genres()); err != nil {
		return nil, err
	}
	current, err := s.store.view()
	if err != nil {
		return nil, err
	}
	list := struct {
		Day        string  `json:"day"`
		Screenings []shown `json:"screenings"`
	}{s.today(), []shown{}}
	for _, each := range screenings() {
		if len(wanted) == 0 || slices.Contains(wanted, each.genre) {
			free := len(current.freeSeats(list.Day, each.id))
			list.Screenings = append(list.Screenings, shown{each.id, each.film, each.genre, each.starts, free})
		}
	}
	return list, nil
}

func (s *shop) listBookings(*http.Request) (any, error) {
	current, err := s.store.view()
	if err != nil {
		return nil, err
	}
	list := struct {
		Bookings []booking `json:"bookings"`
	}{slices.DeleteFunc(slices.Clone(current.Bookings), func(b booking) bool { return b.Day != s.today() })}
	slices.Reverse(list.Bookings)
	if list.Bookings == nil {
		list.Bookings = []booking{}
	}
	return list, nil
}

// bookingRequest is the body of a booking; the MCP tool has the screening in it too.
type bookingRequest struct {
	Screening string         `json:"screening"`
	Name      string         `json:"name"`
	Seats     jsontext.Value `json:"seats"`
	Wishes    struct {
		Row    string   `json:"row"`
		Extras []string `json:"extras"`
	} `json:"wishes"`
}

func (s *shop) readBooking(r *http.Request) (change, jsontext.Value, error) {
	request, body, err := readBody[bookingRequest](r, maxBody)
	if err != nil {
		return nil, nil, err
	}
	if request.Screening != "" { // it is in the path
		return nil, nil, invalid("UNKNOWN_MEMBER", "screening", "there is no member %q here", "/screening")
	}
	request.Screening = r.PathValue("screening")
	book, err := s.book(request)
	return book, body, err
}

// book checks a request for seats.
func (s *shop) book(request bookingRequest) (change, error) {
	seats := 1
	if request.Seats != nil {
		n, whole := parseWhole(request.Seats)
		if !whole || n < 1 || n > maxSeats {
			return nil, invalid("INVALID_SEATS", "seats", "seats must be 1 to %d", maxSeats)
		}
		seats = n
	}
	if err := firstError(
		checkWord("screening", request.Screening, screeningIDs()), checkName("name", request.Name),
		checkWords("extras", request.Wishes.Extras, []string{"blanket", "cushion", "water"}),
		checkWord("row", request.Wishes.Row, append(rows(), "")),
	); err != nil {
		return nil, err
	}
	return func(state *state) (envelope, error) {
		today := s.today()
		// What was kept for a day that is over is nobody's business any more.
		state.Bookings = slices.DeleteFunc(state.Bookings, func(b booking) bool { return b.Day != today })
		free := state.freeSeats(today, request.Screening)
		if len(free) < seats {
			return envelope{}, failure(http.StatusConflict, "SOLD_OUT", "%s are free, not %d", count(len(free), "seat"), seats).with("field", "seats")
		}
		kept := booking{
			ID: state.number("seat_"), Day: today, Screening: request.Screening,
			Seats: choose(free, seats, request.Wishes.Row), Name: request.Name, Extras: request.Wishes.Extras,
		}
		state.Bookings = append(state.Bookings, kept)
		return envelope{
			Status: completed, Summary: count(seats, "seat") + " for " + kept.Name + ": " + strings.Join(kept.Seats, ", "),
			Links: []link{{"bookings", agentBase + "/bookings"}}, Result: kept,
		}, nil
	}, nil
}

// choose takes the first seats of the row that is wished for, and goes on elsewhere when there are too few.
func choose(free []string, n int, row string) []string {
	free = slices.Clone(free)
	slices.SortStableFunc(free, func(a, b string) int {
		switch inA, inB := strings.HasPrefix(a, row), strings.HasPrefix(b, row); {
		case inA && !inB:
			return -1
		case inB && !inA:
			return 1
		}
		return 0
	})
	return free[:n]
}

func (s *shop) readRelease(r *http.Request) (change, jsontext.Value, error) {
	id := r.PathValue("booking")
	return func(state *state) (envelope, error) {
		i := slices.IndexFunc(state.Bookings, func(b booking) bool { return b.ID == id && b.Day == s.today() })
		if i < 0 {
			return envelope{}, failure(http.StatusNotFound, "BOOKING_NOT_FOUND", "there is no booking %q", clip(id)).with("field", "booking")
		}
		gone := state.Bookings[i]
		state.Bookings = slices.Delete(state.Bookings, i, i+1)
		return envelope{
			Status: completed, Summary: "free again: " + strings.Join(gone.Seats, ", "),
			Links: []link{{"screenings", agentBase + "/screenings"}}, Result: gone,
		}, nil
	}, nil, nil
}
