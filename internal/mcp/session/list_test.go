package session

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/mcp"
)

// pages serves the list of tools page by page; the cursor of a page is its number.
func pages(page func(n int) string) tidy {
	n := 0
	return tidy{"tools/list": func(w http.ResponseWriter, id string) {
		tidy{}.result(w, id, page(n))
		n++
	}}
}

func TestAllPagesOfAListAreRead(t *testing.T) {
	world := serve(t, pages(func(n int) string {
		if n == 2 {
			return `{"tools":[{"name":"last","inputSchema":{"maximum":1.000}},7]}`
		}
		return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{}}],"nextCursor":"%d"}`, n, n+1)
	}))
	tools, err := world.session(t).Tools(t.Context())
	if err != nil || len(tools) != 4 || string(tools[2]) != `{"name":"last","inputSchema":{"maximum":1.000}}` {
		t.Errorf("got %s, %v", tools, err)
	}
}

// A list is bounded in tools and bytes, and ends, whatever the server makes of its pages.
func TestListsWithoutEnd(t *testing.T) {
	for name, test := range map[string]struct {
		page func(n int) string
		code string
	}{
		"ever more tools": {func(n int) string {
			return fmt.Sprintf(`{"tools":[%s{}],"nextCursor":"%d"}`, strings.Repeat("{},", 99), n+1)
		}, codeLarge},
		"ever more bytes": {func(n int) string {
			return fmt.Sprintf(`{"tools":[{"description":"%s"}],"nextCursor":"%d"}`, strings.Repeat("x", 1<<20), n+1)
		}, codeLarge},
		"empty pages": {func(n int) string { return fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, n+1) }, codeLarge},
		"a circle":    {func(n int) string { return fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, n%3) }, codeProtocol},
		"no list":     {func(int) string { return `{"tools":{}}` }, codeProtocol},
		"nothing":     {func(int) string { return `null` }, codeProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := serve(t, pages(test.page)).session(t).Tools(t.Context())
			wantFault(t, err, fault.Unavailable, test.code, fault.SentNo)
		})
	}
}

func TestAListThatIsJustLargeEnough(t *testing.T) {
	world := serve(t, pages(func(int) string { return `{"tools":[{}` + strings.Repeat(",{}", mcp.MaxTools-1) + `]}` }))
	if tools, err := world.session(t).Tools(t.Context()); err != nil || len(tools) != mcp.MaxTools {
		t.Errorf("got %d tools, %v", len(tools), err)
	}
}
