package demo

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// tools returns what the server lists, all pages of it.
func (c usherClient) tools() map[string]*jsontree.Node {
	c.t.Helper()
	all := make(map[string]*jsontree.Node)
	params := `{}`
	for range 10 {
		page := jsontree.Parse(c.result("tools/list", params))
		for _, tool := range page.Member("tools").Items {
			all[tool.Member("name").Text()] = tool
		}
		next := page.Member("nextCursor")
		if next == nil {
			return all
		}
		params = `{"cursor":` + string(next.Value()) + `}`
	}
	c.t.Fatal("the list does not end")
	return nil
}

// usherClient is a session with the club's MCP server.
type usherClient struct {
	http.Handler
	session string
	t       *testing.T
}

func meetUsher(t *testing.T, h http.Handler) usherClient {
	t.Helper()
	c := usherClient{h, "", t}
	got := c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	c.session = got.Header().Get("Mcp-Session-Id")
	if c.session == "" {
		t.Fatalf("no session: %d %s", got.Code, got.Body)
	}
	return c
}

func (c usherClient) send(message string) answer {
	return answer{ask(c.Handler, "POST", "/agent/mcp", message, "Accept", "application/json, text/event-stream", "Mcp-Session-Id", c.session), c.t}
}

// result returns what came of a request; of a stream, the last event's.
func (c usherClient) result(method, params string) jsontext.Value {
	c.t.Helper()
	got := c.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`)
	text := got.Body.String()
	if got.Header().Get("Content-Type") == "text/event-stream" {
		events := strings.Split(strings.TrimSpace(text), "\n\n")
		_, text, _ = strings.Cut(events[len(events)-1], "data: ")
	}
	result, ok := strictjson.Member(jsontext.Value(text), "result")
	if !ok {
		c.t.Fatalf("%s %s: %d %s", method, params, got.Code, text)
	}
	return result
}

func (c usherClient) call(tool, arguments string) *jsontree.Node {
	c.t.Helper()
	return jsontree.Parse(c.result("tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`))
}

func TestTheUshersToolsDoWhatTheySay(t *testing.T) {
	h := newSite(t)
	c := meetUsher(t, h)
	tools := c.tools()
	if len(tools) != 3 {
		t.Fatalf("%d tools", len(tools))
	}
	for name, test := range map[string]struct{ arguments, text, structured string }{
		"ask_the_usher": {`{"question":"When do you OPEN, and is there vegan popcorn?"}`, "at two", `"opening-hours"`},
		"find_snacks":   {`{"query":"caramel","max_price":4.5}`, "Burnt Caramel for 4.50.", `"price":4.50`},
		"book_seats":    {`{"screening":"late","name":"Ada","seats":2}`, "2 seats for Ada: A1, A2", `"capabilityId":"book-seat"`},
	} {
		wantFits(t, tools[name].Member("inputSchema").Value(), "", test.arguments)
		got := c.call(name, test.arguments)
		text := got.At("/content/0/text").Text()
		structured := got.Member("structuredContent").Value()
		if !strings.Contains(text, test.text) || !strings.Contains(string(structured), test.structured) || got.Member("isError") != nil {
			t.Errorf("%s: %s", name, got.Value())
		}
		if schema := tools[name].Member("outputSchema"); schema != nil {
			wantFits(t, schema.Value(), "", string(structured))
		}
		for _, hidden := range []string{"capabilityId", "risk"} {
			if tools[name].Member(hidden) != nil {
				t.Errorf("%s is listed with %s, which the protocol does not know", name, hidden)
			}
		}
	}
	if kept := bookings(t, h); len(kept) != 1 || kept[0].Name != "Ada" {
		t.Errorf("%+v", kept)
	}
	if got := c.call("ask_the_usher", `{"question":"?"}`); got.At("/structuredContent/topics").Value().Kind() != '[' || !strings.HasPrefix(got.At("/content/0/text").Text(), "I only know") {
		t.Errorf("%s", got.Value())
	}
	if got := c.call("find_snacks", `{"query":"gravel"}`); got.At("/content/0/text").Text() != "Nothing is like that." {
		t.Errorf("%s", got.Value())
	}
}

func TestCallsThatTheUsherRefuses(t *testing.T) {
	c := meetUsher(t, newSite(t))
	for _, test := range []struct{ tool, arguments, code string }{
		{"ask_the_usher", `{}`, "invalid_question"},
		{"ask_the_usher", `{"question":1}`, "wrong_type"},
		{"ask_the_usher", `{"question":"` + strings.Repeat("a", 281) + `"}`, "too_long"},
		{"find_snacks", `{"max_price":0}`, "invalid_price"},
		{"find_snacks", `{"colour":"red"}`, "unknown_member"},
		{"book_seats", `{"screening":"noon","name":"Ada"}`, "invalid_screening"},
		{"book_seats", `{"screening":"late","name":"Ada","seats":7}`, "invalid_seats"},
		{"book_seats", `{"name":["Ada"]}`, "wrong_type"},
	} {
		got := c.call(test.tool, test.arguments)
		if code := got.At("/structuredContent/error/code"); got.Member("isError") == nil || code == nil || code.Text() != test.code || got.At("/content/0/text").Text() == "" {
			t.Errorf("%s %s: %s; want %s", test.tool, test.arguments, got.Value(), test.code)
		}
	}
}

func TestTheUsherTalksWhileThinking(t *testing.T) {
	c := meetUsher(t, newSite(t))
	got := c.send(`{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"ask_the_usher","arguments":{"question":"rules?"},"_meta":{"progressToken":7}}}`)
	events := strings.Split(strings.TrimSpace(got.Body.String()), "\n\n")
	if got.Header().Get("Content-Type") != "text/event-stream" || len(events) != 3 {
		t.Fatalf("%v %q", got.Header(), events)
	}
	if !strings.Contains(events[1], `"method":"notifications/progress"`) || !strings.Contains(events[1], `"progress":2,"progressToken":7`) {
		t.Errorf("%s", events[1])
	}
	if !strings.Contains(events[2], `"id":"q"`) || !strings.Contains(events[2], "Crunch") {
		t.Errorf("%s", events[2])
	}
}
