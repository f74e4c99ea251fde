package schema

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// FuzzAgainstSecondOpinion holds the verdicts to those of another validator, on small random schemas and values.
func FuzzAgainstSecondOpinion(f *testing.F) {
	for seed := range 40 { // so that plain "go test" sees something
		data := make([]byte, 400)
		x := uint32(seed*2654435761 + 1)
		for i := range data {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			data[i] = byte(x >> 8)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g := &generator{data: data}
		raw := g.document()
		ours, err := Compile(jsontext.Value(raw))
		other, otherErr := secondOpinion(raw)
		if err != nil || otherErr != nil {
			return
		}
		for range 4 {
			text := g.value(3)
			failures, err := ours.Validate(jsontext.Value(text))
			if err != nil {
				continue
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := other.Validate(value); (err == nil) != (failures == nil) {
				t.Errorf("%s\n%s\nwe say %q, the other %v", raw, text, show(failures), err)
			}
		}
	})
}

func secondOpinion(raw string) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("schema:///", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema:///")
}

// generator makes schemas and values from random bytes; when they are used up, the simplest ones.
type generator struct {
	data  []byte
	older bool // without references: beside them, the other validator does not ignore all that older drafts do
}

func (g *generator) pick(n int) int {
	if len(g.data) == 0 {
		return 0
	}
	b := g.data[0]
	g.data = g.data[1:]
	return int(b) % n
}

func (g *generator) one(of ...string) string { return of[g.pick(len(of))] }

func (g *generator) name() string { return g.one("a", "b", "ab", "") }

func (g *generator) scalar() string {
	return g.one("0", "1", "2", "1.0", "1.5", "-1", "3e0", `""`, `"a"`, `"ab"`, `"bab"`, "true", "false", "null")
}

func (g *generator) value(depth int) string {
	kind := g.pick(3)
	if depth == 0 || kind == 0 {
		return g.scalar()
	}
	var parts []string
	for i := range g.pick(4) {
		part := g.value(depth - 1)
		if kind == 1 {
			part = fmt.Sprintf("%q:%s", []string{"a", "b", "ab", ""}[i], part)
		}
		parts = append(parts, part)
	}
	if kind == 1 {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (g *generator) document() string {
	dialect := g.one("https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema",
		"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-04/schema#")
	g.older = strings.Contains(dialect, "draft-0")
	out := fmt.Sprintf(`{"$schema":%q,"definitions":{"a":%s,"b":%s}`, dialect, g.object(2), g.object(2))
	for _, member := range g.keywords(4, 4) {
		out += "," + member
	}
	return out + "}"
}

func (g *generator) object(depth int) string {
	return "{" + strings.Join(g.keywords(depth, 3), ",") + "}"
}

func (g *generator) schema(depth int) string {
	if depth <= 0 {
		return g.one("true", "false", `{}`, `{"type":"integer"}`, `{"type":"string"}`, `{"const":1}`)
	}
	if g.pick(8) == 0 {
		return g.one("true", "false")
	}
	return g.object(depth)
}

func (g *generator) keywords(depth, most int) []string {
	var out []string
	seen := map[string]bool{}
	for range 1 + g.pick(most) {
		if name, value := g.keyword(depth - 1); !seen[name] {
			seen[name] = true
			out = append(out, fmt.Sprintf("%q:%s", name, value))
		}
	}
	return out
}

func (g *generator) keyword(depth int) (name, value string) {
	switch g.pick(12) {
	case 0:
		return "type", g.one(`"integer"`, `"number"`, `"string"`, `"object"`, `"array"`, `["null","boolean"]`, `["object","array"]`)
	case 1:
		return g.one("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), g.one("1", "0.5", "1.5", "2")
	case 2:
		return g.one("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"), g.one("0", "1", "2")
	case 3:
		return g.one("const", "enum"), g.one("["+g.scalar()+","+g.value(1)+"]", g.value(1))
	case 4:
		return g.one("allOf", "anyOf", "oneOf", "prefixItems"), "[" + g.schema(depth) + "," + g.schema(depth) + "]"
	case 5:
		return g.one("not", "if", "then", "else"), g.schema(depth)
	case 6:
		return g.one("properties", "patternProperties", "dependentSchemas"), fmt.Sprintf("{%q:%s,%q:%s}", "a", g.schema(depth), g.one("b", "ab"), g.schema(depth))
	case 7:
		return g.one("additionalProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "additionalItems"), g.schema(depth)
	case 8:
		return g.one("items", "contains"), g.one(g.schema(depth), "["+g.schema(depth)+"]")
	case 9:
		if g.older {
			return "required", `["a","b"]`
		}
		name = g.one("$ref", "$dynamicRef", "$recursiveRef")
		if name == "$recursiveRef" {
			return name, `"#"`
		}
		return name, g.one(`"#/definitions/a"`, `"#/definitions/b"`, `"#"`)
	case 10:
		return "required", fmt.Sprintf("[%q]", g.name())
	}
	return g.one("uniqueItems", "pattern", "dependentRequired", "dependencies"), g.one("true", `"^a"`, `{"a":["b"]}`, `{"b":`+g.schema(depth)+`}`)
}

// Whatever a schema and a value are, nothing panics, no check exceeds its budget, and one schema says one thing.
func FuzzCheck(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"anyOf":[{"type":"string"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"items":{"$ref":"#"}}}}`, `[["a",[1]]]`},
		{`{"patternProperties":{"^(?!a)":{"format":"regex"}},"unevaluatedProperties":false}`, `{"b":"("}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","id":"#x","dependencies":{"a":["b"]},"minimum":1,"exclusiveMinimum":true}`, `{"a":1}`},
		{`{"allOf":[{"properties":{"n":{"$ref":"#"}}},{"properties":{"n":{"$ref":"#"}}}],"uniqueItems":true}`, `{"n":{"n":[1,1.0]}}`},
		{`{"enum":[{"a":1e1000}],"multipleOf":1e-1000,"contains":false,"if":{"$dynamicRef":"#d"},"$defs":{"d":{"$dynamicAnchor":"d"}}}`, `1e1000`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, raw, value []byte) {
		s, err := Compile(bytes.Clone(raw))
		if err != nil {
			return
		}
		s.Member("a").Item(0).Kinds()
		s.Allowed()
		s.Keyword("title")
		if strictjson.Check(value) != nil {
			return
		}
		check := func() ([]Failure, error) { return s.Check(jsontree.Parse(value), &Budget{steps: freeSteps / 50}) }
		failures, err := check()
		again, err2 := check()
		if show(failures) != show(again) || (err == nil) != (err2 == nil) {
			t.Errorf("%q, %v and %q, %v", show(failures), err, show(again), err2)
		}
		if len(failures) > maxFailures {
			t.Errorf("%d failures", len(failures))
		}
	})
}
