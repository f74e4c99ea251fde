package demo

import (
	_ "embed"
	"errors"
	"net/http"

	"github.com/agentctl/agentctl/internal/demo/reply"
	"github.com/agentctl/agentctl/internal/manifest/agentactions"
)

// The counter is the other half of the shop: it publishes agent-actions/0.1, where actions have scopes and costs, and flows
// lead from one to the next.

// counterManifest is its description, as it is served.
//
//go:embed counter.json
var counterManifest []byte

// counterEndpoint is an action of the counter.
type counterEndpoint struct {
	status int
	scope  string // that a grant must have; "" when the action needs none
	run    func(r *http.Request) (any, error)
}

// counter lists what the manifest promises.
func (s *shop) counter() map[string]counterEndpoint {
	return map[string]counterEndpoint{
		"POST /counter/grants":            {http.StatusCreated, "", s.signIn},
		"GET /counter/products":           {http.StatusOK, "", s.searchProducts},
		"POST /counter/carts":             {http.StatusCreated, scopeCart, s.addToCart},
		"GET /counter/carts/{cart_id}":    {http.StatusOK, "", s.viewCart},
		"DELETE /counter/carts/{cart_id}": {http.StatusOK, scopeCart, s.emptyCart},
		"POST /counter/wrappings":         {http.StatusCreated, scopeCheckout, s.giftWrap},
		"POST /counter/purchases":         {http.StatusCreated, scopeCheckout, s.checkout},
		"GET /counter/purchases":          {http.StatusOK, "", s.listPurchases},
	}
}

// openCounter adds the counter to the site.
func (s *shop) openCounter(mux *http.ServeMux) {
	mux.HandleFunc("GET "+agentactions.Path, serveCounterManifest)
	for pattern, endpoint := range s.counter() {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serveCounter(w, r, endpoint) })
	}
}

func serveCounterManifest(w http.ResponseWriter, r *http.Request) {
	reply.Lasting(w, r, "application/json", counterManifest)
}

func (s *shop) serveCounter(w http.ResponseWriter, r *http.Request, endpoint counterEndpoint) {
	var doc any
	err := s.admit(r, endpoint.scope)
	if err == nil {
		doc, err = endpoint.run(r)
	}
	if err != nil {
		writeCounterError(w, err)
		return
	}
	writeJSON(w, endpoint.status, doc)
}

// counterError is an error as this format has it (AA-10).
type counterError struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	Field      string `json:"field,omitzero"`
	RetryAfter int    `json:"retry_after,omitzero"` // seconds
}

type counterProblem struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

func writeCounterError(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*apiError](err)
	if !ok {
		e = failure(http.StatusInternalServerError, "INTERNAL", "%v", err)
	}
	answer := struct {
		Error    counterError     `json:"error"`
		Problems []counterProblem `json:"problems,omitzero"`
	}{Error: counterError{Code: e.Code, Message: e.Message}}
	if field, ok := e.Details["field"].(string); ok {
		answer.Error.Field = field
		answer.Problems = []counterProblem{{field, e.Message}}
	}
	if e.Status == http.StatusServiceUnavailable {
		answer.Error.RetryAfter = 1
	}
	writeJSON(w, e.Status, answer)
}
