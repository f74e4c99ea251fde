// Package challenge is what a site's answer may demand before it serves a request: that somebody signs in, or pays (CH-1 to
// CH-5). It reads challenges, and says what a [Protocol] is: a value that recognises its own challenges and earns the
// credential for one. What sends the request again is the caller's (internal/call).
package challenge

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// Step is what a protocol is for. A site that wants both gets the sign-in first (CH-3, CO-1).
type Step string

// The steps, in their order.
const (
	SignIn  Step = "sign-in"
	Payment Step = "payment"
)

// What is looked at of an answer with status 401 or 402 (CH-5).
const (
	MaxHeader = 32 << 10 // bytes of the fields that one protocol is told in
	MaxBody   = 64 << 10 // bytes of its body
)

// Answer is an answer that may hold challenges, with the request that it answers.
type Answer struct {
	Request *Request
	Status  int
	Header  http.Header
	Body    []byte // at most MaxBody
	Cut     bool   // there is more of the body

	Challenges []Challenge // of WWW-Authenticate
	Trouble    error       // why there may be more challenges than those; nil when all were read
}

// Request is a request as it was sent, and as it will be sent again (CH-6, CH-7), but for what proves who sends it.
type Request struct {
	Method string
	URL    string // absolute: where the answer came from
	Header http.Header
	Body   []byte // nil: none
	Origin string // of the site that the person named
	Call   string // the digest under which the call was approved, or would have been

	// Carried are the header fields that hold a credential already, in their canonical form: there is room for one in each (BR-6).
	Carried []string
	// Unsafe: the request may have an effect.
	Unsafe bool
}

// Holds reports whether a header field carries a credential already.
func (r *Request) Holds(field string) bool { return slices.Contains(r.Carried, field) }

// Protocol is one way to ask for a credential. Values are used by one call at a time.
type Protocol interface {
	// Name is the protocol in the words of errors and documents: "aep".
	Name() string
	// Step is what it is for.
	Step() Step
	// Offers reads what an answer wants by this protocol; nil when it wants nothing. It recognises more than it can meet
	// (CH-4): such an offer says why it is of no use.
	Offers(a *Answer) []Offer
	// Meet earns the credential for one of the offers: it asks policy, person and payer. Nothing of what it returns has
	// been sent. An error ends the call.
	Meet(ctx context.Context, a *Answer, offers []Offer) (*Credential, error)
}

// Offer is one way to meet a protocol's demand.
type Offer struct {
	Protocol string // its name, where a value speaks several; "" for the value's own
	Scheme   string // of the WWW-Authenticate challenge that it was, in lower case; "" when it was none

	Facts   map[string]any // for programs: what is demanded, in the site's own words, whole; nothing in it is secret
	Trouble string         // why it cannot be met; "" when it can
	Data    any            // the protocol's own
}

// Credential is what a request carries when it is sent again.
type Credential struct {
	Fields []fetch.Secret
	Header http.Header // what else it needs, such as an Idempotency-Key; nothing secret

	// Hint is what to try when the site does not take it.
	Hint string

	// Renew makes another one for the same sign-in, for a request that is sent again or led elsewhere at the same origin
	// (AEP-15, CO-2). Nil: the same fields do.
	Renew func(ctx context.Context, to *Request) (*Credential, error)
	// Settle is told what came of a paid request, once, also when it was never sent. It returns what is known of the payment
	// then, for programs: under which id, and where the receipt is. Nil for a sign-in.
	Settle func(ctx context.Context, o *Outcome) map[string]any
}

// Outcome is what came of a request that carried a credential.
type Outcome struct {
	Status int         // 0 when there is no answer
	Header http.Header // nil when there is no answer
	Body   []byte      // of an answer that is no success, at most MaxBody
	Err    error       // why there is no answer
	Sent   fault.Sent  // whether the site can have taken the payment
	At     time.Time
}

// Seen is what an answer wants by one protocol, for programs.
type Seen struct {
	Protocol string           `json:"protocol"`
	Step     Step             `json:"step,omitempty"`
	Offers   []map[string]any `json:"offers,omitempty"`
}
