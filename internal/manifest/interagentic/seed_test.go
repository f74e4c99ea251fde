package interagentic

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// The documents of the published description of the format.
const (
	seedIndex = `{
  "name": "Popcorn Club",
  "description": "Popcorn, delivered.",
  "version": "1",
  "auth": "interagentic",
  "baseUrl": "/api/v1",
  "groups": [
    { "command": ["orders"], "description": "Place and track orders" }
  ],
  "actions": [
    {
      "command": ["orders", "create"],
      "endpoint": "/orders",
      "method": "POST",
      "description": "Place an order",
      "role": "user",
      "payment": "fixed"
    }
  ]
}`
	seedCreate = `{
  "command": ["orders", "create"],
  "endpoint": "/orders",
  "method": "POST",
  "description": "Place an order",
  "role": "user",
  "payment": { "mode": "fixed", "amount": 9.0 },
  "args": ["qty"],
  "params": [
    {
      "name": "qty",
      "label": "Quantity",
      "description": "How many bags to send",
      "example": 2,
      "required": true,
      "type": { "type": "integer", "minimum": 1 }
    }
  ],
  "example": {
    "input": { "qty": 2 },
    "output": { "id": "ord_8fJ2", "status": "confirmed" }
  }
}`
	seedRefund = `{
  "command": ["orders", "refunds", "create"],
  "endpoint": "/orders/{{$id}}/refunds",
  "method": "POST",
  "args": ["id"],
  "params": [
    { "name": "id", "label": "Order", "description": "The order to refund", "required": true, "type": { "type": "string" } },
    { "name": "reason", "label": "Reason", "description": "Why it is refunded", "required": true, "type": { "type": "string", "enum": ["damaged", "late", "other"] } },
    { "name": "amount", "label": "Amount", "description": "Partial refund. Omit to refund in full.", "required": false, "type": { "type": "number" } },
    { "name": "notify", "label": "Notify", "description": "Email the customer", "required": false, "type": { "type": "boolean" } }
  ],
  "request": {
    "query": { "notify": "{{$notify}}" },
    "body": {
      "reason": "{{$reason}}",
      "refund": { "amount": "{{$amount}}" }
    }
  }
}`
	origin = "https://popcorn.club"
)

// valuesOf makes arguments of a JSON object.
func valuesOf(t testing.TB, object string) *manifest.Values {
	t.Helper()
	if err := strictjson.Check([]byte(object)); err != nil {
		t.Fatalf("values %s: %v", object, err)
	}
	v := &manifest.Values{}
	for name, value := range strictjson.Members([]byte(object)) {
		v.Set(name, strictjson.Compact(value))
	}
	return v
}

// parse reads a detail that has to be usable, under the command that it names itself.
func parse(t testing.TB, detail, baseURL string) *Action {
	t.Helper()
	a, err := ParseDetail([]byte(detail), summaryOf(detail), baseURL)
	if err != nil {
		t.Fatalf("ParseDetail: %v %v", err, fault.From(err).Details)
	}
	return a
}

func summaryOf(detail string) manifest.Summary {
	var s manifest.Summary
	command, _ := strictjson.Member([]byte(detail), "command")
	for _, word := range strictjson.Elements(command) {
		text, _ := strictjson.String(word)
		s.Command = append(s.Command, text)
	}
	return s
}

// send renders an action that has to accept the values.
func send(t testing.TB, a *Action, values string) *call.Request {
	t.Helper()
	r, problems := a.Request(origin, valuesOf(t, values), nil, false)
	if len(problems) > 0 {
		t.Fatalf("problems: %+v", problems)
	}
	return r
}

