package agentactions

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/manifest"
)

const cartInput = `{"type":"object","required":["product_id","quantity"],"properties":{"product_id":{"type":"string"},"quantity":{"type":"integer","minimum":1,"maximum":20}}}`

// seed is the example of the format's description.
const seed = `{
  "version": "agent-actions/0.1",
  "site": "shop.example",
  "auth": {"type": "agent-grant"},
  "actions": [
    {
      "name": "add_to_cart",
      "description": "Add a product to the cart",
      "method": "POST",
      "path": "/api/cart",
      "effect": "write",
      "scope": "cart:write",
      "input": ` + cartInput + `
    }
  ],
  "flows": [
    {
      "name": "buy_product",
      "steps": [
        {"action": "search_products", "with": {"query": "$input.query"}},
        {"action": "add_to_cart", "with": {"product_id": "$steps.0.items.0.id", "quantity": "$input.quantity"}},
        {"action": "checkout", "with": {"cart_id": "$steps.1.cart_id"}}
      ]
    }
  ]
}`

func TestSeed(t *testing.T) {
	want := &manifest.Site{
		Format: "agent-actions", Name: "shop.example", Version: "0.1", FoldNames: true,
		Actions: []manifest.Summary{{
			Format: "agent-actions", Command: []string{"add_to_cart"}, Description: "Add a product to the cart",
			Method: "POST", Endpoint: "/api/cart", Effect: manifest.Write, Scope: "cart:write", Grant: true,
			Definition: jsontext.Value(`{"name":"add_to_cart","description":"Add a product to the cart","method":"POST","path":"/api/cart","effect":"write","scope":"cart:write","input":` + cartInput + `}`),
		}},
		Flows: []manifest.Flow{{Name: "buy_product", Steps: []manifest.Step{
			{Action: "search_products", With: jsontext.Value(`{"query":"$input.query"}`)},
			{Action: "add_to_cart", With: jsontext.Value(`{"product_id":"$steps.0.items.0.id","quantity":"$input.quantity"}`)},
			{Action: "checkout", With: jsontext.Value(`{"cart_id":"$steps.1.cart_id"}`)},
		}}},
	}
	site := parse(t, []byte(seed))
	if diff := cmp.Diff(want, site); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	a := load(t, site.Actions[0])
	if diff := cmp.Diff([]string{"product_id", "quantity"}, a.Args); diff != "" || string(a.Input) != cartInput || a.Params != nil {
		t.Errorf("args %v, input %s, params %v", a.Args, a.Input, a.Params)
	}
	got := render(t, a, `{"product_id":"p1","quantity":2}`)
	if want := `POST https://shop.example/api/cart {"product_id":"p1","quantity":2}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
