// Package mcp serves tools by the Model Context Protocol over streamable HTTP: sessions, a list of tools that comes in pages,
// and calls that are answered with JSON or with a stream of events. It asks nothing of its clients.
//
// It is written by hand because the official library would cost every start of the program more than the demo is worth.
package mcp

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// versions are the protocol versions that are spoken, latest first. What differs between them does not touch a server that
// has only tools.
func versions() []string { return []string{"2025-11-25", "2025-06-18"} }

// negotiate returns the version to speak with a client that asks for one.
func negotiate(wanted string) string {
	if slices.Contains(versions(), wanted) {
		return wanted
	}
	return versions()[0]
}

// Info is how a server introduces itself.
type Info struct {
	Name         string
	Title        string
	Version      string
	Instructions string // what a model should know before it uses the tools
}

// Tool is something that a client can have done. Its exported members but the last two are published as they are.
type Tool struct {
	Name         string         `json:"name"`
	Title        string         `json:"title,omitzero"`
	Description  string         `json:"description"`
	InputSchema  jsontext.Value `json:"inputSchema"`
	OutputSchema jsontext.Value `json:"outputSchema,omitzero"`
	Annotations  jsontext.Value `json:"annotations,omitzero"`

	// Streams asks for the answer to come as a stream of events, with what Call tells before it is done.
	Streams bool `json:"-"`

	// Call does the work. arguments is a JSON object, which Call has to check against its schema; progress tells the client,
	// if it wants to know, what is being done. A call that cannot be done is a Result that has Failed.
	Call func(ctx context.Context, arguments jsontext.Value, progress func(message string)) Result `json:"-"`
}

// Result is what came of a call.
type Result struct {
	Text       string // for people
	Structured any    // a JSON object for programs, nil for none
	Failed     bool
}

// Server is an http.Handler for one endpoint.
type Server struct {
	info     Info
	tools    []Tool
	sessions sessions
}

// New makes a server of these tools.
func New(info Info, tools []Tool) *Server { return &Server{info: info, tools: tools} }
