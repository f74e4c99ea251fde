package input

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	for name, test := range map[string]struct {
		schema string
		want   Description
	}{
		"nothing said":            {``, Description{Type: "any"}},
		"an integer":              {`{"type":"integer","minimum":1,"maximum":10,"default":2}`, Description{Type: "integer", Limits: "1 to 10", Default: "2"}},
		"a number with one limit": {`{"type":"number","minimum":0.50}`, Description{Type: "number", Limits: "at least 0.50"}},
		"exclusive limits":        {`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1,"multipleOf":0.1}`, Description{Type: "number", Limits: "more than 0, less than 1, a multiple of 0.1"}},
		"a flag":                  {`{"type":"boolean","default":false}`, Description{Type: "boolean", Boolean: true, Default: "false"}},
		"a flag or null":          {`{"type":["boolean","null"]}`, Description{Type: "boolean or null", Boolean: true}},
		"a string":                {`{"type":"string","maxLength":64,"pattern":"^ord_","format":"date","default":"x"}`, Description{Type: "string", Limits: "at most 64 characters, format date, pattern ^ord_", Default: "x"}},
		"a string of one length":  {`{"type":"string","minLength":1,"maxLength":1}`, Description{Type: "string", Limits: "exactly 1 character"}},
		"an enum":                 {`{"enum":["a",1,null]}`, Description{Type: "string or integer or null", Enum: []string{"a", "1", "null"}}},
		"a const":                 {`{"const":"a"}`, Description{Type: "string", Enum: []string{"a"}}},
		"constants with titles":   {`{"oneOf":[{"const":"a","title":"A"},{"const":"b"},{"type":"null"}]}`, Description{Type: "string or null", Enum: []string{"a", "b", "null"}}},
		"an open enum":            {`{"anyOf":[{"enum":["a"]},{"type":"string"}]}`, Description{Type: "string"}},
		"a union":                 {`{"anyOf":[{"type":"integer","minimum":3},{"type":"string"}]}`, Description{Type: "string or integer", Limits: "at least 3"}},
		"a list":                  {`{"type":"array","items":{"enum":["a","b"]},"minItems":1,"maxItems":2}`, Description{Type: "list of string", Repeatable: true, Enum: []string{"a", "b"}, Limits: "1 to 2 items"}},
		"a list of anything":      {`{"type":"array"}`, Description{Type: "list", Repeatable: true}},
		"an object":               {`{"type":"object"}`, Description{Type: "object", Object: true}},
		"a password":              {`{"type":"string","format":"password"}`, Description{Type: "string", Limits: "format password", Secret: true}},
		"a secret by reference":   {`{"$ref":"#/$defs/s","$defs":{"s":{"type":"string","writeOnly":true}}}`, Description{Type: "string", Secret: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := compile(t, nil, "x="+test.schema).Describe("x"); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestDescribeMembers(t *testing.T) {
	set := compile(t, nil, `a={"type":"object","required":["city"],"properties":{"zip":{"type":"string","title":"Zip","description":"Postal code","examples":["75001"]},"city":{"$ref":"#/$defs/city"}},`+
		`"allOf":[{"properties":{"more":{"type":"integer"},"zip":{"maxLength":5}}}],"$defs":{"city":{"type":"string","minLength":1}}}`)
	var got []string
	for _, p := range set.Describe("a").Members {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%v", p.Name, p.Label, p.Description, string(p.Example), p.Required))
	}
	if want := `zip|Zip|Postal code|"75001"|false city||||true more||||false`; strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
	secrets := compile(t, nil, `a={"type":"object","properties":{"pin":{"type":"string","writeOnly":true},"city":{"type":"string"}}}`, `b={"type":"string","writeOnly":true}`)
	for path, want := range map[string]bool{"a": false, "a pin": true, "a city": false, "b": true, "none": false} {
		words := strings.Fields(path)
		if got := secrets.Secret(words[0], words[1:]); got != want || got != secrets.DescribePath(words[0], words[1:]).Secret {
			t.Errorf("%s is secret: %v", path, got)
		}
	}
	if d := set.DescribePath("a", []string{"city"}); d.Type != "string" || d.Limits != "at least 1 character" {
		t.Errorf("city: %+v", d)
	}
	if d := set.DescribePath("a", []string{"zip"}); d.Type != "string" || d.Limits != "at most 5 characters" {
		t.Errorf("zip: %+v", d)
	}
	if d := set.DescribePath("a", []string{"nothing", "known"}); d.Type != "any" {
		t.Errorf("unknown: %+v", d)
	}
	if d := set.Describe("b"); d.Type != "any" {
		t.Errorf("undeclared: %+v", d)
	}
}

func TestDescribeItemsAndAdditional(t *testing.T) {
	set := compile(t, nil, `x={"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"object","additionalProperties":{"type":"integer"}}}`)
	for path, want := range map[string]string{"0": "string", "1": "object", "1.any": "integer"} {
		if d := set.DescribePath("x", strings.Split(path, ".")); d.Type != want {
			t.Errorf("%s: got %q, want %q", path, d.Type, want)
		}
	}
}
