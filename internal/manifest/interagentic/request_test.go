package interagentic

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

const (
	abc      = `"params":[{"name":"a"},{"name":"b"},{"name":"c"}]`
	needsA   = `"params":[{"name":"a","required":true},{"name":"b"}]`
	anyFiles = `"files":{"bodyKey":"files","format":{"path":"string","contents":"string | base64DataString"}}`
)

func TestRequestURLAndBody(t *testing.T) {
	for name, test := range map[string]struct{ members, values, url, body string }{
		"T-7: POST sends a body":                    {members: `"method":"POST",` + abc, values: `{"a":1.50,"c":{"d":[]}}`, url: "/do", body: `{"a":1.50,"c":{"d":[]}}`},
		"T-7: PUT sends a body":                     {members: `"method":"PUT",` + abc, values: `{"a":1}`, url: "/do", body: `{"a":1}`},
		"T-7: PATCH sends a body":                   {members: `"method":"patch",` + abc, values: `{"a":1}`, url: "/do", body: `{"a":1}`},
		"T-7: GET sends a query":                    {members: `"method":"GET",` + abc, values: `{"a":"x y","b":[1,"2"],"c":{"d":1.0}}`, url: "/do?a=x%20y&b=1&b=2&c=%7B%22d%22%3A1.0%7D"},
		"T-7: DELETE sends a query":                 {members: `"method":"DELETE",` + abc, values: `{"b":true}`, url: "/do?b=true"},
		"T-7: other methods send a query":           {members: `"method":"PURGE",` + abc, values: `{"b":true}`, url: "/do?b=true"},
		"T-7: order as declared":                    {members: `"method":"POST",` + abc, values: `{"c":3,"b":2,"a":1}`, url: "/do", body: `{"a":1,"b":2,"c":3}`},
		"T-7: what the endpoint uses is not sent":   {members: `"endpoint":"/{{$a}}",` + needsA, values: `{"a":1,"b":2}`, url: "/1", body: `{"b":2}`},
		"T-7: nor in a query":                       {members: `"method":"GET","endpoint":"/{{$a}}",` + needsA, values: `{"a":1,"b":2}`, url: "/1?b=2"},
		"T-7: a member of it used counts as used":   {members: `"endpoint":"/{{$a.x}}",` + needsA, values: `{"a":{"x":1,"y":2}}`, url: "/1", body: `{}`},
		"T-7: nothing given, but possible":          {members: `"method":"POST",` + abc, values: `{}`, url: "/do", body: `{}`},
		"T-7: nothing possible":                     {members: `"method":"POST"`, values: `{}`, url: "/do"},
		"T-7: nothing outside the endpoint":         {members: `"endpoint":"/{{$a}}","params":[{"name":"a","required":true}]`, values: `{"a":1}`, url: "/1"},
		"T-6: only what is used":                    {members: abc + `,"request":{"query":{"x":"{{$a}}"}}`, values: `{"a":1,"b":2}`, url: "/do?x=1"},
		"T-6: an empty request sends nothing":       {members: abc + `,"request":{}`, values: `{"a":1}`, url: "/do"},
		"T-6: GET with a body of its own":           {members: `"method":"GET",` + abc + `,"request":{"body":{"x":"{{$a}}"}}`, values: `{"a":1}`, url: "/do", body: `{"x":1}`},
		"T-4: a whole body that is missing":         {members: abc + `,"request":{"body":"{{$a}}"}`, values: `{}`, url: "/do"},
		"T-4: an empty body object":                 {members: abc + `,"request":{"body":{"x":"{{$a}}"}}`, values: `{}`, url: "/do", body: `{}`},
		"T-2: a whole body of one argument":         {members: abc + `,"request":{"body":"<<$a>>"}`, values: `{"a":[1.0]}`, url: "/do", body: `[1.0]`},
		"T-10: constants":                           {members: abc + `,"request":{"body":{"channel":"agent","qty":"{{$a}}"},"query":{"v":2}}`, values: `{"a":3}`, url: "/do?v=2", body: `{"channel":"agent","qty":3}`},
		"the placeholder of somebody else":          {members: abc + `,"request":{"body":{"key":"{{API_KEY}}"}}`, values: `{}`, url: "/do", body: `{"key":"{{API_KEY}}"}`},
		"structured arguments":                      {members: abc + `,"request":{"body":{"shipping_city":"{{$a.city}}","shipping_zip":"{{$a.zip}}"}}`, values: `{"a":{"city":"Paris","zip":"75001"}}`, url: "/do", body: `{"shipping_city":"Paris","shipping_zip":"75001"}`},
		"the endpoint's own query":                  {members: `"endpoint":"/do?v=1",` + abc + `,"request":{"query":{"x":"{{$a}}"}}`, values: `{"a":2}`, url: "/do?v=1&x=2"},
		"the endpoint's own query alone":            {members: `"endpoint":"/do?v=1","method":"GET",` + abc, values: `{}`, url: "/do?v=1"},
		"an endpoint that ends with a ?":            {members: `"endpoint":"/do?","method":"GET",` + abc, values: `{"a":1}`, url: "/do?a=1"},
		"an argument with a ? begins no query":      {members: `"endpoint":"/{{$a}}","method":"GET",` + needsA, values: `{"a":"?","b":1}`, url: "/%3F?b=1"},
		"values that nobody declared are not sent":  {members: `"method":"POST",` + abc, values: `{"z":1}`, url: "/do", body: `{}`},
		"names are data":                            {members: `"method":"POST","params":[{"name":"a\"b"}]`, values: `{"a\"b":1}`, url: "/do", body: `{"a\"b":1}`},
		"IA-11: an endpoint without its slash":      {members: `"endpoint":"do/it"`, values: `{}`, url: "/do/it"},
		"IA-11: the root":                           {members: `"endpoint":"/"`, values: `{}`, url: "/"},
		"a template as the whole relative endpoint": {members: `"endpoint":"{{$a}}","params":[{"name":"a","required":true}]`, values: `{"a":"//evil.example"}`, url: "/%2F%2Fevil.example"},
	} {
		t.Run(name, func(t *testing.T) {
			r := send(t, parse(t, with(test.members), ""), test.values)
			if r.URL != origin+test.url || string(r.Body) != test.body || (r.Body == nil) != (test.body == "") {
				t.Errorf("got %s %s\nwant %s %s", r.URL, r.Body, origin+test.url, test.body)
			}
			if got := r.Header.Get("Content-Type"); (got == "application/json") != (test.body != "") {
				t.Errorf("Content-Type %q", got)
			}
		})
	}
}