func TestSeedIndex(t *testing.T) {
	site, err := ParseIndex([]byte(seedIndex))
	if err != nil {
		t.Fatal(err)
	}
	want := &manifest.Site{
		Format: "interagentic", Name: "Popcorn Club", Description: "Popcorn, delivered.", Version: "1", BaseURL: "/api/v1",
		Groups: []manifest.Group{{Command: []string{"orders"}, Description: "Place and track orders"}},
		Actions: []manifest.Summary{{
			Command: []string{"orders", "create"}, Description: "Place an order", Method: "POST", Endpoint: "/orders", Role: "user",
			Payment: "fixed", Effect: manifest.Spend,
		}},
	}
	if diff := cmp.Diff(want, site); diff != "" {
		t.Error(diff)
	}
}

func TestSeedDetail(t *testing.T) {
	site, err := ParseIndex([]byte(seedIndex))
	if err != nil {
		t.Fatal(err)
	}
	a, err := ParseDetail([]byte(seedCreate), site.Actions[0], site.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	summary := site.Actions[0]
	summary.Cost = &manifest.Cost{Mode: "fixed", Amount: "9.0", Currency: "credits"}
	want := manifest.Action{
		Summary: summary,
		Args:    []string{"qty"},
		Params: []manifest.Param{{
			Name: "qty", Label: "Quantity", Description: "How many bags to send", Example: []byte("2"), Required: true,
			Schema: []byte(`{"type":"integer","minimum":1}`),
		}},
		Example: &manifest.Example{Input: []byte(`{"qty":2}`), Output: []byte(`{"id":"ord_8fJ2","status":"confirmed"}`)},
	}
	if diff := cmp.Diff(want, a.Action); diff != "" {
		t.Error(diff)
	}
}

func TestSeedRequests(t *testing.T) {
	jsonHeader := http.Header{"Content-Type": {"application/json"}}
	for name, test := range map[string]struct {
		detail, values string
		human          bool
		url, body      string
	}{
		"orders create 2": {
			detail: seedCreate, values: `{"qty":2}`,
			url: "https://popcorn.club/api/v1/orders", body: `{"qty":2}`,
		},
		"orders create 2, for a person": {
			detail: seedCreate, values: `{"qty":2}`, human: true,
			url: "https://popcorn.club/api/v1/orders?humanReadable=true", body: `{"qty":2}`,
		},
		"a refund with everything": {
			detail: seedRefund, values: `{"id":"ord_8fJ2","reason":"damaged","amount":4.5,"notify":true}`,
			url: "https://popcorn.club/api/v1/orders/ord_8fJ2/refunds?notify=true", body: `{"reason":"damaged","refund":{"amount":4.5}}`,
		},
		"a refund without options": {
			detail: seedRefund, values: `{"id":"ord_8fJ2","reason":"damaged"}`,
			url: "https://popcorn.club/api/v1/orders/ord_8fJ2/refunds", body: `{"reason":"damaged","refund":{}}`,
		},
		"a refund for a person": {
			detail: seedRefund, values: `{"id":"ord_8fJ2","reason":"damaged","notify":false}`, human: true,
			url:  "https://popcorn.club/api/v1/orders/ord_8fJ2/refunds?notify=false&humanReadable=true",
			body: `{"reason":"damaged","refund":{}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, problems := parse(t, test.detail, "/api/v1").Request(origin, valuesOf(t, test.values), nil, test.human)
			if problems != nil {
				t.Fatal(problems)
			}
			if r.Method != "POST" || r.URL != test.url || string(r.Body) != test.body {
				t.Errorf("got %s %s %s\nwant POST %s %s", r.Method, r.URL, r.Body, test.url, test.body)
			}
			if diff := cmp.Diff(jsonHeader, r.Header); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func BenchmarkRequest(b *testing.B) {
	a := parse(b, seedRefund, "/api/v1")
	values := valuesOf(b, `{"id":"ord_8fJ2","reason":"damaged","amount":4.5,"notify":true}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := a.Request(origin, values, nil, true); problems != nil {
			b.Fatal(problems)
		}
	}
}

func BenchmarkParseDetail(b *testing.B) {
	for name, detail := range map[string]string{"create": seedCreate, "refund": seedRefund} {
		summary := summaryOf(detail)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseDetail([]byte(detail), summary, "/api/v1"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
