package interagentic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// with makes a detail of members beside command, endpoint and method, which members may repeat to replace them.
func with(members string) string {
	doc := `{"command":["do"]`
	if !strings.Contains(members, `"endpoint":`) {
		doc += `,"endpoint":"/do"`
	}
	if !strings.Contains(members, `"method":`) {
		doc += `,"method":"POST"`
	}
	if members != "" {
		doc += "," + members
	}
	return doc + "}"
}

func TestDetailThatIsUnusable(t *testing.T) {
	const param = `"params":[{"name":"a","required":true},{"name":"b"}]`
	for name, test := range map[string]struct{ doc, code, pointer string }{
		"not JSON":                              {doc: `{`, code: "not_json"},
		"a web page":                            {doc: `<html>`, code: "not_json"},
		"an array":                              {doc: `[]`, code: "wrong_type"},
		"too large":                             {doc: `{"x":"` + strings.Repeat("x", MaxDetailBytes) + `"}`, code: "too_large"},
		"a duplicate member":                    {doc: with(`"args":[],"args":[]`), code: "duplicate_member", pointer: "/args"},
		"IA-6: another command":                 {doc: `{"command":["undo"],"endpoint":"/x","method":"GET"}`, code: "command_mismatch", pointer: "/command"},
		"IA-6: a longer command":                {doc: `{"command":["do","it"],"endpoint":"/x","method":"GET"}`, code: "command_mismatch", pointer: "/command"},
		"a command of the wrong type":           {doc: `{"command":"do","endpoint":"/x","method":"GET"}`, code: "wrong_type", pointer: "/command"},
		"no method anywhere":                    {doc: `{"command":["do"],"endpoint":"/x"}`, code: "method_missing"},
		"no endpoint anywhere":                  {doc: `{"command":["do"],"method":"GET"}`, code: "endpoint_missing"},
		"an empty endpoint":                     {doc: with(`"endpoint":""`), code: "endpoint_invalid", pointer: "/endpoint"},
		"a method of the wrong type":            {doc: with(`"method":["GET"]`), code: "wrong_type", pointer: "/method"},
		"IA-11: an absolute URL":                {doc: with(`"endpoint":"https://evil.example/"`), code: "cross_origin", pointer: "/endpoint"},
		"IA-11: another scheme":                 {doc: with(`"endpoint":"javascript:alert(1)"`), code: "cross_origin", pointer: "/endpoint"},
		"IA-11: a host":                         {doc: with(`"endpoint":"//evil.example/"`), code: "cross_origin", pointer: "/endpoint"},
		"IA-11: a host with backslashes":        {doc: with(`"endpoint":"/\\evil.example/"`), code: "cross_origin", pointer: "/endpoint"},
		"IA-11: backslashes only":               {doc: with(`"endpoint":"\\\\evil.example/"`), code: "cross_origin", pointer: "/endpoint"},
		"a backslash inside":                    {doc: with(`"endpoint":"/a\\b"`), code: "endpoint_invalid", pointer: "/endpoint"},
		"a line break":                          {doc: with(`"endpoint":"/a\r\nX: y"`), code: "endpoint_invalid", pointer: "/endpoint"},
		"a space":                               {doc: with(`"endpoint":"/a b"`), code: "endpoint_invalid", pointer: "/endpoint"},
		"a fragment":                            {doc: with(`"endpoint":"/a#b"`), code: "endpoint_invalid", pointer: "/endpoint"},
		"a broken escape":                       {doc: with(`"endpoint":"/a%2"`), code: "endpoint_invalid", pointer: "/endpoint"},
		"dots":                                  {doc: with(`"endpoint":"/a/../b"`), code: "endpoint_invalid", pointer: "/endpoint"},
		"one dot at the end":                    {doc: with(`"endpoint":"/a/."`), code: "endpoint_invalid", pointer: "/endpoint"},
		"encoded dots":                          {doc: with(`"endpoint":"/a/%2e%2E/b"`), code: "endpoint_invalid", pointer: "/endpoint"},
		"half encoded dots":                     {doc: with(`"endpoint":"/.%2e?x"`), code: "endpoint_invalid", pointer: "/endpoint"},
		"T-5: an optional argument in the path": {doc: with(`"endpoint":"/{{$b}}",` + param), code: "endpoint_optional", pointer: "/endpoint"},
		"T-5: also in the endpoint's query":     {doc: with(`"endpoint":"/x?b={{$b}}",` + param), code: "endpoint_optional", pointer: "/endpoint"},
		"T-11: undeclared in the endpoint":      {doc: with(`"endpoint":"/{{$c}}",` + param), code: "template_undeclared", pointer: "/endpoint"},
		"T-11: undeclared in the body":          {doc: with(param + `,"request":{"body":{"x":[{"y":"{{$a}} {{$c}}"}]}}`), code: "template_undeclared", pointer: "/request/body/x/0/y"},
		"T-11: undeclared in the query":         {doc: with(param + `,"request":{"query":{"a/b":"{{$c}}"}}`), code: "template_undeclared", pointer: "/request/query/a~1b"},
		"T-11: undeclared in a header":          {doc: with(param + `,"request":{"headers":{"X-A":"{{$c}}"}}`), code: "template_undeclared", pointer: "/request/headers/X-A"},
		"T-11: the template before its params":  {doc: with(`"request":{"body":"{{$c}}"},` + param), code: "template_undeclared", pointer: "/request/body"},
		"T-11: not well formed in the body":     {doc: with(`"request":{"body":{"x":["{{$}}"]}}`), code: "template_invalid", pointer: "/request/body/x/0"},
		"T-11: not well formed in the query":    {doc: with(`"request":{"query":{"x":"{{$a..b}}"}}`), code: "template_invalid", pointer: "/request/query/x"},
		"T-11: not well formed in a header":     {doc: with(`"request":{"headers":{"X-A":"{{$a"}}`), code: "template_invalid", pointer: "/request/headers/X-A"},
		"T-11: not well formed in the endpoint": {doc: with(`"endpoint":"/{{$a.}}"`), code: "template_invalid", pointer: "/endpoint"},
		"T-9: a header set":                     {doc: with(`"request":{"headers":{"Authorization":"Basic x"}}`), code: "reserved_header", pointer: "/request/headers/Authorization"},
		"a header that is no token":             {doc: with(`"request":{"headers":{"X A":"1"}}`), code: "header_invalid", pointer: "/request/headers/X A"},
		"a header with a line break in it":      {doc: with(`"request":{"headers":{"X\r\nHost":"1"}}`), code: "header_invalid"},
		"a template as a header's name":         {doc: with(`"request":{"headers":{"{{$a}}":"1"}}`), code: "header_invalid"},
		"a literal value with a line break":     {doc: with(`"request":{"headers":{"X-A":"1\nHost: evil"}}`), code: "header_invalid", pointer: "/request/headers/X-A"},
		"a header twice":                        {doc: with(`"request":{"headers":{"X-A":"1","x-a":"2"}}`), code: "header_duplicate", pointer: "/request/headers/x-a"},
		"a header of the wrong type":            {doc: with(`"request":{"headers":{"X-A":["1"]}}`), code: "wrong_type", pointer: "/request/headers/X-A"},
		"request of the wrong type":             {doc: with(`"request":"{{$a}}"`), code: "wrong_type", pointer: "/request"},
		"query of the wrong type":               {doc: with(`"request":{"query":["a"]}`), code: "wrong_type", pointer: "/request/query"},
		"headers of the wrong type":             {doc: with(`"request":{"headers":true}`), code: "wrong_type", pointer: "/request/headers"},
		"too many templates":                    {doc: with(param + `,"request":{"body":"` + strings.Repeat("{{$a}}", MaxTemplates+1) + `"}`), code: "too_many_templates"},
		"too many templates in the endpoint":    {doc: with(param + `,"endpoint":"/` + strings.Repeat("{{$a}}", MaxTemplates+1) + `"`), code: "too_many_templates"},
		"params of the wrong type":              {doc: with(`"params":{}`), code: "wrong_type", pointer: "/params"},
		"a param of the wrong type":             {doc: with(`"params":["a"]`), code: "wrong_type", pointer: "/params/0"},
		"a param without a name":                {doc: with(`"params":[{"label":"A"}]`), code: "param_invalid", pointer: "/params/0"},
		"a param that is null":                  {doc: with(`"params":[null]`), code: "param_invalid", pointer: "/params/0"},
		"an empty name":                         {doc: with(`"params":[{"name":""}]`), code: "param_invalid", pointer: "/params/0/name"},
		"a long name":                           {doc: with(`"params":[{"name":"` + strings.Repeat("n", MaxNameBytes+1) + `"}]`), code: "param_invalid", pointer: "/params/0/name"},
		"a name with an escape sequence":        {doc: with(`"params":[{"name":"\u001b[2J"}]`), code: "param_invalid", pointer: "/params/0/name"},
		"a name that turns the direction":       {doc: with(`"params":[{"name":"q\u202etimil"}]`), code: "param_invalid", pointer: "/params/0/name"},
		"a name with an invisible character":    {doc: with(`"params":[{"name":"lim\u200bit"}]`), code: "param_invalid", pointer: "/params/0/name"},
		"a name with a C1 control character":    {doc: with(`"params":[{"name":"\u009b2J"}]`), code: "param_invalid", pointer: "/params/0/name"},
		"a name twice":                          {doc: with(`"params":[{"name":"a"},{"name":"b"},{"name":"a"}]`), code: "param_duplicate", pointer: "/params/2"},
		"required of the wrong type":            {doc: with(`"params":[{"name":"a","required":"yes"}]`), code: "wrong_type", pointer: "/params/0/required"},
		"A-3: a type that is a word":            {doc: with(`"params":[{"name":"a","type":"string"}]`), code: "schema_invalid", pointer: "/params/0/type"},
		"A-3: a type that is an array":          {doc: with(`"params":[{"name":"a","type":["string"]}]`), code: "schema_invalid", pointer: "/params/0/type"},
		"too many params":                       {doc: with(`"params":[` + manyParams(MaxParams+1) + `]`), code: "too_many_params"},
		"payment of the wrong type":             {doc: with(`"payment":[9]`), code: "wrong_type", pointer: "/payment"},
		"payment mode of the wrong type":        {doc: with(`"payment":{"mode":1}`), code: "wrong_type", pointer: "/payment/mode"},
		"F-1: files of the wrong type":          {doc: with(`"files":true`), code: "wrong_type", pointer: "/files"},
		"F-1: no bodyKey":                       {doc: with(`"files":{"format":{"c":"base64DataString"}}`), code: "files_invalid", pointer: "/files"},
		"F-1: bodyKey of the wrong type":        {doc: with(`"files":{"bodyKey":1,"format":{"c":"base64DataString"}}`), code: "wrong_type", pointer: "/files/bodyKey"},
		"F-1: no format":                        {doc: with(`"files":{"bodyKey":"f"}`), code: "files_invalid", pointer: "/files"},
		"F-1: a format without contents":        {doc: with(`"files":{"bodyKey":"f","format":{"p":"string"}}`), code: "files_invalid", pointer: "/files"},
		"F-1: an unknown meaning":               {doc: with(`"files":{"bodyKey":"f","format":{"c":"base64DataString","m":"mtime"}}`), code: "files_invalid", pointer: "/files/format/m"},
		"F-1: dirs of the wrong type":           {doc: with(`"files":{"bodyKey":"f","format":{"c":"base64DataString"},"dirs":1}`), code: "wrong_type", pointer: "/files/dirs"},
		"F-1: no files at all":                  {doc: with(`"files":{"bodyKey":"f","format":{"c":"base64DataString"},"maxFiles":0}`), code: "files_invalid", pointer: "/files/maxFiles"},
		"F-1: half a file":                      {doc: with(`"files":{"bodyKey":"f","format":{"c":"base64DataString"},"maxFiles":1.5}`), code: "files_invalid", pointer: "/files/maxFiles"},
		"F-1: an extension of the wrong type":   {doc: with(`"files":{"bodyKey":"f","format":{"c":"base64DataString"},"extensions":{"whitelist":[".png",1]}}`), code: "wrong_type", pointer: "/files/extensions/whitelist/1"},
		"F-3: files without a body":             {doc: with(`"method":"GET","files":{"bodyKey":"f","format":{"c":"base64DataString"}}`), code: "files_invalid", pointer: "/files"},
		"F-3: files in a body that is an array": {doc: with(`"request":{"body":[]},"files":{"bodyKey":"f","format":{"c":"base64DataString"}}`), code: "files_invalid", pointer: "/files"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := ParseDetail([]byte(test.doc), manifest.Summary{Command: []string{"do"}}, "/api")
			if err == nil {
				t.Fatalf("accepted: %+v", a.Action)
			}
			e := fault.From(err)
			pointer, _ := e.Details["pointer"].(string)
			if e.Kind != fault.Manifest || e.Code != test.code || test.pointer != "" && pointer != test.pointer {
				t.Errorf("got %s %s at %q (%v)\nwant manifest %s at %q", e.Kind, e.Code, pointer, err, test.code, test.pointer)
			}
			if len(e.Message) > 400 || strings.ContainsAny(e.Message, "\n\x1b\u009b") {
				t.Errorf("message %q", e.Message)
			}
		})
	}
}

