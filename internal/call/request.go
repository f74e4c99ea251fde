// Package call takes a prepared request through approval, credential, sending and answer. It knows neither the formats
// that prepared the request nor the command line that asked for it.
package call

import (
	"net/http"

	"github.com/agentctl/agentctl/internal/manifest"
)

// Request is one HTTP request that a format prepared from an action and its arguments: everything but the credential.
type Request struct {
	Method string
	URL    string // absolute, with its query, already encoded
	Header http.Header
	Body   []byte // nil: no body is sent
	Effect manifest.Effect
	// Idempotent: the action declares that the same Idempotency-Key sent again has its effect once.
	Idempotent bool
	Cost       *manifest.Cost
}
