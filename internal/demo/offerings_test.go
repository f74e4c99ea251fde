package demo

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/demo/catalogue"
)

// act calls what an Action leads to.
func act(t *testing.T, dir, method, path, body string) answer {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, catalogue.Base+path, reader)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	Handler(dir, evening).ServeHTTP(w, r)
	return answer{w, t}
}

func TestWhatIsBoughtByTheCatalogueIsKept(t *testing.T) {
	dir := t.TempDir()
	for _, order := range []struct{ path, body, paid string }{
		{"/purchases/caramel", `{"name":"Ada"}`, "4.50"},
		{"/purchases/caramel", `{"name":"Ada","to":"seat","quantity":3}`, "13.50"},
		{"/jars/nuts", "", "0.50"},
		{"/jars/nuts", "{}", "0.50"},
		{"/purchases/gift-box", `{"name":"Ada"}`, "18.00"},
		{"/purchases/gift-box", `{"name":"Ada","ribbon":"gold"}`, "20.00"},
		{"/machines/red/rentals", `{"days":2}`, "30.00"},
		{"/machines/red/rentals?delivery=true", `{"days":1}`, "20.00"},
	} {
		if paid := act(t, dir, http.MethodPost, order.path, order.body).wantStatus(http.StatusCreated).text("paid"); paid != order.paid {
			t.Errorf("%s %s costs %s, want %s", order.path, order.body, paid, order.paid)
		}
	}
	current, err := store{dir: dir, now: evening}.view()
	if err != nil || len(current.Purchases) != 8 || current.Purchases[5].Ribbon != "gold" || current.Purchases[7].Items[0].Product != "machine" {
		t.Errorf("%v, %+v", err, current.Purchases)
	}
}

func TestPricesAreThoseOfTheMenu(t *testing.T) {
	s := &shop{}
	s.openCatalogue(http.NewServeMux())
	for _, f := range flavours() {
		if price, _, err := s.offeringPrice(f.SKU); err != nil || price != f.Price {
			t.Errorf("%s: %s, %v; on the menu it is %s", f.SKU, price, err, f.Price)
		}
	}
	for _, topping := range toppings() {
		if price, _, err := s.offeringPrice("topping-" + topping); err != nil || price != toppingPrice {
			t.Errorf("%s: %s, %v; on the menu it is %s", topping, price, err, toppingPrice)
		}
	}
}

func TestTheMachineIsHeldOnceADay(t *testing.T) {
	dir := t.TempDir()
	hold := func(body string) answer { t.Helper(); return act(t, dir, http.MethodPost, "/machines/holds", body) }
	hold(`{"day":"2027-05-03","days":3}`).wantStatus(http.StatusCreated)
	hold(`{"day":"2027-05-02"}`).wantStatus(http.StatusCreated)
	hold(`{"day":"2027-05-06"}`).wantStatus(http.StatusCreated)
	hold(`{"day":"2027-05-05"}`).wantError(http.StatusConflict, "MACHINE_TAKEN")
	hold(`{"day":"2027-05-01","days":14}`).wantError(http.StatusConflict, "MACHINE_TAKEN")
	hold(`{"day":"` + evening().Format(time.DateOnly) + `"}`).wantStatus(http.StatusCreated)
	hold(`{"day":"`+evening().AddDate(0, 0, -1).Format(time.DateOnly)+`"}`).wantError(http.StatusUnprocessableEntity, "DAY_PAST")
}

