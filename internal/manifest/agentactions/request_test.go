package agentactions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

const origin = "https://shop.example"

// summary is an action of one manifest.
func summary(t testing.TB, members string) manifest.Summary {
	t.Helper()
	site := parse(t, manifestOf(`"actions":[{"name":"do",`+members+`}]`))
	if len(site.Actions) != 1 {
		t.Fatalf("issues: %+v", site.Issues)
	}
	return site.Actions[0]
}

func load(t testing.TB, s manifest.Summary) *Action {
	t.Helper()
	a, err := ParseAction(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func valuesOf(object string) *manifest.Values {
	values := &manifest.Values{}
	for name, value := range strictjson.Members(jsontext.Value(object)) {
		values.Set(name, value)
	}
	return values
}

// render shows a request as "METHOD URL BODY", or problems as "POINTER KEYWORD: MESSAGE" lines.
func render(t testing.TB, a *Action, object string) string {
	t.Helper()
	r, problems := a.Request(origin, valuesOf(object))
	if r == nil {
		lines := make([]string, len(problems))
		for i, p := range problems {
			lines[i] = fmt.Sprintf("%s %s: %s", p.Pointer, p.Keyword, p.Message)
		}
		return strings.Join(lines, "\n")
	}
	if (r.Body != nil) != (r.Header.Get("Content-Type") == "application/json") || len(r.Header) > 1 {
		t.Errorf("headers %v with body %q", r.Header, r.Body)
	}
	return strings.TrimSpace(r.Method + " " + r.URL + " " + string(r.Body))
}

func TestRequests(t *testing.T) { // AA-5
	const free = `"effect":"write","input":true`
	const byID = `"effect":"write","input":{"properties":{"id":{},"b c":{}}}`
	for name, test := range map[string]struct{ action, values, want string }{
		"a body":                      {`"method":"POST","path":"/a",` + free, `{"n":0.1000,"big":12345678901234567890,"o":{"b":1,"a":[2]},"s":"é","z":null}`, `POST https://shop.example/a {"n":0.1000,"big":12345678901234567890,"o":{"b":1,"a":[2]},"s":"é","z":null}`},
		"an empty body":               {`"method":"POST","path":"/a",` + free, `{}`, `POST https://shop.example/a {}`},
		"PUT":                         {`"method":"put","path":"/a",` + free, `{"a":1}`, `PUT https://shop.example/a {"a":1}`},
		"PATCH":                       {`"method":"PATCH","path":"/a",` + free, `{"a":1}`, `PATCH https://shop.example/a {"a":1}`},
		"a query":                     {`"method":"GET","path":"/a",` + free, `{"q":"a b&c","n":1.50,"t":true,"z":null,"l":[1,"x",{"a":1}],"o":{"a": 1}}`, `GET https://shop.example/a?q=a%20b%26c&n=1.50&t=true&z=null&l=1&l=x&l=%7B%22a%22%3A1%7D&o=%7B%22a%22%3A%201%7D`},
		"no query":                    {`"method":"GET","path":"/a",` + free, `{}`, `GET https://shop.example/a`},
		"an empty list":               {`"method":"HEAD","path":"/a",` + free, `{"l":[]}`, `HEAD https://shop.example/a`},
		"DELETE takes a query":        {`"method":"DELETE","path":"/a",` + free, `{"x y":1}`, `DELETE https://shop.example/a?x%20y=1`},
		"a property in the path":      {`"method":"POST","path":"/a/{id}",` + byID, `{"id":"x","b":1}`, `POST https://shop.example/a/x {"b":1}`},
		"all in the path":             {`"method":"POST","path":"/a/{id}",` + byID, `{"id":5.0}`, `POST https://shop.example/a/5.0 {}`},
		"twice in the path":           {`"method":"GET","path":"/{id}/v{id}-{b c}",` + byID, `{"id":true,"b c":"d"}`, `GET https://shop.example/true/vtrue-d`},
		"escaped in the path":         {`"method":"GET","path":"/a/{id}",` + byID, `{"id":"a/b?c#d é%2F+;=\\"}`, `GET https://shop.example/a/a%2Fb%3Fc%23d%20%C3%A9%252F%2B%3B%3D%5C`},
		"text of the path":            {`"method":"GET","path":"/é|\"/%20/{id}/",` + byID, `{"id":1}`, `GET https://shop.example/%C3%A9%7C%22/%20/1/`},
		"missing in the path":         {`"method":"GET","path":"/a/{id}/{b c}",` + byID, `{}`, "/id path: is needed for the URL's path\n/b c path: is needed for the URL's path"},
		"empty in the path":           {`"method":"GET","path":"/a{id}/{id}",` + byID, `{"id":""}`, "/id path: must not be empty: it is a part of the URL's path"},
		"a dot in the path":           {`"method":"GET","path":"/a/{id}",` + byID, `{"id":"."}`, `/id path: must not be or hold the path segments "." or "..": it is a part of the URL's path`},
		"two dots in the path":        {`"method":"GET","path":"/a/{id}",` + byID, `{"id":".."}`, `/id path: must not be or hold the path segments "." or "..": it is a part of the URL's path`},
		"a way up in the path":        {`"method":"GET","path":"/a/{id}",` + byID, `{"id":"x/../../b"}`, `/id path: must not be or hold the path segments "." or "..": it is a part of the URL's path`},
		"a way up with backslashes":   {`"method":"GET","path":"/a/{id}",` + byID, `{"id":"x\\.."}`, `/id path: must not be or hold the path segments "." or "..": it is a part of the URL's path`},
		"dots that lead nowhere":      {`"method":"GET","path":"/a/{id}",` + byID, `{"id":"..a/..."}`, `GET https://shop.example/a/..a%2F...`},
		"an encoded way up is text":   {`"method":"GET","path":"/a/{id}",` + byID, `{"id":"%2e%2e"}`, `GET https://shop.example/a/%252e%252e`},
		"a list in the path":          {`"method":"GET","path":"/a/{id}",` + byID, `{"id":[1]}`, "/id path: must be a string, a number or a boolean: it goes into the URL's path"},
		"null in the path":            {`"method":"GET","path":"/a/{id}",` + byID, `{"id":null}`, "/id path: must be a string, a number or a boolean: it goes into the URL's path"},
		"a NUL in the path":           {`"method":"GET","path":"/a/{id}",` + byID, `{"id":"a\u0000"}`, "/id path: must not hold a NUL character: it goes into the URL's path"},
		"a line break is encoded too": {`"method":"GET","path":"/a/{id}",` + byID, `{"id":"a\r\nb"}`, `GET https://shop.example/a/a%0D%0Ab`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := render(t, load(t, summary(t, test.action)), test.values); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestCostOfACall(t *testing.T) { // AA-7
	for name, test := range map[string]struct{ cost, values, amount string }{
		"fixed":                   {`{"amount":25.00,"currency":"USD"}`, `{}`, "25.00"},
		"in a number":             {`{"field":"price","currency":"USD"}`, `{"price":19.90}`, "19.90"},
		"in a string":             {`{"field":"price","currency":"USD"}`, `{"price":"19.90"}`, "19.90"},
		"with an exponent":        {`{"field":"price","currency":"USD"}`, `{"price":1.990E+1}`, "19.9"},
		"a small exponent":        {`{"field":"price","currency":"USD"}`, `{"price":5e-1}`, "0.5"},
		"missing":                 {`{"field":"price","currency":"USD"}`, `{"other":1}`, ""},
		"negative":                {`{"field":"price","currency":"USD"}`, `{"price":-1}`, ""},
		"less than nothing":       {`{"field":"price","currency":"USD"}`, `{"price":-0}`, ""},
		"a word":                  {`{"field":"price","currency":"USD"}`, `{"price":"much"}`, ""},
		"empty":                   {`{"field":"price","currency":"USD"}`, `{"price":""}`, ""},
		"a list":                  {`{"field":"price","currency":"USD"}`, `{"price":[1]}`, ""},
		"null":                    {`{"field":"price","currency":"USD"}`, `{"price":null}`, ""},
		"a currency beside it":    {`{"field":"price","currency":"USD"}`, `{"price":"$5"}`, ""},
		"separated thousands":     {`{"field":"price","currency":"USD"}`, `{"price":"1,000"}`, ""},
		"octal, perhaps":          {`{"field":"price","currency":"USD"}`, `{"price":"010"}`, ""},
		"an exponent in a string": {`{"field":"price","currency":"USD"}`, `{"price":"1e3"}`, ""},
		"beyond any price":        {`{"field":"price","currency":"USD"}`, `{"price":1e999}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := summary(t, `"method":"POST","path":"/a","effect":"spend","input":{"properties":{"price":{}}},"cost":`+test.cost)
			r, problems := load(t, s).Request(origin, valuesOf(test.values))
			if problems != nil {
				t.Fatal(problems)
			}
			if diff := cmp.Diff(&manifest.Cost{Amount: test.amount, Currency: "USD"}, r.Cost); diff != "" || r.Effect != manifest.Spend || r.Idempotent {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestActionsThatCannotBeUsed(t *testing.T) { // AA-3
	const sound = `"method":"POST","path":"/a","effect":"write",`
	for name, test := range map[string]struct{ members, code, pointer string }{
		"its own issue":            {`"method":"POST","path":"a","effect":"write"`, "path_invalid", "/actions/0/path"},
		"an input of no type":      {sound + `"input":{"type":"nonsense"}`, "schema_invalid", "/input/type"},
		"an input that is no way":  {sound + `"input":false`, "schema_invalid", "/input"},
		"an input of strings":      {sound + `"input":{"type":"string"}`, "schema_invalid", "/input"},
		"a reference out":          {sound + `"input":{"properties":{"a":{"$ref":"https://x.example/a"}}}`, "schema_remote_ref", "/input/properties/a/$ref"},
		"a path that takes no one": {`"method":"POST","path":"/a/{id}","effect":"write","input":{"properties":{"di":{}}}`, "path_unknown", "/path"},
		"a path without an input":  {`"method":"POST","path":"/a/{id}","effect":"write"`, "path_unknown", "/path"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := ParseAction(summary(t, test.members))
			e := fault.From(err)
			if a != nil || err == nil || e.Kind != fault.Manifest || e.Code != test.code || e.Details["pointer"] != test.pointer || !strings.HasPrefix(e.Message, "do cannot be used: ") {
				t.Errorf("got %#v", e)
			}
		})
	}
	if _, err := ParseAction(manifest.Summary{Command: []string{"do"}, Endpoint: "/a"}); fault.From(err).Code != "definition_missing" {
		t.Errorf("got %v", err)
	}
}

func TestArgsAreTheRequiredScalars(t *testing.T) { // AA-3
	for name, test := range map[string]struct{ input, want string }{
		"in the order of required": {`{"required":["b","a"],"properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"string"}}}`, "b a"},
		"no lists and no objects":  {`{"required":["a","l","o","u","b"],"properties":{"a":{"type":"number"},"l":{"type":"array"},"o":{"type":"object"},"u":{"type":["string","array"]},"b":{"type":"boolean"}}}`, "a b"},
		"no type":                  {`{"required":["a"],"properties":{"a":{}}}`, ""},
		"an enum":                  {`{"required":["a"],"properties":{"a":{"enum":["x","y"]}}}`, "a"},
		"not declared":             {`{"required":["a"]}`, ""},
		"by reference":             {`{"$ref":"#/$defs/in","$defs":{"in":{"required":["a"],"properties":{"a":{"$ref":"#/$defs/t"}}},"t":{"type":"string"}}}`, "a"},
		"in one branch only":       {`{"properties":{"a":{"type":"string"}},"oneOf":[{"required":["a"]},{}]}`, ""},
		"none":                     {`true`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := load(t, summary(t, `"method":"POST","path":"/a","effect":"write","input":`+test.input))
			if got := strings.Join(a.Args, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestIssuesThatLeaveAnActionUsable(t *testing.T) {
	a := load(t, summary(t, `"method":"POST","path":"/a/{id}","effect":"spend","cost":{"field":"prize","currency":"USD"},"input":{"properties":{"id":{},"price":{}}}`))
	if diff := cmp.Diff([]string{"path_optional /path (do)", "cost_field_unknown /cost/field (do)"}, brief(a.Issues)); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutAnInputThereAreNoArguments(t *testing.T) { // AA-3
	a := load(t, summary(t, `"method":"POST","path":"/a","effect":"write"`))
	params, err := input.CompileObject(a.Input, a.Args)
	if err != nil {
		t.Fatal(err)
	}
	if _, problems := params.Values(input.Words{}); problems != nil {
		t.Error(problems)
	}
	if _, problems := params.Values(input.Words{Pairs: []string{"a=1"}}); len(problems) != 1 || problems[0].Keyword != "unknown" {
		t.Error(problems)
	}
}

// A summary that was kept as JSON makes the same action.
func TestSummariesSurviveTheCache(t *testing.T) {
	kept, err := json.Marshal(summary(t, `"method":"POST","path":"/a","effect":"write","input":{"properties":{"<a>":{"type":"integer","minimum":1.0}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var s manifest.Summary
	if err := json.Unmarshal(kept, &s); err != nil {
		t.Fatal(err)
	}
	params, err := input.CompileObject(load(t, s).Input, nil)
	if err != nil || params.Describe("<a>").Limits != "at least 1.0" {
		t.Errorf("%v, %+v", err, params)
	}
}

// What Parse accepts holds its promises, and refusals have the promised kind; what ParseAction accepts renders without a
// panic, to the origin, as a valid URL, with valid JSON.
func FuzzParse(f *testing.F) {
	f.Add([]byte(seed), `{"product_id":"p","quantity":1}`)
	f.Add(manifestOf(`"actions":[{"name":"a","method":"GET","path":"/{x}/b","effect":"read","input":true,"cost":{"field":"x"}},{"name":"A-b","path":"//x"},{"name":"A_b"},null,3],"flows":[{"name":1},{"name":"f","steps":[{}]}]`), `{"x":"../"}`)
	f.Add(manifestOf(`"actions":[{"name":"a","method":"DELETE","path":"/{x}","input":{"properties":{"x":{}}}}],"endpoints":{"a":{"url":[]}},"auth":1`), `{"x":".","y":[1,{}]}`)
	f.Add([]byte(`[`), ``)
	f.Fuzz(func(t *testing.T, doc []byte, object string) {
		site, err := Parse(doc, host)
		if err != nil {
			if e := fault.From(err); e.Kind != fault.Manifest || e.Code == "" {
				t.Fatalf("kind %s, code %q: %v", e.Kind, e.Code, err)
			}
			return
		}
		usable := make(map[string]bool)
		for _, s := range site.Actions {
			if len(s.Command) != 1 || !manifest.ValidSegment(s.Command[0]) || s.Effect == "" {
				t.Fatalf("action %+v", s)
			}
			key := strings.ReplaceAll(s.Command[0], "_", "-")
			if s.Issue == nil && usable[key] {
				t.Errorf("%q is usable twice", s.Command)
			}
			usable[key] = usable[key] || s.Issue == nil
			if len(usable) < 20 {
				fuzzAction(t, s, object)
			}
		}
	})
}

func fuzzAction(t *testing.T, s manifest.Summary, object string) {
	a, err := ParseAction(s)
	if err != nil {
		if e := fault.From(err); e.Kind != fault.Manifest || e.Code == "" || a != nil {
			t.Fatalf("kind %s, code %q: %v", e.Kind, e.Code, err)
		}
		return
	}
	params, err := input.CompileObject(a.Input, a.Args)
	if err != nil {
		t.Fatalf("ParseAction takes it, CompileObject does not: %v", err)
	}
	values, problems := params.Values(input.Words{Object: []byte(object)})
	if problems != nil {
		return
	}
	r, problems := a.Request(origin, values)
	if (r == nil) == (problems == nil) {
		t.Fatalf("request %v, problems %v", r, problems)
	}
	if r == nil {
		return
	}
	u, err := url.Parse(r.URL)
	if err != nil || !strings.HasPrefix(r.URL, origin+"/") || u.Host != host || u.User != nil || u.Fragment != "" {
		t.Errorf("URL %q (%v)", r.URL, err)
	}
	if r.Body != nil && !jsontext.Value(r.Body).IsValid() {
		t.Errorf("body %s", r.Body)
	}
}

// A value never changes host, path structure or query structure.
func FuzzRequest(f *testing.F) {
	for _, value := range []string{"x", "", ".", "..", "a/../b", `\`, "?x=1#y", "%2e%2e", "@evil.example", "\r\nHost: evil.example", "\x00", "{b}", "&b=2", "é\u202e", "//evil.example"} {
		f.Add(value)
	}
	get := load(f, summary(f, `"method":"GET","path":"/o/{a}/v{a}/x","effect":"read","input":{"properties":{"a":{},"b":{}}}`))
	post := load(f, summary(f, `"method":"POST","path":"/o/{a}","effect":"write","input":{"properties":{"a":{},"b":{}}}`))
	f.Fuzz(func(t *testing.T, value string) {
		raw := strictjson.Quote(value)
		clean, _ := strictjson.String(raw) // invalid UTF-8 replaced
		values := &manifest.Values{}
		values.Set("a", raw)
		values.Set("b", raw)
		r, problems := get.Request(origin, values)
		if problems != nil {
			return
		}
		u, err := url.Parse(r.URL)
		if err != nil || u.Host != host || u.Scheme != "https" || u.User != nil || strings.Contains(r.URL, "#") {
			t.Fatalf("URL %q (%v)", r.URL, err)
		}
		if u.Path != "/o/"+clean+"/v"+clean+"/x" || strings.Count(u.EscapedPath(), "/") != 4 {
			t.Errorf("path %q of %q", u.EscapedPath(), value)
		}
		query, err := url.ParseQuery(u.RawQuery)
		if err != nil || len(query) != 1 || query.Get("b") != clean {
			t.Errorf("query %q (%v)", u.RawQuery, err)
		}
		r, _ = post.Request(origin, values)
		if want := append(append([]byte(`{"b":`), raw...), '}'); !bytes.Equal(r.Body, want) {
			t.Errorf("body %s, want %s", r.Body, want)
		}
	})
}

func BenchmarkOneCall(b *testing.B) {
	s := parse(b, []byte(seed)).Actions[0]
	words := input.Words{Positional: []string{"p1", "2"}}
	b.ReportAllocs()
	for b.Loop() {
		a, err := ParseAction(s)
		if err != nil {
			b.Fatal(err)
		}
		params, err := input.CompileObject(a.Input, a.Args)
		if err != nil {
			b.Fatal(err)
		}
		values, problems := params.Values(words)
		if problems != nil {
			b.Fatal(problems)
		}
		if _, problems := a.Request(origin, values); problems != nil {
			b.Fatal(problems)
		}
	}
}
