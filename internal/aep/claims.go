package aep

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Claim is a fact about the owner that a Service may ask for (AEP-22).
type Claim struct {
	Name   string
	Says   string // what a value must be, behind "must be "
	Schema jsontext.Value
}

// Claims lists those that are known. A Service may ask for others, which nobody can check or give.
func Claims() []Claim {
	name := jsontext.Value(`{"type":"string","minLength":1}`)
	return []Claim{
		{"contact.email", "an e-mail address such as ada@example.com", jsontext.Value(`{"type":"string","minLength":3,"format":"email"}`)},
		{"contact.mobile", "a telephone number such as +14155550100", jsontext.Value(`{"type":"string","pattern":"^\\+[1-9][0-9]{1,14}$"}`)},
		{"contact.address.primary", "an object with first_name, last_name, line1 and country, two capital letters; line2, line3, city, region and postcode may be there", jsontext.Value(`{
			"type":"object","required":["first_name","last_name","line1","country"],"properties":{
				"first_name":{"type":"string","minLength":1},"last_name":{"type":"string","minLength":1},
				"line1":{"type":"string","minLength":1},"line2":{"type":"string"},"line3":{"type":"string"},
				"city":{"type":"string","minLength":1},"region":{"type":"string"},"postcode":{"type":"string"},"postal_code":false,
				"country":{"type":"string","pattern":"^[A-Z]{2}$"}}}`)},
		{"person.birthdate", "a day such as 1990-04-12", jsontext.Value(`{"type":"string","format":"date"}`)},
		{"person.first_name", "a text that is not empty", name},
		{"person.last_name", "a text that is not empty", name},
		{"person.username", "a text that is not empty", name},
	}
}

func claimNamed(name string) (Claim, bool) {
	all := Claims()
	i := slices.IndexFunc(all, func(c Claim) bool { return c.Name == name })
	if i < 0 {
		return Claim{}, false
	}
	return all[i], true
}

// Check returns what is wrong with a value: nothing, or problems that do not repeat it.
func (c Claim) Check(value jsontext.Value) []fault.Problem {
	problem := func(pointer, keyword, message string) fault.Problem {
		return fault.Problem{Param: c.Name, Pointer: pointer, Keyword: keyword, Message: message}
	}
	if strictjson.Check(value) != nil {
		return []fault.Problem{problem("", "type", "must be JSON")}
	}
	compiled, err := schema.Compile(c.Schema)
	if err != nil { // a fault of the table, which a test excludes
		return []fault.Problem{problem("", "schema", err.Error())}
	}
	failures, err := compiled.Validate(value)
	if err != nil {
		return []fault.Problem{problem("", "schema", "is too much to check")}
	}
	var problems []fault.Problem
	for _, f := range failures {
		problems = append(problems, problem(f.Pointer, f.Keyword, "must be "+c.Says))
	}
	return problems
}

// CheckClaims returns all that is wrong with claims that are to be given to a Service (AEP-22): required ones that are
// missing, those it did not ask for, and values that are not what their claim is.
func (in *Inspect) CheckClaims(claims manifest.Values) (problems []fault.Problem) {
	add := func(name, keyword, message string) {
		problems = append(problems, fault.Problem{Param: fault.Word(name), Keyword: keyword, Message: message})
	}
	for _, name := range in.Required {
		if _, known := claimNamed(name); !known {
			add(name, "unknown", "the Service requires this claim, which agentctl does not know: it cannot enroll")
		} else if _, given := claims.Get(name); !given {
			add(name, "required", "is required by the Service")
		}
	}
	for _, name := range claims.Names() {
		claim, known := claimNamed(name)
		switch {
		case !in.asksFor(name):
			add(name, "unlisted", "the Service does not ask for this claim, so it is not given")
		case known:
			value, _ := claims.Get(name)
			problems = append(problems, claim.Check(value)...)
		case !slices.Contains(in.Required, name): // a required one was told of above
			add(name, "unknown", "is no claim that agentctl knows, so it is not given")
		}
	}
	return problems
}

func (in *Inspect) asksFor(name string) bool {
	return slices.Contains(in.Required, name) || slices.Contains(in.Preferred, name) || slices.Contains(in.Optional, name)
}

func claimsRefused(in *Inspect, problems []fault.Problem) *fault.Error {
	e := fault.New(fault.Usage, "invalid_claims", "these are not the claims that %s asks for", in.Origin)
	e.Problems = problems
	return e
}
