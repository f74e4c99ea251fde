package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// newServer has three tools: echo, which repeats its arguments; fails; and slow, which streams.
func newServer() *Server {
	schema := jsontext.Value(`{"type":"object"}`)
	return New(Info{Name: "test", Version: "1"}, []Tool{
		{Name: "echo", Description: "Repeats", InputSchema: schema, Call: func(_ context.Context, arguments jsontext.Value, _ func(string)) Result {
			return Result{Text: "said", Structured: arguments}
		}},
		{Name: "fails", Description: "Fails", InputSchema: schema, Call: func(context.Context, jsontext.Value, func(string)) Result {
			return Result{Text: "no", Failed: true}
		}},
		{Name: "slow", Description: "Streams", InputSchema: schema, Streams: true, Call: func(_ context.Context, _ jsontext.Value, progress func(string)) Result {
			progress("half")
			progress("whole\nof it")
			return Result{Text: "done"}
		}},
	})
}

// send posts a message as a good client does; headers change that, "" takes one away.
func send(h http.Handler, body string, headers ...string) *httptest.ResponseRecorder {
	return do(h, http.MethodPost, body, append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, headers...)...)
}

func do(h http.Handler, method, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost:1/mcp", strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, r)
	return recorder
}

// begin opens a session and returns its identifier.
func begin(t *testing.T, h http.Handler) string {
	t.Helper()
	got := send(h, hello)
	id := got.Header().Get(sessionHeader)
	if got.Code != http.StatusOK || id == "" {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	if got := send(h, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, sessionHeader, id); got.Code != http.StatusAccepted || got.Body.Len() != 0 {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	return id
}

func TestVersionsAreNegotiated(t *testing.T) {
	for wanted, want := range map[string]string{
		"2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "2024-11-05": "2025-11-25", "2099-01-01": "2025-11-25",
	} {
		got := send(newServer(), strings.Replace(hello, "2025-06-18", wanted, 1)).Body.String()
		if !strings.Contains(got, `"protocolVersion":"`+want+`"`) || !strings.Contains(got, `"tools":{}`) {
			t.Errorf("%s: %s", wanted, got)
		}
	}
}

func TestMessagesThatAreRefused(t *testing.T) {
	h := newServer()
	id := begin(t, h)
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	for name, test := range map[string]struct {
		body    string
		headers []string
		status  int
		code    int
	}{
		"no JSON":                    {`{`, nil, 400, parseError},
		"a member twice":             {`{"jsonrpc":"2.0","jsonrpc":"2.0"}`, nil, 400, parseError},
		"a batch":                    {`[` + ping + `]`, nil, 400, invalidRequest},
		"another version":            {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, nil, 400, invalidRequest},
		"an id that is null":         {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, invalidRequest},
		"an id that is a fraction":   {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, invalidRequest},
		"an id that is an object":    {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, 400, invalidRequest},
		"nothing":                    {`{"jsonrpc":"2.0","id":1}`, nil, 400, invalidRequest},
		"a method that is a number":  {`{"jsonrpc":"2.0","id":1,"method":5}`, nil, 400, invalidRequest},
		"an unknown method":          {`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, nil, 200, methodNotFound},
		"a newer client's first":     {`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, []string{sessionHeader, "", versionHeader, "2026-07-28"}, 200, methodNotFound},
		"no session":                 {ping, []string{sessionHeader, ""}, 400, invalidRequest},
		"another session":            {ping, []string{sessionHeader, "x"}, 404, invalidRequest},
		"a protocol version unknown": {ping, []string{versionHeader, "1999-01-01"}, 400, invalidRequest},
		"not JSON by its type":       {ping, []string{"Content-Type", "text/plain"}, 415, invalidRequest},
		"no stream accepted":         {ping, []string{"Accept", "application/json"}, 406, invalidRequest},
		"nothing accepted":           {ping, []string{"Accept", ""}, 406, invalidRequest},
		"from another page":          {ping, []string{"Origin", "http://evil.example"}, 403, invalidRequest},
		"from another port's page":   {ping, []string{"Origin", "http://localhost:2"}, 403, invalidRequest},
		"from nowhere":               {ping, []string{"Origin", "null"}, 403, invalidRequest},
		"too large":                  {`"` + strings.Repeat("a", maxBody) + `"`, nil, 413, invalidRequest},
		"params that are a list":     {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, nil, 200, invalidParams},
		"a cursor of elsewhere":      {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"from-9"}}`, nil, 200, invalidParams},
		"a cursor to the beginning":  {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"from-0"}}`, nil, 200, invalidParams},
		"an unknown tool":            {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sing"}}`, nil, 200, invalidParams},
		"no tool":                    {`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, 200, invalidParams},
		"arguments in a list":        {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[]}}`, nil, 200, invalidParams},
		"a progress token in a list": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":[]}}}`, nil, 200, invalidParams},
		"a nameless client":          {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}`, nil, 200, invalidParams},
	} {
		t.Run(name, func(t *testing.T) {
			got := send(h, test.body, append([]string{sessionHeader, id}, test.headers...)...)
			var m message
			if err := json.Unmarshal(got.Body.Bytes(), &m); err != nil || m.Error == nil {
				t.Fatalf("%d %s (%v)", got.Code, got.Body, err)
			}
			if got.Code != test.status || m.Error.Code != test.code || m.Error.Message == "" {
				t.Errorf("%d %s; want %d %d", got.Code, got.Body, test.status, test.code)
			}
			if got.Header().Get(sessionHeader) != "" {
				t.Error("it opened a session")
			}
		})
	}
	if got := send(h, ping, sessionHeader, id, "Origin", "http://localhost:1"); got.Body.String() != `{"jsonrpc":"2.0","id":7,"result":{}}` {
		t.Errorf("its own page: %d %s", got.Code, got.Body)
	}
}

func TestNotificationsAndResponsesAreTaken(t *testing.T) {
	h := newServer()
	id := begin(t, h)
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","method":"notifications/unheard-of"}`,
		`{"jsonrpc":"2.0","id":5,"result":{}}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}`,
	} {
		if got := send(h, body, sessionHeader, id, versionHeader, "2025-06-18"); got.Code != http.StatusAccepted || got.Body.Len() != 0 {
			t.Errorf("%s: %d %s", body, got.Code, got.Body)
		}
		if got := send(h, body); got.Code != http.StatusBadRequest {
			t.Errorf("%s without a session: %d", body, got.Code)
		}
	}
}

func TestToolsComeInPages(t *testing.T) {
	h := newServer()
	id := begin(t, h)
	first := send(h, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, sessionHeader, id).Body.String()
	if !strings.Contains(first, `"nextCursor":"from-2"`) || strings.Contains(first, "slow") || !strings.Contains(first, `"inputSchema":{"type":"object"}`) {
		t.Errorf("%s", first)
	}
	second := send(h, `{"jsonrpc":"2.0","id":"b","method":"tools/list","params":{"cursor":"from-2"}}`, sessionHeader, id).Body.String()
	if strings.Contains(second, "nextCursor") || !strings.Contains(second, "slow") || strings.Contains(second, "echo") {
		t.Errorf("%s", second)
	}
}

func TestCalls(t *testing.T) {
	h := newServer()
	id := begin(t, h)
	for params, want := range map[string]string{
		`{"name":"echo","arguments":{"n":0.10, "big":12345678901234567890}}`: `{"content":[{"text":"said","type":"text"}],"structuredContent":{"n":0.10,"big":12345678901234567890}}`,
		`{"name":"echo"}`:  `{"content":[{"text":"said","type":"text"}],"structuredContent":{}}`,
		`{"name":"fails"}`: `{"content":[{"text":"no","type":"text"}],"isError":true}`,
	} {
		got := send(h, `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":`+params+`}`, sessionHeader, id).Body.String()
		if got != `{"jsonrpc":"2.0","id":"x","result":`+want+`}` {
			t.Errorf("%s: %s", params, got)
		}
	}
}

func TestAStreamEndsWithTheResponse(t *testing.T) {
	h := newServer()
	id := begin(t, h)
	call := func(meta string) string {
		got := send(h, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"slow"`+meta+`}}`, sessionHeader, id)
		if got.Header().Get("Content-Type") != streamType || !got.Flushed {
			t.Errorf("%v", got.Header())
		}
		return got.Body.String()
	}
	const result = "event: message\ndata: " + `{"jsonrpc":"2.0","id":3,"result":{"content":[{"text":"done","type":"text"}]}}` + "\n\n"
	if got := call(""); got != result {
		t.Errorf("%q", got)
	}
	progress := func(n int, text string) string {
		return "event: message\ndata: " + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"` + text + `","progress":` + strconv.Itoa(n) + `,"progressToken":"p"}}` + "\n\n"
	}
	if got := call(`,"_meta":{"progressToken":"p"}`); got != progress(1, "half")+progress(2, `whole\nof it`)+result {
		t.Errorf("%q", got)
	}
}

