// Package aep is the agent's side of the Agent Enrollment Protocol (core draft 02, did:web draft 00, claims draft 00 and the
// grant drafts 02; the AEP rules): what a site that answers "enrol first" wants to know, and how an agent that is enrolled
// shows who it is.
//
// A [Client] asks: Inspect, Enroll, Status, Grant, Revoke, and Sign for a protected resource. Everything else is a value: a
// [Challenge], a [DID], a [Key] with its [Identity], an [Inspect] document, claims, a [Credential] and the [Field] that
// presents it. Nothing here keeps anything: keys are handed in, and what must survive a run goes through [Store].
//
// Nothing is signed, and no claim leaves, before the Service's DID is known to belong to the origin that published it
// (AEP-4). Every assertion is used for one request (AEP-15), and no command follows a redirect.
package aep

import (
	"context"
	"io"
	"time"

	"github.com/agentctl/agentctl/internal/fetch"
)

// Media types of the protocol (AEP-2, AEP-16).
const (
	mediaType        = "application/aep+json"
	problemMediaType = "application/problem+json"
)

// HTTP is what a [Client] asks through. A [fetch.Client] fits. It must not speak less than TLS 1.3 (CH-12; see
// fetch.Settings.MinTLS), and follow no redirect to another origin.
type HTTP interface {
	Get(ctx context.Context, ask fetch.Ask) (*fetch.Document, error)
	Do(ctx context.Context, request fetch.Request) (*fetch.Response, error)
}

// Store keeps what must survive a run. Its methods return when the change is on disk. What it keeps is secret or personal:
// it belongs where secrets are kept (CH-11).
type Store interface {
	// Unfinished returns the command that was saved for a scope and not forgotten since; ok is false when there is none.
	Unfinished(ctx context.Context, scope Scope) (u Unfinished, ok bool, err error)
	SaveUnfinished(ctx context.Context, u Unfinished) error // in place of the one before of its scope
	ForgetUnfinished(ctx context.Context, scope Scope) error

	Keep(ctx context.Context, c Credential) error       // what a grant brought
	Drop(ctx context.Context, revoked Revocation) error // what a revocation ended
}

// Scope is what one command at a time may be under way for.
type Scope struct {
	Service DID `json:"service"`
	Agent   DID `json:"agent"`
	Op      Op  `json:"op"`
}

// Unfinished is a command that was about to be sent: with the same key and body it can be sent again (AEP-17).
type Unfinished struct {
	Scope
	Key     string    `json:"key"`
	Body    []byte    `json:"body"` // may hold claims
	Started time.Time `json:"started"`
}

// Client asks Services. It holds no state: goroutines may share one.
type Client struct {
	HTTP    HTTP
	Store   Store
	Now     func() time.Time
	Random  io.Reader                                  // nil: the system's
	Sleep   func(context.Context, time.Duration) error // nil: a timer
	Retries int                                        // tries of a command after the first one; at most 3 count
}
