package aep_test

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/schema"
)

func claim(t testing.TB, name string) aep.Claim {
	t.Helper()
	all := aep.Claims()
	i := slices.IndexFunc(all, func(c aep.Claim) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no claim %s", name)
	}
	return all[i]
}

const address = `{"first_name":"Grace","last_name":"Hopper","line1":"123 Market Street","country":"US"`

func TestClaimValues(t *testing.T) {
	for name, c := range map[string]struct{ good, bad []string }{
		"contact.email": {
			[]string{`"a@b"`, `"a.b+c@x.example"`, `"\"a b\"@x.example"`, `"a@[127.0.0.1]"`, `"!#$%@x.example"`, `"O'Hara@x.example"`},
			[]string{`""`, `"a"`, `"@b"`, `"a@"`, `"a..b@x"`, `".a@x"`, `"a.@x"`, `"a@-x"`, `"a@x-"`, `"a b@x"`, `"Ada <a@b>"`, `"a@x..y"`, `"a@b\n"`, `"a@b, c@d"`, `7`, `null`, `["a@b"]`, `"ü@x.example"`},
		},
		"contact.mobile": {
			[]string{`"+12"`, `"+14155550100"`, `"+123456789012345"`},
			[]string{`"+1"`, `"14155550100"`, `"+04155550100"`, `"+1 415"`, `"+1234567890123456"`, `"+14155550100\n"`, `"(415) 555-0100"`, `14155550100`},
		},
		"contact.address.primary": {
			[]string{address + `}`, address + `,"line2":"","line3":"x","city":"SF","region":"CA","postcode":"94105","door":7}`},
			[]string{
				address + `,"postal_code":"94105"}`, address + `,"city":""}`, address + `,"line2":7}`, strings.Replace(address, "US", "us", 1) + `}`, strings.Replace(address, "US", "USA", 1) + `}`,
				strings.Replace(address, "Grace", "", 1) + `}`, strings.Replace(address, `"first_name":"Grace",`, "", 1) + `}`, `"somewhere"`, `[]`, `{}`,
			},
		},
		"person.birthdate": {
			[]string{`"1990-04-12"`, `"2024-02-29"`},
			[]string{`"1990-4-12"`, `"2023-02-29"`, `"1990-04-12T00:00:00Z"`, `"12.04.1990"`, `""`, `19900412`},
		},
		"person.first_name": {[]string{`"Ada"`, `"李"`, `" "`}, []string{`""`, `42`, `null`}},
		"person.last_name":  {[]string{`"L"`}, []string{`""`, `true`}},
		"person.username":   {[]string{`"ada"`}, []string{`""`, `{}`}},
	} {
		for _, value := range c.good {
			if problems := claim(t, name).Check(jsontext.Value(value)); len(problems) > 0 {
				t.Errorf("%s %s: %v", name, value, problems)
			}
		}
		for _, value := range c.bad {
			problems := claim(t, name).Check(jsontext.Value(value))
			if len(problems) == 0 {
				t.Errorf("%s %s was taken", name, value)
			}
			for _, p := range problems {
				if p.Param != name || !strings.HasPrefix(p.Message, "must be ") {
					t.Errorf("%s %s: %+v", name, value, p)
				}
			}
		}
	}
}

// All that is wrong is told at once, and nothing is given that was not asked for.
func TestClaimsThatMayBeGiven(t *testing.T) {
	in := func(required, optional string) *aep.Inspect {
		text := strings.Replace(full, `"required":["contact.email"]`, `"required":[`+required+`]`, 1)
		text = strings.Replace(text, `"optional":["x"]`, `"optional":[`+optional+`]`, 1)
		in, err := aep.ParseInspect([]byte(text), shopInspect)
		must(t, err)
		return in
	}
	for name, c := range map[string]struct {
		required, optional string
		given              []string
		want               []string
	}{
		"nothing is asked, nothing given": {``, ``, nil, nil},
		"what is required":                {`"contact.email"`, ``, []string{"contact.email", `"a@b"`}, nil},
		"and an optional one":             {`"contact.email"`, `"person.username"`, []string{"contact.email", `"a@b"`, "person.username", `"ada"`}, nil},
		"unknown optional ones":           {`"contact.email"`, `"kya.level"`, []string{"contact.email", `"a@b"`}, nil},
		"two are missing":                 {`"contact.email","contact.mobile"`, ``, nil, []string{"contact.email required", "contact.mobile required"}},
		"an unknown one is required":      {`"kya.level"`, ``, nil, []string{"kya.level unknown"}},
		"and given":                       {`"kya.level"`, ``, []string{"kya.level", `3`}, []string{"kya.level unknown"}},
		"an unknown optional one given":   {``, `"kya.level"`, []string{"kya.level", `3`}, []string{"kya.level unknown"}},
		"one that is not asked for":       {``, ``, []string{"person.username", `"ada"`}, []string{"person.username unlisted"}},
		"a wrong value":                   {`"contact.email"`, ``, []string{"contact.email", `"a"`}, []string{"contact.email minLength", "contact.email format"}},
		"all of it": {
			`"contact.email","contact.mobile"`, ``,
			[]string{"contact.email", `7`, "person.username", `"ada"`},
			[]string{"contact.mobile required", "contact.email type", "person.username unlisted"},
		},
	} {
		var got []string
		for _, p := range in(c.required, c.optional).CheckClaims(values(c.given...)) {
			got = append(got, p.Param+" "+p.Keyword)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTheTableOfClaimsCompiles(t *testing.T) {
	for _, c := range aep.Claims() {
		if _, err := schema.Compile(c.Schema); err != nil || c.Says == "" {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// What is taken as an address is one to another reader too, which is laxer.
func FuzzEmail(f *testing.F) {
	for _, seed := range []string{`""@0`, "a@b", `"a b"@x.example`, "a..b@x", "a@-x", "a@[IPv6:::1]"} {
		f.Add(seed)
	}
	email := claim(f, "contact.email")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "[\\") || strings.HasPrefix(text, `""@`) { // that reader has its own mind about these
			return
		}
		value, err := jsontext.AppendQuote(nil, text)
		if err != nil || len(email.Check(value)) > 0 {
			return
		}
		if _, err := mail.ParseAddress(fmt.Sprintf("<%s>", text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
