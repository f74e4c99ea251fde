package session

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/mcp"
)

// asked reads the method and the id of a message; the method is that of HTTP where there is no message.
func asked(r *http.Request) (method, id string) {
	var message struct {
		Method string
		ID     json.RawMessage
	}
	if json.NewDecoder(r.Body).Decode(&message) != nil {
		return r.Method, ""
	}
	return message.Method, string(message.ID)
}

// events writes messages as a stream of events.
func events(w http.ResponseWriter, messages ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, message := range messages {
		fmt.Fprintf(w, "data: %s\n\n", message)
	}
}

func status(code int, header ...string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "<html>not what you think")
	}
}

func body(contentType, text string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, id string) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "ID", id))
	}
}

const (
	isJSON   = "application/json"
	isEvents = "text/event-stream"
)

// misbehaviour is what a server does to one request, and how that ends.
type misbehaviour struct {
	do   func(http.ResponseWriter, string)
	kind fault.Kind
	code string
	sent fault.Sent // when it is done to the call of a tool; to anything else it is "no"
}

func misbehaviours() map[string]misbehaviour {
	deep := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	flood := strings.Repeat(`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`+"\n\n", maxNotifications+1)
	questions := strings.Repeat(`data: {"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n\n", maxRequests+1)
	return map[string]misbehaviour{
		"401": {status(401, "WWW-Authenticate", `Bearer resource_metadata="https://example.com/x"`), fault.Auth, "http_401", "yes"},
		"402": {status(402), fault.Payment, "http_402", "yes"},
		"403": {status(403), fault.Auth, "http_403", "yes"},
		"404": {status(404), fault.Rejected, "http_404", "yes"},
		"429": {status(429, "Retry-After", "7"), fault.Unavailable, "http_429", "yes"},
		"500": {status(500), fault.Unavailable, "http_500", "yes"},
		"503": {status(503), fault.Unavailable, "http_503", "yes"},
		"a status with an error of the protocol": {
			func(w http.ResponseWriter, id string) {
				w.Header().Set("Content-Type", isJSON)
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32602,"message":"bad","data":{"n":1.50}}}`)
			}, fault.Rejected, "mcp_error", "yes",
		},
		"an error of the protocol":              {body(isJSON, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"bad","data":{"n":1.50}}}`), fault.Rejected, "mcp_error", "yes"},
		"an error of the protocol, in a stream": {body(isEvents, "data: "+`{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"bad"}}`+"\n\n"), fault.Rejected, "mcp_error", "yes"},
		"a web page":                            {body("text/html", "<html>"), fault.Unavailable, codeProtocol, "unknown"},
		"nothing":                               {status(202), fault.Unavailable, codeProtocol, "unknown"},
		"JSON that is cut":                      {body(isJSON, `{"jsonrpc":"2.0","id":ID,"resu`), fault.Unavailable, codeProtocol, "unknown"},
		"no message":                            {body(isJSON, `[]`), fault.Unavailable, codeProtocol, "unknown"},
		"a notification for an answer":          {body(isJSON, `{"jsonrpc":"2.0","method":"notifications/x"}`), fault.Unavailable, codeProtocol, "unknown"},
		"another id":                            {body(isJSON, `{"jsonrpc":"2.0","id":77,"result":{}}`), fault.Unavailable, codeProtocol, "unknown"},
		"another id, in a stream":               {body(isEvents, "data: "+`{"jsonrpc":"2.0","id":77,"result":{}}`+"\n\n"), fault.Unavailable, codeProtocol, "unknown"},
		"a deep answer":                         {body(isJSON, `{"jsonrpc":"2.0","id":ID,"result":`+deep+`}`), fault.Unavailable, codeProtocol, "unknown"},
		"a member twice":                        {body(isJSON, `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"content":[]}}`), fault.Unavailable, codeProtocol, "unknown"},
		"no stream":                             {body(isEvents, "this is\nno stream\n\n"), fault.Unavailable, codeProtocol, "unknown"},
		"no JSON in a stream":                   {body(isEvents, "data: hello\n\n"), fault.Unavailable, codeProtocol, "unknown"},
		"an empty stream":                       {body(isEvents, ""), fault.Unavailable, codeEnded, "unknown"},
		"a stream that ends and may be resumed": {body(isEvents, "id: 1\ndata:\n\n"), fault.Unavailable, codeEnded, "unknown"},
		"a large answer":                        {body(isJSON, `{"jsonrpc":"2.0","id":ID,"result":{"x":"`+strings.Repeat("x", mcp.MaxMessageBytes)+`"}}`), fault.Unavailable, codeLarge, "unknown"},
		"a large event":                         {body(isEvents, "data: "+strings.Repeat("x", mcp.MaxMessageBytes)+"\n\n"), fault.Unavailable, codeLarge, "unknown"},
		"a flood of notifications":              {body(isEvents, flood), fault.Unavailable, codeFlood, "unknown"},
		"a flood of questions":                  {body(isEvents, questions), fault.Unavailable, codeFlood, "unknown"},
		"a connection that breaks":              {func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) }, fault.Unavailable, "connection_reset", "unknown"},
		"a stream that breaks": {func(w http.ResponseWriter, _ string) {
			events(w, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"soon"}}`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, fault.Unavailable, "connection_reset", "unknown"},
		"a redirect to somewhere else": {status(307, "Location", "https://elsewhere.example/mcp"), fault.Unavailable, "redirect_refused", "yes"},
	}
}

// Whatever a server does to a request, it ends as a fault of the promised kind, and the call of a tool is sent once.
func TestServersThatMisbehave(t *testing.T) {
	for name, m := range misbehaviours() {
		t.Run(name, func(t *testing.T) {
			t.Run("at the beginning", func(t *testing.T) {
				_, err := serve(t, tidy{"initialize": m.do}).open(t.Context())
				wantFault(t, err, m.kind, m.code, fault.SentNo)
			})
			t.Run("to the list", func(t *testing.T) {
				_, err := serve(t, tidy{"tools/list": m.do}).session(t).Tools(t.Context())
				wantFault(t, err, m.kind, m.code, fault.SentNo)
			})
			t.Run("to a call", func(t *testing.T) {
				times := 0
				world := serve(t, tidy{"tools/call": func(w http.ResponseWriter, id string) { times++; m.do(w, id) }})
				world.settings.Retries = 3
				_, err := world.session(t).Call(t.Context(), mcp.Call{Tool: "ok", Arguments: jsontext.Value("{}")})
				e := wantFault(t, err, m.kind, m.code, m.sent)
				if times != 1 || world.sent != 1 {
					t.Errorf("it was sent %d times, and told %d times", times, world.sent)
				}
				if strings.Contains(e.Error(), "not what you think") {
					t.Errorf("the message repeats the page: %v", e)
				}
			})
		})
	}
}
