package interagentic

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

func TestDetailPathMirrorsTheCommand(t *testing.T) { // IA-1
	want := "/.well-known/interagentic/services/orders/refunds/create.json"
	if got := DetailPath([]string{"orders", "refunds", "create"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestIndexThatIsUnusableAsAWhole(t *testing.T) {
	for name, test := range map[string]struct{ doc, code, pointer string }{
		"empty":                       {doc: "", code: "not_json"},
		"a web page":                  {doc: "<!doctype html><title>x</title>", code: "not_json"},
		"cut short":                   {doc: `{"actions":[{"command":`, code: "not_json", pointer: "/actions/0/command"},
		"something behind":            {doc: `{} {}`, code: "not_json"},
		"invalid UTF-8":               {doc: "{\"name\":\"\xff\"}", code: "not_json", pointer: "/name"},
		"200 levels deep":             {doc: `{"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, code: "too_deep"},
		"a duplicate member":          {doc: `{"name":"a","name":"b"}`, code: "duplicate_member", pointer: "/name"},
		"a duplicate deep inside":     {doc: `{"actions":[{"command":["a"],"x":{"y":1,"y":2}}]}`, code: "duplicate_member", pointer: "/actions/0/x/y"},
		"an array":                    {doc: `[]`, code: "wrong_type"},
		"null":                        {doc: `null`, code: "wrong_type"},
		"actions is an object":        {doc: `{"actions":{}}`, code: "wrong_type", pointer: "/actions"},
		"actions is a string":         {doc: `{"actions":"none"}`, code: "wrong_type", pointer: "/actions"},
		"over the limit":              {doc: `{"x":"` + strings.Repeat("x", MaxIndexBytes) + `"}`, code: "too_large"},
		"more actions than we handle": {doc: `{"actions":[` + strings.Repeat("1,", MaxActions) + `1]}`, code: "too_large"},
		"more groups than we handle":  {doc: `{"groups":[` + strings.Repeat("1,", MaxGroups) + `1]}`, code: "too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			site, err := ParseIndex([]byte(test.doc))
			if err == nil {
				t.Fatalf("accepted: %+v", site)
			}
			e := fault.From(err)
			if e.Kind != fault.Manifest || e.Code != test.code {
				t.Errorf("got %s %s (%v), want manifest %s", e.Kind, e.Code, err, test.code)
			}
			if got, _ := e.Details["pointer"].(string); test.pointer != "" && got != test.pointer {
				t.Errorf("pointer %q, want %q", got, test.pointer)
			}
		})
	}
}

// brief is an issue for comparison: code, pointer and the command it belongs to.
func brief(issues []manifest.Issue) []string {
	var list []string
	for _, issue := range issues {
		s := issue.Code + " " + issue.Pointer
		if issue.Command != nil {
			s += " (" + joined(issue.Command) + ")"
		}
		list = append(list, s)
	}
	return list
}

// A fault takes away what it belongs to, and nothing else.
func TestIndexIsolatesFaults(t *testing.T) {
	const good = `{"command":["good"],"endpoint":"/good","method":"GET"}`
	for name, test := range map[string]struct {
		members  string   // beside the good action, which is the last
		issues   []string // code, pointer, command
		unusable []string // command and code
		groups   string
	}{
		"nothing wrong":                     {members: `"actions":[%s]`},
		"unknown members are ignored":       {members: `"x":[{"y":1}],"actions":[{"command":["a"],"z":{"command":1}},%s]`},
		"no name and no actions needed":     {members: `"actions":[%s],"groups":null,"baseUrl":null,"auth":null`},
		"the name is a number":              {members: `"name":1,"actions":[%s]`, issues: []string{"wrong_type /name"}},
		"the version is a number":           {members: `"version":1,"description":[],"actions":[%s]`, issues: []string{"wrong_type /version", "wrong_type /description"}},
		"another auth":                      {members: `"auth":"oauth","actions":[%s]`, issues: []string{"auth_unknown /auth"}},
		"groups is an object":               {members: `"groups":{},"actions":[%s]`, issues: []string{"wrong_type /groups"}},
		"a bad group":                       {members: `"groups":[{"command":["ok"]},1,{"command":["a b"]},{"description":"x"},{"command":"x"},null],"actions":[%s]`, groups: "ok", issues: []string{"wrong_type /groups/1", "command_invalid /groups/2/command", "command_missing /groups/3", "wrong_type /groups/4/command", "command_missing /groups/5"}},
		"a group twice":                     {members: `"groups":[{"command":["g"],"description":"1"},{"command":["g"],"description":"2"}],"actions":[%s]`, groups: "g", issues: []string{"group_duplicate /groups/1"}},
		"IA-7: a group that is an action":   {members: `"groups":[{"command":["good"]}],"actions":[%s]`, groups: "good"},
		"an action that is no object":       {members: `"actions":[7,"x",[],null,%s]`, issues: []string{"wrong_type /actions/0", "wrong_type /actions/1", "wrong_type /actions/2", "command_missing /actions/3"}},
		"no command":                        {members: `"actions":[{"method":"GET"},%s]`, issues: []string{"command_missing /actions/0"}},
		"an empty command":                  {members: `"actions":[{"command":[]},%s]`, issues: []string{"command_invalid /actions/0/command"}},
		"IA-6: bad words":                   {members: `"actions":[{"command":["a","-b"]},{"command":[".."]},{"command":["\u001b[31m"]},{"command":["\u202e"]},{"command":["a/b"]},{"command":[""]},{"command":[null]},%s]`, issues: []string{"command_invalid /actions/0/command", "command_invalid /actions/1/command", "command_invalid /actions/2/command", "command_invalid /actions/3/command", "command_invalid /actions/4/command", "command_invalid /actions/5/command", "command_invalid /actions/6/command/0"}},
		"a word that is a number":           {members: `"actions":[{"command":["a",1]},%s]`, issues: []string{"wrong_type /actions/0/command/1"}},
		"a method that is a number":         {members: `"actions":[{"command":["a"],"method":3,"endpoint":"/x"},%s]`, issues: []string{"wrong_type /actions/0/method (a)"}, unusable: []string{"a wrong_type"}},
		"members before the command":        {members: `"actions":[{"method":3,"command":["a"]},%s]`, issues: []string{"wrong_type /actions/0/method (a)"}, unusable: []string{"a wrong_type"}},
		"a method of another kind":          {members: `"actions":[{"command":["a"],"method":"CONNECT"},{"command":["b"],"method":"trace"},{"command":["c"],"method":"GET /x"},{"command":["d"],"method":""},%s]`, issues: []string{"method_invalid /actions/0/method (a)", "method_invalid /actions/1/method (b)", "method_invalid /actions/2/method (c)", "method_invalid /actions/3/method (d)"}, unusable: []string{"a method_invalid", "b method_invalid", "c method_invalid", "d method_invalid"}},
		"shown members of the wrong type":   {members: `"actions":[{"command":["a"],"description":1,"role":{}},%s]`, issues: []string{"wrong_type /actions/0/description (a)", "wrong_type /actions/0/role (a)"}},
		"a payment of the wrong type":       {members: `"actions":[{"command":["a"],"payment":9},%s]`, issues: []string{"wrong_type /actions/0/payment (a)"}, unusable: []string{"a wrong_type"}},
		"IA-6: a duplicate":                 {members: `"actions":[%s,{"command":["good"],"method":"DELETE"}]`, issues: []string{"command_duplicate /actions/1 (good)"}, unusable: []string{"good command_duplicate"}},
		"IA-11: an endpoint elsewhere":      {members: `"actions":[{"command":["a"],"endpoint":"https://evil.example/x"},%s]`, issues: []string{"cross_origin /actions/0/endpoint (a)"}, unusable: []string{"a cross_origin"}},
		"T-11: junk in an endpoint":         {members: `"actions":[{"command":["a"],"endpoint":"/{{$}}"},%s]`, issues: []string{"template_invalid /actions/0/endpoint (a)"}, unusable: []string{"a template_invalid"}},
		"IA-11: a baseUrl elsewhere":        {members: `"baseUrl":"//evil.example","actions":[%s]`, issues: []string{"cross_origin /baseUrl"}, unusable: []string{"good cross_origin"}},
		"a baseUrl behind the actions":      {members: `"actions":[%s],"baseUrl":7`, issues: []string{"wrong_type /baseUrl"}, unusable: []string{"good wrong_type"}},
		"a baseUrl with a template":         {members: `"baseUrl":"/{{$x}}","actions":[%s]`, issues: []string{"base_url_invalid /baseUrl"}, unusable: []string{"good base_url_invalid"}},
		"an endpoint without its slash":     {members: `"actions":[{"command":["a"],"endpoint":"orders"},%s]`, issues: []string{"endpoint_relative /actions/0/endpoint (a)"}},
		"several faults, the first decides": {members: `"actions":[{"command":["a"],"role":1,"method":"TRACE","endpoint":"//x"},%s]`, issues: []string{"wrong_type /actions/0/role (a)", "method_invalid /actions/0/method (a)", "cross_origin /actions/0/endpoint (a)"}, unusable: []string{"a method_invalid"}},
	} {
		t.Run(name, func(t *testing.T) {
			site, err := ParseIndex([]byte("{" + fmt.Sprintf(test.members, good) + "}"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.issues, trimmed(brief(site.Issues))); diff != "" {
				t.Error(diff)
			}
			var unusable []string
			for _, a := range site.Actions {
				if a.Issue != nil {
					unusable = append(unusable, joined(a.Command)+" "+a.Issue.Code)
				}
			}
			if diff := cmp.Diff(test.unusable, unusable); diff != "" {
				t.Error(diff)
			}
			if !slices.ContainsFunc(site.Actions, func(a manifest.Summary) bool { return joined(a.Command) == "good" }) {
				t.Error("the good action is gone")
			}
			var groups []string
			for _, g := range site.Groups {
				groups = append(groups, joined(g.Command))
			}
			if got := strings.Join(groups, ","); got != test.groups {
				t.Errorf("groups %q, want %q", got, test.groups)
			}
		})
	}
}

func trimmed(list []string) []string {
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

func TestIndexWithoutActionsIsEmpty(t *testing.T) {
	for _, doc := range []string{`{}`, `{"actions":[]}`, `{"actions":null}`} {
		site, err := ParseIndex([]byte(doc))
		if err != nil || len(site.Actions) != 0 || len(site.Issues) != 0 {
			t.Errorf("%s: %+v %v", doc, site, err)
		}
	}
}

// what an action does, as far as the index tells.
func TestIndexEffects(t *testing.T) {
	for members, want := range map[string]manifest.Effect{
		`"method":"GET"`:                                           manifest.Read,
		`"method":"get"`:                                           manifest.Read,
		`"method":"HEAD"`:                                          manifest.Read,
		`"method":"DELETE"`:                                        manifest.Delete,
		`"method":"POST"`:                                          manifest.Write,
		`"method":"PURGE"`:                                         manifest.Write,
		`"description":"no method"`:                                manifest.Write,
		`"method":"GET","payment":"fixed"`:                         manifest.Spend,
		`"method":"GET","payment":"something-new"`:                 manifest.Spend,
		`"method":"GET","payment":"none"`:                          manifest.Read,
		`"method":"GET","payment":"Free"`:                          manifest.Read,
		`"method":"GET","payment":""`:                              manifest.Read,
		`"method":"GET","payment":null`:                            manifest.Read,
		`"method":"GET","payment":{"mode":"metered"}`:              manifest.Spend,
		`"method":"GET","payment":{"mode":"metered","amount":0.0}`: manifest.Read,
		`"method":"DELETE","payment":{"amount":1}`:                 manifest.Spend,
	} {
		site, err := ParseIndex([]byte(`{"actions":[{"command":["a"],` + members + `}]}`))
		if err != nil || len(site.Issues) > 0 {
			t.Fatalf("%s: %v %v", members, err, site.Issues)
		}
		if got := site.Actions[0].Effect; got != want {
			t.Errorf("%s: %s, want %s", members, got, want)
		}
	}
}

// Issues are kept within bounds, whatever a site sends; which action is unusable stays known.
func TestIndexIssuesAreBounded(t *testing.T) {
	site, err := ParseIndex([]byte(`{"actions":[` + strings.Repeat(`0,`, MaxIssues+5) + `{"command":["a"],"method":1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	last := site.Issues[len(site.Issues)-1]
	if len(site.Issues) != MaxIssues+1 || last.Code != "too_many_issues" || !strings.HasPrefix(last.Message, "6 more") {
		t.Errorf("%d issues, the last %+v", len(site.Issues), last)
	}
	if site.Actions[0].Issue == nil {
		t.Error("the action lost its issue")
	}
}

func indexOf(actions int) []byte {
	var b strings.Builder
	b.WriteString(`{"name":"Large","version":"1","auth":"interagentic","baseUrl":"/api/v1","groups":[{"command":["g0"],"description":"a group"}],"actions":[`)
	for i := range actions {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"command":["g%d","sub","action-%d"],"endpoint":"/g%d/{{$id}}/action-%d","method":"POST","description":"This is what action number %d of the site does for you","role":"user","payment":"none"}`, i/100, i, i/100, i, i)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func TestIndexOfManyActions(t *testing.T) {
	site, err := ParseIndex(indexOf(MaxActions))
	if err != nil {
		t.Fatal(err)
	}
	if len(site.Actions) != MaxActions || len(site.Issues) != 0 {
		t.Errorf("%d actions, %d issues", len(site.Actions), len(site.Issues))
	}
}

func BenchmarkParseIndex(b *testing.B) {
	for _, actions := range []int{10, 10_000} {
		doc := indexOf(actions)
		b.Run(fmt.Sprintf("actions=%d", actions), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseIndex(doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
