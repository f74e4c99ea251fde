package input

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema"
)

func compileObject(t testing.TB, whole string, args ...string) *Set {
	t.Helper()
	set, err := CompileObject(jsontext.Value(whole), args)
	if err != nil {
		t.Fatalf("CompileObject: %v", err)
	}
	return set
}

// order is one schema of all arguments, with everything that only the whole can say.
const order = `{"type":"object","required":["product_id","quantity"],"additionalProperties":false,` +
	`"properties":{"product_id":{"type":"string","pattern":"^p_"},"quantity":{"$ref":"#/$defs/count"},"price":{"type":"number","minimum":0},` +
	`"gift":{"type":"boolean"},"note":{"type":"string"},"to":{"$ref":"#/$defs/address"},"tags":{"type":"array","items":{"type":"string"}}},` +
	`"dependentRequired":{"note":["gift"]},"if":{"properties":{"gift":{"const":true}},"required":["gift"]},"then":{"required":["to"]},` +
	`"$defs":{"count":{"type":"integer","minimum":1,"maximum":20,"title":"Count","description":"How many"},` +
	`"address":{"type":"object","required":["city"],"properties":{"city":{"type":"string"},"zip":{"type":"string"}}}}}`

func TestObjects(t *testing.T) { // AA-4
	const (
		choice = `{"properties":{"id":{"type":"integer"},"name":{"type":"string"}},"oneOf":[{"required":["id"]},{"required":["name"]}]}`
		kinds  = `{"required":["kind"],"oneOf":[{"properties":{"kind":{"const":"card"},"number":{"type":"string"}},"required":["number"],"additionalProperties":false},` +
			`{"properties":{"kind":{"const":"bank"},"iban":{"type":"string","minLength":3}},"required":["iban"],"additionalProperties":false}]}`
		open = `{"properties":{"a":{"type":"integer"}},"patternProperties":{"^x-":{"type":"string"},"^no-":false}}`
	)
	for name, test := range map[string]struct {
		schema string
		words  Words
		want   string
	}{
		"typed by their properties":                {order, Words{Positional: []string{"p_1", "2"}, Flags: flags("price=1.50", "tags=a", "tags=b")}, `{"product_id":"p_1","quantity":2,"price":1.50,"tags":["a","b"]}`},
		"dotted into a definition":                 {order, Words{Positional: []string{"p_1", "2"}, Flags: flags("to.city=Paris", "to.zip=75001")}, `{"product_id":"p_1","quantity":2,"to":{"city":"Paris","zip":"75001"}}`},
		"by document, digits kept":                 {order, Words{Object: []byte(`{"quantity":2.0,"product_id":"p_1"}`)}, `{"product_id":"p_1","quantity":2.0}`},
		"what is required":                         {order, Words{}, "/product_id required: is required\n/quantity required: is required"},
		"all problems at once, none twice":         {order, Words{Flags: flags("product_id=x", "quantity=many", "price=-1", "to.zip=1")}, "/product_id pattern: must match the pattern ^p_\n/quantity type: must be an integer\n/price minimum: must be at least 0\n/to/city required: is required"},
		"a limit in a definition":                  {order, Words{Positional: []string{"p_1", "21"}}, "/quantity maximum: must be at most 20"},
		"needed when another is given":             {order, Words{Positional: []string{"p_1", "1"}, Flags: flags("note=x")}, `/gift dependentRequired: is required when "note" is given`},
		"needed when another has a value":          {order, Words{Positional: []string{"p_1", "1"}, Flags: flags("gift=true")}, "/to required: is required"},
		"an unknown member":                        {order, Words{Object: []byte(`{"product_id":"p_1","quantity":1,"prize":2}`)}, `/prize unknown: unknown parameter "prize"; did you mean "price"?`},
		"an unknown --arg":                         {order, Words{Positional: []string{"p_1", "1"}, Pairs: []string{"extra.x=2", "others=3"}}, "/extra unknown: unknown parameter \"extra\"\n/others unknown: unknown parameter \"others\""},
		"an unknown flag":                          {`{}`, Words{Flags: flags("qty=1")}, `unknown: unknown parameter "qty"`},
		"a flag twice":                             {order, Words{Positional: []string{"p_1"}, Flags: flags("quantity=1", "quantity=2")}, "/quantity twice: is given twice"},
		"a document that nobody can read":          {order, Words{Object: []byte(`{`), Flags: flags("price=-1")}, "/price minimum: must be at least 0\ninput: the input document cannot be used: the document is cut short at byte 1"},
		"one of two ways":                          {choice, Words{}, "oneOf: needs id, or name"},
		"both of two ways":                         {choice, Words{Flags: flags("id=1", "name=a")}, "oneOf: matches more than one of the allowed forms: 1 and 2"},
		"a way that cannot be read":                {choice, Words{Flags: flags("id=one")}, "/id type: must be an integer"},
		"the other kind":                           {kinds, Words{Flags: flags("kind=bank", "iban=DE1")}, `{"kind":"bank","iban":"DE1"}`},
		"the form that was meant":                  {kinds, Words{Flags: flags("kind=bank", "iban=D", "number=1")}, "/number additionalProperties: is not allowed together with the others\n/iban minLength: must be at least 3 characters"},
		"a kind that there is not":                 {kinds, Words{Flags: flags("kind=cash")}, "oneOf: matches none of the allowed forms"},
		"free members by document":                 {open, Words{Object: []byte(`{"z":{"b":1},"a":1,"y":null}`)}, `{"a":1,"z":{"b":1},"y":null}`},
		"a part of a free scalar":                  {open, Words{Pairs: []string{"z=1.50", "y=007", "a=2", "w.b.c=true", "x-n=s", "z.=4"}}, `/z/ type: is part of a value that has no members`},
		"free members by --arg, read as JSON":      {open, Words{Pairs: []string{"z=1.50", "y=007", "a=2", "w.b.c=true", "x-n=s"}}, `{"a":2,"z":1.50,"y":"007","w":{"b":{"c":true}},"x-n":"s"}`},
		"a free member that is a string after all": {open, Words{Pairs: []string{"x-a=[1]", "y=[1]"}}, `{"x-a":"[1]","y":[1]}`},
		"a free member that must be a string":      {open, Words{Object: []byte(`{"x-a":[1]}`)}, "/x-a type: must be a string"},
		"a member of a condition":                  {`{"properties":{"gift":{"type":"boolean"}},"if":{"required":["gift"]},"then":{"properties":{"note":{"type":"string"}},"required":["note"]}}`, Words{Flags: flags("gift=true"), Pairs: []string{"note=42"}}, `{"gift":true,"note":"42"}`},
		"a pattern that allows nothing":            {open, Words{Object: []byte(`{"no-a":1}`)}, `/no-a unknown: unknown parameter "no-a"`},
		"--arg over the document":                  {open, Words{Object: []byte(`{"z":{"b":1,"c":2}}`), Pairs: []string{"z.b=3"}}, `{"z":{"b":3,"c":2}}`},
		"free members with a schema":               {`{"additionalProperties":{"type":"string"}}`, Words{Pairs: []string{"a=1"}}, `{"a":"1"}`},
		"free members against their schema":        {`{"additionalProperties":{"type":"integer"}}`, Words{Pairs: []string{"a=x"}, Object: []byte(`{"b":"y"}`)}, "/b type: must be an integer\n/a type: must be an integer"},
		"unevaluated members":                      {`{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, Words{Object: []byte(`{"a":1,"b":2}`)}, `/b unknown: unknown parameter "b"; did you mean "a"?`},
		"a declared one that is closed out":        {`{"properties":{"a":{}},"allOf":[{"additionalProperties":false}]}`, Words{Flags: flags("a=1")}, "/a additionalProperties: is not allowed together with the others"},
		"too few members":                          {`{"minProperties":1}`, Words{}, "minProperties: must have at least 1 member"},
		"a form that is excluded":                  {`{"properties":{"a":{},"b":{}},"not":{"required":["a","b"]}}`, Words{Flags: flags("a=1", "b=1")}, "not: must not have this form"},
		"defaults are not sent":                    {`{"properties":{"a":{"default":5}}}`, Words{}, `{}`},
		"a name that is no text":                   {`{}`, Words{Pairs: []string{"\xff=1"}}, `unknown: unknown parameter "\xff"`},
		"a required one that is not declared":      {`{"required":["a"]}`, Words{}, "/a required: is required"},
		"a required one that is free":              {`{"required":["a"]}`, Words{Pairs: []string{"a=1"}}, `{"a":1}`},
		"everything":                               {`true`, Words{Object: []byte(`{"a":[1]}`)}, `{"a":[1]}`},
		"nothing said":                             {``, Words{}, `{}`},
		"a slow pattern":                           {`{"properties":{"a":{"type":"string","pattern":"^(?=a)(a+)+$"}}}`, Words{Flags: flags("a=" + strings.Repeat("a", 40) + "!")}, "pattern: takes too long to check against the pattern ^(?=a)(a+)+$"},
		"an older draft's reference":               {`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/o","required":["z"],"definitions":{"o":{"properties":{"a":{"type":"integer"}},"required":["a"]}}}`, Words{}, "/a required: is required"},
		"two positions too many":                   {order, Words{Positional: []string{"p_1", "1", "x", "y"}}, "args: too many arguments: at most 2 by position"},
		"a problem in what is free beside one":     {open, Words{Object: []byte(`{"a":"x","b":1}`)}, "/a type: must be an integer"},
	} {
		t.Run(name, func(t *testing.T) {
			whole := jsontext.Value(test.schema)
			if test.schema == "" {
				whole = nil
			}
			set, err := CompileObject(whole, []string{"product_id", "quantity"})
			if err != nil {
				t.Fatal(err)
			}
			if got := show(set.Values(test.words)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestObjectProblemsNameTheirParameter(t *testing.T) {
	set := compileObject(t, `{"properties":{"a/b":{"properties":{"c":{"type":"integer"}}}},"required":["a/b"],"minProperties":9}`)
	_, problems := set.Values(Words{Object: []byte(`{"a/b":{"c":"x"}}`)})
	want := []fault.Problem{
		{Param: "a/b", Pointer: "/a~1b/c", Keyword: "type", Message: "must be an integer"},
		{Keyword: "minProperties", Message: "must have at least 9 members"},
	}
	if fmt.Sprint(problems) != fmt.Sprint(want) {
		t.Errorf("got %v", problems)
	}
}

func TestParamsOfAnObject(t *testing.T) {
	set := compileObject(t, `{"$ref":"#/$defs/order","required":["z"],"properties":{"free":{"type":"string","examples":["x"]},"both":{"type":"string"}},`+
		`"allOf":[{"properties":{"both":{"maxLength":3},"more":true}}],"anyOf":[{"properties":{"branch":{"type":"integer"}},"required":["branch"]},{}],"$defs":{"order":`+strings.Replace(order, `"additionalProperties":false,`, "", 1)+`,`+
		`"count":{"type":"integer","title":"Count","description":"How many"},"address":{}}}`)
	var got []string
	for _, p := range set.Params() {
		got = append(got, strings.TrimRight(fmt.Sprintf("%s|%s|%s|%s|%v|%s", p.Name, p.Label, p.Description, string(p.Example), p.Required, string(p.Schema)), "|"))
	}
	want := []string{
		`free|||"x"|false|{"type":"string","examples":["x"]}`,
		`both||||false`,
		`product_id||||true|{"type":"string","pattern":"^p_"}`,
		`quantity|Count|How many||true`,
		`price||||false|{"type":"number","minimum":0}`,
		`gift||||false|{"type":"boolean"}`,
		`note||||false|{"type":"string"}`,
		`to||||false`,
		`tags||||false|{"type":"array","items":{"type":"string"}}`,
		`more||||false|true`,
		`branch||||false|{"type":"integer"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := strings.Join(set.Required(), " "); got != "z product_id quantity" {
		t.Errorf("required: %s", got)
	}
	if d := set.DescribePath("both", nil); d.Type != "string" || d.Limits != "at most 3 characters" {
		t.Errorf("both: %+v", d)
	}
}

func TestDescribeAnObject(t *testing.T) {
	set := compileObject(t, order, "product_id", "quantity", "nothing")
	if d := set.Describe("quantity"); d.Type != "integer" || d.Limits != "1 to 20" {
		t.Errorf("quantity: %+v", d)
	}
	if d := set.DescribePath("to", []string{"city"}); d.Type != "string" {
		t.Errorf("to.city: %+v", d)
	}
	if got := strings.Join(set.Positions(), " "); got != "product_id quantity" {
		t.Errorf("positions: %s", got)
	}
}

func TestObjectsThatCannotBeUsed(t *testing.T) {
	for name, test := range map[string]struct{ schema, code, pointer string }{
		"never":                     {`false`, "schema_invalid", ""},
		"a string":                  {`{"type":"string"}`, "schema_invalid", ""},
		"never by reference":        {`{"$ref":"#/$defs/no","$defs":{"no":false}}`, "schema_invalid", ""},
		"types that exclude":        {`{"allOf":[{"type":"object"},{"type":"array"}]}`, "schema_invalid", ""},
		"constants":                 {`{"enum":[1,"a"]}`, "schema_invalid", ""},
		"no branch with an object":  {`{"anyOf":[{"type":"string"},{"type":"null"}]}`, "schema_invalid", ""},
		"no schema":                 {`1`, "schema_invalid", ""},
		"a bad property":            {`{"properties":{"a":{"type":"x"}}}`, "schema_invalid", "/properties/a/type"},
		"a reference out of it":     {`{"properties":{"a":{"$ref":"https://x.example/a"}}}`, "schema_remote_ref", "/properties/a/$ref"},
		"more than anyone can need": {`{"properties":{` + manyProperties(schema.MaxSchemas) + `}}`, "schema_too_complex", "/properties/p999"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := CompileObject(jsontext.Value(test.schema), nil)
			e, ok := errors.AsType[*fault.Error](err)
			if !ok || e.Kind != fault.Manifest || e.Code != test.code || e.Details["pointer"] != test.pointer {
				t.Errorf("got %#v", err)
			}
		})
	}
}

func TestObjectsAreSafeForConcurrentUse(t *testing.T) {
	set := compileObject(t, `{"properties":{"a":{"type":"integer"}}}`)
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for range 50 {
				got := show(set.Values(Words{Flags: flags("a=1"), Pairs: []string{fmt.Sprintf("b%d=%d", i, i), "c=2"}}))
				if want := fmt.Sprintf(`{"a":1,"b%d":%d,"c":2}`, i, i); got != want {
					t.Errorf("got %s", got)
				}
			}
		})
	}
}

func TestObjectsOfTooManySchemasTogether(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","properties":{` + manyProperties(900) + `},"$defs":{`)
	for i := range 11 {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	b.WriteString(`"d11":{"properties":{"x":{},"y":{}}}}}`)
	if _, err := CompileObject(jsontext.Value(b.String()), nil); err == nil || fault.From(err).Code != "schema_too_complex" {
		t.Errorf("got %v", err)
	}
}
