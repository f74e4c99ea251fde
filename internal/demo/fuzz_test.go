package demo

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// Whatever is sent, the shop answers with strict JSON, blames itself for nothing, and keeps a state that it can read again.
func FuzzOrder(f *testing.F) {
	f.Add(`{"qty":2,"flavour":"caramel","toppings":["nuts"],"shipping_city":"Paris","shipping_zip":"75001"}`)
	f.Add(`{"qty":1e2,"note":"\u001b","tags":[null]}`)
	f.Add(`{"qty":-0.0}`)
	f.Add("{\"qty\":1,\"note\":\"\xff\"}")
	f.Fuzz(func(t *testing.T, body string) {
		request := httptest.NewRequest(http.MethodPost, apiBase+"/orders", strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		dir := t.TempDir()
		recorder := httptest.NewRecorder()
		Handler(dir, evening).ServeHTTP(recorder, request)
		if err := strictjson.Check(recorder.Body.Bytes()); err != nil || recorder.Code >= http.StatusInternalServerError {
			t.Fatalf("status %d, %v: %s", recorder.Code, err, recorder.Body)
		}
		if _, err := (store{dir: dir, now: evening}).view(); err != nil {
			t.Fatalf("the state cannot be read after %q: %v", body, err)
		}
	})
}

// A state that is accepted is the same after it was written and read again.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"version":1,"counter":3,"orders":[],"photos":0}`))
	f.Add([]byte(`{"version":1,"counter":0,"orders":[{"id":"ord_1","status":"confirmed","flavour":"salted","qty":1,"toppings":[],"tags":[],"total":3.50,"refunded":0.00,"placed":"2026-09-01T18:00:00Z"}],"photos":0}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		first, err := parseState(text)
		if err != nil {
			return
		}
		once, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		second, err := parseState(once)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once)
		}
		if twice, err := json.Marshal(second); err != nil || string(twice) != string(once) {
			t.Fatalf("not stable (%v):\n%s\n%s", err, once, twice)
		}
	})
}

// An amount that is accepted is shown as an amount that is accepted and equal.
func FuzzCents(f *testing.F) {
	for _, text := range []string{"4.5", "0.1000", "1e2", "-3.07", "1e-2", "12345678901234567890", "007", "NaN"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		amount, ok := parseCents(jsontext.Value(text))
		if !ok {
			return
		}
		if again, ok := parseCents(jsontext.Value(amount.String())); !ok || again != amount {
			t.Errorf("%q is %s, which is read as %s", text, amount, again)
		}
	})
}

// Whatever a capability is called with, it answers with strict JSON and an envelope, and keeps a state that can be read again.
func FuzzDeed(f *testing.F) {
	f.Add(0, "late", "k", `{"name":"Ada","seats":2,"wishes":{"row":"B","extras":["blanket"]}}`)
	f.Add(1, "seat_0000", "", ``)
	f.Add(2, "", "k\xff", `{"title":"x","day":"2027-01-01","guests":1e1}`)
	f.Add(3, "", "", `{"confirm":"\u001b"}`)
	f.Fuzz(func(t *testing.T, which int, name, key, body string) {
		targets := []string{
			"POST /agent/screenings/{}/bookings", "DELETE /agent/bookings/{}", "POST /agent/events", "POST /agent/cancellations",
			"GET /agent/receipts/{}", "GET /agent/events/{}", "GET /agent/snacks?query={}&max_price={}", "GET /agent/screenings?genre={}",
		}
		method, target, _ := strings.Cut(targets[uint(which)%uint(len(targets))], " ")
		request := httptest.NewRequest(method, strings.ReplaceAll(target, "{}", url.QueryEscape(name)), strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		request.Header["Idempotency-Key"] = []string{key}
		dir := t.TempDir()
		recorder := httptest.NewRecorder()
		Handler(dir, evening).ServeHTTP(recorder, request)
		if recorder.Code == http.StatusTemporaryRedirect || recorder.Code == http.StatusMovedPermanently {
			return // a name such as "..": the path is another one
		}
		if err := strictjson.Check(recorder.Body.Bytes()); err != nil || recorder.Code >= http.StatusInternalServerError {
			t.Fatalf("status %d, %v: %s", recorder.Code, err, recorder.Body)
		}
		if _, err := (store{dir: dir, now: evening}).view(); err != nil {
			t.Fatalf("the state cannot be read after %q %q: %v", target, body, err)
		}
	})
}
