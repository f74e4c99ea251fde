package input

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema"
)

func TestSchemasThatCannotBeUsed(t *testing.T) {
	doubling := func(levels int) string { // each definition applies the next one twice
		var b strings.Builder
		b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
		for i := range levels {
			fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
		}
		fmt.Fprintf(&b, `"d%d":{}}}`, levels)
		return b.String()
	}
	for name, test := range map[string]struct{ schema, code, pointer, message string }{
		"not a schema":                   {`"integer"`, "schema_invalid", "", "a schema must be an object, true or false"},
		"not a schema inside":            {`{"properties":{"a":1}}`, "schema_invalid", "/properties/a", "a schema must be an object, true or false"},
		"not JSON":                       {`{"type":`, "schema_invalid", "", "the schema cannot be read"},
		"an unknown type":                {`{"properties":{"a/b":{"type":"integr"}}}`, "schema_invalid", "/properties/a~1b/type", "must be"},
		"a minimum that is no number":    {`{"minimum":"1"}`, "schema_invalid", "/minimum", "must be a number"},
		"a pattern that is none":         {`{"pattern":"("}`, "schema_invalid", "/pattern", "must be a regular expression"},
		"a pattern too long":             {`{"pattern":"` + strings.Repeat("a", schema.MaxPatternBytes+1) + `"}`, "schema_too_complex", "/pattern", "a pattern is longer"},
		"a name pattern too long":        {`{"patternProperties":{"` + strings.Repeat("a", schema.MaxPatternBytes+1) + `":{}}}`, "schema_too_complex", "/patternProperties", "a pattern is longer"},
		"a pattern that repeats":         {`{"items":{"pattern":"(` + strings.Repeat("a?", 30) + `){1000}"}}`, "schema_too_complex", "/items/pattern", "repeat more than"},
		"patterns that repeat together":  {`{"patternProperties":{"(a?b?c?d?e?){990}":{},"(f?g?h?i?j?){990}":{}}}`, "schema_too_complex", "/patternProperties", "repeat more than"},
		"a hostile number":               {`{"multipleOf":1e-999999999}`, "schema_invalid", "", "the schema cannot be read"},
		"too large":                      {`{"description":"` + strings.Repeat("a", schema.MaxBytes) + `"}`, "schema_too_complex", "", "larger than 256 KiB"},
		"too deep":                       {strings.Repeat(`{"not":`, 70) + "{}" + strings.Repeat("}", 70), "schema_invalid", "", "nested deeper"},
		"a reference to a site":          {`{"items":{"$ref":"https://x.example/s"}}`, "schema_remote_ref", "/items/$ref", "leads out of the schema"},
		"a reference to a file":          {`{"$ref":"file:///etc/passwd"}`, "schema_remote_ref", "/$ref", "leads out of the schema"},
		"a reference to a sibling":       {`{"$ref":"1#/x"}`, "schema_remote_ref", "/$ref", "leads out of the schema"},
		"a reference to nowhere":         {`{"$ref":"#/$defs/x"}`, "schema_invalid", "/$ref", "leads nowhere"},
		"an anchor that is nowhere":      {`{"$ref":"#x"}`, "schema_invalid", "/$ref", "leads nowhere"},
		"a reference to a number":        {`{"$ref":"#/x","x":1}`, "schema_invalid", "/x", "a schema must be"},
		"a reference that is none":       {`{"$ref":1}`, "schema_invalid", "/$ref", "must be a string"},
		"a reference badly escaped":      {`{"$ref":"#/%zz"}`, "schema_invalid", "/$ref", "not well formed"},
		"a reference below an inner id":  {`{"properties":{"a":{"$id":"https://x.example/a","$ref":"#/$defs/y","$defs":{"y":{}}}}}`, "schema_invalid", "/properties/a/$ref", "inner"},
		"an unknown dialect":             {`{"$schema":"https://x.example/dialect"}`, "schema_remote_ref", "", "not part of it"},
		"a schema that is itself":        {`{"$ref":"#"}`, "schema_invalid", "", "refers to itself without end"},
		"a cycle of references":          {`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`, "schema_invalid", "", "refers to itself without end"},
		"exponential references":         {doubling(30), "schema_too_complex", "", "schemas apply to one value"},
		"more schemas than anyone needs": {`{"properties":{` + manyProperties(schema.MaxSchemas) + `}}`, "schema_too_complex", "", "more than 1000 schemas"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compile([]manifest.Param{{Name: "x", Schema: jsontext.Value(test.schema)}}, nil)
			requireManifestFault(t, err, test.code)
			if !strings.Contains(err.Error(), test.message) {
				t.Errorf("message %q, want %q", err, test.message)
			}
			if got := fault.From(err).Details["pointer"]; test.pointer != "" && got != test.pointer {
				t.Errorf("pointer %q, want %q", got, test.pointer)
			}
		})
	}
}

