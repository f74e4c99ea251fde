package agentactions

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/manifest"
)

func TestEffects(t *testing.T) { // AA-6
	for effect, want := range map[string]manifest.Effect{
		`"read"`: "read", `"write"`: "write", `"send"`: "send", `"spend"`: "spend", `"delete"`: "delete",
		`"teleport"`: "teleport", `"READ"`: "READ", `"read, really"`: "unknown", `"\u001b[2J"`: "unknown", `""`: "unknown", `1`: "unknown", `null`: "unknown",
	} {
		site := parse(t, manifestOf(`"actions":[{"name":"a","method":"GET","path":"/a","effect":`+effect+`}]`))
		if got := site.Actions[0]; got.Effect != want || got.Issue != nil {
			t.Errorf("%s: got %q, issue %v", effect, got.Effect, got.Issue)
		}
	}
}

func TestGrants(t *testing.T) { // AA-8
	const actions = `"actions":[{"name":"plain","method":"GET","path":"/a","effect":"read"},{"name":"scoped","method":"GET","path":"/a","effect":"read","scope":"s:r"},` +
		`{"name":"writing","method":"POST","path":"/a","effect":"write"},{"name":"odd","method":"POST","path":"/a"}]`
	for name, test := range map[string]struct{ auth, grants, issues string }{
		"with grants":        {`"auth":{"type":"agent-grant","x":1},`, "scoped writing odd", ""},
		"no auth":            {``, "", ""},
		"null":               {`"auth":null,`, "", ""},
		"another type":       {`"auth":{"type":"basic"},`, "", "auth_unknown /auth"},
		"a string":           {`"auth":"agent-grant",`, "", "auth_unknown /auth"},
		"no type":            {`"auth":{},`, "", "auth_unknown /auth"},
		"the type a number":  {`"auth":{"type":1},`, "", "wrong_type /auth/type auth_unknown /auth"},
		"auth comes last":    {``, "scoped writing odd", ""},
		"an array of grants": {`"auth":["agent-grant"],`, "", "auth_unknown /auth"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := test.auth + actions
			if name == "auth comes last" {
				doc += `,"auth":{"type":"agent-grant"}`
			}
			site := parse(t, manifestOf(doc))
			var grants []string
			for _, a := range site.Actions {
				if a.Grant {
					grants = append(grants, a.Command[0])
				}
			}
			if got := strings.Join(grants, " "); got != test.grants {
				t.Errorf("grants for %q, want %q", got, test.grants)
			}
			issues := slices.DeleteFunc(brief(site.Issues), func(s string) bool { return strings.HasPrefix(s, "effect_") })
			if got := strings.Join(issues, " "); got != test.issues {
				t.Errorf("issues %q, want %q", got, test.issues)
			}
		})
	}
}

func TestCosts(t *testing.T) { // AA-7
	for name, test := range map[string]struct {
		cost    string
		want    *manifest.Cost
		payment string
		issues  string
	}{
		"a field":                  {`{"field":"price","currency":"USD"}`, &manifest.Cost{Field: "price", Currency: "USD"}, "amount in price, USD", ""},
		"an amount":                {`{"amount":25,"currency":"USD"}`, &manifest.Cost{Amount: "25", Currency: "USD"}, "25 USD", ""},
		"its digits":               {`{"amount":25.00,"currency":"USD"}`, &manifest.Cost{Amount: "25.00", Currency: "USD"}, "25.00 USD", ""},
		"an amount in quotes":      {`{"amount":"25.10","currency":"USD"}`, &manifest.Cost{Amount: "25.10", Currency: "USD"}, "25.10 USD", ""},
		"an exponent":              {`{"amount":2.5e1,"currency":"USD"}`, &manifest.Cost{Amount: "25", Currency: "USD"}, "25 USD", ""},
		"nothing":                  {`{"amount":0,"currency":"USD"}`, &manifest.Cost{Amount: "0", Currency: "USD"}, "0 USD", ""},
		"no currency":              {`{"amount":5}`, &manifest.Cost{Amount: "5"}, "5", "cost_invalid /actions/0/cost"},
		"a field without currency": {`{"field":"p"}`, &manifest.Cost{Field: "p"}, "amount in p", "cost_invalid /actions/0/cost"},
		"negative":                 {`{"amount":-5,"currency":"USD"}`, &manifest.Cost{Currency: "USD"}, "amount unknown", "cost_invalid /actions/0/cost/amount"},
		"a word":                   {`{"amount":"five","currency":"USD"}`, &manifest.Cost{Currency: "USD"}, "amount unknown", "cost_invalid /actions/0/cost/amount"},
		"both":                     {`{"amount":5,"field":"p","currency":"USD"}`, &manifest.Cost{Currency: "USD"}, "amount unknown", "cost_invalid /actions/0/cost"},
		"neither":                  {`{"currency":"USD"}`, &manifest.Cost{Currency: "USD"}, "amount unknown", "cost_invalid /actions/0/cost"},
		"the amount null":          {`{"amount":null,"field":"p","currency":"USD"}`, &manifest.Cost{Field: "p", Currency: "USD"}, "amount in p, USD", ""},
		"a field that is a number": {`{"field":1,"currency":"USD"}`, &manifest.Cost{Currency: "USD"}, "amount unknown", "wrong_type /actions/0/cost/field cost_invalid /actions/0/cost"},
		"a number":                 {`5`, &manifest.Cost{}, "amount unknown", "wrong_type /actions/0/cost"},
		"none":                     {`null`, nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			site := parse(t, manifestOf(`"actions":[{"name":"a","method":"POST","path":"/a","effect":"spend","cost":`+test.cost+`}]`))
			a := site.Actions[0]
			if diff := cmp.Diff(test.want, a.Cost); diff != "" || a.Payment != test.payment || a.Issue != nil {
				t.Errorf("payment %q, issue %v, cost (-want +got):\n%s", a.Payment, a.Issue, diff)
			}
			var issues []string
			for _, issue := range site.Issues {
				issues = append(issues, issue.Code+" "+issue.Pointer)
			}
			if got := strings.Join(issues, " "); got != test.issues {
				t.Errorf("issues %q, want %q", got, test.issues)
			}
		})
	}
}

