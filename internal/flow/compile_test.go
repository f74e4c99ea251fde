package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
)

// AA-14: every problem of a flow, before anything is sent.
func TestFlowsThatCannotBeUsed(t *testing.T) {
	many := "[" + strings.Repeat(`{"action":"checkout","with":{"cart_id":"a"}},`, MaxSteps) + `{"action":"checkout","with":{"cart_id":"a"}}]`
	c := shop()
	c["broken"] = [2]string{"read", `{"type":"strnig"}`}
	c["list"] = [2]string{"read", `{"properties":{"all":{"type":"array","items":{"type":"string"}},"never":false}}`}
	for name, test := range map[string]struct{ steps, want string }{
		"no steps":                      {`[]`, "/steps steps"},
		"too many steps":                {many, "/steps steps"},
		"unknown action":                {`[{"action":"nope"}]`, "/steps/0/action action"},
		"a schema that does not work":   {`[{"action":"broken"}]`, "/steps/0/action action"},
		"with is no object":             {`[{"action":"list","with":["$input.x"]}]`, "/steps/0/with with"},
		"with has a member twice":       {`[{"action":"list","with":{"a":1,"a":2}}]`, "/steps/0/with with"},
		"points at itself":              {`[{"action":"list","with":{"a":"$steps.0.x"}}]`, "/steps/0/with/a reference"},
		"points forward":                {`[{"action":"list","with":{"a":"$steps.1.x"}},{"action":"list"}]`, "/steps/0/with/a reference"},
		"points beyond the end":         {`[{"action":"list","with":{"a":"$steps.7"}}]`, "/steps/0/with/a reference"},
		"deep inside":                   {`[{"action":"list","with":{"a/b":[{"c":"$steps.-1"}]}}]`, "/steps/0/with/a~1b/0/c reference"},
		"misspelt":                      {`[{"action":"list","with":{"a":"$input"}}]`, "/steps/0/with/a reference"},
		"several":                       {`[{"action":"nope","with":{"a":"$steps.1e9"}},{"action":"list","with":{"b":"$steps."}}]`, "/steps/0/with/a reference\n/steps/0/action action\n/steps/1/with/b reference"},
		"a literal of the wrong type":   {`[{"action":"search_products","with":{"query":7}}]`, "/steps/0/with/query type"},
		"the same beside a reference":   {`[{"action":"add_to_cart","with":{"product_id":7,"quantity":"$input.n"}}]`, "/steps/0/with/product_id type"},
		"a required member is missing":  {`[{"action":"add_to_cart","with":{"quantity":"$input.n"}}]`, "/steps/0/with/product_id required"},
		"a member that is not allowed":  {`[{"action":"checkout","with":{"cart_id":"$input.c","x":"$input.d"}}]`, "/steps/0/with/x unknown"},
		"a member that never can be":    {`[{"action":"list","with":{"never":"$input.d"}}]`, "/steps/0/with/never false"},
		"half a list, which must be no": {`[{"action":"checkout","with":{"cart_id":["$input.c"]}}]`, "/steps/0/with/cart_id type"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compile(flowOf(t, test.steps), c.lookup)
			if got := lines(wantFault(t, err, fault.Manifest, "flow_invalid").Problems); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestTooManyReferences(t *testing.T) {
	steps := `[{"action":"list","with":{"all":[` + strings.Repeat(`"$input.x",`, MaxReferences) + `"$input.x"]}}]`
	_, err := Compile(flowOf(t, steps), catalog{"list": {"read", ""}}.lookup)
	wantFault(t, err, fault.Manifest, "flow_invalid")
}

func TestTheIssueOfAFlow(t *testing.T) {
	f := flowOf(t, buyProduct)
	f.Issue = &manifest.Issue{Code: "flow_duplicate", Message: "there are two"}
	_, err := Compile(f, shop().lookup)
	wantFault(t, err, fault.Manifest, "flow_duplicate")
}

func TestAnActionWithAnIssue(t *testing.T) {
	lookup := func(string) (*manifest.Action, error) {
		return &manifest.Action{Summary: manifest.Summary{Issue: &manifest.Issue{Code: "x", Message: "another host"}}}, nil
	}
	_, err := Compile(flowOf(t, `[{"action":"a"}]`), lookup)
	e := wantFault(t, err, fault.Manifest, "flow_invalid")
	if !strings.Contains(e.Problems[0].Message, "another host") {
		t.Errorf("got %+v", e.Problems)
	}
}

// AA-13: what is said about an input comes from the properties that it feeds.
func TestInputsOfAFlow(t *testing.T) {
	p := planOf(t, buyProduct, shop())
	want := []manifest.Param{
		{Name: "query", Required: true, Schema: jsontext.Value(`{"type":"string","minLength":2}`)},
		{
			Name: "quantity", Label: "Quantity", Description: "how many", Example: jsontext.Value("2"), Required: true,
			Schema: jsontext.Value(`{"type":"integer","minimum":1,"maximum":20,"title":"Quantity","description":"how many","examples":[2]}`),
		},
	}
	if len(p.Params) != len(want) {
		t.Fatalf("got %+v", p.Params)
	}
	for i, w := range want {
		got := p.Params[i]
		if got.Name != w.Name || got.Label != w.Label || got.Description != w.Description || got.Required != w.Required ||
			string(got.Example) != string(w.Example) || string(got.Schema) != string(w.Schema) {
			t.Errorf("got %+v, want %+v", got, w)
		}
	}
}

func TestWhereTheSchemaOfAnInputIsFound(t *testing.T) {
	const at = `[{"action":"a","with":{"x":"$input.x"}}]`
	for name, test := range map[string]struct{ schema, steps, want string }{
		"nothing is said": {`{}`, at, ""},
		"additional":      {`{"additionalProperties":{"type":"string"}}`, at, `{"type":"string"}`},
		"below the top": {
			`{"properties":{"a":{"required":["b"],"properties":{"b":{"type":"array","items":{"type":"integer"}}}}}}`,
			`[{"action":"a","with":{"a":{"b":[1,"$input.x"]}}}]`, `{"type":"integer"}`,
		},
		"a list of several schemas": {
			`{"properties":{"a":{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"null"}}}}`,
			`[{"action":"a","with":{"a":["s","$input.x"]}}]`, `{"type":"integer"}`,
		},
		"a definition": {
			`{"$defs":{"n":{"type":"integer"}},"properties":{"x":{"$ref":"#/$defs/n"}}}`, at,
			`{"$ref":"#/$defs/0","$defs":{"0":{"type":"integer"}}}`,
		},
		"a definition that needs others": {
			`{"$defs":{"a b":{"items":{"$ref":"#c"}},"c":{"$anchor":"c","enum":[{"$ref":"#/x"}]}},"properties":{"x":{"$ref":"#/$defs/a%20b"}}}`, at,
			`{"$ref":"#/$defs/0","$defs":{"0":{"items":{"$ref":"#/$defs/1"}},"1":{"$anchor":"c","enum":[{"$ref":"#/x"}]}}}`,
		},
		"a schema that holds itself": {
			`{"$id":"https://x.example/","properties":{"x":{"type":"object","properties":{"$ref":{"$ref":"#"}}}}}`, at,
			`{"type":"object","properties":{"$ref":{"$ref":"#/$defs/0"}},"$defs":{"0":{"properties":{"x":{"type":"object","properties":{"$ref":{"$ref":"#/$defs/0"}}}}}}}`,
		},
		"several that apply": {
			`{"properties":{"x":{"type":"string"}},"allOf":[{"properties":{"x":{"minLength":2}}}]}`, at,
			`{"allOf":[{"type":"string"},{"minLength":2}]}`,
		},
		"what may not apply is left out": {`{"anyOf":[{"properties":{"x":{"type":"string"}}},{"required":["y"]}]}`, at, ""},
		"an older draft": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"integer"}},"properties":{"x":{"$ref":"#/definitions/n","type":"string"}}}`, at,
			`{"type":"integer","$schema":"http://json-schema.org/draft-07/schema#"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, test.steps, catalog{"a": {"read", test.schema}})
			if got := string(p.Params[0].Schema); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if _, err := input.Compile(p.Params, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// What each input brings along is a copy: a small document must not become many large ones.
func TestSchemasOfInputsAreBounded(t *testing.T) {
	with := make([]string, 500)
	for i := range with {
		with[i] = fmt.Sprintf(`"p%d":"$input.p%d"`, i, i)
	}
	steps := `[{"action":"a","with":{` + strings.Join(with, ",") + `}}]`
	for name, schema := range map[string]string{
		"in bytes":   `{"$defs":{"big":{"enum":["` + strings.Repeat("x", 200_000) + `"]}},"additionalProperties":{"$ref":"#/$defs/big"}}`,
		"in schemas": `{"$defs":{"many":{"anyOf":[` + strings.Repeat("true,", 99) + `true]}},"additionalProperties":{"$ref":"#/$defs/many"}}`,
	} {
		p := planOf(t, steps, catalog{"a": {"read", schema}})
		size := 0
		for _, param := range p.Params {
			size += len(param.Schema)
		}
		if _, err := input.Compile(p.Params, nil); err != nil || size > maxCopied+len(schema) || len(p.Params) != len(with) {
			t.Errorf("%s: %d inputs of %d bytes, %v", name, len(p.Params), size, err)
		}
		if got := lines(p.Check(valuesOf(`{"p0":1}`))); name == "in bytes" && !strings.Contains(got, "p0 /p0 enum") {
			t.Errorf("%s: an input is not checked: %q", name, got)
		}
	}
}

func TestWhichInputsAreRequired(t *testing.T) {
	c := catalog{
		"a": {"read", `{"properties":{"x":{},"deep":{"required":["y"],"properties":{"y":{"description":"why"}}}}}`},
		"b": {"read", `{"allOf":[{"$ref":"#/$defs/r"}],"$defs":{"r":{"required":["x"]}},"anyOf":[{"required":["z"]},{"required":["x"]}]}`},
	}
	p := planOf(t, `[{"action":"a","with":{"x":"$input.x","deep":{"y":"$input.y"}}},{"action":"b","with":{"x":"$input.x","z":"$input.z","l":["$input.l"]}}]`, c)
	got := ""
	for _, param := range p.Params {
		if got += " " + param.Name; param.Required {
			got += "!"
		}
	}
	if want := " x! y! z l"; got != want {
		t.Errorf("got%s, want%s", got, want)
	}
	if p.Params[1].Description != "why" {
		t.Errorf("got %+v", p.Params[1])
	}
}
