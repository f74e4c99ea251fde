package call

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

// AA-10: field and problems become problems, whatever the usual names of their members; retry_after is in seconds.
func TestProblemsOfASite(t *testing.T) {
	type problems = []fault.Problem
	for name, test := range map[string]struct {
		body  string
		want  problems
		after int
	}{
		"none":            {body: `{"error":{"code":"X"}}`},
		"a field":         {body: `{"error":{"code":"X","message":"too many","field":"qty"}}`, want: problems{{Param: "qty", Message: "too many"}}},
		"strings":         {body: `{"error":{"code":"X"},"problems":["one","two"]}`, want: problems{{Message: "one"}, {Message: "two"}}},
		"inside of error": {body: `{"error":{"code":"X","problems":[{"field":"qty","message":"too many"}]},"problems":["not these"]}`, want: problems{{Param: "qty", Message: "too many"}}},
		"objects": {
			body: `{"error":{"code":"X"},"problems":[{"pointer":"/qty","code":"maximum","message":"too many"},{"path":"address.city","reason":"none"},{"name":"a","error":"b"}]}`,
			want: problems{{Pointer: "/qty", Keyword: "maximum", Message: "too many"}, {Param: "address.city", Message: "none"}, {Param: "a", Message: "b"}},
		},
		"a field that a problem is about": {
			body: `{"error":{"code":"X","message":"bad","field":"qty"},"problems":[{"field":"qty","message":"too many"}]}`,
			want: problems{{Param: "qty", Message: "too many"}},
		},
		"a field beside other problems": {
			body: `{"error":{"code":"X","message":"bad","field":"qty"},"problems":[{"field":"id","message":"unknown"}]}`,
			want: problems{{Param: "qty", Message: "bad"}, {Param: "id", Message: "unknown"}},
		},
		"of no use":          {body: `{"error":{"code":"X","field":7},"problems":[7,null,{},{"message":["x"]}]}`},
		"no list":            {body: `{"error":{"code":"X"},"problems":{"qty":"too many"}}`},
		"more than anybody":  {body: `{"error":{"code":"X"},"problems":["x"` + strings.Repeat(`,"x"`, 500) + `]}`, want: many(maxProblems)},
		"to wait":            {body: `{"error":{"code":"X","retry_after":30}}`, after: 30},
		"to wait, rounded":   {body: `{"error":{"code":"X","retry_after":0.2}}`, after: 1},
		"to wait for long":   {body: `{"error":{"code":"X","retry_after":1e300}}`, after: maxRetryAfter},
		"to wait backwards":  {body: `{"error":{"code":"X","retry_after":-1}}`},
		"to wait in a text":  {body: `{"error":{"code":"X","retry_after":"30"}}`},
		"to wait, elsewhere": {body: `{"error":{"code":"X"},"retry_after":30}`},
	} {
		t.Run(name, func(t *testing.T) {
			result := &Result{Status: 422, ContentType: "application/json", Body: io.NopCloser(strings.NewReader(test.body))}
			e := fault.From(judge(result, 0, "", keep))
			if diff := cmp.Diff(test.want, e.Problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if e.RetryAfter != test.after {
				t.Errorf("retry after %d seconds, want %d", e.RetryAfter, test.after)
			}
		})
	}
}

func many(n int) []fault.Problem {
	out := make([]fault.Problem, n)
	for i := range out {
		out[i].Message = "x"
	}
	return out
}

// A read waits as long as the body of an error asks for, within its limits; an effect is sent once and reports it.
func TestWaitingForWhatABodySays(t *testing.T) {
	for name, test := range map[string]struct {
		effect manifest.Effect
		body   string
		header string
		tries  int
		slept  time.Duration // at least
		after  int
	}{
		"a read":                        {effect: manifest.Read, body: `{"error":{"code":"busy","retry_after":2}}`, tries: 2, slept: 2 * time.Second},
		"the header goes before":        {effect: manifest.Read, body: `{"error":{"code":"busy","retry_after":29}}`, header: "1", tries: 2, slept: time.Second},
		"a read, longer than it may be": {effect: manifest.Read, body: `{"error":{"code":"busy","retry_after":60}}`, tries: 1, after: 60},
		"a write":                       {effect: manifest.Write, body: `{"error":{"code":"busy","retry_after":2}}`, tries: 1, after: 2},
	} {
		t.Run(name, func(t *testing.T) {
			tries := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if tries++; tries > 1 {
					_, _ = io.WriteString(w, `{"ok":true}`)
					return
				}
				if test.header != "" {
					w.Header().Set("Retry-After", test.header)
				}
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = io.WriteString(w, test.body)
			}))
			defer server.Close()
			var slept time.Duration
			c := Caller{Redact: keep, Client: fetch.New(fetch.Settings{
				Retries: 3, Now: time.Now, Sleep: func(_ context.Context, d time.Duration) error { slept += d; return nil },
			})}
			result, err := c.Do(t.Context(), &Call{Request: &Request{Method: http.MethodGet, URL: server.URL, Effect: test.effect}, Origin: server.URL})
			if err == nil {
				_ = result.Body.Close()
			}
			if tries != test.tries || slept < test.slept || slept > test.slept+time.Second {
				t.Errorf("tried %d times and waited %v; want %d and %v", tries, slept, test.tries, test.slept)
			}
			if test.after > 0 && (err == nil || fault.From(err).RetryAfter != test.after || fault.From(err).Code != "busy") {
				t.Errorf("%+v; want it to say %d seconds", fault.From(err), test.after)
			}
		})
	}
}
