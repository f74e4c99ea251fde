package openapi_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/openapi"
)

// checkRequest makes a request of sample arguments, where some are found that the schemas allow, and holds that it goes to
// where the operation is. It returns how many it made.
func checkRequest(t *testing.T, summary manifest.Summary, p prepared) int64 {
	t.Helper()
	request, problems := sample(p)
	if request == nil {
		if slices.ContainsFunc(problems, func(p fault.Problem) bool { return p.Keyword == "style" }) {
			t.Errorf("%s %s: arguments that the schema allows make no request: %v", summary.Method, summary.Endpoint, problems)
		}
		return 0
	}
	path := summary.Endpoint[:strings.IndexAny(summary.Endpoint+"?", "?#")]
	target, err := url.Parse(request.URL)
	if err != nil || request.Method != summary.Method || target.Host != "api.example" || !likeTemplate(target.EscapedPath(), path) {
		t.Errorf("%s %s: the request is %s %s", summary.Method, summary.Endpoint, request.Method, request.URL)
	}
	return 1
}

// sample makes a request of texts that one would try, one after the other. When none of them will do, it returns what was
// wrong with the last.
func sample(p prepared) (*call.Request, []fault.Problem) {
	tries := map[string][]string{}
	for _, name := range p.set.Required() {
		tries[name] = append(slices.Clone(p.set.Describe(name).Enum), "1", "xx", `{"xx":1}`, "{}", "[1]", `["xx"]`, `[{}]`, "true", "2030-01-01", "2030-01-01T00:00:00Z",
			"a@b.example", "https://a.example", "00000000-0000-4000-8000-000000000000", "192.0.2.1", "100")
	}
	open := func(string) (openapi.File, error) { return openapi.File{Data: []byte("x")}, nil }
	for {
		var words input.Words
		for _, name := range p.set.Required() {
			words.Flags = append(words.Flags, input.Flag{Name: name, Text: tries[name][0]})
		}
		values, problems := p.set.Values(words)
		if len(problems) == 0 {
			var request *call.Request
			if request, problems = p.action.Request(values, openapi.Own{Open: open}); request != nil {
				return request, nil
			}
		}
		for _, problem := range problems {
			rest := tries[problem.Param]
			if len(rest) < 2 {
				return nil, problems
			}
			tries[problem.Param] = rest[1:]
		}
	}
}

// likeTemplate reports whether a path is one of a template, in which a placeholder stands for something in one segment.
func likeTemplate(path, template string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(want, got string) bool {
		begin, _, templated := strings.Cut(want, "{")
		end := want[strings.LastIndexByte(want, '}')+1:]
		got, err := url.PathUnescape(got)
		if err != nil || !templated {
			return want == got
		}
		return len(got) > len(begin)+len(end) && strings.HasPrefix(got, begin) && strings.HasSuffix(got, end)
	})
}
