package flow

import (
	"strings"
	"testing"
)

// AA-14: inputs are validated as far as they are known.
func TestCheck(t *testing.T) {
	c := shop()
	c["order"] = [2]string{"write", `{"properties":{"address":{"$ref":"#/$defs/address"},"n":{"type":"integer"},"s":{"type":"string"}},
		"$defs":{"address":{"type":"object","required":["city","zip"],"properties":{"city":{"type":"string"},"zip":{"type":"string","pattern":"^[0-9]{5}$"}}}},
		"dependentRequired":{"n":["s"]},"anyOf":[{"properties":{"s":{"const":"a"},"n":{"const":1}}},{"properties":{"s":{"const":"b"}}},{"required":["address"]}]}`}
	for name, test := range map[string]struct{ steps, inputs, want string }{
		"all is well":                      {buyProduct, `{"query":"paper","quantity":2}`, ""},
		"nothing is given":                 {buyProduct, `{}`, "query /query required\nquantity /quantity required"},
		"too many, in a step half known":   {buyProduct, `{"query":"paper","quantity":21}`, "quantity /quantity maximum"},
		"another type":                     {buyProduct, `{"query":7,"quantity":"2"}`, "query /query type\nquantity /quantity type"},
		"one input in two steps":           {`[{"action":"search_products","with":{"query":"$input.q"}},{"action":"search_products","with":{"query":"$input.q"}}]`, `{"q":"x"}`, "q /q minLength"},
		"a part of an input":               {`[{"action":"order","with":{"address":{"city":"$input.to.city","zip":"$input.to.zip"}}}]`, `{"to":{"city":"Ulm","zip":"8907"}}`, "to /to/zip pattern"},
		"a part that is missing":           {`[{"action":"order","with":{"address":{"city":"$input.to.city","zip":"$input.to.zip"}}}]`, `{"to":{"city":"Ulm"}}`, "to /to/zip reference"},
		"a part of an input, deep":         {`[{"action":"order","with":{"address":"$input.to"}}]`, `{"to":{"city":"Ulm","zip":"1"}}`, "to /to/zip pattern"},
		"deep, beside what is not known":   {`[{"action":"search_products","with":{"query":"ab"}},{"action":"order","with":{"address":{"city":"$steps.0.c","zip":"$input.zip"}}}]`, `{"zip":"1"}`, "zip /zip pattern"},
		"optional and not given":           {`[{"action":"order","with":{"n":1,"s":"$input.s","address":{"city":"a","zip":"89073"}}}]`, `{}`, "s /s dependentRequired"},
		"an alternative is not judged yet": {`[{"action":"search_products","with":{"query":"ab"}},{"action":"order","with":{"n":"$steps.0.n","s":"$input.s"}}]`, `{"s":"b"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			problems := planOf(t, test.steps, c).Check(valuesOf(test.inputs))
			if got := lines(problems); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// Between a wrong literal and a wrong input a reader sees the difference.
func TestAProblemThatNoInputCanMend(t *testing.T) {
	c := catalog{"a": {"read", `{"if":{"required":["x"]},"then":{"required":["y"]}}`}}
	p := planOf(t, `[{"action":"a","with":{"x":"$input.x"}}]`, c)
	problems := p.Check(valuesOf(`{"x":1}`))
	if got, want := lines(problems), "/steps/0/with/y required"; got != want || !strings.Contains(problems[0].Message, `in the step "a"`) {
		t.Errorf("got %+v, want %s", problems, want)
	}
	if problems := p.Check(valuesOf(`{}`)); problems != nil {
		t.Errorf("got %+v", problems)
	}
}

func TestDescribe(t *testing.T) {
	p := planOf(t, `[
		{"action":"search_products","with":{"query":"$input.query","page":"$input.page"}},
		{"action":"checkout","with":{"cart_id":"$steps.0.items.0.id","note":"$$5"}}]`, shop())
	got := ""
	for _, d := range p.Describe(valuesOf(`{"query":"a\u003cb"}`)) {
		got += d.Action + " " + string(d.Effect) + " " + string(d.Input) + "\n"
	}
	want := `search_products read {"query":"a\u003cb"}
checkout spend {"cart_id":"$steps.0.items.0.id","note":"$5"}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