// IA-11: exactly one slash where baseUrl and endpoint meet, and one in front.
func TestJoin(t *testing.T) {
	for _, test := range [][3]string{
		{"", "/x", "/x"},
		{"/", "/x", "/x"},
		{"/api", "/x", "/api/x"},
		{"/api/", "/x", "/api/x"},
		{"/api/", "x", "/api/x"},
		{"/api", "x", "/api/x"},
		{"api", "x", "/api/x"},
		{"/api//", "/x", "/api/x"},
		{"/api", "/", "/api/"},
		{"/api", "?x=1", "/api/?x=1"},
		{"/{{X}}", "/x/", "/%7B%7BX%7D%7D/x/"},
	} {
		a := parse(t, with(`"endpoint":"`+test[1]+`"`), test[0])
		if got := send(t, a, `{}`).URL; got != origin+test[2] {
			t.Errorf("%q and %q: got %s, want %s", test[0], test[1], got, origin+test[2])
		}
	}
}

// humanReadable=true comes last, unless the action or an argument says which form it wants.
func TestHumanReadable(t *testing.T) {
	for name, test := range map[string]struct{ members, values, url string }{
		"alone":                {members: ``, url: "/do?humanReadable=true"},
		"behind a query":       {members: `"method":"GET",` + abc, values: `{"a":1}`, url: "/do?a=1&humanReadable=true"},
		"behind a literal one": {members: `"endpoint":"/do?x"`, url: "/do?x&humanReadable=true"},
		"said in the endpoint": {members: `"endpoint":"/do?humanReadable=false"`, url: "/do?humanReadable=false"},
		"said by an argument":  {members: `"method":"GET","params":[{"name":"humanReadable"}]`, values: `{"humanReadable":false}`, url: "/do?humanReadable=false"},
		"with an empty query":  {members: abc + `,"request":{"query":{"x":"{{$a}}"}}`, url: "/do?humanReadable=true"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.values == "" {
				test.values = `{}`
			}
			r, problems := parse(t, with(test.members), "").Request(origin, valuesOf(t, test.values), nil, true)
			if problems != nil || r.URL != origin+test.url {
				t.Errorf("got %v %v, want %s", r, problems, test.url)
			}
		})
	}
}

func TestRequestHeaders(t *testing.T) {
	a := parse(t, with(abc+`,"request":{"headers":{"x-api-version":"2026-09","X-Note":"by {{$a}}","X-Opt":"{{$b}}","X-Count":3,"X-On":true,"X-None":null,"content-type":"application/merge-patch+json"},"body":{"c":"{{$c}}"}}`), "")
	r := send(t, a, `{"a":"Ada","c":1}`)
	want := http.Header{
		"X-Api-Version": {"2026-09"}, "X-Note": {"by Ada"}, "X-Count": {"3"}, "X-On": {"true"}, "Content-Type": {"application/merge-patch+json"},
	}
	if diff := cmp.Diff(want, r.Header); diff != "" {
		t.Error(diff)
	}
}