func manyParams(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(`{"name":"p%d"}`, i)
	}
	return strings.Join(names, ",")
}

// T-9: the reserved headers, in any case.
func TestReservedHeaders(t *testing.T) {
	for _, name := range []string{"authorization", "HOST", "Content-Length", "transfer-encoding", "Connection", "cookie", "Proxy-Authorization", "proxy-x", "Sec-Fetch-Mode", "sec-x", "Upgrade"} {
		_, err := ParseDetail([]byte(with(`"request":{"headers":{"`+name+`":"x"}}`)), manifest.Summary{Command: []string{"do"}}, "")
		if e := fault.From(err); e == nil || e.Code != "reserved_header" {
			t.Errorf("%s: %v", name, err)
		}
	}
	parse(t, with(`"request":{"headers":{"X-Authorization":"x","Cookies":"y","Secret":"z","Accept":"text/csv"}}`), "")
}

// Faults that leave the action usable are its issues.
func TestDetailWithFlaws(t *testing.T) {
	const params = `"params":[{"name":"a","required":true},{"name":"b"},{"name":"c","required":true},{"name":"d"}]`
	for name, test := range map[string]struct {
		members string
		args    string
		issues  []string
	}{
		"IA-8: unknown members":              {members: `"x":{"y":[]},"params":[{"name":"a","z":1}],"args":["a"]`, args: "a"},
		"none":                               {members: params + `,"args":["a","c","b","d"]`, args: "a,c,b,d"},
		"args before params":                 {members: `"args":["a"],` + params, args: "a"},
		"IA-10: an undeclared name":          {members: params + `,"args":["x","a"]`, args: "a", issues: []string{"args_undeclared /args/0 (do)"}},
		"IA-10: a name twice":                {members: params + `,"args":["a","a","b"]`, args: "a,b", issues: []string{"args_duplicate /args/1 (do)"}},
		"IA-10: required behind optional":    {members: params + `,"args":["a","b","c","d"]`, args: "a,b", issues: []string{"args_order /args/2 (do)"}},
		"args of the wrong type":             {members: params + `,"args":"a"`, issues: []string{"wrong_type /args (do)"}},
		"a name of the wrong type":           {members: params + `,"args":[1,"a"]`, args: "a", issues: []string{"wrong_type /args/0 (do)"}},
		"texts of the wrong type":            {members: `"description":1,"role":[],"params":[{"name":"a","label":1,"description":{}}]`, issues: []string{"wrong_type /description (do)", "wrong_type /role (do)", "wrong_type /params/0/label (do)", "wrong_type /params/0/description (do)"}},
		"an example of the wrong type":       {members: `"example":5`, issues: []string{"wrong_type /example (do)"}},
		"an example input of the wrong type": {members: `"example":{"input":5,"output":6}`, issues: []string{"wrong_type /example/input (do)"}},
		"an amount that is no number":        {members: `"payment":{"mode":"fixed","amount":"9.00"}`, issues: []string{"amount_invalid /payment/amount (do)"}},
		"a relative endpoint":                {members: `"endpoint":"do"`, issues: []string{"endpoint_relative /endpoint (do)"}},
		"null members":                       {members: `"args":null,"params":null,"request":null,"files":null,"example":null,"payment":null,"role":null`},
	} {
		t.Run(name, func(t *testing.T) {
			a := parse(t, with(test.members), "/api")
			if diff := cmp.Diff(test.issues, brief(a.Issues)); diff != "" {
				t.Error(diff)
			}
			if got := strings.Join(a.Args, ","); got != test.args {
				t.Errorf("args %q, want %q", got, test.args)
			}
		})
	}
}

