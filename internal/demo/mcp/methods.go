package mcp

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// pageSize is how many tools a list has at most. It is small, so that clients see more than one page.
const pageSize = 2

// cursorPrefix marks the places where a list goes on.
const cursorPrefix = "from-"

func (s *Server) initialize(params jsontext.Value) (any, *rpcError) {
	var hello struct {
		Version      string          `json:"protocolVersion"`
		Capabilities *map[string]any `json:"capabilities"`
		Client       *struct {
			Name string `json:"name"`
		} `json:"clientInfo"`
	}
	if refused := decode(params, &hello); refused != nil {
		return nil, refused
	}
	if hello.Version == "" || hello.Capabilities == nil || hello.Client == nil || hello.Client.Name == "" {
		return nil, refuse(invalidParams, "initialize needs protocolVersion, capabilities and clientInfo")
	}
	return map[string]any{
		"protocolVersion": negotiate(hello.Version),
		"capabilities":    map[string]any{"tools": map[string]any{}},
		"serverInfo":      map[string]any{"name": s.info.Name, "title": s.info.Title, "version": s.info.Version},
		"instructions":    s.info.Instructions,
	}, nil
}

// list returns one page of the tools.
func (s *Server) list(params jsontext.Value) (any, *rpcError) {
	var page struct {
		Cursor *string `json:"cursor"`
	}
	if refused := decode(params, &page); refused != nil {
		return nil, refused
	}
	from := 0
	if page.Cursor != nil {
		number, marked := strings.CutPrefix(*page.Cursor, cursorPrefix)
		n, err := strconv.Atoi(number)
		if !marked || err != nil || n < 1 || n >= len(s.tools) {
			return nil, refuse(invalidParams, "there is no such page")
		}
		from = n
	}
	to := min(from+pageSize, len(s.tools))
	result := map[string]any{"tools": s.tools[from:to]}
	if to < len(s.tools) {
		result["nextCursor"] = cursorPrefix + strconv.Itoa(to)
	}
	return result, nil
}

// call is a request to use a tool.
type call struct {
	tool      *Tool
	arguments jsontext.Value
	token     jsontext.Value // under which the client wants to hear of progress; nil: it does not
}

func (s *Server) parseCall(params jsontext.Value) (c call, refused *rpcError) {
	var wanted struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
		Meta      struct {
			Token jsontext.Value `json:"progressToken"`
		} `json:"_meta"`
	}
	if refused := decode(params, &wanted); refused != nil {
		return c, refused
	}
	i := slices.IndexFunc(s.tools, func(t Tool) bool { return t.Name == wanted.Name })
	if i < 0 {
		return c, refuse(invalidParams, "there is no tool %q", shorten(wanted.Name))
	}
	c = call{&s.tools[i], wanted.Arguments, wanted.Meta.Token}
	if c.arguments == nil {
		c.arguments = jsontext.Value("{}")
	}
	switch {
	case c.arguments.Kind() != '{':
		return c, refuse(invalidParams, "the arguments must be an object")
	case !validID(c.token): // the two are alike
		return c, refuse(invalidParams, "a progress token is a string or a whole number")
	}
	return c, nil
}

// run makes the call.
func (c call) run(ctx context.Context, progress func(message string)) any {
	done := c.tool.Call(ctx, c.arguments, progress)
	result := map[string]any{"content": []map[string]string{{"type": "text", "text": done.Text}}}
	if done.Structured != nil {
		result["structuredContent"] = done.Structured
	}
	if done.Failed {
		result["isError"] = true
	}
	return result
}

// shorten keeps what a client sent from filling the answer.
func shorten(text string) string {
	const limit = 40
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}
