package demo

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// readCancellation ends the membership. The club does not take an agent's word for it: it wants to have been told the name
// on the member's card, and asks for consent until it is.
func (s *shop) readCancellation(r *http.Request) (change, jsontext.Value, error) {
	request, body, err := readBody[struct {
		Confirm string `json:"confirm"`
		Reason  string `json:"reason"`
	}](r, maxBody)
	if err == nil {
		err = checkText("reason", request.Reason, 280)
	}
	return func(state *state) (envelope, error) {
		ended := state.Member
		switch {
		case ended == nil || !ended.Until.After(s.now()):
			return envelope{}, failure(http.StatusConflict, "NO_MEMBERSHIP", "there is no membership to cancel")
		case request.Confirm != ended.Name:
			return envelope{}, failure(http.StatusForbidden, "CONSENT_REQUIRED", "the member has to confirm this, with the name on the card").with("field", "confirm")
		}
		state.Member = nil
		return envelope{
			Status: completed, Summary: ended.Name + " is a member no more", Links: []link{{"membership", apiBase + "/club"}},
			Result: membership{Member: false, Name: ended.Name},
		}, nil
	}, body, err
}
