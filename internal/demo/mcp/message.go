package mcp

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// The codes of JSON-RPC 2.0.
const (
	parseError     = -32700
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
	internalError  = -32603
)

// message is a request, a notification (which has no id) or a response (which has no method).
type message struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id,omitzero"`
	Method  string         `json:"method,omitzero"`
	Params  jsontext.Value `json:"params,omitzero"`
	Result  jsontext.Value `json:"result,omitzero"`
	Error   *rpcError      `json:"error,omitzero"`
}

// rpcError is how JSON-RPC tells what is wrong with a request.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

func refuse(code int, format string, args ...any) *rpcError {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

// parseMessage reads what a client sent. A list of messages is refused: the protocol has none since 2025-06-18.
func parseMessage(body []byte) (m message, refused *rpcError) {
	if err := strictjson.Check(body); err != nil {
		return m, refuse(parseError, "the body is not acceptable JSON: %v", err)
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return message{}, refuse(invalidRequest, "the body is not a message of JSON-RPC")
	}
	if !validID(m.ID) {
		m.ID = nil
		return m, refuse(invalidRequest, "an id is a string or a whole number")
	}
	switch {
	case m.Version != "2.0":
		return m, refuse(invalidRequest, `"jsonrpc" must be "2.0"`)
	case m.Method == "" && (m.ID == nil || m.Result == nil && m.Error == nil):
		return m, refuse(invalidRequest, "the message has no method, and is no response")
	}
	return m, nil
}

// validID reports whether an id is absent, a string or a whole number; null is none (a difference to JSON-RPC).
func validID(id jsontext.Value) bool {
	switch id.Kind() {
	case '"':
		return true
	case '0':
		return !strings.ContainsAny(string(id), ".eE")
	}
	return id == nil
}

// decode reads the params of a request.
func decode(params jsontext.Value, into any) *rpcError {
	if params == nil {
		params = jsontext.Value("{}")
	}
	if err := json.Unmarshal(params, into); err != nil {
		return refuse(invalidParams, "the params do not fit the method")
	}
	return nil
}

// notification is a message to the client that wants no answer.
func notification(method string, params any) (message, *rpcError) {
	text, err := json.Marshal(params, json.Deterministic(true))
	if err != nil {
		return message{}, refuse(internalError, "the notification cannot be encoded")
	}
	return message{Version: "2.0", Method: method, Params: text}, nil
}

// response answers a request, with a result or with what is wrong. Where the id could not be read it is null.
func response(id jsontext.Value, result any, refused *rpcError) message {
	if id == nil {
		id = jsontext.Value("null")
	}
	m := message{Version: "2.0", ID: id, Error: refused}
	if refused == nil {
		text, err := json.Marshal(result, json.Deterministic(true))
		if m.Result = text; err != nil {
			m.Result, m.Error = nil, refuse(internalError, "the result cannot be encoded")
		}
	}
	return m
}