func TestSessionsEnd(t *testing.T) {
	h := newServer()
	id := begin(t, h)
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	if got := do(h, http.MethodDelete, ""); got.Code != http.StatusBadRequest {
		t.Errorf("without a session: %d", got.Code)
	}
	if got := do(h, http.MethodDelete, "", sessionHeader, id); got.Code != http.StatusNoContent {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := send(h, ping, sessionHeader, id); got.Code != http.StatusNotFound {
		t.Errorf("the session is still there: %d", got.Code)
	}
	if got := do(h, http.MethodDelete, "", sessionHeader, id); got.Code != http.StatusNotFound {
		t.Errorf("it ended twice: %d", got.Code)
	}
	oldest := begin(t, h)
	for range maxSessions - 1 {
		begin(t, h)
	}
	if got := send(h, ping, sessionHeader, oldest); got.Code != http.StatusOK {
		t.Errorf("%d sessions are too many: %d", maxSessions, got.Code)
	}
	begin(t, h)
	if got := send(h, ping, sessionHeader, oldest); got.Code != http.StatusNotFound {
		t.Errorf("the oldest session outlived one more than %d", maxSessions)
	}
}

func TestThereIsNoStreamToListenTo(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodOptions} {
		if got := do(newServer(), method, ""); got.Code != http.StatusMethodNotAllowed || got.Header().Get("Allow") != "DELETE, POST" {
			t.Errorf("%s: %d %q", method, got.Code, got.Header().Get("Allow"))
		}
	}
}