func TestSchemasThatCanBeUsed(t *testing.T) {
	for name, schema := range map[string]string{
		"a recursive one":          `{"type":"object","properties":{"next":{"$ref":"#"},"all":{"type":"array","items":{"$ref":"#"}}}}`,
		"a dynamic reference":      `{"$dynamicAnchor":"n","properties":{"next":{"$dynamicRef":"#n"}}}`,
		"an id on top":             `{"$id":"https://x.example/a.json","$ref":"#/$defs/y","$defs":{"y":{"type":"integer"}}}`,
		"an id that is relative":   `{"$id":"../../a","type":"integer"}`,
		"the id of a meta-schema":  `{"$id":"https://json-schema.org/draft/2020-12/schema","type":"integer"}`,
		"an inner id without refs": `{"properties":{"a":{"$id":"https://x.example/a","type":"integer"}}}`,
		"an inner dialect":         `{"properties":{"a":{"$schema":"https://x.example/dialect","type":"integer"}}}`,
		"an older dialect":         `{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","minimum":1,"exclusiveMinimum":true,"items":[{}]}`,
		"escaped references":       `{"$ref":"#/$defs/a%20b~1c","$defs":{"a b/c":{}}}`,
		"a reference to no schema": `{"$ref":"#/components/a","components":{"a":{"type":["integer","string"]}}}`,
		"unknown keywords":         `{"x-order":1,"discriminator":{"propertyName":"a"},"nullable":true,"type":"string"}`,
		"an unknown format":        `{"type":"string","format":"int64"}`,
		"a property named $id":     `{"properties":{"$id":{"type":"string"},"$ref":{"type":"string"}}}`,
		"the largest allowed":      `{"properties":{` + manyProperties(schema.MaxSchemas-1) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Compile(params("x="+schema), nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func manyProperties(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(`"p%d":{}`, i)
	}
	return strings.Join(names, ",")
}

func TestManyLargeSchemasTogether(t *testing.T) {
	declared := []string{"x"}
	for i := range 5 {
		declared = append(declared, fmt.Sprintf(`p%d={"properties":{%s}}`, i, manyProperties(schema.MaxSchemas-1)))
	}
	_, err := Compile(params(declared...), nil)
	if e := fault.From(err); err == nil || e.Code != "schema_too_complex" || e.Details["param"] != "p3" {
		t.Errorf("got %v", err)
	}
}

func TestParametersDeclaredTwice(t *testing.T) {
	_, err := Compile(params("x", "x"), nil)
	requireManifestFault(t, err, "schema_invalid")
}

// A schema that doubles the work with every level of the value passes the vetting; the budget of its check ends it.
func TestExponentialValidationEnds(t *testing.T) {
	set := compile(t, nil, `x={"type":"object","allOf":[{"properties":{"n":{"$ref":"#"}}},{"properties":{"n":{"$ref":"#"}}}]}`)
	doc := strings.Repeat(`{"n":`, 40) + "{}" + strings.Repeat("}", 40)
	_, problems := set.Values(Words{Flags: flags("x=" + doc)})
	if len(problems) != 1 || problems[0].Keyword != "schema_too_complex" {
		t.Errorf("got %v", problems)
	}
}

func TestSetsAreSafeForConcurrentUse(t *testing.T) {
	set := compile(t, []string{"re"}, `re={"type":["string","integer"],"format":"regex"}`, "a="+address)
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for range 50 {
				got := show(set.Values(Words{Positional: []string{fmt.Sprintf("a{%d}", i)}, Flags: flags("a.city=A", "a.tags=b")}))
				if want := fmt.Sprintf(`{"re":"a{%d}","a":{"city":"A","tags":["b"]}}`, i); got != want {
					t.Errorf("got %s", got)
				}
			}
		})
	}
}
