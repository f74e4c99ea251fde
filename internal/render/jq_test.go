package render

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestJQ(t *testing.T) {
	for name, test := range map[string]struct{ expr, in, want string }{
		"strings are raw":                   {".a", `{"a":"x\ny"}`, "x\ny\n"},
		"others are compact JSON":           {".", `{"b": [1, null, true], "a": "<&>"}`, `{"a":"<&>","b":[1,null,true]}` + "\n"},
		"each result has its line":          {".[]", `[1,"a",{}]`, "1\na\n{}\n"},
		"digits pass through":               {".[]", `[0.1000, 12345678901234567890, 1e5, -0, 1.0]`, "0.1000\n12345678901234567890\n1e5\n-0\n1.0\n"},
		"digits pass through inside values": {"{a}", `{"a":0.1000}`, `{"a":0.1000}` + "\n"},
		"big integers compute exactly":      {".+1", `12345678901234567890`, "12345678901234567891\n"},
		"every value of a stream":           {".a", "{\"a\":1}\n{\"a\":2}\n", "1\n2\n"},
		"no result":                         {"empty", `{}`, ""},
		"no environment":                    {"env, $ENV", `{}`, "{}\n{}\n"},
		"halt ends quietly":                 {"1, halt, 2", `{}`, "1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			query, err := CompileJQ(test.expr)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := query.Run(t.Context(), &out, strings.NewReader(test.in)); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got %q, want %q", out.String(), test.want)
			}
		})
	}
}

func TestJQProgramsThatAreRefused(t *testing.T) {
	for _, expr := range []string{".[", "}", "nosuch", "$x", `input`, `import "x" as x; .`, `include "x"; .`, "input_filename"} {
		_, err := CompileJQ(expr)
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Kind != fault.Usage || e.Code != "invalid_jq" {
			t.Errorf("%q: %v", expr, err)
		}
	}
}

func TestJQFailuresKeepEarlierResults(t *testing.T) {
	s, out, _ := pipe()
	e := fault.From(Result(t.Context(), s, body("application/json", `[1,"x"]`), Options{JQ: ".[] | .+1"}))
	if out.String() != "2\n" || e == nil || e.Code != "jq_failed" {
		t.Errorf("got %q, %v", out, e)
	}
}

func TestEndlessJQEndsWithTheContext(t *testing.T) {
	for _, expr := range []string{"repeat(.)", "[limit(1; repeat(empty))]", "last(range(infinite))", "def f: f; f"} {
		query, err := CompileJQ(expr)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := query.Run(ctx, new(bytes.Buffer), strings.NewReader("1")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%q: %v", expr, err)
		}
		cancel()
	}
}
