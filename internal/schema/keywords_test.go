package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func compile(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := Compile(jsontext.Value(raw))
	if err != nil {
		t.Fatalf("Compile(%s): %v", raw, err)
	}
	return s
}

// show writes failures as "POINTER KEYWORD DETAILS", joined by "; ". Branches are in parentheses.
func show(failures []Failure) string {
	var out []string
	for _, f := range failures {
		words := []string{f.Keyword}
		if f.Pointer != "" {
			words = []string{f.Pointer, f.Keyword}
		}
		if f.Kinds != 0 {
			words = append(words, fmt.Sprintf("%07b", f.Kinds))
		}
		for _, n := range f.Values {
			words = append(words, string(n.Value()))
		}
		if f.Text != "" {
			words = append(words, f.Text)
		}
		words = append(words, f.Names...)
		if f.Limit+f.Count > 0 {
			words = append(words, fmt.Sprintf("%d/%d", f.Count, f.Limit))
		}
		if f.Indices != [2]int{} {
			words = append(words, fmt.Sprint(f.Indices))
		}
		for _, branch := range f.Branches {
			words = append(words, "("+show(branch)+")")
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, "; ")
}

// row is a schema and a value; want is "" for a valid one.
type row struct{ schema, value, want string }

func checkRows(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		failures, err := compile(t, r.schema).Validate(jsontext.Value(r.value))
		if got := show(failures); err != nil || got != r.want {
			t.Errorf("%s\n%s\ngot  %q, %v\nwant %q", r.schema, r.value, got, err, r.want)
		}
	}
}

func TestTypes(t *testing.T) {
	checkRows(t, []row{
		{`{"type":"string"}`, `"a"`, ""},
		{`{"type":"string"}`, `1`, "type 0000001"},
		{`{"type":["integer","null"]}`, `1.5`, "type 1000010"},
		{`{"type":["integer","null"]}`, `null`, ""},
		{`{"type":"integer"}`, `1.0`, ""},
		{`{"type":"integer"}`, `-1.50e1`, ""},
		{`{"type":"integer"}`, `1e-1`, "type 0000010"},
		{`{"type":"integer"}`, `0e-1`, ""},
		{`{"type":"integer"}`, `12345678901234567890123`, ""},
		{`{"type":"number"}`, `1`, ""},
		{`{"type":"boolean"}`, `false`, ""},
		{`{"type":"boolean"}`, `0`, "type 0001000"},
		{`{"type":"array"}`, `{}`, "type 0010000"},
		{`{"type":"object"}`, `[]`, "type 0100000"},
		{`true`, `1`, ""},
		{`{}`, `1`, ""},
		{`false`, `1`, "false"},
	})
}

func TestConstants(t *testing.T) {
	checkRows(t, []row{
		{`{"enum":["a",1,{"b":[1,null]}]}`, `"\u0061"`, ""},
		{`{"enum":["a",1,{"b":[1,null]}]}`, `1.0`, ""},
		{`{"enum":["a",1,{"b":[1,null]}]}`, `{"b":[10e-1,null]}`, ""},
		{`{"enum":["a",1]}`, `"1"`, `enum "a" 1`},
		{`{"enum":[]}`, `1`, `enum`},
		{`{"const":{"a":1,"b":2}}`, `{"b":2,"a":1.00}`, ""},
		{`{"const":{"a":1,"b":2}}`, `{"a":1}`, `const {"a":1,"b":2}`},
		{`{"const":null}`, `null`, ""},
		{`{"const":null}`, `false`, "const null"},
		{`{"const":0}`, `-0`, ""},
		{`{"const":0}`, `false`, "const 0"},
		{`{"const":[1,2]}`, `[2,1]`, "const [1,2]"},
		{`{"const":[[],""]}`, `["",[]]`, `const [[],""]`},
		{`{"const":9007199254740993}`, `9007199254740992`, "const 9007199254740993"},
	})
}

