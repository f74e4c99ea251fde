package demo

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestAnOrderIsListedNewestFirst(t *testing.T) {
	s := newSite(t)
	id := s.send("POST", "/orders", `{"qty":2}`).wantStatus(201).text("id")
	list := s.get("/orders").wantStatus(200)
	if ids := idsOf(list); len(ids) != 4 || ids[0] != id {
		t.Errorf("listed %v, want %s before the three of opening day", ids, id)
	}
	if got := s.get("/orders/" + id).wantStatus(200).text("total"); got != "7.00" {
		t.Errorf("two bags of salted cost %s, want 7.00", got)
	}
}

func TestOrderQuantity(t *testing.T) {
	for name, test := range map[string]struct {
		qty    string
		status int
	}{
		"one":                          {"1", 201},
		"a hundred":                    {"100", 201},
		"whole, written as a fraction": {"2.0", 201},
		"whole, with an exponent":      {"1e2", 201},
		"zero":                         {"0", 422},
		"negative":                     {"-1", 422},
		"too many":                     {"101", 422},
		"a fraction":                   {"1.5", 422},
		"text":                         {`"2"`, 422},
		"null":                         {"null", 422},
		"beyond any integer":           {"123456789012345678901234567890", 422},
	} {
		t.Run(name, func(t *testing.T) {
			got := newSite(t).send("POST", "/orders", `{"qty":`+test.qty+`}`)
			if test.status == 201 {
				got.wantStatus(201)
				return
			}
			got.wantError(422, "INVALID_QUANTITY")
			if field := got.text("error", "details", "field"); field != "qty" {
				t.Errorf("field %q, want qty", field)
			}
		})
	}
}

