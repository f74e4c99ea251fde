package demo

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/agentctl/agentctl/internal/demo/reply"
)

// document is the answer of an action: JSON for a program, Markdown for a person.
type document interface{ markdown() string }

// action does the work of one published action. Its error is an [*apiError].
type action func(r *http.Request) (document, error)

// endpoint is an action and the status of its success.
type endpoint struct {
	status int
	run    action
}

func ok(run action) endpoint      { return endpoint{http.StatusOK, run} }
func created(run action) endpoint { return endpoint{http.StatusCreated, run} }

// methods are the endpoints of one path by HTTP method.
type methods map[string]endpoint

// paths lists everything below apiBase.
func (s *shop) paths() map[string]methods {
	return map[string]methods{
		"/menu":                   {http.MethodGet: ok(s.listMenu)},
		"/menu/{sku}":             {http.MethodGet: ok(s.getFlavour)},
		"/orders":                 {http.MethodGet: ok(s.listOrders), http.MethodPost: created(s.createOrder)},
		"/orders/{id}":            {http.MethodGet: ok(s.getOrder), http.MethodDelete: ok(s.deleteOrder)},
		"/orders/{id}/refunds":    {http.MethodPost: created(s.createRefund)},
		"/photos":                 {http.MethodPost: created(s.uploadPhotos)},
		"/club":                   {http.MethodGet: ok(s.showMembership)},
		"/club/members":           {http.MethodPost: created(s.joinClub)},
		"/reports/sales/{period}": {http.MethodPost: ok(s.reportSales)},
		"/teapot":                 {http.MethodGet: ok(s.brewCoffee)},
	}
}

func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet // net/http drops the body
	}
	endpoint, known := m[method]
	if !known {
		writeError(w, wrongMethod(w, r, slices.Sorted(maps.Keys(m))))
		return
	}
	doc, err := endpoint.run(r)
	switch {
	case err != nil:
		writeError(w, err)
	case r.URL.Query().Get("humanReadable") == "true":
		reply.Once(w, endpoint.status, "text/markdown; charset=utf-8", doc.markdown())
	default:
		writeJSON(w, endpoint.status, doc)
	}
}

// lazily makes a handler when the first request is there.
func lazily(build func() http.Handler) http.Handler {
	handler := sync.OnceValue(build)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) })
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil { // a fault of ours, such as a type that cannot be encoded
		status, text = http.StatusInternalServerError, []byte(`{"error":{"code":"INTERNAL","message":"the answer cannot be encoded"}}`)
	}
	reply.Once(w, status, "application/json", string(text))
}

func wrongMethod(w http.ResponseWriter, r *http.Request, allowed []string) error {
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	return failure(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "%s is not possible here, only %s", r.Method, list)
}
