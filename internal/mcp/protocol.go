package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/companion"
	"github.com/agentctl/agentctl/internal/fetch"
)

// maxLineBytes bounds a line of either program: a message of a server or a whole list of tools, and what is around it.
const maxLineBytes = MaxMessageBytes + MaxToolBytes

type operation string

const (
	opConnect operation = "connect"
	opTools   operation = "tools"
	opCall    operation = "call"
)

// request is one line of agentctl; only the member that its operation needs is set.
type request struct {
	Op      operation `json:"op"`
	Connect *Target   `json:"connect,omitempty"`
	Call    *Call     `json:"call,omitempty"`
}

// Target is a server, and how to reach it.
type Target struct {
	URL      string      `json:"url"`
	Secrets  http.Header `json:"secrets,omitempty"` // header fields that go to the origin of URL with each request
	Settings Settings    `json:"settings"`
	Verbose  bool        `json:"verbose,omitempty"` // events and notes are wanted
}

// Call is one call of a tool.
type Call struct {
	Tool           string         `json:"tool"`
	Arguments      jsontext.Value `json:"arguments"`                 // a JSON object
	IdempotencyKey string         `json:"idempotency_key,omitempty"` // "": the call is sent once, whatever comes of it
}

// line is one line of the program: what happens while it works at a request, and at last the answer, which is Done.
type line struct {
	Event   *event             `json:"event,omitempty"`
	Note    string             `json:"note,omitempty"`
	Sending bool               `json:"sending,omitempty"` // the call of a tool is about to go out
	Done    bool               `json:"done,omitempty"`
	Failure *companion.Failure `json:"failure,omitempty"`
	Tools   []jsontext.Value   `json:"tools,omitempty"`
	Result  jsontext.Value     `json:"result,omitempty"`
}

// event is a [fetch.Event], but for what belongs to the cache.
type event struct {
	Kind     fetch.EventKind `json:"kind"`
	Method   string          `json:"method,omitempty"`
	URL      string          `json:"url,omitempty"`
	Status   int             `json:"status,omitempty"`
	Proto    string          `json:"proto,omitempty"`
	Duration time.Duration   `json:"duration,omitempty"` // nanoseconds
	Wait     time.Duration   `json:"wait,omitempty"`     // nanoseconds
	Bytes    int64           `json:"bytes,omitempty"`
	Reused   bool            `json:"reused,omitempty"`
	Err      string          `json:"err,omitempty"`
}

func eventOf(e fetch.Event) *event {
	out := &event{
		Kind: e.Kind, Method: e.Method, URL: e.URL, Status: e.Status, Proto: e.Proto,
		Duration: e.Duration, Wait: e.Wait, Bytes: e.Bytes, Reused: e.Reused,
	}
	if e.Err != nil {
		out.Err = e.Err.Error()
	}
	return out
}

func (e *event) event() fetch.Event {
	out := fetch.Event{
		Kind: e.Kind, Method: e.Method, URL: e.URL, Status: e.Status, Proto: e.Proto,
		Duration: e.Duration, Wait: e.Wait, Bytes: e.Bytes, Reused: e.Reused,
	}
	if e.Err != "" {
		out.Err = errors.New(e.Err)
	}
	return out
}

// writeLine writes a value as one line of JSON, raw values as they are.
func writeLine(w io.Writer, value any) error {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(buffer.Bytes()) // at once: nothing comes between the parts of a line
	return err
}

// newLines returns a reader of lines for [readLine].
func newLines(from io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLineBytes)
	return lines
}

// readLine reads one line into a value. It returns io.EOF at the end.
func readLine(lines *bufio.Scanner, value any) error {
	if lines.Scan() {
		return json.Unmarshal(lines.Bytes(), value)
	}
	return cmp.Or(lines.Err(), io.EOF)
}
