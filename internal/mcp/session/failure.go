package session

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// Codes of failures, beside those of fetch.
const (
	codeProtocol = "protocol_error"
	codeLarge    = "too_large"
	codeEnded    = "connection_reset"
	codeFlood    = "too_many_messages"
)

const maxErrorText = 4 << 10 // bytes of what a server says in an error

func unavailable(code, format string, args ...any) *fault.Error {
	return fault.New(fault.Unavailable, code, format, args...)
}

// malformed is the failure of a server that does not keep to the protocol.
func malformed(format string, args ...any) *fault.Error {
	return unavailable(codeProtocol, format, args...)
}

// errorOf is a server's error: of the protocol when status is 0 or no class of its own, else of HTTP.
func errorOf(e *jsonrpc.Error, status int) *fault.Error {
	details := map[string]any{"code": e.Code, "message": e.Message}
	if json.Valid(e.Data) {
		details["data"] = e.Data
	}
	message := strings.TrimSpace(e.Message)
	if message == "" {
		message = "error " + strconv.FormatInt(e.Code, 10)
	}
	return &fault.Error{
		Kind: fault.Rejected, Code: "mcp_error", Message: fault.Cut(message, maxErrorText), Status: status,
		Sent: fault.SentYes, Details: details,
	}
}

// statusFault is the fault of an HTTP status that is an error. body may hold an error of the protocol; challenges are what a
// 401 or 402 asks for; nothing is paid for a tool.
func statusFault(host string, response *fetch.Response, body []byte) *fault.Error {
	e := &fault.Error{
		Code: "http_" + strconv.Itoa(response.Status), Message: fmt.Sprintf("the MCP server at %q answered with status %s", host, statusText(response.Status)),
	}
	if said := protocolError(body); said != nil {
		e = errorOf(said, 0)
	}
	e.Kind, e.Status, e.Sent, e.RetryAfter = fault.OfStatus(response.Status), response.Status, fault.SentYes, response.RetryAfterSeconds()
	if challenges := response.Header.Values("WWW-Authenticate"); len(challenges) > 0 && (e.Kind == fault.Auth || e.Kind == fault.Payment) {
		if e.Details == nil {
			e.Details = map[string]any{}
		}
		e.Details["challenge"] = fault.Cut(strings.Join(challenges, ", "), maxErrorText)
	}
	return e
}

// settled reports whether a status will be the same in whatever way the server is asked.
func settled(status int) bool {
	kind := fault.OfStatus(status)
	return kind == fault.Auth || kind == fault.Payment || status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

func protocolError(body []byte) *jsonrpc.Error {
	message, err := jsonrpc.DecodeMessage(body)
	if response, ok := message.(*jsonrpc.Response); ok && err == nil {
		if e, ok := response.Error.(*jsonrpc.Error); ok { //nolint:errorlint // decoded just now
			return e
		}
	}
	return nil
}

func statusText(status int) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}
