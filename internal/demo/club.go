package demo

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// membershipFee is what the description publishes as payment; the approval happens in the client, the money is imagined.
const membershipFee cents = 900

type membership struct {
	Member bool      `json:"member"`
	Name   string    `json:"name,omitzero"`
	Until  time.Time `json:"until,omitzero"`
}

type enrolment struct {
	membership
	Newsletter bool   `json:"newsletter"`
	Paid       cents  `json:"paid"`
	Currency   string `json:"currency"`
}

func (s *shop) showMembership(*http.Request) (document, error) {
	state, err := s.store.view()
	if err != nil || state.Member == nil {
		return membership{}, err
	}
	return membership{Member: state.Member.Until.After(s.now()), Name: state.Member.Name, Until: state.Member.Until}, nil
}

func (m membership) markdown() string {
	switch {
	case m.Member:
		return fmt.Sprintf("# 🍿 Popcorn Club\n\n**%s** is a member until **%s**.\n", escape(m.Name), day(m.Until)) + nextStep("menu list")
	case m.Name != "":
		return fmt.Sprintf("# 🍿 Popcorn Club\n\nThe membership of **%s** ended on %s.\n", escape(m.Name), day(m.Until)) + nextStep("club join")
	}
	return "# 🍿 Popcorn Club\n\nYou are *not a member yet*. A year costs 9 credits.\n" + nextStep("club join")
}

func (s *shop) joinClub(r *http.Request) (document, error) {
	request, _, err := readBody[struct {
		Name       *string `json:"name"`
		Newsletter bool    `json:"newsletter"`
	}](r, maxBody)
	if err != nil {
		return nil, err
	}
	name := "Popcorn Lover"
	if request.Name != nil {
		name = *request.Name
	}
	if strings.TrimSpace(name) == "" {
		return nil, invalid("INVALID_NAME", "name", "a name needs a letter")
	}
	if err := checkText("name", name, 80); err != nil {
		return nil, err
	}
	until := s.now()
	err = s.store.update(func(state *state) error {
		if state.Member != nil && state.Member.Until.After(until) {
			until = state.Member.Until // another year is added to what was paid already
		}
		until = until.AddDate(1, 0, 0)
		state.Member = &member{Name: name, Newsletter: request.Newsletter, Until: until}
		return nil
	})
	return enrolment{membership{true, name, until}, request.Newsletter, membershipFee, "credits"}, err
}

func (e enrolment) markdown() string {
	return fmt.Sprintf("# 🍿 Welcome, %s\n\nYou are a member of the Popcorn Club until **%s**. Paid: %s %s.\n",
		escape(e.Name), day(e.Until), e.Paid, e.Currency) + nextStep("club")
}
