package agentactions

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

const host = "shop.example"

// manifestOf puts members behind a version and a site.
func manifestOf(members string) []byte {
	return []byte(`{"version":"agent-actions/0.1","site":"shop.example",` + members + `}`)
}

func parse(t testing.TB, doc []byte) *manifest.Site {
	t.Helper()
	site, err := Parse(doc, host)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// brief is an issue for comparison: code, pointer and the command it belongs to.
func brief(issues []manifest.Issue) []string {
	var list []string
	for _, issue := range issues {
		s := issue.Code + " " + issue.Pointer
		if issue.Command != nil {
			s += " (" + strings.Join(issue.Command, " ") + ")"
		}
		list = append(list, s)
	}
	return list
}

// unusable lists the actions that cannot be used, with their codes.
func unusableIn(actions []manifest.Summary) []string {
	var list []string
	for _, a := range actions {
		if a.Issue != nil {
			list = append(list, a.Command[0]+" "+a.Issue.Code)
		}
	}
	return list
}

func TestManifestThatIsUnusableAsAWhole(t *testing.T) { // AA-1
	for name, test := range map[string]struct{ doc, code, pointer string }{
		"empty":                       {"", "not_json", ""},
		"a web page":                  {"<!doctype html>", "not_json", ""},
		"cut short":                   {`{"actions":[{"name":`, "not_json", "/actions/0/name"},
		"something behind":            {`{} {}`, "not_json", ""},
		"invalid UTF-8":               {"{\"site\":\"\xff\"}", "not_json", "/site"},
		"200 levels deep":             {`{"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "too_deep", ""},
		"a duplicate member":          {`{"site":"a","site":"b"}`, "duplicate_member", "/site"},
		"a duplicate deep inside":     {`{"actions":[{"input":{"a":1,"a":2}}]}`, "duplicate_member", "/actions/0/input/a"},
		"an array":                    {`[]`, "wrong_type", ""},
		"null":                        {`null`, "wrong_type", ""},
		"no version":                  {`{"actions":[]}`, "version_missing", ""},
		"the version null":            {`{"version":null}`, "version_missing", ""},
		"a version that is a number":  {`{"version":0.1}`, "version_unsupported", ""},
		"another major version":       {`{"version":"agent-actions/1.0"}`, "version_unsupported", ""},
		"another format":              {`{"version":"agent-act/0.1"}`, "version_unsupported", ""},
		"only a number":               {`{"version":"0.1"}`, "version_unsupported", ""},
		"no minor version":            {`{"version":"agent-actions/0."}`, "version_unsupported", ""},
		"three numbers":               {`{"version":"agent-actions/0.1.2"}`, "version_unsupported", ""},
		"a leading zero":              {`{"version":"agent-actions/0.01"}`, "version_unsupported", ""},
		"actions is an object":        {string(manifestOf(`"actions":{}`)), "wrong_type", "/actions"},
		"flows is a string":           {string(manifestOf(`"flows":"none"`)), "wrong_type", "/flows"},
		"over the limit":              {`{"x":"` + strings.Repeat("x", MaxBytes) + `"}`, "too_large", ""},
		"more actions than we handle": {string(manifestOf(`"actions":[` + strings.Repeat("1,", MaxActions) + `1]`)), "too_large", ""},
		"more flows than we handle":   {string(manifestOf(`"flows":[` + strings.Repeat("1,", MaxFlows) + `1]`)), "too_large", ""},
	} {
		t.Run(name, func(t *testing.T) {
			site, err := Parse([]byte(test.doc), host)
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

// A fault takes away what it belongs to, and nothing else.
func TestManifestIsolatesFaults(t *testing.T) { // AA-3
	const good = `{"name":"good","method":"GET","path":"/good","effect":"read"}`
	action := func(members string) string { // a sound action with some members in place of its own
		return `{"name":"x","description":"d","method":"POST","path":"/x","effect":"write"` + members + `}`
	}
	without := func(member string) string {
		a := map[string]string{"name": `"name":"x"`, "method": `"method":"POST"`, "path": `"path":"/x"`, "effect": `"effect":"write"`}
		delete(a, member)
		return "{" + strings.Join(slices.Collect(func(yield func(string) bool) {
			for _, name := range []string{"name", "method", "path", "effect"} {
				if text, ok := a[name]; ok && !yield(text) {
					return
				}
			}
		}), ",") + "}"
	}
	replaced := func(name, value string) string {
		return strings.TrimSuffix(without(name), "}") + `,"` + name + `":` + value + "}"
	}
	for name, test := range map[string]struct {
		action   string
		issues   []string
		unusable string // its code
		gone     bool   // not even listed
	}{
		"nothing wrong":                 {action: action("")},
		"unknown members":               {action: action(`,"x":{"name":1}`)},
		"null members":                  {action: action(`,"scope":null,"cost":null,"input":null`)},
		"no object":                     {action: `1`, issues: []string{"wrong_type /actions/0"}, gone: true},
		"no name":                       {action: without("name"), issues: []string{"name_missing /actions/0"}, gone: true},
		"a name that is a number":       {action: replaced("name", "1"), issues: []string{"wrong_type /actions/0/name"}, gone: true},
		"a name with a slash":           {action: replaced("name", `"a/b"`), issues: []string{"name_invalid /actions/0/name"}, gone: true},
		"a name like a flag":            {action: replaced("name", `"--yes"`), issues: []string{"name_invalid /actions/0/name"}, gone: true},
		"a name with an escape":         {action: replaced("name", `"a\u001b[31m"`), issues: []string{"name_invalid /actions/0/name"}, gone: true},
		"an empty name":                 {action: replaced("name", `""`), issues: []string{"name_invalid /actions/0/name"}, gone: true},
		"a long name":                   {action: replaced("name", `"`+strings.Repeat("a", 65)+`"`), issues: []string{"name_invalid /actions/0/name"}, gone: true},
		"a description that is none":    {action: replaced("description", `[]`), issues: []string{"wrong_type /actions/0/description (x)"}},
		"no method":                     {action: without("method"), issues: []string{"method_missing /actions/0 (x)"}, unusable: "method_missing"},
		"a small method":                {action: replaced("method", `"post"`)},
		"another method":                {action: replaced("method", `"CONNECT"`), issues: []string{"method_invalid /actions/0/method (x)"}, unusable: "method_invalid"},
		"a method with a line":          {action: replaced("method", `"GET\r\nX: y"`), issues: []string{"method_invalid /actions/0/method (x)"}, unusable: "method_invalid"},
		"a method that is a number":     {action: replaced("method", `1`), issues: []string{"wrong_type /actions/0/method (x)", "method_missing /actions/0 (x)"}, unusable: "wrong_type"},
		"no path":                       {action: without("path"), issues: []string{"path_missing /actions/0 (x)"}, unusable: "path_missing"},
		"no effect asks":                {action: without("effect"), issues: []string{"effect_missing /actions/0 (x)"}},
		"an unknown effect asks":        {action: replaced("effect", `"teleport"`), issues: []string{"effect_unknown /actions/0/effect (x)"}},
		"an effect in capitals asks":    {action: replaced("effect", `"READ"`), issues: []string{"effect_unknown /actions/0/effect (x)"}},
		"a scope that is a list":        {action: action(`,"scope":["a"]`), issues: []string{"wrong_type /actions/0/scope (x)"}, unusable: "wrong_type"},
		"an input that is a string":     {action: action(`,"input":"{}"`), issues: []string{"schema_invalid /actions/0/input (x)"}, unusable: "schema_invalid"},
		"an input that is a boolean":    {action: action(`,"input":true`)},
		"an input is not compiled here": {action: action(`,"input":{"type":"nonsense"}`)},
		"the first fault is the issue":  {action: `{"name":"x","method":1,"path":"x"}`, issues: []string{"wrong_type /actions/0/method (x)", "effect_missing /actions/0 (x)", "method_missing /actions/0 (x)", "path_invalid /actions/0/path (x)"}, unusable: "wrong_type"},
	} {
		t.Run(name, func(t *testing.T) {
			site := parse(t, manifestOf(`"actions":[`+test.action+`,`+good+`]`))
			if diff := cmp.Diff(test.issues, brief(site.Issues)); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
			var want []string
			if test.unusable != "" {
				want = []string{"x " + test.unusable}
			}
			if diff := cmp.Diff(want, unusableIn(site.Actions)); diff != "" {
				t.Errorf("unusable (-want +got):\n%s", diff)
			}
			if gone := len(site.Actions) == 1; gone != test.gone {
				t.Errorf("%d actions are listed", len(site.Actions))
			}
		})
	}
}

func TestVersionsOfTheSameMajor(t *testing.T) { // AA-1
	site := parse(t, []byte(`{"version":"agent-actions/0.12","site":"shop.example"}`))
	if diff := cmp.Diff([]string{"version_unknown /version"}, brief(site.Issues)); diff != "" || site.Version != "0.12" {
		t.Errorf("version %q, issues (-want +got):\n%s", site.Version, diff)
	}
}

func TestPaths(t *testing.T) { // AA-3
	for path, sound := range map[string]bool{
		"/": true, "/api/cart": true, "/a/{id}/b": true, "/a.b/..c/...": true, "/a%20b": true, "/é/~:@!$&'()*+,;=": true, "/{a b}/{x?#/..}": true, "/a/": true, "/.{x}": true,
		"": false, "api": false, "https://shop.example/a": false, "//evil.example/a": false, "/a//b": false, `/\evil.example`: false, `/a\b`: false, "/a#b": false, "/a?b=c": false,
		"/.": false, "/a/../b": false, "/a/%2e%2E": false, "/a/.": false, "/a b": false, "/a\r\nb": false, "/a\u0085b": false, "/%": false, "/%zz": false, "/{": false, "/}": false, "/{}": false, "/{a": false, "/a}b{c}": false,
	} {
		if _, err := parsePath(path); (err == nil) != sound {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestNamesThatAreThereTwice(t *testing.T) { // AA-3
	site := parse(t, manifestOf(`"actions":[{"name":"add_to-cart","method":"GET","path":"/a","effect":"read"},{"name":"b","method":"GET","path":"/b","effect":"read"},`+
		`{"name":"add-to_cart","method":"GET","path":"/c","effect":"read"}],"flows":[{"name":"f_f","steps":[{"action":"b"}]},{"name":"f-f","steps":[{"action":"b"}]},{"name":"g","steps":[{"action":"b"}]}]`))
	if diff := cmp.Diff([]string{"add_to-cart action_duplicate", "add-to_cart action_duplicate"}, unusableIn(site.Actions)); diff != "" {
		t.Error(diff)
	}
	want := []string{"action_duplicate /actions/0/name (add_to-cart)", "action_duplicate /actions/2/name (add-to_cart)", "flow_duplicate /flows/0/name", "flow_duplicate /flows/1/name"}
	if diff := cmp.Diff(want, brief(site.Issues)); diff != "" {
		t.Error(diff)
	}
	if site.Flows[0].Issue == nil || site.Flows[1].Issue == nil || site.Flows[2].Issue != nil {
		t.Errorf("flows %+v", site.Flows)
	}
}

func TestManifestSpeaksForItsHost(t *testing.T) { // AA-2
	for name, test := range map[string]struct{ site, host, issue string }{
		"the same":             {`"shop.example"`, "shop.example", ""},
		"in capitals":          {`"Shop.EXAMPLE"`, "shop.example", ""},
		"with a port":          {`"shop.example:8443"`, "shop.example", ""},
		"in Unicode":           {`"bücher.example"`, "xn--bcher-kva.example", ""},
		"an IPv6 address":      {`"[::1]:8080"`, "::1", ""},
		"the same in brackets": {`"[::1]"`, "[::1]", ""},
		"another":              {`"evil.example"`, "shop.example", "site_mismatch"},
		"a host below":         {`"shop.example.evil.example"`, "shop.example", "site_mismatch"},
		"an address":           {`"https://shop.example"`, "shop.example", "site_mismatch"},
		"empty":                {`""`, "", "site_mismatch"},
		"a number":             {`1`, "shop.example", "site_mismatch"},
		"absent":               {`null`, "shop.example", "site_missing"},
	} {
		t.Run(name, func(t *testing.T) {
			site, err := Parse([]byte(`{"version":"agent-actions/0.1","site":`+test.site+`,"actions":[{"name":"r","method":"GET","path":"/r","effect":"read"},`+
				`{"name":"w","method":"POST","path":"/w","effect":"write"},{"name":"u","method":"POST","path":"/u","effect":"odd"},{"name":"bad","effect":"spend"}]}`), test.host)
			if err != nil {
				t.Fatal(err)
			}
			var issues []string
			for _, issue := range site.Issues {
				if strings.HasPrefix(issue.Code, "site_") {
					issues = append(issues, issue.Code)
				}
			}
			if got := strings.Join(issues, " "); got != test.issue {
				t.Errorf("issues %q, want %q", got, test.issue)
			}
			want := []string{"bad method_missing"}
			if test.issue == "site_mismatch" {
				want = []string{"w site_mismatch", "u site_mismatch", "bad method_missing"}
			}
			if diff := cmp.Diff(want, unusableIn(site.Actions)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIssuesAreCut(t *testing.T) {
	site := parse(t, manifestOf(`"actions":[`+strings.Repeat("1,", MaxIssues+4)+`1]`))
	if n := len(site.Issues); n != MaxIssues+1 || site.Issues[MaxIssues].Message != "5 more issues are not listed" {
		t.Errorf("%d issues, the last: %+v", n, site.Issues[n-1])
	}
}

func TestTextsOfTheSiteStayData(t *testing.T) {
	site := parse(t, manifestOf(`"actions":[{"name":"a","description":"\u001b[31m\u202e","method":"GET","path":"/a","effect":"read"}]`))
	if got := site.Actions[0].Description; got != "\x1b[31m\u202e" {
		t.Errorf("got %q", got)
	}
}

func TestDefinitionsAreKeptCompact(t *testing.T) {
	site := parse(t, manifestOf(`"actions":[ { "name" : "a", "method":"GET", "path":"/a", "effect":"read", "cost":{"amount":1.0}, "x":[ 1e2 ] } ]`))
	want := `{"name":"a","method":"GET","path":"/a","effect":"read","cost":{"amount":1.0},"x":[1e2]}`
	if got := site.Actions[0].Definition; string(got) != want {
		t.Errorf("got %s", got)
	}
}

// large is a manifest of n actions as one finds them.
func large(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"name":"action_%d","description":"Add a product to the cart","method":"POST","path":"/api/cart/%d","effect":"write","scope":"cart:write","input":%s},`, i, i, cartInput)
	}
	return manifestOf(`"auth":{"type":"agent-grant"},"actions":[` + strings.TrimSuffix(b.String(), ",") + `]`)
}

func BenchmarkParse10000(b *testing.B) {
	doc := large(10_000)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if site, err := Parse(doc, host); err != nil || len(site.Actions) != 10_000 || site.Issues != nil {
			b.Fatal(err, site.Issues)
		}
	}
}
