package demo

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/flow"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/agentactions"
)

// counterView returns the counter as a client reads it.
func counterView(t *testing.T) *manifest.Site {
	t.Helper()
	recorder := httptest.NewRecorder()
	Handler(t.TempDir(), evening).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, agentactions.Path, nil))
	if recorder.Code != http.StatusOK || recorder.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("status %d, %v", recorder.Code, recorder.Header())
	}
	m, err := agentactions.Parse(recorder.Body.Bytes(), "localhost")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func counterAction(t *testing.T, m *manifest.Site, name string) *agentactions.Action {
	t.Helper()
	i := slices.IndexFunc(m.Actions, func(s manifest.Summary) bool { return s.Command[0] == name })
	if i < 0 {
		t.Fatalf("there is no action %q", name)
	}
	a, err := agentactions.ParseAction(m.Actions[i])
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAClientFindsNothingWrongAtTheCounter(t *testing.T) {
	m := counterView(t)
	for _, issue := range m.Issues {
		t.Errorf("%+v", issue)
	}
	for _, summary := range m.Actions {
		a := counterAction(t, m, summary.Command[0])
		if _, err := input.CompileObject(a.Input, a.Args); err != nil {
			t.Errorf("%s: %v", a.Command[0], err)
		}
		if _, offered := (&shop{}).counter()[a.Method+" "+a.Endpoint]; !offered {
			t.Errorf("nothing answers %s %s", a.Method, a.Endpoint)
		}
	}
	if len(m.Actions) != len((&shop{}).counter()) {
		t.Errorf("%d actions are published, %d answered", len(m.Actions), len((&shop{}).counter()))
	}
	for _, f := range m.Flows {
		if _, err := flow.Compile(f, func(name string) (*manifest.Action, error) { return &counterAction(t, m, name).Action, nil }); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// counterCall sends a call as a client makes it, with a grant or without.
func counterCall(t *testing.T, dir string, name, values, grant string) (status int, body string) {
	t.Helper()
	return counterCallAt(t, dir, evening(), name, values, grant)
}

func counterCallAt(t *testing.T, dir string, at time.Time, name, values, grant string) (status int, body string) {
	t.Helper()
	a := counterAction(t, counterView(t), name)
	set, err := input.CompileObject(a.Input, a.Args)
	if err != nil {
		t.Fatal(err)
	}
	checked, problems := set.Values(input.Words{Object: []byte(values)})
	if len(problems) > 0 {
		t.Fatalf("%+v", problems)
	}
	made, problems := a.Request(Origin, checked)
	if len(problems) > 0 {
		t.Fatalf("%+v", problems)
	}
	r := httptest.NewRequest(made.Method, made.URL, strings.NewReader(string(made.Body)))
	r.Header = made.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if grant != "" {
		r.Header.Set("Authorization", "Bearer "+grant)
	}
	recorder := httptest.NewRecorder()
	Handler(dir, func() time.Time { return at }).ServeHTTP(recorder, r)
	text, _ := io.ReadAll(recorder.Body)
	return recorder.Code, string(text)
}

// get takes one member of an answer.
func get[T any](t *testing.T, body, name string) (value T) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if err := json.Unmarshal(members[name], &value); err != nil {
		t.Fatalf("%s of %s: %v", name, body, err)
	}
	return value
}

func grantFor(t *testing.T, dir string, scopes string) string {
	t.Helper()
	status, body := counterCall(t, dir, "sign_in", `{"scopes":[`+scopes+`]}`, "")
	if status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	return get[string](t, body, "grant")
}

func TestACartIsSoldOnceForWhatItsBuyerAgreedTo(t *testing.T) {
	dir := t.TempDir()
	grant := grantFor(t, dir, `"cart:write","checkout"`)
	_, body := counterCall(t, dir, "add_to_cart", `{"product_id":"caramel","quantity":2}`, grant)
	id := get[string](t, body, "cart_id")
	_, body = counterCall(t, dir, "add_to_cart", `{"product_id":"salted","quantity":1,"cart_id":"`+id+`"}`, grant)
	if total := get[json.Number](t, body, "total"); total != "12.50" {
		t.Fatalf("the total is %s", total)
	}
	for _, step := range []struct {
		name, values string
		status       int
		code         string
	}{
		{"checkout", `{"cart_id":"` + id + `","amount":12}`, http.StatusConflict, "PRICE_CHANGED"},
		{"gift_wrap", `{"cart_id":"` + id + `"}`, http.StatusCreated, ""},
		{"gift_wrap", `{"cart_id":"` + id + `","ribbon":"gold"}`, http.StatusConflict, "WRAPPED"},
		{"checkout", `{"cart_id":"` + id + `","amount":12.5}`, http.StatusCreated, ""},
		{"checkout", `{"cart_id":"` + id + `","amount":12.5}`, http.StatusConflict, "CART_BOUGHT"},
		{"add_to_cart", `{"product_id":"salted","quantity":1,"cart_id":"` + id + `"}`, http.StatusConflict, "CART_BOUGHT"},
		{"empty_cart", `{"cart_id":"` + id + `"}`, http.StatusConflict, "CART_BOUGHT"},
		{"view_cart", `{"cart_id":"` + id + `"}`, http.StatusOK, ""},
		{"view_cart", `{"cart_id":"cart_0000000000"}`, http.StatusNotFound, "CART_NOT_FOUND"},
		{"add_to_cart", `{"product_id":"gravel","quantity":1}`, http.StatusUnprocessableEntity, "PRODUCT_UNKNOWN"},
	} {
		status, body := counterCall(t, dir, step.name, step.values, grant)
		if status != step.status || step.code != "" && !strings.Contains(body, `"code":"`+step.code+`"`) {
			t.Errorf("%s %s: %d %s; want %d %s", step.name, step.values, status, body, step.status, step.code)
		}
	}
	_, body = counterCall(t, dir, "list_purchases", `{}`, "")
	if list := get[[]purchase](t, body, "purchases"); len(list) != 1 || list[0].Paid != 1250 || list[0].Ribbon != "red" {
		t.Errorf("bought %+v", list)
	}
}

func TestGrantsAtTheCounter(t *testing.T) {
	dir := t.TempDir()
	cartGrant := grantFor(t, dir, `"cart:write"`)
	for name, test := range map[string]struct {
		grant string
		at    time.Duration
		code  string
	}{
		"none":               {code: "GRANT_REQUIRED"},
		"no token":           {grant: "x", code: "GRANT_INVALID"},
		"of another counter": {grant: grantFor(t, t.TempDir(), `"cart:write"`), code: "GRANT_INVALID"},
		"for something else": {grant: grantFor(t, dir, `"checkout"`), code: "SCOPE_MISSING"},
		"whose time is over": {grant: cartGrant, at: 2 * time.Hour, code: "GRANT_INVALID"},
		"with no algorithm":  {grant: "eyJhbGciOiJub25lIn0." + strings.Split(cartGrant, ".")[1] + ".", code: "GRANT_INVALID"},
		"that is a good one": {grant: cartGrant},
		"that is still good": {grant: cartGrant, at: 59 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := counterCallAt(t, dir, evening().Add(test.at), "add_to_cart", `{"product_id":"caramel","quantity":1}`, test.grant)
			if test.code == "" && status != http.StatusCreated || test.code != "" && !strings.Contains(body, `"code":"`+test.code+`"`) {
				t.Errorf("%d %s; want %s", status, body, test.code)
			}
		})
	}
	if content, err := os.ReadFile(store{dir: dir}.path()); err != nil || strings.Contains(string(content), cartGrant) {
		t.Errorf("the shop keeps the grants it gave: %v", err)
	}
}

func TestTheCounterKeepsSoMuch(t *testing.T) {
	dir := t.TempDir()
	grant := grantFor(t, dir, `"cart:write"`)
	s := store{dir: dir, now: evening}
	if err := s.update(func(state *state) error {
		for range maxCarts {
			state.newCart()
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if status, body := counterCall(t, dir, "add_to_cart", `{"product_id":"caramel","quantity":1}`, grant); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	current, err := s.view()
	if err != nil || len(current.Carts) != maxCarts {
		t.Errorf("%d carts, %v", len(current.Carts), err)
	}
}