// T-3: arguments that must not go where the action puts them are problems, all at once, and there is no request.
func TestRequestProblems(t *testing.T) {
	a := parse(t, with(`"endpoint":"/x/{{$a}}","params":[{"name":"a","required":true},{"name":"b/c"}],"request":{"headers":{"X-B":"{{$b/c}}"}}`), "")
	r, problems := a.Request(origin, valuesOf(t, `{"a":"..","b/c":"1\r\nHost: evil"}`), nil, false)
	want := []fault.Problem{
		{Param: "a", Pointer: "/a", Keyword: "template", Message: `must not make a part of the URL's path "." or ".."`},
		{Param: "b/c", Pointer: "/b~1c", Keyword: "template", Message: "must not hold line breaks or other control characters: it goes into a header"},
	}
	if diff := cmp.Diff(want, problems); diff != "" || r != nil {
		t.Errorf("%v %s", r, diff)
	}
	_, problems = a.Request(origin, &manifest.Values{}, nil, false)
	if len(problems) != 1 || problems[0].Param != "a" || !strings.Contains(problems[0].Message, "is needed for the URL") {
		t.Errorf("nothing given: %+v", problems)
	}
}

// F-3: files go into the body under bodyKey, also beside request templates, and replace a member of that name.
func TestRequestWithUpload(t *testing.T) {
	upload := jsontext.Value(`[{"path":"a.txt","contents":"hi"}]`)
	for name, test := range map[string]struct{ members, values, body string }{
		"alone":                         {members: anyFiles, values: `{}`, body: `{"files":[{"path":"a.txt","contents":"hi"}]}`},
		"beside arguments":              {members: abc + "," + anyFiles, values: `{"a":1.0}`, body: `{"a":1.0,"files":[{"path":"a.txt","contents":"hi"}]}`},
		"beside a body template":        {members: abc + "," + anyFiles + `,"request":{"body":{"x":{"y":"{{$a}}"}}}`, values: `{"a":1}`, body: `{"x":{"y":1},"files":[{"path":"a.txt","contents":"hi"}]}`},
		"with a request without a body": {members: anyFiles + `,"request":{"query":{}}`, values: `{}`, body: `{"files":[{"path":"a.txt","contents":"hi"}]}`},
		"in place of a member":          {members: anyFiles + `,"request":{"body":{"files":[],"z":1}}`, values: `{}`, body: `{"z":1,"files":[{"path":"a.txt","contents":"hi"}]}`},
		"in a body that is an argument": {members: abc + "," + anyFiles + `,"request":{"body":"{{$a}}"}`, values: `{"a":{"k":1}}`, body: `{"k":1,"files":[{"path":"a.txt","contents":"hi"}]}`},
		"with DELETE":                   {members: `"method":"DELETE",` + anyFiles, values: `{}`, body: `{"files":[{"path":"a.txt","contents":"hi"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			r, problems := parse(t, with(test.members), "").Request(origin, valuesOf(t, test.values), upload, false)
			if problems != nil || string(r.Body) != test.body || r.Header.Get("Content-Type") != "application/json" {
				t.Errorf("got %+v %v\nwant %s", r, problems, test.body)
			}
		})
	}
	a := parse(t, with(abc+","+anyFiles+`,"request":{"body":"{{$a}}"}`), "")
	if _, problems := a.Request(origin, valuesOf(t, `{"a":"text"}`), upload, false); len(problems) != 1 || problems[0].Param != "file" {
		t.Errorf("a body that is a text: %+v", problems)
	}
	if r := send(t, a, `{"a":"text"}`); string(r.Body) != `"text"` {
		t.Errorf("without files: %s", r.Body)
	}
}

// One action serves many calls at once.
func TestRequestIsRepeatable(t *testing.T) {
	a := parse(t, seedRefund, "/api/v1")
	values := valuesOf(t, `{"id":"x","reason":"late","amount":1.10}`)
	first := send(t, a, `{"id":"x","reason":"late","amount":1.10}`)
	done := make(chan string)
	for range 4 {
		go func() {
			r, _ := a.Request(origin, values, nil, false)
			done <- r.URL + string(r.Body)
		}()
	}
	for range 4 {
		if got := <-done; got != first.URL+string(first.Body) {
			t.Errorf("got %s", got)
		}
	}
}
