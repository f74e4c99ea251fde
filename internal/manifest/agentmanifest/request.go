package agentmanifest

import (
	"net/http"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/arguments"
)

// Request renders a call by a binding of the kind HTTP, static or html, with arguments that were validated before; those of a
// mapped binding are mapped as well, see [Mapping.Input]. The other kinds have no request of their own, which is a problem.
func (c *Capability) Request(values *manifest.Values) (*call.Request, []fault.Problem) {
	b := &c.Binding
	if b.Method == "" {
		return nil, []fault.Problem{{Keyword: "binding", Message: "a binding of the kind " + b.Kind + " makes no request by itself"}}
	}
	r := &call.Request{
		Method: b.Method, URL: b.URL, Header: make(http.Header), Effect: c.Effect, Idempotent: c.Idempotent, Cost: c.Cost,
	}
	if b.Kind != HTTP {
		values = &manifest.Values{}
	}
	arguments.Put(r, values, b.ContentType)
	return r, nil
}