func TestNumbers(t *testing.T) {
	checkRows(t, []row{
		{`{"minimum":1}`, `1.0`, ""},
		{`{"minimum":1}`, `0.99999999999999999999999`, "minimum 1"},
		{`{"maximum":0.25}`, `0.2500000000000000000001`, "maximum 0.25"},
		{`{"maximum":-1}`, `-1.5`, ""},
		{`{"exclusiveMinimum":0}`, `-0.0`, "exclusiveMinimum 0"},
		{`{"exclusiveMinimum":0}`, `1e-1000`, ""},
		{`{"exclusiveMaximum":1e3}`, `1000`, "exclusiveMaximum 1e3"},
		{`{"multipleOf":0.01}`, `19.99`, ""},
		{`{"multipleOf":0.01}`, `0.075`, "multipleOf 0.01"},
		{`{"multipleOf":3}`, `1e20`, "multipleOf 3"},
		{`{"multipleOf":3}`, `9e20`, ""},
		{`{"multipleOf":1e-1000}`, `1e1000`, ""},
		{`{"multipleOf":7}`, `0`, ""},
		{`{"multipleOf":2,"minimum":5}`, `3`, "multipleOf 2; minimum 5"},
		{`{"minimum":1}`, `"0"`, ""},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, `1`, "exclusiveMinimum 1"},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","maximum":1,"exclusiveMaximum":false}`, `1`, ""},
	})
}

func TestStrings(t *testing.T) {
	checkRows(t, []row{
		{`{"minLength":2}`, `"é"`, "minLength 1/2"},
		{`{"minLength":2.0}`, `"é😀"`, ""},
		{`{"maxLength":1}`, `"\ud83d\ude00"`, ""},
		{`{"maxLength":1}`, `"ab"`, "maxLength 2/1"},
		{`{"maxLength":1e1000}`, `"ab"`, ""},
		{`{"minLength":1}`, `1`, ""},
		{`{"pattern":"b"}`, `"abc"`, ""},
		{`{"pattern":"^b"}`, `"abc"`, "pattern ^b"},
		{`{"pattern":"^(?!a)"}`, `"abc"`, "pattern ^(?!a)"},
		{`{"pattern":"^\\u00e9$"}`, `"é"`, ""},
		{`{"format":"date"}`, `"2026-02-30"`, "format date"},
		{`{"format":"int64"}`, `"x"`, ""},
		{`{"format":"date"}`, `20260230`, ""},
	})
}