func TestOrdersThatAreRefused(t *testing.T) {
	long := strings.Repeat("x", 281)
	for name, test := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"no quantity":           {`{}`, 422, "INVALID_QUANTITY"},
		"unknown flavour":       {`{"qty":1,"flavour":"bacon"}`, 422, "INVALID_FLAVOUR"},
		"empty flavour":         {`{"qty":1,"flavour":""}`, 422, "INVALID_FLAVOUR"},
		"unknown topping":       {`{"qty":1,"toppings":["butter","tar"]}`, 422, "INVALID_TOPPINGS"},
		"topping twice":         {`{"qty":1,"toppings":["nuts","nuts"]}`, 422, "GIVEN_TWICE"},
		"city without zip":      {`{"qty":1,"shipping_city":"Paris"}`, 422, "INVALID_ADDRESS"},
		"street without city":   {`{"qty":1,"shipping_street":"Rue 1","shipping_zip":"1234"}`, 422, "INVALID_ADDRESS"},
		"long note":             {`{"qty":1,"note":"` + long + `"}`, 422, "TOO_LONG"},
		"escape sequence":       {`{"qty":1,"note":"\u001b[2J"}`, 422, "CONTROL_CHARACTER"},
		"capital tag":           {`{"qty":1,"tags":["Party"]}`, 422, "INVALID_TAG"},
		"nine tags":             {`{"qty":1,"tags":["a","b","c","d","e","f","g","h","i"]}`, 422, "TOO_MANY_TAGS"},
		"gift is a word":        {`{"qty":1,"gift":"yes"}`, 422, "WRONG_TYPE"},
		"unknown member":        {`{"qty":1,"price":0}`, 422, "UNKNOWN_MEMBER"},
		"member twice":          {`{"qty":1,"qty":2}`, 400, "INVALID_JSON"},
		"cut short":             {`{"qty":1`, 400, "INVALID_JSON"},
		"something behind":      {`{"qty":1} {}`, 400, "INVALID_JSON"},
		"nested out of reason":  {`{"note":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, 400, "INVALID_JSON"},
		"number costs too much": {`{"qty":1e999999999}`, 400, "INVALID_JSON"},
		"not an object":         {`[1]`, 422, "WRONG_TYPE"},
		"too large":             {`{"note":"` + strings.Repeat("x", maxBody) + `"}`, 413, "BODY_TOO_LARGE"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.send("POST", "/orders", test.body).wantError(test.status, test.code)
			if ids := idsOf(s.get("/orders")); len(ids) != 3 {
				t.Errorf("a refused order was kept: %v", ids)
			}
		})
	}
}

func TestBodyMustBeDeclaredAsJSON(t *testing.T) {
	for _, mediaType := range []string{"text/plain", "application/x-www-form-urlencoded", "", ";;"} {
		got := newSite(t).send("POST", "/orders", `{"qty":1}`, "Content-Type", mediaType)
		got.wantError(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
	}
	newSite(t).send("POST", "/orders", `{"qty":1}`, "Content-Type", "application/json; charset=utf-8").wantStatus(201)
}

func TestOrderFilters(t *testing.T) {
	for name, test := range map[string]struct{ query, ids, total string }{
		"none":             {"", "ord_3mZx ord_Kq71 ord_8fJ2", "3"},
		"status":           {"?status=popping", "ord_Kq71", "1"},
		"limit":            {"?limit=2", "ord_3mZx ord_Kq71", "3"},
		"one tag":          {"?tags=party", "ord_3mZx ord_8fJ2", "2"},
		"all of two tags":  {"?tags=party&tags=friends", "ord_8fJ2", "1"},
		"nothing matches":  {"?status=refunded", "", "0"},
		"filters add up":   {"?status=confirmed&tags=party&limit=1", "ord_3mZx", "1"},
		"unknown are left": {"?humanReadable=false&x=1", "ord_3mZx ord_Kq71 ord_8fJ2", "3"},
	} {
		t.Run(name, func(t *testing.T) {
			got := newSite(t).get("/orders" + test.query).wantStatus(200)
			if ids := strings.Join(idsOf(got), " "); ids != test.ids || got.text("total") != test.total {
				t.Errorf("listed %q of %s, want %q of %s", ids, got.text("total"), test.ids, test.total)
			}
		})
	}
}

func TestFiltersThatAreRefused(t *testing.T) {
	for query, code := range map[string]string{
		"status=eaten":                  "INVALID_STATUS",
		"status=popping&status=popping": "GIVEN_TWICE",
		"limit=0":                       "INVALID_LIMIT",
		"limit=101":                     "INVALID_LIMIT",
		"limit=many":                    "INVALID_LIMIT",
		"tags=":                         "INVALID_TAG",
		"tags=party&tags=party":         "INVALID_TAG",
	} {
		newSite(t).get("/orders?"+query).wantError(422, code)
	}
}

func TestRefundInParts(t *testing.T) {
	s := newSite(t)
	refund := func(amount string) answer {
		return s.send("POST", "/orders/ord_8fJ2/refunds", `{"reason":"late","refund":{`+amount+`}}`)
	}
	if got := refund(`"amount":4.5`).wantStatus(201).text("remaining"); got != "5.50" {
		t.Errorf("after 4.50 of 10.00 there remain %s, want 5.50", got)
	}
	refund(`"amount":5.51`).wantError(422, "AMOUNT_TOO_LARGE")
	last := refund("").wantStatus(201)
	if last.text("amount") != "5.50" || last.text("status") != refunded {
		t.Errorf("the rest is %s and the order %s, want 5.50 and refunded", last.text("amount"), last.text("status"))
	}
	refund("").wantError(409, "ALREADY_REFUNDED")
	refund(`"amount":0.01`).wantError(409, "ALREADY_REFUNDED")
}

func TestRefundsThatAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		target, body string
		status       int
		code         string
	}{
		"unknown order":      {"/orders/ord_none/refunds", `{"reason":"late","refund":{}}`, 404, "ORDER_NOT_FOUND"},
		"no reason":          {"/orders/ord_8fJ2/refunds", `{"refund":{}}`, 422, "INVALID_REASON"},
		"other reason":       {"/orders/ord_8fJ2/refunds", `{"reason":"bored","refund":{}}`, 422, "INVALID_REASON"},
		"nothing":            {"/orders/ord_8fJ2/refunds", `{"reason":"late","refund":{"amount":0}}`, 422, "INVALID_AMOUNT"},
		"negative":           {"/orders/ord_8fJ2/refunds", `{"reason":"late","refund":{"amount":-1}}`, 422, "INVALID_AMOUNT"},
		"fraction of a cent": {"/orders/ord_8fJ2/refunds", `{"reason":"late","refund":{"amount":1.005}}`, 422, "INVALID_AMOUNT"},
		"amount as text":     {"/orders/ord_8fJ2/refunds", `{"reason":"late","refund":{"amount":"1"}}`, 422, "INVALID_AMOUNT"},
		"notify is no bool":  {"/orders/ord_8fJ2/refunds?notify=1", `{"reason":"late","refund":{}}`, 422, "INVALID_NOTIFY"},
	} {
		t.Run(name, func(t *testing.T) {
			newSite(t).send("POST", test.target, test.body).wantError(test.status, test.code)
		})
	}
}

func TestADeletedOrderIsGoneAndItsNumberIsNotUsedAgain(t *testing.T) {
	s := newSite(t)
	first := s.send("POST", "/orders", `{"qty":1}`).wantStatus(201).text("id")
	s.send("DELETE", "/orders/"+first, "").wantStatus(200)
	s.get("/orders/"+first).wantError(404, "ORDER_NOT_FOUND")
	s.send("DELETE", "/orders/"+first, "").wantError(404, "ORDER_NOT_FOUND")
	if next := s.send("POST", "/orders", `{"qty":1}`).wantStatus(201).text("id"); next == first {
		t.Errorf("the number %s was given again", first)
	}
}

func TestTheKitchenFillsUp(t *testing.T) {
	dir := t.TempDir()
	full := store{dir: dir, now: evening}
	err := full.update(func(s *state) error {
		for len(s.Orders) < maxOrders {
			s.Orders = append(s.Orders, order{ID: s.nextID(), Status: confirmed, Flavour: "salted", Qty: 1, Total: 350, Placed: evening()})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	siteIn(t, dir).send("POST", "/orders", `{"qty":1}`).wantError(409, "KITCHEN_FULL")
}

func TestOrderNumbersDoNotRepeat(t *testing.T) {
	const orders = 200_000
	seen := make(map[string]bool, orders)
	for n := range orders {
		id := orderID(n)
		if len(id) != len("ord_8fJ2") || seen[id] {
			t.Fatalf("the number %q of order %d is not one of its own", id, n)
		}
		seen[id] = true
	}
}

// idsOf returns the numbers of a list of orders.
func idsOf(list answer) []string {
	var ids []string
	for _, part := range strings.Split(list.Body.String(), `"id":`)[1:] {
		id, err := strconv.QuotedPrefix(part)
		if err == nil {
			ids = append(ids, strings.Trim(id, `"`))
		}
	}
	return ids
}