// IA-6: a detail that does not name its command is taken under the name that led to it.
func TestDetailWithoutCommand(t *testing.T) {
	a, err := ParseDetail([]byte(`{"endpoint":"/x","method":"GET"}`), manifest.Summary{Command: []string{"do"}}, "")
	if err != nil || len(a.Issues) != 1 || a.Issues[0].Code != "command_missing" {
		t.Errorf("%+v %v", a, err)
	}
}

// The detail wins over the index in everything but the command.
func TestDetailWinsOverIndex(t *testing.T) {
	index := manifest.Summary{
		Command: []string{"do"}, Method: "GET", Endpoint: "/index", Description: "index", Role: "admin", Payment: "fixed", Effect: manifest.Spend,
	}
	for name, test := range map[string]struct {
		doc  string
		want manifest.Summary
	}{
		"nothing said": {
			doc: `{"command":["do"]}`, want: index,
		},
		"everything said": {
			doc:  `{"command":["do"],"endpoint":"/detail","method":"delete","description":"detail","role":"user","payment":{"mode":"none"}}`,
			want: manifest.Summary{Command: []string{"do"}, Method: "DELETE", Endpoint: "/detail", Description: "detail", Role: "user", Payment: "none", Effect: manifest.Delete},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := ParseDetail([]byte(test.doc), index, "")
			if err != nil {
				t.Fatal(err)
			}
			a.Cost = nil // other tests look at it
			if diff := cmp.Diff(test.want, a.Summary); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDetailOfAnActionThatTheIndexRuledOut(t *testing.T) {
	index := manifest.Summary{Command: []string{"do"}, Issue: &manifest.Issue{Code: "command_duplicate", Pointer: "/actions/1", Message: "x"}}
	_, err := ParseDetail([]byte(with("")), index, "")
	if e := fault.From(err); e == nil || e.Code != "command_duplicate" || e.Details["pointer"] != "/actions/1" {
		t.Errorf("got %v", err)
	}
	_, err = ParseDetail([]byte(with("")), manifest.Summary{Command: []string{"do"}}, "https://evil.example")
	if e := fault.From(err); e == nil || e.Code != "cross_origin" {
		t.Errorf("got %v", err)
	}
}

// Whatever an index says, its endpoint is held to the same rules.
func TestDetailWithTheEndpointOfTheIndex(t *testing.T) {
	for endpoint, code := range map[string]string{"//evil.example": "cross_origin", "/{{$}}": "template_invalid", "/a/../b": "endpoint_invalid"} {
		_, err := ParseDetail([]byte(`{"command":["do"],"method":"GET"}`), manifest.Summary{Command: []string{"do"}, Endpoint: endpoint}, "")
		if e := fault.From(err); e == nil || e.Code != code {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}

// what a call costs.
func TestCost(t *testing.T) {
	for payment, want := range map[string]struct {
		cost   *manifest.Cost
		effect manifest.Effect
	}{
		`null`:                                {nil, manifest.Write},
		`{}`:                                  {nil, manifest.Write},
		`""`:                                  {nil, manifest.Write},
		`"fixed"`:                             {&manifest.Cost{Mode: "fixed"}, manifest.Spend},
		`{"mode":"fixed","amount":9.0}`:       {&manifest.Cost{Mode: "fixed", Amount: "9.0", Currency: "credits"}, manifest.Spend},
		`{"amount":0.010,"mode":"metered"}`:   {&manifest.Cost{Mode: "metered", Amount: "0.010", Currency: "credits"}, manifest.Spend},
		`{"mode":"fixed","amount":0.00}`:      {&manifest.Cost{Mode: "fixed", Amount: "0.00", Currency: "credits"}, manifest.Write},
		`{"mode":"none"}`:                     {&manifest.Cost{Mode: "none"}, manifest.Write},
		`{"mode":"free","amount":null}`:       {&manifest.Cost{Mode: "free"}, manifest.Write},
		`{"mode":"brand-new"}`:                {&manifest.Cost{Mode: "brand-new"}, manifest.Spend},
		`{"mode":"free","amount":900}`:        {&manifest.Cost{Mode: "free", Amount: "900", Currency: "credits"}, manifest.Spend},
		`{"mode":"none","amount":"900"}`:      {&manifest.Cost{Mode: "none", Amount: "900", Currency: "credits"}, manifest.Spend},
		`{"mode":"free","amount":"0"}`:        {&manifest.Cost{Mode: "free", Amount: "0", Currency: "credits"}, manifest.Write},
		`{"mode":"free","amount":"."}`:        {&manifest.Cost{Mode: "free"}, manifest.Spend},
		`{"mode":"free","amount":"1.2.3"}`:    {&manifest.Cost{Mode: "free"}, manifest.Spend},
		`{"mode":"free","amount":""}`:         {&manifest.Cost{Mode: "free"}, manifest.Spend},
		`{"amount":5}`:                        {&manifest.Cost{Amount: "5", Currency: "credits"}, manifest.Spend},
		`{"amount":-5}`:                       {&manifest.Cost{}, manifest.Spend},
		`{"mode":"fixed","amount":-0.5}`:      {&manifest.Cost{Mode: "fixed"}, manifest.Spend},
		`{"mode":"fixed","amount":1e3}`:       {&manifest.Cost{Mode: "fixed"}, manifest.Spend},
		`{"mode":"fixed","amount":[1]}`:       {&manifest.Cost{Mode: "fixed"}, manifest.Spend},
		`{"mode":"fixed","amount":"12"}`:      {&manifest.Cost{Mode: "fixed", Amount: "12", Currency: "credits"}, manifest.Spend},
		`{"mode":"fixed","currency":"euros"}`: {&manifest.Cost{Mode: "fixed"}, manifest.Spend},
	} {
		a := parse(t, with(`"payment":`+payment), "")
		if diff := cmp.Diff(want.cost, a.Cost); diff != "" || a.Effect != want.effect {
			t.Errorf("%s: %s, want %s\n%s", payment, a.Effect, want.effect, diff)
		}
	}
}

// F-1: the rules of the published example, and their defaults.
func TestFiles(t *testing.T) {
	for doc, want := range map[string]*manifest.Files{
		`{"bodyKey":"files","format":{"path":"string","contents":"string | base64DataString"},"dirs":false,"multiple":true,"maxFiles":null,"extensions":{"whitelist":[".png",".jpg"],"blacklist":[]}}`: {
			BodyKey: "files", Format: []manifest.FileKey{{Key: "path"}, {Key: "contents", Contents: true}}, Multiple: true, Whitelist: []string{".png", ".jpg"},
		},
		`{"bodyKey":"f","format":{"data":"base64DataString"}}`: {
			BodyKey: "f", Format: []manifest.FileKey{{Key: "data", Contents: true}},
		},
		`{"bodyKey":"f","format":{"data":"base64DataString"},"dirs":true,"maxFiles":3,"extensions":{"whitelist":null,"blacklist":["exe",".sh"]}}`: {
			BodyKey: "f", Format: []manifest.FileKey{{Key: "data", Contents: true}}, Dirs: true, MaxFiles: 3, Blacklist: []string{".exe", ".sh"},
		},
	} {
		if diff := cmp.Diff(want, parse(t, with(`"files":`+doc), "").Files); diff != "" {
			t.Error(diff)
		}
	}
}

// Lint tells everything at once, with pointers; parsing stops at the worst.
func TestLint(t *testing.T) {
	doc := `{"command":["do"],"endpoint":"/{{$b}}/{{$x}}","method":"POST","args":["nope"],"role":1,
		"params":[{"name":"b"},{"name":"c","type":"string"}],
		"request":{"headers":{"Host":"x"},"body":{"p":"{{$}}","q":["{{$a..b}}"]},"query":{"r":"{{$y}}"}}}`
	want := []string{
		"wrong_type /role (do)",
		"schema_invalid /params/1/type (do)",
		"reserved_header /request/headers/Host (do)",
		"template_invalid /request/body/p (do)",
		"template_invalid /request/body/q/0 (do)",
		"args_undeclared /args/0 (do)",
		"endpoint_optional /endpoint (do)",
		"template_undeclared /endpoint (do)",
		"template_undeclared /request/query/r (do)",
	}
	if diff := cmp.Diff(want, brief(Lint([]byte(doc), manifest.Summary{Command: []string{"do"}}, ""))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"not_json  (do)"}, brief(Lint([]byte(`{`), manifest.Summary{Command: []string{"do"}}, ""))); diff != "" {
		t.Error(diff)
	}
	if issues := Lint([]byte(seedRefund), summaryOf(seedRefund), "/api/v1"); issues != nil {
		t.Errorf("the published example: %v", issues)
	}
}