func TestLists(t *testing.T) {
	checkRows(t, []row{
		{`{"minItems":1}`, `[]`, "minItems 0/1"},
		{`{"maxItems":1}`, `[1,2]`, "maxItems 2/1"},
		{`{"uniqueItems":true}`, `[1,"1",[1],{"1":1}]`, ""},
		{`{"uniqueItems":true}`, `[0,{"a":1,"b":2},{"b":2,"a":1.0}]`, "uniqueItems [1 2]"},
		{`{"uniqueItems":true}`, `[["a,b"],["a","b"]]`, ""},
		{`{"uniqueItems":false}`, `[1,1]`, ""},
		{`{"items":{"type":"integer"}}`, `[1,"b",null]`, "/1 type 0000010; /2 type 0000010"},
		{`{"prefixItems":[{"type":"string"}],"items":false}`, `["a",2,3]`, "/1 false; /2 false"},
		{`{"prefixItems":[{"type":"string"},true]}`, `[1]`, "/0 type 0000001"},
		{`{"contains":{"type":"string"}}`, `[1]`, "contains 0/1"},
		{`{"contains":true}`, `[]`, "contains 0/1"},
		{`{"contains":{"const":1},"minContains":2,"maxContains":3}`, `[1,2]`, "minContains 1/2"},
		{`{"contains":{"const":1},"minContains":2,"maxContains":3}`, `[1,1,1,1]`, "maxContains 4/3"},
		{`{"contains":false,"minContains":0}`, `[]`, ""},
		{`{"contains":{"const":1},"maxContains":1}`, `[]`, "contains 0/1"},
		{`{"minContains":2}`, `[]`, ""},
		{`{"prefixItems":[true],"unevaluatedItems":false}`, `[1,2]`, "/1 false"},
		{`{"contains":{"const":1},"unevaluatedItems":{"type":"string"}}`, `[1,"a",2]`, "/2 type 0000001"},
		{`{"anyOf":[{"prefixItems":[true,{"const":1}]},{"prefixItems":[true]}],"unevaluatedItems":false}`, `[1,2]`, "/1 false"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`, `["a",2,3]`, "additionalItems 2/0"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"additionalItems":{"type":"string"}}`, `[1,2]`, "/1 type 0000001"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":{},"additionalItems":false}`, `[1,2]`, ""},
		{`{"additionalItems":false}`, `[1,2]`, ""},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","contains":{"const":1},"unevaluatedItems":false}`, `[1]`, "/0 false"},
	})
}

func TestObjects(t *testing.T) {
	checkRows(t, []row{
		{`{"minProperties":1}`, `{}`, "minProperties 0/1"},
		{`{"maxProperties":1}`, `{"a":1,"b":1}`, "maxProperties 2/1"},
		{`{"required":["a","b/c"]}`, `{}`, "required a b/c"},
		{`{"properties":{"a/b":{"type":"string"}}}`, `{"a/b":1}`, "/a~1b type 0000001"},
		{`{"properties":{"a":false}}`, `{"a":1}`, "/a false"},
		{`{"properties":{"a":true},"additionalProperties":false}`, `{"a":1,"b":1,"c":2}`, "additionalProperties b c"},
		{`{"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":{"type":"null"}}`, `{"x-a":1,"b":2}`, "/x-a type 0000001; /b type 1000000"},
		{`{"properties":{"x-a":{"minimum":3}},"patternProperties":{"^x-":{"minimum":5}}}`, `{"x-a":1}`, "/x-a minimum 3; /x-a minimum 5"},
		{`{"propertyNames":{"maxLength":1}}`, `{"a":1,"bc":{}}`, "propertyNames bc"},
		{`{"items":{"propertyNames":false}}`, `[{},{"a":1}]`, "/1 propertyNames a"},
		{`{"dependentRequired":{"a":["b"],"c":["d"]}}`, `{"a":1}`, "dependentRequired a b"},
		{`{"dependentSchemas":{"a":{"minProperties":2}}}`, `{"a":1}`, "minProperties 1/2"},
		{`{"dependencies":{"a":["b"],"b":{"maxProperties":1}}}`, `{"a":1}`, "dependencies a b"},
		{`{"dependencies":{"a":["b"],"b":{"maxProperties":1}}}`, `{"a":1,"b":1}`, "maxProperties 2/1"},
		{`{"properties":{"a":true},"unevaluatedProperties":false}`, `{"a":1,"b":1}`, "/b false"},
		{`{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1}`, ""},
		{`{"allOf":[{"properties":{"a":true}},{"unevaluatedProperties":false}]}`, `{"a":1}`, "/a false"},
		{`{"if":{"required":["a"],"properties":{"a":true}},"else":{"properties":{"b":true}},"unevaluatedProperties":false}`, `{"a":1}`, ""},
		{`{"not":{"not":{"properties":{"a":true}}},"unevaluatedProperties":false}`, `{"a":1}`, "/a false"},
		{`{"dependentSchemas":{"a":{"properties":{"a":true}}},"unevaluatedProperties":false}`, `{"a":1}`, ""},
		{`{"properties":{"a":{"type":"string"}},"unevaluatedProperties":false}`, `{"a":1,"b":2}`, "/a type 0000001"},
		{manyProperties(20), `{"p7":1,"p19":"x"}`, "/p7 type 0000001"},
		{`{"required":["a"]}`, `[]`, ""},
	})
}

func manyProperties(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	return `{"properties":{` + strings.Join(out, ",") + `}}`
}

func TestCombinations(t *testing.T) {
	checkRows(t, []row{
		{`{"allOf":[{"minimum":5},{"multipleOf":2}]}`, `3`, "minimum 5; multipleOf 2"},
		{`{"anyOf":[{"type":"string"},{"minimum":5}]}`, `3`, "anyOf (type 0000001) (minimum 5)"},
		{`{"anyOf":[{"type":"string"},{"minimum":5}]}`, `5`, ""},
		{`{"oneOf":[{"type":"string"},{"minimum":5}]}`, `3`, "oneOf (type 0000001) (minimum 5)"},
		{`{"oneOf":[{"type":"string"},{"minimum":5},{"multipleOf":2}]}`, `6`, "oneOf [1 2]"},
		{`{"oneOf":[{"type":"string"},{"minimum":5}]}`, `6`, ""},
		{`{"items":{"anyOf":[{"items":{"type":"null"}}]}}`, `[[1]]`, "/0 anyOf (/0/0 type 1000000)"},
		{`{"not":{"type":"string"}}`, `"a"`, "not"},
		{`{"not":{"type":"string"}}`, `1`, ""},
		{`{"if":{"minimum":10},"then":{"multipleOf":10},"else":{"multipleOf":2}}`, `15`, "multipleOf 10"},
		{`{"if":{"minimum":10},"then":{"multipleOf":10},"else":{"multipleOf":2}}`, `3`, "multipleOf 2"},
		{`{"then":false,"else":false}`, `3`, ""},
		{`{"type":"integer","anyOf":[{"const":1}]}`, `"x"`, "type 0000010; anyOf (const 1)"},
	})
}

func TestReferences(t *testing.T) {
	checkRows(t, []row{
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"null"}},"minimum":2}`, `1`, "minimum 2; type 1000000"},
		{`{"properties":{"next":{"$ref":"#"},"v":{"type":"string"}}}`, `{"next":{"next":{"v":1}}}`, "/next/next/v type 0000001"},
		{`{"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"null"}}}`, `1`, "type 1000000"},
		{`{"$dynamicRef":"#x","$defs":{"a":{"$dynamicAnchor":"x","type":"null"}}}`, `1`, "type 1000000"},
		{`{"$ref":"#/$defs/a%20b~1c","$defs":{"a b/c":false}}`, `1`, "false"},
		{`{"$ref":"#/x/0","x":[{"$ref":"#/x/1"},{"type":"null"}]}`, `1`, "type 1000000"},
		{`{"enum":[{"$anchor":"x"}],"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"null"}}}`, `null`, `enum {"$anchor":"x"}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/n","definitions":{"n":{"type":"null"}},"minimum":2}`, `1`, "type 1000000"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#n","definitions":{"n":{"$id":"#n","type":"null"}}}`, `1`, "type 1000000"},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","items":{"$recursiveRef":"#"},"type":"array"}`, `[[1]]`, "/0/0 type 0010000"},
	})
}

// Keywords that a draft does not know are nothing to it.
func TestOlderDraftsIgnoreNewerKeywords(t *testing.T) {
	for keyword, value := range map[string]string{
		"const": `1`, "contains": `false`, "propertyNames": `false`, "if": `true`, "then": `false`, "dependentRequired": `{"a":["b"]}`,
		"dependentSchemas": `{"a":false}`, "unevaluatedProperties": `false`, "prefixItems": `[false]`, "$dynamicRef": `"#/definitions/no"`,
	} {
		s := compile(t, `{"$schema":"http://json-schema.org/draft-04/schema#","definitions":{"no":false},"`+keyword+`":`+value+`}`)
		for _, value := range []string{`{"a":2}`, `[2]`} {
			if failures, err := s.Validate(jsontext.Value(value)); failures != nil || err != nil {
				t.Errorf("%s: %s, %v", keyword, show(failures), err)
			}
		}
	}
}
