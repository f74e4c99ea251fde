package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// A keyword's value has the shape that the meta-schema asks for, or the schema is refused, wherever it stands.
func TestKeywordsOfTheWrongShape(t *testing.T) {
	for keyword, values := range map[string][]string{
		"type":                  {`1`, `"strin"`, `[]`, `["string","string"]`, `["string",1]`, `{}`},
		"enum":                  {`1`, `{}`},
		"multipleOf":            {`0`, `-1`, `"1"`},
		"minimum":               {`"1"`, `null`},
		"maximum":               {`[]`},
		"exclusiveMinimum":      {`true`},
		"exclusiveMaximum":      {`"1"`},
		"minLength":             {`-1`, `1.5`, `"1"`},
		"maxLength":             {`-1`},
		"minItems":              {`true`},
		"maxItems":              {`-1`},
		"minContains":           {`-1`},
		"maxContains":           {`0.5`},
		"minProperties":         {`-1`},
		"maxProperties":         {`{}`},
		"uniqueItems":           {`1`},
		"pattern":               {`1`, `"("`, `"[z-a]"`},
		"format":                {`1`},
		"required":              {`true`, `["a","a"]`, `[1]`},
		"dependentRequired":     {`[]`, `{"a":"b"}`, `{"a":["b","b"]}`},
		"dependencies":          {`[]`, `{"a":[1]}`, `{"a":1}`},
		"allOf":                 {`[]`, `{}`, `[1]`},
		"anyOf":                 {`[]`},
		"oneOf":                 {`true`},
		"not":                   {`[]`},
		"if":                    {`1`},
		"then":                  {`1`},
		"else":                  {`1`},
		"properties":            {`[]`, `{"a":1}`},
		"patternProperties":     {`[]`, `{"(":true}`, `{"a":1}`},
		"additionalProperties":  {`1`, `[]`},
		"propertyNames":         {`"a"`},
		"dependentSchemas":      {`[]`, `{"a":1}`},
		"unevaluatedProperties": {`[]`},
		"prefixItems":           {`[]`, `{}`},
		"items":                 {`[{}]`, `1`},
		"contains":              {`1`},
		"unevaluatedItems":      {`[]`},
		"contentSchema":         {`1`},
		"contentEncoding":       {`1`},
		"$defs":                 {`[]`, `{"a":1}`},
		"definitions":           {`{"a":1}`},
		"$ref":                  {`1`},
		"$dynamicRef":           {`{}`},
		"$anchor":               {`1`},
		"$dynamicAnchor":        {`true`},
		"$id":                   {`1`},
		"$vocabulary":           {`[]`},
		"$comment":              {`1`},
		"title":                 {`1`},
		"description":           {`[]`},
		"deprecated":            {`"yes"`},
		"readOnly":              {`1`},
		"writeOnly":             {`null`},
		"examples":              {`{}`},
	} {
		for _, value := range values {
			raw := `{"items":{"` + keyword + `":` + value + `}}`
			_, err := Compile(jsontext.Value(raw))
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Code != CodeInvalid || !strings.HasPrefix(e.Pointer, "/items/"+keyword) || !strings.Contains(e.Message, "must be") {
				t.Errorf("%s: got %v", raw, err)
			}
		}
	}
}

func TestDialects(t *testing.T) {
	for uri, code := range map[string]string{
		"https://json-schema.org/draft/2020-12/schema":  "",
		"https://json-schema.org/draft/2020-12/schema#": "",
		"http://json-schema.org/draft-07/schema":        "",
		"https://json-schema.org/draft-07/schema#":      "",
		"http://json-schema.org/draft-06/schema#":       "",
		"http://json-schema.org/draft-04/schema#":       "",
		"http://json-schema.org/schema#":                "",
		"http://json-schema.org/draft-03/schema#":       CodeRemoteRef,
		"https://x.example/schema":                      CodeRemoteRef,
		"":                                              CodeRemoteRef,
	} {
		_, err := Compile(jsontext.Value(`{"$schema":"` + uri + `"}`))
		if e, _ := errors.AsType[*Error](err); (e == nil) != (code == "") || e != nil && e.Code != code {
			t.Errorf("%q: got %v", uri, err)
		}
	}
	if _, err := Compile(jsontext.Value(`{"$schema":1}`)); err == nil || err.Error() != "must be a string at /$schema" {
		t.Errorf("got %v", err)
	}
}

// What one schema may not have, several may not have together.
func TestLimitsOfACompiler(t *testing.T) {
	many := jsontext.Value(manyProperties(MaxSchemas - 1))
	c := NewCompiler()
	for range maxAllSchemas / MaxSchemas {
		if _, err := c.Compile(many); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Compile(jsontext.Value(`true`)); err == nil || !strings.Contains(err.Error(), "more than 4000 schemas") {
		t.Errorf("got %v", err)
	}
	c = NewCompiler()
	var last error
	for i := range 3 {
		_, last = c.Compile(jsontext.Value(fmt.Sprintf(`{"pattern":"(a?b?c?d?%d){990}"}`, i)))
	}
	if e, _ := errors.AsType[*Error](last); e == nil || e.Code != CodeTooComplex {
		t.Errorf("got %v", last)
	}
}

func BenchmarkCompile(b *testing.B) {
	raw := jsontext.Value(`{"type":"object","required":["city"],"properties":{"city":{"type":"string","minLength":1},"zip":{"type":"string","pattern":"^[0-9]{5}$"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(raw); err != nil {
			b.Fatal(err)
		}
	}
}

// The pointer to a schema is put together for each keyword in it: long names must not multiply with many keywords.
func TestNamesOnTheWayToASchemaAreLimited(t *testing.T) {
	below := func(length int) jsontext.Value {
		return jsontext.Value(`{"$defs":{"` + strings.Repeat("n", length-len("/$defs/")) + `":{}}}`)
	}
	if _, err := Compile(below(maxPointer)); err != nil {
		t.Error(err)
	}
	_, err := Compile(below(maxPointer + 1))
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeTooComplex {
		t.Errorf("got %v", err)
	}
}
