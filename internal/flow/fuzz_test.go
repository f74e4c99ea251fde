package flow

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// A string is what it says, a literal that can be written again, or refused.
func FuzzReference(f *testing.F) {
	for _, seed := range []string{"$input.x", "$steps.0.a.0", "$$x", "$steps.-1", "$steps.1e9", "$5", "$input", "$steps.0.", "$steps[0]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ref, literal, err := parseString(text)
		switch {
		case err != nil:
		case ref == nil:
			again := literal
			if strings.HasPrefix(text, "$$") {
				again = "$" + literal
			}
			if again != text {
				t.Errorf("%q became %q", text, literal)
			}
		case ref.step == fromInput:
			if got := strings.Join(append([]string{"$input", ref.input}, ref.path...), "."); got != text {
				t.Errorf("%q is read as %q", text, got)
			}
		default:
			step, _ := json.Marshal(ref.step)
			if got := strings.Join(append([]string{"$steps", string(step)}, ref.path...), "."); got != text {
				t.Errorf("%q is read as %q", text, got)
			}
		}
	})
}

// Whatever a site publishes and answers: what Compile takes has inputs that can be declared, runs without a panic, and sends
// what its schema allows.
func FuzzRun(f *testing.F) {
	f.Add(buyProduct, addToCart, paper, `{"items":[{"id":"p1"}],"cart_id":"c"}`)
	f.Add(`[{"action":"a","with":{"x":["$input.x",{"y":"$input.x.0"}]}},{"action":"b","with":{"z":"$steps.0","w":"$$5"}}]`,
		`{"properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"items":{"$ref":"#"}}}}`, `{"x":[1]}`, `[]`)
	f.Add(`[{"action":"a","with":{"x":"$input.x"}}]`, `{"$id":"x","allOf":[{"$ref":"#a"}],"$defs":{"a":{"$anchor":"a","properties":{"x":true}}}}`, `{}`, "text")
	f.Add(`[{"action":"a"}]`, `{"$schema":"http://json-schema.org/draft-04/schema#","id":"#a","items":[{}],"additionalItems":{"$ref":"#a"}}`, `{}`, "")
	f.Fuzz(func(t *testing.T, steps, schema, inputs, answer string) {
		flow := manifest.Flow{Name: "f"}
		if json.Unmarshal([]byte(steps), &flow.Steps) != nil || strictjson.Check([]byte(inputs)) != nil || len(flow.Steps) > 5 {
			return
		}
		lookup := func(string) (*manifest.Action, error) {
			return &manifest.Action{Input: []byte(schema)}, nil
		}
		p, err := Compile(flow, lookup)
		if err != nil {
			if e := fault.From(err); e.Kind != fault.Manifest || len(e.Problems) == 0 {
				t.Fatalf("refused with %+v", e)
			}
			return
		}
		if _, err := input.Compile(p.Params, nil); err != nil {
			t.Fatalf("inputs that cannot be declared: %v: %+v", err, p.Params)
		}
		values := valuesOf(inputs)
		valid := p.Check(values) == nil
		r := Runner{Store: &Store{Dir: t.TempDir(), Now: noon}}
		r.Do = func(_ context.Context, call StepCall) ([]byte, error) {
			if problems := checkBy(p.Steps[call.Step].set, call.Input); problems != nil {
				t.Errorf("sent %s: %v", call.Input, problems)
			}
			return []byte(answer), call.Sending()
		}
		result, err := r.Run(context.Background(), p, values)
		switch {
		case err == nil && json.Valid(result) && valid:
		case err != nil && fault.From(err).Kind != fault.Internal:
		default:
			t.Errorf("got %s, %v", result, err)
		}
	})
}

// What is known in part is never refused when the whole would be valid.
func FuzzAsFarAsKnown(f *testing.F) {
	f.Add(`{"required":["a"],"properties":{"a":{"type":"string"},"b":{"properties":{"c":{"type":"integer"}},"required":["d"]}}}`, `{"a":"x","b":{"c":1,"d":null}}`, "a")
	f.Add(`{"anyOf":[{"properties":{"a":{"type":"string"}}},{"$ref":"#/$defs/x"}],"$defs":{"x":{"required":["b"]}},"additionalProperties":false,"properties":{"a":{},"b":{}}}`, `{"a":1,"b":2}`, "b")
	f.Add(`{"patternProperties":{"a":{"type":"string"}},"additionalProperties":false}`, `{"a":"x"}`, "a")
	f.Fuzz(func(t *testing.T, schema, object, name string) {
		if strictjson.Check([]byte(object)) != nil || object == "" || valuesOf(object).Names() == nil {
			return
		}
		set, err := input.CompileObject([]byte(schema), nil)
		if err != nil {
			return
		}
		values := valuesOf(object)
		if checkBy(set, values.Object()) != nil {
			return
		}
		given, ok := values.Get(name)
		if !ok || strings.Contains(object, "$") {
			return
		}
		lookup := func(string) (*manifest.Action, error) { return &manifest.Action{Input: []byte(schema)}, nil }
		values.Set(name, []byte(`"$steps.0"`))
		flow := manifest.Flow{Steps: []manifest.Step{{Action: "a", With: []byte(object)}, {Action: "a", With: values.Object()}}}
		if _, err := Compile(flow, lookup); err != nil {
			t.Errorf("%s with %q = %s unknown is refused by %s: %+v", object, name, given, schema, fault.From(err).Problems)
		}
	})
}

// A file is a run that could have been written, or refused with its name.
func FuzzLoad(f *testing.F) {
	s := newSite()
	r := s.runner(f.TempDir())
	id := failedRun(f, r, s)
	run, err := r.Store.Load(id)
	if err != nil {
		f.Fatal(err)
	}
	text, _ := run.text()
	f.Add(text)
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := parseRun(text, id)
		if err != nil {
			return
		}
		if !json.Valid(run.result()) {
			t.Errorf("the result is %s", run.result())
		}
		again, err := run.text()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseRun(again, id); err != nil {
			t.Errorf("%s is refused: %v", again, err)
		}
	})
}