func TestEndpoints(t *testing.T) { // AA-9
	site := parse(t, manifestOf(`"endpoints":{"receipts":"/agent/receipts","refunds":{"url":"https://shop.example/r","x":1},"a/b":1,"none":null,"empty":{},"odd":{"url":2}}`))
	want := []manifest.Link{{Name: "receipts", URL: "/agent/receipts"}, {Name: "refunds", URL: "https://shop.example/r"}}
	if diff := cmp.Diff(want, site.Links); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"wrong_type /endpoints/a~1b", "wrong_type /endpoints/empty", "wrong_type /endpoints/odd"}, brief(site.Issues)); diff != "" {
		t.Error(diff)
	}
	if site := parse(t, manifestOf(`"endpoints":[]`)); site.Links != nil || len(site.Issues) != 1 {
		t.Errorf("got %+v", site)
	}
}

func TestFlows(t *testing.T) { // AA-11
	steps := strings.TrimSuffix(strings.Repeat(`{"action":"a"},`, MaxSteps+1), ",")
	for name, test := range map[string]struct{ flow, issues, unusable string }{
		"sound":                    {`{"name":"f","description":"d","steps":[{"action":"a","with":{"q": "$input.q"}},{"action":"b"}]}`, "", ""},
		"no object":                {`"f"`, "wrong_type /flows/0", "gone"},
		"no name":                  {`{"steps":[{"action":"a"}]}`, "name_missing /flows/0", "gone"},
		"a bad name":               {`{"name":"a b","steps":[{"action":"a"}]}`, "name_invalid /flows/0/name", "gone"},
		"no steps":                 {`{"name":"f"}`, "steps_missing /flows/0", "steps_missing"},
		"empty steps":              {`{"name":"f","steps":[]}`, "steps_missing /flows/0", "steps_missing"},
		"steps that are no list":   {`{"name":"f","steps":{}}`, "wrong_type /flows/0/steps", "wrong_type"},
		"a step that is a string":  {`{"name":"f","steps":["a"]}`, "wrong_type /flows/0/steps/0", "wrong_type"},
		"a step without an action": {`{"name":"f","steps":[{"action":"a"},{"with":{}}]}`, "action_missing /flows/0/steps/1", "action_missing"},
		"an action that is none":   {`{"name":"f","steps":[{"action":["a"]}]}`, "wrong_type /flows/0/steps/0/action", "wrong_type"},
		"with that is a list":      {`{"name":"f","steps":[{"action":"a","with":[]}]}`, "wrong_type /flows/0/steps/0/with", "wrong_type"},
		"with that is null":        {`{"name":"f","steps":[{"action":"a","with":null}]}`, "", ""},
		"too many steps":           {`{"name":"f","steps":[` + steps + `]}`, "too_large /flows/0/steps", "too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			site := parse(t, manifestOf(`"flows":[`+test.flow+`,{"name":"good","steps":[{"action":"a"}]}]`))
			if got := strings.Join(brief(site.Issues), " "); got != test.issues {
				t.Errorf("issues %q, want %q", got, test.issues)
			}
			unusable := ""
			if len(site.Flows) == 1 {
				unusable = "gone"
			} else if issue := site.Flows[0].Issue; issue != nil {
				unusable = issue.Code
			}
			if good := site.Flows[len(site.Flows)-1]; unusable != test.unusable || good.Issue != nil {
				t.Errorf("unusable %q, want %q; the good one: %+v", unusable, test.unusable, good)
			}
		})
	}
}
