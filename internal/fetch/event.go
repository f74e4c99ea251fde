package fetch

import "time"

// EventKind says what an [Event] tells.
type EventKind string

// The kinds of events.
const (
	EventRequest  EventKind = "request"  // a request is about to be sent: Method, URL
	EventResponse EventKind = "response" // its head came: also Status, Proto, Duration, Reused
	EventBody     EventKind = "body"     // its body was read or given up: also Bytes, Duration since the request, Err
	EventFailure  EventKind = "failure"  // no head came: Err, Duration
	EventRetry    EventKind = "retry"    // it will be sent again: Wait, and Status or Err of the try before
	EventRedirect EventKind = "redirect" // it will be sent to URL
	EventCache    EventKind = "cache"    // how a document was found: URL, State, Bytes, Err (why it is stale or not kept)
)

// Event is one line of --verbose. It never holds header values, bodies or credentials.
type Event struct {
	Kind     EventKind
	Method   string
	URL      string
	Status   int
	Proto    string
	Duration time.Duration
	Wait     time.Duration
	Bytes    int64
	Reused   bool // the connection had been used before
	State    CacheState
	Err      error
}
