package openapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/manifest"
)

func TestOperationsAreCommands(t *testing.T) {
	site := shop(t).Site()
	if site.Name != "Shop" || site.Version != "2" || site.Description != "Sells things" {
		t.Errorf("got %+v", site)
	}
	if diff := cmp.Diff([]manifest.Group{{Command: []string{"orders"}, Description: "What was bought"}}, site.Groups); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, a := range site.Actions {
		got = append(got, fmt.Sprintf("%s: %s %s %s %s %s", strings.Join(a.Command, " "), a.Method, a.Endpoint, a.Effect, a.Payment, a.Description))
		if a.Issue != nil {
			t.Errorf("%v: %v", a.Command, a.Issue)
		}
	}
	want := []string{
		"orders list: GET /orders read  List orders",
		"orders create: POST /orders spend amount in price, EUR ",
		"orders get: GET /orders/{id} read  ",
		"orders delete-by-id: DELETE /orders/{id} delete  (deprecated)",
		"orders replace: PUT /orders/{id} write  ",
		"upload: POST /files write  ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNames(t *testing.T) {
	for name, c := range map[string]struct {
		paths string
		want  string
	}{
		"words of any kind":       {`"/a":{"get":{"operationId":"HTTPServer_getIDs v2"}}`, "http-server-get-ids-v2"},
		"a group in another case": {`"/a":{"get":{"operationId":"petStore.list","tags":["Pet Store"]}}`, "pet-store list"},
		"a group behind":          {`"/a":{"get":{"operationId":"list_pets","tags":["pets"]}}`, "pets list"},
		"nothing but the group":   {`"/a":{"get":{"operationId":"pets","tags":["pets"]}}`, "pets pets"},
		"no id":                   {`"/pets/{id}":{"get":{}}`, "get-pets-by-id"},
		"no id below a group":     {`"/pets/{id}":{"get":{"tags":["pets"]}},"/pets":{"get":{"tags":["pets"]}}`, "pets get-by-id, pets get"},
		"the root":                {`"/":{"get":{}}`, "get"},
		"an id of no letters":     {`"/x":{"get":{"operationId":"日本"}}`, "get-x"},
		"a group of no letters":   {`"/x":{"get":{"operationId":"a","tags":["日本"]}}`, "a"},
		"ids that clash":          {`"/a":{"get":{"operationId":"do_it"},"put":{"operationId":"doIt"}}`, "do-it-get, do-it-put"},
		"… with one method":       {`"/a":{"get":{"operationId":"do_it"}},"/b":{"get":{"operationId":"doIt"}}`, "get-a, get-b"},
		"… and paths that read alike": {
			`"/a-b":{"get":{"operationId":"x"}},"/a/b":{"get":{"operationId":"x"}}`, "x-3c8680cc, x-840b7118",
		},
		"restish's name":    {`"/a":{"get":{"operationId":"x","x-cli-name":"look","tags":["t"]}}`, "t look"},
		"restish's group":   {`"/a":{"get":{"operationId":"x","x-cli-group":"g","tags":["t"]}}`, "g x"},
		"restish's aliases": {`"/a":{"get":{"operationId":"x","x-cli-aliases":["y","x"],"tags":["t"]}}`, "t x, t y"},
		"hidden":            {`"/a":{"get":{"operationId":"x","x-cli-hidden":true}},"/b":{"x-cli-ignore":true,"get":{"operationId":"y"}},"/c":{"get":{"operationId":"z"}}`, "z"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, a := range parse(t, `{"openapi":"3.1.0","paths":{`+c.paths+`}}`).Site().Actions {
				got = append(got, strings.Join(a.Command, " "))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got %q, want %q", strings.Join(got, ", "), c.want)
			}
		})
	}
}

func TestNamesDoNotDependOnOrder(t *testing.T) {
	one, two := `"/a":{"get":{"operationId":"do_it"}}`, `"/b":{"get":{"operationId":"doIt"},"post":{"operationId":"do.it"}}`
	byPath := func(paths string) map[string]string {
		out := map[string]string{}
		for _, a := range parse(t, `{"openapi":"3.1.0","paths":{`+paths+`}}`).Site().Actions {
			out[a.Method+a.Endpoint] = strings.Join(a.Command, " ")
		}
		return out
	}
	if diff := cmp.Diff(byPath(one+","+two), byPath(two+","+one)); diff != "" {
		t.Error(diff)
	}
}

func TestLongNamesAreCut(t *testing.T) {
	site := parse(t, `{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":"`+strings.Repeat("very-long-", 20)+`a"}},"/b":{"get":{"operationId":"`+strings.Repeat("very-long-", 20)+`b"}}}}`).Site()
	for _, a := range site.Actions {
		if !manifest.ValidSegment(a.Command[0]) {
			t.Errorf("%q", a.Command)
		}
	}
	if site.Actions[0].Command[0] == site.Actions[1].Command[0] {
		t.Errorf("both are %q", site.Actions[0].Command)
	}
}

func TestDocumentsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ doc, contentType, code string }{
		"Swagger 2.0":          {`{"swagger":"2.0","paths":{}}`, "", "version_unsupported"},
		"OpenAPI 4":            {`{"openapi":"4.0.0"}`, "", "version_unsupported"},
		"no version":           {`{"paths":{}}`, "", "version_missing"},
		"a web page":           {`<!doctype html><title>x</title>`, "text/html", "wrong_type"},
		"JSON cut short":       {`{"openapi":"3.1.0"`, "application/json", "not_json"},
		"a member twice":       {`{"openapi":"3.1.0","paths":{},"paths":{}}`, "", "duplicate_member"},
		"too deep":             {`{"openapi":"3.1.0","x":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, "", "too_deep"},
		"paths that are none":  {`{"openapi":"3.1.0","paths":[]}`, "", "wrong_type"},
		"YAML that is a list":  {"- a\n", "application/yaml", "wrong_type"},
		"YAML that is a text":  {"hello", "", "wrong_type"},
		"no YAML":              {"a: [", "", "not_yaml"},
		"two documents":        {"openapi: 3.1.0\n---\nopenapi: 3.1.0\n", "", "not_yaml"},
		"a YAML member twice":  {"openapi: 3.1.0\ninfo: {}\ninfo: {}\n", "", "duplicate_member"},
		"nothing":              {"", "", "not_yaml"},
		"a name that is a map": {"openapi: 3.1.0\n? {a: b}\n: c\n", "", "not_yaml"},
		"an alias in itself":   {"openapi: 3.1.0\na: &a [*a]\n", "", "not_yaml"},
		"a billion laughs":     {"openapi: 3.1.0\n" + laughs(12), "", "too_large"},
		"endless depth":        {"a: " + strings.Repeat("[", 5000), "", "not_yaml"},
		"YAML that is deep":    {"openapi: 3.1.0\na: " + strings.Repeat("[", 70) + strings.Repeat("]", 70), "", "too_deep"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(c.doc), c.contentType, from, "")
			requireFault(t, err, c.code)
		})
	}
	_, err := Parse([]byte(`{"openapi":"3.1.0"}`+strings.Repeat(" ", MaxBytes)), "", from, "")
	requireFault(t, err, "too_large")
}

// laughs is a document of n lines, each ten times the one before.
func laughs(n int) string {
	var out strings.Builder
	out.WriteString("x0: &x0 lol\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&out, "x%d: &x%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d,", i-1), 10), ","))
	}
	return out.String()
}

func TestTooManyOperations(t *testing.T) {
	var doc strings.Builder
	doc.WriteString(`{"openapi":"3.1.0","paths":{"/x":{}`)
	for i := range MaxOperations + 1 {
		fmt.Fprintf(&doc, `,"/%d":{"get":{}}`, i)
	}
	_, err := Parse([]byte(doc.String()+"}}"), "", from, "")
	requireFault(t, err, "too_large")
}

// A few bytes that refer to many are not worth what they cost.
func TestWhatIsSharedIsCounted(t *testing.T) {
	large := `"description":"` + strings.Repeat("x", 1<<20) + `"`
	var paths strings.Builder
	for i := range 500 {
		fmt.Fprintf(&paths, `,"/%d":{"$ref":"#/components/pathItems/p"}`, i)
	}
	site := parse(t, `{"openapi":"3.1.0","paths":{"/x":{}`+paths.String()+`},"components":{"pathItems":{"p":{"parameters":[{"name":"a","in":"query",`+large+`}],"get":{}}}}}`).Site()
	size := 0
	for _, a := range site.Actions {
		size += len(a.Definition)
	}
	if size > maxDefinitions || len(site.Actions) > maxShared>>20 || !strings.Contains(codes(site.Issues), "too_large /paths/~1499") {
		t.Errorf("%d operations of %d bytes", len(site.Actions), size)
	}
}

func TestYAMLKeepsWhatJSONKeeps(t *testing.T) {
	got, err := toJSON([]byte(`
version: 3.10
large: 12345678901234567890
digits: 0.1000
hex: 0x1F
half: .5
plus: +1_000
text: "1"
date: 2024-01-02
yes: yes
truth: True
nothing: ~
infinite: .inf
200: status
block: |
  two
  lines
base: &base {a: 1, b: 2}
merged: {<<: *base, b: 3}
alias: *base
`), "application/yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"version":3.10,"large":12345678901234567890,"digits":0.1000,"hex":31,"half":0.5,"plus":1000,"text":"1","date":"2024-01-02","yes":"yes",` +
		`"truth":true,"nothing":null,"infinite":".inf","200":"status","block":"two\nlines\n","base":{"a":1,"b":2},"merged":{"b":3,"a":1},"alias":{"a":1,"b":2}}`
	if string(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestServers(t *testing.T) {
	for name, c := range map[string]struct{ servers, from, override, want, code string }{
		"none":                       {"", from, "", "https://a.example/x", ""},
		"relative":                   {`[{"url":"v1/"}]`, from, "", "https://a.example/api/v1/x", ""},
		"variables":                  {`[{"url":"https://{r}.b.example","variables":{"r":{"default":"eu"}}}]`, from, "", "https://eu.b.example/x", ""},
		"another origin":             {`[{"url":"https://b.example:8443/x"}]`, from, "", "https://b.example:8443/x/x", ""},
		"the first that can be used": {`[{"url":"http://b.example"},{"url":"https://b.example"}]`, from, "", "https://b.example/x", ""},
		"one that a person named":    {`[{"url":"https://b.example"}]`, from, "https://c.example/v2/", "https://c.example/v2/x", ""},
		"loopback":                   {`[{"url":"http://127.0.0.1:80/a"}]`, from, "", "http://127.0.0.1:80/a/x", ""},
		"a file without a server":    {"", "", "", "", CodeServer},
		"a file and a relative one":  {`[{"url":"/v1"}]`, "", "", "", CodeServer},
		"a file and a named one":     {"", "", "https://c.example", "https://c.example/x", ""},
		"plain http":                 {`[{"url":"http://b.example"}]`, from, "", "", CodeServer},
		"another scheme":             {`[{"url":"file:///etc"}]`, from, "", "", CodeServer},
		"a user":                     {`[{"url":"https://u:p@b.example"}]`, from, "", "", CodeServer},
		"a variable of no value":     {`[{"url":"https://{r}.b.example"}]`, from, "", "", CodeServer},
		"a list that is none":        {`{}`, from, "", "", CodeServer},
		"an empty list":              {`[]`, from, "", "https://a.example/x", ""},
		"a host that is none":        {`[{"url":"https://"}]`, from, "", "", CodeServer},
		"no object":                  {`["https://b.example"]`, from, "", "", CodeServer},
	} {
		t.Run(name, func(t *testing.T) {
			more := ""
			if c.servers != "" {
				more = `,"servers":` + c.servers
			}
			d, err := Parse([]byte(documentOf("3.1.0", "get", "/x", "", more)), "", c.from, c.override)
			if err != nil {
				t.Fatal(err)
			}
			a, err := tryAction(d, "x")
			if c.code != "" {
				requireFault(t, err, c.code)
				if issue := d.Site().Actions[0].Issue; issue == nil || issue.Code != c.code {
					t.Errorf("listed with %v", issue)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if request, _ := a.Request(values(t, "{}"), Own{}); request.URL != c.want {
				t.Errorf("got %q", request.URL)
			}
		})
	}
	d := parse(t, `{"openapi":"3.1.0","servers":[{"url":"/root"}],"paths":{"/a":{"servers":[{"url":"/item"}],"get":{"operationId":"a"},"put":{"operationId":"b","servers":[{"url":"/own"}]}},"/b":{"get":{"operationId":"c"}}}}`)
	for id, want := range map[string]string{"a": "https://a.example/item/a", "b": "https://a.example/own/a", "c": "https://a.example/root/b"} {
		if request, _ := action(t, d, id).Request(values(t, "{}"), Own{}); request.URL != want {
			t.Errorf("%s: got %q", id, request.URL)
		}
	}
}

func TestOneOperationIsFound(t *testing.T) {
	d := parse(t, `{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":"a","x-agent-capability":"c"},"put":{"operationId":"b"},"post":{"operationId":"b","x-agent-capability":"d"}},"/b":{"get":{"x-agent-capability":"d"}}}}`)
	if s, err := d.Operation("a"); err != nil || s.Method != "GET" {
		t.Errorf("got %+v, %v", s, err)
	}
	if s, err := d.ForCapability("c"); err != nil || s.Endpoint != "/a" {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, id := range []string{"A", ""} {
		_, err := d.Operation(id)
		requireFault(t, err, "operation_missing")
	}
	_, err := d.Operation("b")
	requireFault(t, err, "operation_ambiguous")
	_, err = d.ForCapability("d")
	requireFault(t, err, "operation_ambiguous")
	_, err = d.ForCapability("")
	requireFault(t, err, "operation_missing")
}

// A further name of an operation is no second operation of its id.
func TestNamesOfOperationsInTheirDocument(t *testing.T) {
	d := parse(t, `{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":"a","x-cli-aliases":["b"],"x-agent-capability":"c"},"put":{"operationId":"h","x-cli-hidden":true},"post":{}}}}`)
	var got []string
	d.Names(func(id, capability string, command []string) {
		got = append(got, fmt.Sprintf("%q %q %q", id, capability, command))
	})
	if diff := cmp.Diff([]string{`"a" "c" ["a"]`, `"" "" ["post-a"]`}, got); diff != "" {
		t.Error(diff)
	}
}
