package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Work that is out of proportion to a value ends the check, whatever the keyword that causes it.
func TestChecksThatAreTooMuchWork(t *testing.T) {
	deep := func(levels int) string {
		return strings.Repeat(`{"n":`, levels) + `{}` + strings.Repeat(`}`, levels)
	}
	list := func(n int, item string) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }
	strings20k := make([]string, 20_000)
	for i := range strings20k {
		strings20k[i] = fmt.Sprintf(`"v%d"`, i)
	}
	names := strings.Join(strings20k, ",")
	var patterns strings.Builder
	for i := range 990 {
		fmt.Fprintf(&patterns, `"%d":true,`, i)
	}
	patterns.WriteString(`"x":true`)
	members := func(n int) string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf(`"v%d":0`, i))
		}
		return "{" + strings.Join(out, ",") + "}"
	}
	for name, test := range map[string]struct{ schema, value string }{
		"recursion that doubles":      {`{"allOf":[{"properties":{"n":{"$ref":"#"}}},{"properties":{"n":{"$ref":"#"}}}]}`, deep(40)},
		"recursion under not":         {`{"not":{"allOf":[{"properties":{"n":{"$ref":"#"}}},{"properties":{"n":{"$ref":"#"}}}]}}`, deep(40)},
		"recursion in failing unions": {`{"anyOf":[{"required":["n"],"properties":{"n":{"$ref":"#"}}},{"required":["n"],"properties":{"n":{"$ref":"#"}}}]}`, deep(40)},
		"an enum in every item":       {`{"items":{"enum":[` + names + `]}}`, list(50_000, "1")},
		"required names":              {`{"required":[` + names + `]}`, members(20_000)},
		"patterns in every item":      {`{"items":{"patternProperties":{` + patterns.String() + `}}}`, list(20_000, `{"a":1}`)},
		"a large pattern":             {`{"pattern":"([a-z]?[0-9]?){990}$"}`, `"` + strings.Repeat("x", 1<<20) + `"`},
	} {
		t.Run(name, func(t *testing.T) {
			if failures, err := compile(t, test.schema).Validate(jsontext.Value(test.value)); !errors.Is(err, ErrTooMuchWork) || failures != nil {
				t.Errorf("got %d failures, %v", len(failures), err)
			}
		})
	}
}

// Honest work on large values is done.
func TestLargeValues(t *testing.T) {
	item := `{"id":12345,"name":"something","tags":["a","b"],"price":12.50}`
	value := "[" + strings.Repeat(item+",", 20_000) + item + "]"
	s := compile(t, `{"type":"array","uniqueItems":false,"items":{"type":"object","required":["id","name"],"additionalProperties":false,"properties":{
		"id":{"type":"integer","minimum":1},"name":{"type":"string","pattern":"^[a-z]+$","maxLength":40},
		"tags":{"type":"array","items":{"enum":["a","b","c"]},"uniqueItems":true},"price":{"type":"number","multipleOf":0.01}}}}`)
	if failures, err := s.Validate(jsontext.Value(value)); failures != nil || err != nil {
		t.Errorf("got %s, %v", show(failures), err)
	}
	numbers := []byte("[0")
	for i := range 100_000 {
		numbers = fmt.Appendf(numbers, ",%d", i+1)
	}
	if failures, err := compile(t, `{"uniqueItems":true}`).Validate(append(numbers, ']')); failures != nil || err != nil {
		t.Errorf("got %s, %v", show(failures), err)
	}
}

func TestSlowPatterns(t *testing.T) {
	text := jsontext.Value(`"` + strings.Repeat("a", 40) + `!"`)
	for _, raw := range []string{`{"pattern":"^(?=a)(a+)+$"}`, `{"not":{"pattern":"^(?=a)(a+)+$"}}`, `{"anyOf":[{"pattern":"^(?=a)(a+)+$"},true]}`} {
		_, err := compile(t, raw).Validate(text)
		if slow, ok := errors.AsType[*SlowPatternError](err); !ok || slow.Pattern != "^(?=a)(a+)+$" {
			t.Errorf("%s: got %v", raw, err)
		}
	}
}

// The time of slow patterns is that of all checks on one budget: when it is over, none is matched any more.
func TestSlowPatternsShareTheirTime(t *testing.T) {
	budget := NewBudget(0)
	s := compile(t, `{"pattern":"^(?!x)"}`)
	if valid, err := s.Accepts(jsontree.String("a"), budget); !valid || err != nil {
		t.Fatalf("got %v, %v", valid, err)
	}
	budget.slow.Reset(0)
	for range 2 {
		_, err := s.Accepts(jsontree.String("a"), budget)
		if _, ok := errors.AsType[*SlowPatternError](err); !ok {
			t.Errorf("got %v", err)
		}
	}
}

// A check tells at most so many failures, and never that there are none when there are.
func TestManyFailures(t *testing.T) {
	list := jsontext.Value("[" + strings.Repeat("1,", 5000) + `"a"]`)
	for raw, want := range map[string]int{
		`{"items":{"type":"string"}}`:                                                     maxFailures,
		`{"anyOf":[{"items":{"type":"string"}},{"items":{"type":"null"}}]}`:               1,
		`{"items":{"anyOf":[{"type":"integer"},{"items":false}]},"maxItems":3}`:           1,
		`{"items":{"anyOf":[{"type":"null"},{"type":"integer"}]}}`:                        1,
		`{"oneOf":[{"items":{"type":"string"}},{"items":{"type":"null"}}],"maxItems":10}`: 2,
	} {
		failures, err := compile(t, raw).Validate(list)
		if len(failures) != want || err != nil {
			t.Errorf("%s: got %d failures, %v", raw, len(failures), err)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	s := compile(b, `{"type":"object","required":["city"],"properties":{"city":{"type":"string","minLength":1},"zip":{"type":"string","pattern":"^[0-9]{5}$"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if failures, err := s.Validate(jsontext.Value(`{"city":"Paris","zip":"75001"}`)); failures != nil || err != nil {
			b.Fatal(failures, err)
		}
	}
}
