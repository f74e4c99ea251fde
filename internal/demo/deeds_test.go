package demo

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// wantDone checks the answer of a deed, and returns it.
func wantDone(t *testing.T, got *httptest.ResponseRecorder, status int, capability string) envelope {
	t.Helper()
	var done envelope
	if err := json.Unmarshal(got.Body.Bytes(), &done); err != nil || got.Code != status || done.Capability != capability {
		t.Fatalf("%d %s (%v), want %d of %s", got.Code, got.Body, err, status, capability)
	}
	wantFits(t, servedJSON(t, "/agent/schemas/envelope.json"), "", got.Body.String())
	wantFits(t, servedJSON(t, "/agent/openapi.json"), "/components/schemas/Envelope", got.Body.String())
	return done
}

func bookings(t *testing.T, h http.Handler) []booking {
	t.Helper()
	var list struct {
		Bookings []booking `json:"bookings"`
	}
	if err := json.Unmarshal(fetchPage(t, h, "/agent/bookings").Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	return list.Bookings
}

func TestSeatsAreKeptAndGivenBack(t *testing.T) {
	h := newSite(t)
	wantDone(t, ask(h, "POST", "/agent/screenings/late/bookings", `{"name":"Ada","seats":2,"wishes":{"row":"B","extras":["blanket"]}}`), 201, "book-seat")
	done := wantDone(t, ask(h, "POST", "/agent/screenings/late/bookings", `{"name":"Bob"}`), 201, "book-seat")
	if done.Summary != "1 seat for Bob: A1" || done.FollowUp || done.Status != completed {
		t.Errorf("%+v", done)
	}
	kept := bookings(t, h)
	if len(kept) != 2 || kept[1].Name != "Ada" || strings.Join(kept[1].Seats, " ") != "B1 B2" || kept[1].Extras[0] != "blanket" {
		t.Fatalf("%+v", kept)
	}
	if got := fetchPage(t, h, "/agent/screenings?genre=horror").Body.String(); !strings.Contains(got, `"free":9`) || strings.Contains(got, "matinee") {
		t.Errorf("%s", got)
	}
	done = wantDone(t, ask(h, "DELETE", "/agent/bookings/"+kept[1].ID, ""), 200, "release-seat")
	if done.Summary != "free again: B1, B2" {
		t.Errorf("%+v", done)
	}
	if kept := bookings(t, h); len(kept) != 1 || kept[0].Name != "Bob" {
		t.Errorf("%+v", kept)
	}
}

func TestASeatIsKeptOnce(t *testing.T) {
	h := newSite(t)
	taken := map[string]bool{}
	for range 12 / 3 {
		ask(h, "POST", "/agent/screenings/matinee/bookings", `{"name":"Ada","seats":3}`)
	}
	for _, b := range bookings(t, h) {
		for _, seat := range b.Seats {
			if taken[seat] {
				t.Errorf("%s is kept twice", seat)
			}
			taken[seat] = true
		}
	}
	if len(taken) != 12 {
		t.Errorf("%d seats are kept", len(taken))
	}
	wantRefusal(t, ask(h, "POST", "/agent/screenings/matinee/bookings", `{"name":"Bob"}`), 409, "book-seat", "sold_out")
}

func TestSeatsAreForOneDay(t *testing.T) {
	dir := t.TempDir()
	ask(siteIn(t, dir), "POST", "/agent/screenings/matinee/bookings", `{"name":"Ada"}`)
	id := bookings(t, siteIn(t, dir))[0].ID
	tomorrow := Handler(dir, func() time.Time { return evening().AddDate(0, 0, 1) })
	if got := fetchPage(t, tomorrow, "/agent/bookings").Body.String(); got != `{"bookings":[]}` {
		t.Errorf("%s", got)
	}
	if got := fetchPage(t, tomorrow, "/agent/screenings?genre=comedy").Body.String(); !strings.Contains(got, `"free":12`) {
		t.Errorf("%s", got)
	}
	wantRefusal(t, ask(tomorrow, "DELETE", "/agent/bookings/"+id, ""), 404, "release-seat", "booking_not_found")
	ask(tomorrow, "POST", "/agent/screenings/late/bookings", `{"name":"Bob"}`)
	current, err := store{dir: dir, now: evening}.view()
	if err != nil || len(current.Bookings) != 1 || current.Bookings[0].Name != "Bob" {
		t.Errorf("%+v, %v", current.Bookings, err)
	}
}

func TestARepeatedRequestIsDoneOnce(t *testing.T) {
	h := newSite(t)
	const target, body = "/agent/screenings/matinee/bookings", `{"name":"Ada"}`
	first := ask(h, "POST", target, body, "Idempotency-Key", "k1")
	if again := ask(h, "POST", target, body, "Idempotency-Key", "k1"); again.Code != 201 || again.Body.String() != first.Body.String() {
		t.Errorf("%d %s, first %s", again.Code, again.Body, first.Body)
	}
	if n := len(bookings(t, h)); n != 1 {
		t.Errorf("%d bookings", n)
	}
	wantRefusal(t, ask(h, "POST", target, `{"name":"Bob"}`, "Idempotency-Key", "k1"), 422, "book-seat", "idempotency_key_reused")
	wantRefusal(t, ask(h, "POST", "/agent/screenings/late/bookings", body, "Idempotency-Key", "k1"), 422, "book-seat", "idempotency_key_reused")
	wantRefusal(t, ask(h, "POST", target, body, "Idempotency-Key", strings.Repeat("k", 129)), 400, "book-seat", "invalid_idempotency_key")
	wantRefusal(t, ask(h, "POST", target, body, "Idempotency-Key", "k\xff"), 400, "book-seat", "invalid_idempotency_key")
	wantDone(t, ask(h, "POST", target, body, "Idempotency-Key", "k2"), 201, "book-seat")
	wantDone(t, ask(h, "POST", target, body), 201, "book-seat")
	wantDone(t, ask(h, "POST", target, body), 201, "book-seat")
	if n := len(bookings(t, h)); n != 4 {
		t.Errorf("%d bookings", n)
	}
	// What was refused is not remembered: with the same key it may be put right.
	ask(h, "POST", target, `{"name":""}`, "Idempotency-Key", "k3")
	wantDone(t, ask(h, "POST", target, body, "Idempotency-Key", "k3"), 201, "book-seat")
}

func TestReceiptsTellWhatWasDone(t *testing.T) {
	h := newSite(t)
	got := ask(h, "POST", "/agent/screenings/matinee/bookings", `{"name":"Ada"}`, "Idempotency-Key", "secret-key")
	done := wantDone(t, got, 201, "book-seat")
	shown := fetchPage(t, h, done.Links[len(done.Links)-1].Href)
	var kept receipt
	if err := json.Unmarshal(shown.Body.Bytes(), &kept); err != nil || kept.ID != done.Audit || kept.Capability != "book-seat" || string(kept.Answer) != got.Body.String() {
		t.Errorf("%s (%v)", shown.Body, err)
	}
	if strings.Contains(shown.Body.String(), "secret-key") {
		t.Error("the receipt tells the key")
	}
	wantRefusal(t, fetchPage(t, h, "/agent/receipts/aud_0000000000"), 404, "", "receipt_not_found")
}

func TestTheClubRemembersSoManyReceipts(t *testing.T) {
	dir := t.TempDir()
	s := store{dir: dir, now: evening}
	if err := s.update(func(state *state) error {
		state.Receipts = make([]receipt, maxReceipts)
		state.Events = make([]event, maxEvents)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	wantDone(t, ask(siteIn(t, dir), "POST", "/agent/events", `{"title":"x","day":"2027-01-01","guests":2}`), 202, "host-an-event")
	if current, err := s.view(); err != nil || len(current.Receipts) != maxReceipts || len(current.Events) != maxEvents {
		t.Errorf("%d receipts, %d events, %v", len(current.Receipts), len(current.Events), err)
	}
}

func TestTheManagerDecidesAboutEvents(t *testing.T) {
	h := newSite(t)
	done := wantDone(t, ask(h, "POST", "/agent/events", `{"title":"Ada's birthday","day":"2026-09-02","guests":8}`), 202, "host-an-event")
	if done.Status != pendingReview || !done.FollowUp || done.Links[0].Rel != "status" {
		t.Fatalf("%+v", done)
	}
	if got := fetchPage(t, h, done.Links[0].Href).Body.String(); !strings.Contains(got, `"status":"pending_review"`) || !strings.Contains(got, "Ada's birthday") {
		t.Errorf("%s", got)
	}
	wantRefusal(t, fetchPage(t, h, "/agent/events/event_0000"), 404, "host-an-event", "event_not_found")
}

func TestACancellationNeedsAGrantAndTheMembersWord(t *testing.T) {
	dir := t.TempDir()
	h := siteIn(t, dir)
	const target = "/agent/cancellations"
	got := ask(h, "POST", target, `{"confirm":"Ada"}`)
	wantRefusal(t, got, 401, "cancel-membership", "grant_required")
	if !strings.HasPrefix(got.Header().Get("WWW-Authenticate"), "Bearer") {
		t.Error("it does not say how to sign in")
	}
	other := "Bearer " + grantFor(t, dir, `"checkout"`)
	wantRefusal(t, ask(h, "POST", target, `{"confirm":"Ada"}`, "Authorization", other), 403, "cancel-membership", "scope_missing")
	grant := "Bearer " + grantFor(t, dir, `"club:manage"`)
	wantRefusal(t, ask(h, "POST", target, `{"confirm":"Ada"}`, "Authorization", grant), 409, "cancel-membership", "no_membership")
	h.send("POST", "/club/members", `{"name":"Ada"}`).wantStatus(201)
	for _, body := range []string{`{}`, `{"confirm":""}`, `{"confirm":"Bob"}`, `{"confirm":"ada"}`} {
		wantRefusal(t, ask(h, "POST", target, body, "Authorization", grant), 403, "cancel-membership", "consent_required")
	}
	if member := h.get("/club").text("member"); member != "true" {
		t.Error("the membership is gone without consent")
	}
	wantDone(t, ask(h, "POST", target, `{"confirm":"Ada","reason":"too salty"}`, "Authorization", grant), 200, "cancel-membership")
	if member := h.get("/club").text("member"); member != "false" {
		t.Error("the membership is still there")
	}
}

func TestDeedsThatAreRefused(t *testing.T) {
	const book, host = "/agent/screenings/late/bookings", "/agent/events"
	for name, test := range map[string]struct {
		target, body string
		status       int
		capability   string
		code         string
	}{
		"nobody":            {book, `{}`, 422, "book-seat", "invalid_name"},
		"a blank name":      {book, `{"name":" "}`, 422, "book-seat", "invalid_name"},
		"an escape":         {book, `{"name":"\u001b[2J"}`, 422, "book-seat", "control_character"},
		"a long name":       {book, `{"name":"` + strings.Repeat("a", 81) + `"}`, 422, "book-seat", "too_long"},
		"no seats":          {book, `{"name":"Ada","seats":0}`, 422, "book-seat", "invalid_seats"},
		"many seats":        {book, `{"name":"Ada","seats":7}`, 422, "book-seat", "invalid_seats"},
		"half a seat":       {book, `{"name":"Ada","seats":1.5}`, 422, "book-seat", "invalid_seats"},
		"an unknown row":    {book, `{"name":"Ada","wishes":{"row":"Z"}}`, 422, "book-seat", "invalid_row"},
		"an unknown extra":  {book, `{"name":"Ada","wishes":{"extras":["dog"]}}`, 422, "book-seat", "invalid_extras"},
		"an extra twice":    {book, `{"name":"Ada","wishes":{"extras":["water","water"]}}`, 422, "book-seat", "given_twice"},
		"another screening": {book, `{"name":"Ada","screening":"matinee"}`, 422, "book-seat", "unknown_member"},
		"no such film":      {"/agent/screenings/noon/bookings", `{"name":"Ada"}`, 422, "book-seat", "invalid_screening"},
		"an unknown member": {book, `{"name":"Ada","age":7}`, 422, "book-seat", "unknown_member"},
		"a member twice":    {book, `{"name":"Ada","name":"Bob"}`, 400, "book-seat", "invalid_json"},
		"no body":           {book, ``, 415, "book-seat", "unsupported_media_type"},
		"too much":          {book, `{"name":"` + strings.Repeat("a", maxBody) + `"}`, 413, "book-seat", "body_too_large"},
		"a lonely event":    {host, `{"title":"x","day":"2027-01-01","guests":1}`, 422, "host-an-event", "invalid_guests"},
		"a crowd":           {host, `{"title":"x","day":"2027-01-01","guests":13}`, 422, "host-an-event", "invalid_guests"},
		"no title":          {host, `{"day":"2027-01-01","guests":3}`, 422, "host-an-event", "invalid_title"},
		"no day":            {host, `{"title":"x","day":"2027-02-30","guests":3}`, 422, "host-an-event", "invalid_day"},
		"today":             {host, `{"title":"x","day":"2026-09-01","guests":3}`, 422, "host-an-event", "day_past"},
		"a long film":       {host, `{"title":"x","day":"2027-01-01","guests":3,"film":"` + strings.Repeat("a", 81) + `"}`, 422, "host-an-event", "too_long"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			wantRefusal(t, ask(siteIn(t, dir), "POST", test.target, test.body), test.status, test.capability, test.code)
			if current, err := (store{dir: dir, now: evening}).view(); err != nil || len(current.Bookings)+len(current.Events)+len(current.Receipts) > 0 {
				t.Errorf("it was done: %+v, %v", current, err)
			}
		})
	}
}

func TestAPersonPaysForAParty(t *testing.T) {
	pay := func(h http.Handler, form string, headers ...string) *httptest.ResponseRecorder {
		return ask(h, "POST", "/agent/party", form, append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
	}
	h := newSite(t)
	for form, status := range map[string]int{"guests=1": 422, "guests=41": 422, "guests=x": 422, "": 422, "guests=" + strings.Repeat("1", maxBody): 422} {
		if got := pay(h, form); got.Code != status {
			t.Errorf("%.20q: %d", form, got.Code)
		}
	}
	if got := pay(h, "guests=12", "Sec-Fetch-Site", "cross-site"); got.Code != http.StatusForbidden {
		t.Errorf("a page of another site paid: %d", got.Code)
	}
	if got := pay(h, "guests=12"); got.Code != http.StatusCreated || !strings.Contains(got.Body.String(), "36.00 credits") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := fetchPage(t, h, "/counter/purchases").Body.String(); strings.Count(got, `"order_id"`) != 1 || !strings.Contains(got, `"paid":36.00`) {
		t.Errorf("%s", got)
	}
}