func TestReservationsAreKeptUpToALimit(t *testing.T) {
	dir := t.TempDir()
	s := store{dir: dir, now: evening}
	if err := s.update(func(state *state) error {
		for range maxHolds {
			state.Holds = append(state.Holds, hold{"hold_x", "2027-01-01", 1})
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	act(t, dir, http.MethodPost, "/machines/holds", `{"day":"2027-05-03"}`).wantStatus(http.StatusCreated)
	if current, err := s.view(); err != nil || len(current.Holds) != maxHolds || current.Holds[maxHolds-1].Day != "2027-05-03" {
		t.Errorf("%v, %d holds", err, len(current.Holds))
	}
}

func TestPagesOfAnotherSiteBuyNothing(t *testing.T) {
	dir := t.TempDir()
	got := ask(siteIn(t, dir), http.MethodPost, catalogue.Base+"/jars/nuts", "", "Sec-Fetch-Site", "cross-site")
	answer{got, t}.wantError(http.StatusForbidden, "CROSS_ORIGIN")
}

func TestQuotesAndDraws(t *testing.T) {
	dir := t.TempDir()
	if price := act(t, dir, http.MethodGet, "/evenings/12?extras=film&extras=candyfloss", "").wantStatus(http.StatusOK).text("price"); price != "126.00" {
		t.Errorf("the evening costs %s", price)
	}
	if _, sold := findFlavour(act(t, dir, http.MethodGet, "/draw", "").wantStatus(http.StatusOK).text("sku")); !sold {
		t.Error("what was drawn is not sold")
	}
}

func TestActionsRefuse(t *testing.T) {
	for name, test := range map[string]struct {
		method, path, body string
		status             int
		code               string
	}{
		"what has a range of prices": {"POST", "/purchases/surprise", `{"name":"Ada"}`, 404, "NOT_FOR_SALE"},
		"what is rented":             {"POST", "/purchases/machine", `{"name":"Ada"}`, 404, "NOT_FOR_SALE"},
		"what is not there":          {"POST", "/purchases/gravel", `{"name":"Ada"}`, 404, "NOT_FOR_SALE"},
		"nobody":                     {"POST", "/purchases/caramel", `{"name":" "}`, 422, "INVALID_NAME"},
		"a long name":                {"POST", "/purchases/caramel", `{"name":"` + strings.Repeat("a", 81) + `"}`, 422, "TOO_LONG"},
		"another place":              {"POST", "/purchases/caramel", `{"name":"Ada","to":"moon"}`, 422, "INVALID_TO"},
		"a ribbon round a bag":       {"POST", "/purchases/caramel", `{"name":"Ada","ribbon":"red"}`, 422, "NO_RIBBON"},
		"a ribbon of no colour":      {"POST", "/purchases/gift-box", `{"name":"Ada","ribbon":"clear"}`, 422, "INVALID_RIBBON"},
		"an unknown member":          {"POST", "/purchases/caramel", `{"name":"Ada","colour":"red"}`, 422, "UNKNOWN_MEMBER"},
		"twenty-one bags":            {"POST", "/purchases/caramel", `{"name":"Ada","quantity":21}`, 422, "INVALID_QUANTITY"},
		"twenty jars":                {"POST", "/jars/nuts", `{"quantity":20}`, 422, "UNKNOWN_MEMBER"},
		"a jar of nothing":           {"POST", "/jars/gravel", "", 404, "NOT_FOR_SALE"},
		"a day that does not exist":  {"POST", "/machines/holds", `{"day":"2027-02-30"}`, 422, "INVALID_DAY"},
		"half a day":                 {"POST", "/machines/holds", `{"day":"2027-02-03","days":0.5}`, 422, "INVALID_DAYS"},
		"a rent of no days":          {"POST", "/machines/red/rentals", `{"days":0}`, 422, "INVALID_DAYS"},
		"a machine that is not here": {"POST", "/machines/blue/rentals", `{"days":1}`, 422, "INVALID_MACHINE"},
		"a rent without days":        {"POST", "/machines/red/rentals", `{}`, 422, "INVALID_DAYS"},
		"an evening alone":           {"GET", "/evenings/0", "", 422, "INVALID_GUESTS"},
		"an evening with everything": {"GET", "/evenings/9?extras=fireworks", "", 422, "INVALID_EXTRAS"},
	} {
		t.Run(name, func(t *testing.T) {
			act(t, t.TempDir(), test.method, test.path, test.body).wantError(test.status, test.code)
		})
	}
}

// The demo starts with each command that uses it, so that making it must cost next to nothing.
func BenchmarkHandler(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		Handler(dir, evening)
	}
}
