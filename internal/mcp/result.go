package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

const maxErrorText = 4 << 10 // bytes of what a tool says in an error

// readResult reads a CallToolResult. Contents that nobody knows yet are named; a result that is none is a fault of kind
// [fault.Unavailable], and one that asks for input of kind [fault.Rejected]. The call has had its effect in any case.
func readResult(raw jsontext.Value) (*Result, error) {
	if err := strictjson.Check(raw); err != nil {
		return nil, answered(fault.New(fault.Unavailable, "protocol_error", "the result of the tool: %w", err))
	}
	r := &Result{Raw: strictjson.Compact(raw)}
	var content jsontext.Value
	for name, value := range strictjson.Members(r.Raw) {
		switch name {
		case "structuredContent":
			r.Structured = value
		case "content":
			content = value
		case "isError":
			r.IsError = value.Kind() == 't'
		case "inputRequests":
			return nil, wantsInput()
		case "resultType":
			if kind, _ := strictjson.String(value); kind == "input_required" {
				return nil, wantsInput()
			}
		}
	}
	if r.Raw.Kind() != '{' || content == nil && r.Structured == nil || content != nil && content.Kind() != '[' {
		return nil, answered(fault.New(fault.Unavailable, "protocol_error", "the result of the tool has no content"))
	}
	var parts []string
	for _, item := range strictjson.Elements(content) {
		parts = append(parts, readContent(item))
	}
	r.Text = strings.Join(parts, "\n\n")
	return r, nil
}

// wantsInput is the fault of a server that wants to ask something back before it answers. Nothing is made up for it.
func wantsInput() error {
	return answered(fault.New(fault.Rejected, "mcp_input_required", "the MCP server wants to ask something back, which is refused"))
}

func answered(e *fault.Error) *fault.Error {
	e.Sent = fault.SentYes
	return e
}

// readContent returns the text of one content, or its name in brackets.
func readContent(item jsontext.Value) string {
	text := map[string]string{}
	for name, value := range strictjson.Members(item) {
		if name == "resource" { // embedded; it says of itself what others say beside their data
			for name, value := range strictjson.Members(value) {
				text["resource."+name], _ = strictjson.String(value)
			}
		}
		text[name], _ = strictjson.String(value)
	}
	switch kind := text["type"]; kind {
	case "text":
		return text["text"]
	case "image", "audio":
		return named(kind, text["mimeType"], decoded(text["data"]))
	case "resource_link":
		return named("link", text["uri"], text["name"])
	case "resource":
		size := decoded(text["resource.blob"])
		if text["resource.blob"] == "" {
			size = bytesText(len(text["resource.text"]))
		}
		return named("resource", text["resource.uri"], text["resource.mimeType"], size)
	default:
		return named(fault.Word(kind))
	}
}

// named is how a content that is no text is shown: "[image image/png, 12 kB]".
func named(kind string, facts ...string) string {
	known := facts[:0]
	for _, fact := range facts {
		if fact != "" {
			known = append(known, fault.Cut(fact, 200))
		}
	}
	return "[" + strings.TrimSpace(cmp.Or(kind, "content")+" "+strings.Join(known, ", ")) + "]"
}

// decoded is the size of what base64 stands for.
func decoded(base64 string) string { return bytesText(len(strings.TrimRight(base64, "=")) * 3 / 4) }

func bytesText(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
	case n >= 1000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return fmt.Sprintf("%d bytes", n)
}

// fault is the failure that a tool reports of itself, with the whole result as detail; nil when it reports none.
func (r *Result) fault(redact func(string) string) error {
	if !r.IsError {
		return nil
	}
	message := strings.TrimSpace(r.Text)
	if message == "" {
		message = "the tool failed and does not say why"
	}
	return &fault.Error{
		Kind: fault.Rejected, Code: "tool_error", Message: fault.Cut(redact(message), maxErrorText), Sent: fault.SentYes,
		Details: map[string]any{"result": json.RawMessage(r.Raw)},
	}
}
