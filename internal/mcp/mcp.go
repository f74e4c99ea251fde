// Package mcp calls the tools of MCP servers (https://modelcontextprotocol.io), over streamable HTTP. The protocol is spoken
// by a program of its own, agentctl-mcp: its library costs every start 2 to 4 ms and 5 MB. This package starts that program,
// talks with it in JSON lines, and judges what servers say; nothing of theirs is believed.
//
// [Server] is the side of agentctl, [Serve] that of the program; below session lives what the program links.
package mcp

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fetch"
)

// Limits of what is taken from a server. A single message has the limit of [MaxMessageBytes], an answer that is a stream
// of them that of [fetch.DefaultMaxBody].
const (
	MaxMessageBytes = 8 << 20          // of one JSON-RPC message
	MaxTools        = 1000             // in all pages of the list
	MaxToolBytes    = 4 << 20          // of all pages of the list
	ListLimit       = 30 * time.Second // for all pages of the list
)

// Settings say how a server is reached: what [fetch.Settings] says, in a form that can be handed to another program.
type Settings struct {
	Resolve      []fetch.Override `json:"resolve,omitempty"`
	Certificates []byte           `json:"certificates,omitempty"` // PEM, of --cacert or SSL_CERT_FILE; nil: what the system trusts
	Proxy        Proxy            `json:"proxy,omitzero"`
	AllowPrivate bool             `json:"allow_private,omitempty"`
	UserAgent    string           `json:"user_agent,omitempty"`
	Retries      int              `json:"retries,omitempty"` // of what has no effect, and of calls with an idempotency key

	Trace func(fetch.Event) `json:"-"` // nil: none. Called from one goroutine at a time
	// Note is told what the server says unasked, one line at a time: notifications, and requests that are refused. Nil: nobody is.
	Note func(string) `json:"-"`
	// Redact takes secrets out of what a server says in an error, which may repeat them. Nil: nothing is taken out.
	Redact func(string) string `json:"-"`
}

// Proxy holds the variables that name proxies.
type Proxy struct {
	HTTPS string `json:"https,omitempty"`
	HTTP  string `json:"http,omitempty"`
	No    string `json:"no,omitempty"` // hosts that are reached without one
}

// Tool is what a server says of one of its tools. All of it is a claim.
type Tool struct {
	Name        string // unique among the usable tools of a list
	Title       string
	Description string
	Input       jsontext.Value // the JSON Schema of its arguments
	Output      jsontext.Value // of its structured result; nil when there is none, or none that can be used
	Annotations Annotations
	Unusable    string // why it cannot be called; "" when it can
}

// Annotations are hints of a server about a tool, to be shown and never to be relied on. Nil: it says nothing.
type Annotations struct {
	ReadOnly    *bool
	Destructive *bool
	Idempotent  *bool
}

// Result is the answer of a tool.
type Result struct {
	Raw        jsontext.Value // the whole CallToolResult, digits and order as they came
	Structured jsontext.Value // its structured content; nil when there is none
	Text       string         // its text contents, joined by blank lines; other contents are named: "[image image/png, 12 kB]"
	IsError    bool           // the tool says that it failed
}
