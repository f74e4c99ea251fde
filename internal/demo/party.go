package demo

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/agentctl/agentctl/internal/demo/reply"
)

// What a party costs each guest, and how many may come.
const (
	partyPrice            cents = 300
	fewGuests, manyGuests       = 2, 40
)

// payParty takes the form of the hosted checkout, which a person fills in. The purchase is listed with all others.
func (s *shop) payParty(w http.ResponseWriter, r *http.Request) {
	const page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>%[1]s</title></head>\n<body><h1>%[1]s</h1><p>%[2]s</p></body>\n</html>\n"
	const mediaType = "text/html; charset=utf-8"
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	guests, err := strconv.Atoi(r.PostFormValue("guests"))
	if err != nil || guests < fewGuests || guests > manyGuests {
		reply.Once(w, http.StatusUnprocessableEntity, mediaType, fmt.Sprintf(page, "Not paid", fmt.Sprintf("A party has %d to %d guests.", fewGuests, manyGuests)))
		return
	}
	sold, err := s.sell(purchase{Items: []cartLine{{"party", guests, partyPrice}}})
	if err != nil {
		writeError(w, err)
		return
	}
	reply.Once(w, http.StatusCreated, mediaType, fmt.Sprintf(page, "Thank you", fmt.Sprintf("%s credits for %d guests. Your receipt: %s.", sold.Paid, guests, sold.ID)))
}
