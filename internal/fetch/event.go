package fetch

import (
	"net/http"
	"time"
)

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

// trace tells of an event, if anybody listens.
func (c *Client) trace(event Event) {
	if c.settings.Trace != nil {
		c.settings.Trace(event)
	}
}

// exchangeTrace tells of one exchange. Nil tells nothing, and looks at no clock.
type exchangeTrace struct {
	client *Client
	start  time.Time
	event  Event
}

// exchange tells that a request is about to be sent.
func (c *Client) exchange(method, url string) *exchangeTrace {
	if c.settings.Trace == nil {
		return nil
	}
	t := &exchangeTrace{client: c, event: Event{Kind: EventRequest, Method: method, URL: url}}
	c.trace(t.event)
	t.start = c.settings.Now()
	return t
}

func (t *exchangeTrace) tell(kind EventKind) {
	t.event.Kind, t.event.Duration = kind, t.client.settings.Now().Sub(t.start)
	t.client.trace(t.event)
}

func (t *exchangeTrace) failed(err error) {
	if t != nil {
		t.event.Err = err
		t.tell(EventFailure)
	}
}

func (t *exchangeTrace) answered(answer *http.Response, reused bool) {
	if t != nil {
		t.event.Status, t.event.Proto, t.event.Reused = answer.StatusCode, answer.Proto, reused
		t.tell(EventResponse)
	}
}

func (t *exchangeTrace) read(bytes int64, err error) {
	if t != nil {
		t.event.Bytes, t.event.Err = bytes, err
		t.tell(EventBody)
	}
}
