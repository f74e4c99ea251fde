package demo

import (
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// maxEvents is how many requests for an event wait for the manager; the oldest goes first.
const maxEvents = 50

// event is a request for the whole cinema. The manager, a person, decides about it; in a practice club that takes for ever.
type event struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Title  string `json:"title"`
	Day    string `json:"day"`
	Guests int    `json:"guests"`
	Film   string `json:"film,omitzero"`
}

func (s *shop) readEvent(r *http.Request) (change, jsontext.Value, error) {
	request, body, err := readBody[struct {
		Title  string         `json:"title"`
		Day    string         `json:"day"`
		Guests jsontext.Value `json:"guests"`
		Film   string         `json:"film"`
	}](r, maxBody)
	if err != nil {
		return nil, nil, err
	}
	guests, whole := parseWhole(request.Guests)
	date, notADay := time.Parse(time.DateOnly, request.Day)
	switch most := len(hall()); {
	case !whole || guests < 2 || guests > most:
		err = invalid("INVALID_GUESTS", "guests", "guests must be 2 to %d", most)
	case notADay != nil:
		err = invalid("INVALID_DAY", "day", "day must be a date such as 2030-05-01")
	case !date.After(s.now()):
		err = invalid("DAY_PAST", "day", "%s is not a day to come", request.Day)
	default:
		err = firstError(checkName("title", request.Title), checkText("film", request.Film, 80))
	}
	asked := event{Status: pendingReview, Title: request.Title, Day: request.Day, Guests: guests, Film: request.Film}
	return func(state *state) (envelope, error) {
		asked.ID = state.number("event_")
		state.Events = append(latest(state.Events, maxEvents-1), asked)
		return envelope{
			Status: pendingReview, Summary: fmt.Sprintf("%s on %s, %d guests: the manager will decide", asked.Title, asked.Day, asked.Guests),
			FollowUp: true, Links: []link{{"status", agentBase + "/events/" + asked.ID}}, Result: asked,
		}, nil
	}, body, err
}

func (s *shop) showEvent(r *http.Request) (any, error) {
	current, err := s.store.view()
	if err != nil {
		return nil, err
	}
	id := r.PathValue("event")
	for _, each := range current.Events {
		if each.ID == id {
			return each, nil
		}
	}
	return nil, failure(http.StatusNotFound, "EVENT_NOT_FOUND", "nobody asked for an event %q", clip(id))
}