// Whatever is sent, the answer is JSON, a stream of JSON, or nothing with status 202; and it is about the id that was sent.
func FuzzMessage(f *testing.F) {
	f.Add(hello)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"\n"}}}`)
	f.Add(`{"jsonrpc":"2.0","id":"\u0000","method":"tools/call","params":{"name":"echo","arguments":{"a":[1e400]}}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"from--1"}}`)
	f.Add(`{"jsonrpc":"2.0","id":-0,"result":null}`)
	f.Fuzz(func(t *testing.T, body string) {
		h := newServer()
		got := send(h, body, sessionHeader, h.sessions.begin())
		texts := []string{got.Body.String()}
		switch {
		case got.Code == http.StatusAccepted && got.Body.Len() == 0:
			return
		case got.Header().Get("Content-Type") == streamType:
			texts = strings.Split(strings.TrimSuffix(texts[0], "\n\n"), "\n\n")
		}
		var last message
		for _, text := range texts {
			text = strings.TrimPrefix(text, "event: message\ndata: ")
			if err := strictjson.Check([]byte(text)); err != nil {
				t.Fatalf("%q is answered with %q: %v", body, text, err)
			}
			last = message{}
			if err := json.Unmarshal([]byte(text), &last); err != nil {
				t.Fatalf("%q is answered with %q: %v", body, text, err)
			}
		}
		if (last.Result == nil) == (last.Error == nil) || last.Error != nil && last.Error.Code == internalError {
			t.Fatalf("%q is answered with %q", body, texts)
		}
		if asked, refused := parseMessage([]byte(body)); refused == nil && string(asked.ID) != string(last.ID) {
			t.Fatalf("%s was asked, %s answered", asked.ID, last.ID)
		}
	})
}
