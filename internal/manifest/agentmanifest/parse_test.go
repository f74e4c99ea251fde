package agentmanifest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

const shed = "https://shed.example/.well-known/agent.json"

// edit returns the full manifest with pairs of old and new text replaced, each of which must be there once at least.
func edit(t testing.TB, pairs ...string) string {
	t.Helper()
	doc := full
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(doc, pairs[i]) {
			t.Fatalf("the manifest has no %s", pairs[i])
		}
		doc = strings.Replace(doc, pairs[i], pairs[i+1], 1)
	}
	return doc
}

func parse(t testing.TB, doc string) *manifest.Site {
	t.Helper()
	site, err := Parse([]byte(doc), shed)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func action(t testing.TB, site *manifest.Site, id string) manifest.Summary {
	t.Helper()
	for _, s := range site.Actions {
		if s.Command[0] == id {
			return s
		}
	}
	t.Fatalf("there is no %q", id)
	return manifest.Summary{}
}

func codes(issues []manifest.Issue) []string {
	var out []string
	for _, issue := range issues {
		out = append(out, issue.Code+" "+issue.Pointer)
	}
	return out
}

func TestAWholeManifest(t *testing.T) {
	site := parse(t, full)
	if len(site.Issues) > 0 {
		t.Errorf("issues: %+v", site.Issues)
	}
	if site.Format != "agent-manifest" || site.Name != "Tool Shed" || !site.FoldNames || len(site.Links) != 2 {
		t.Errorf("got %+v", site)
	}
	for i, want := range []string{
		"find_tools: read, low, none, GET /api/tools",
		"borrow: write, high, step_up,  /mcp",
		"buy: spend, critical, human_review,  https://pay.example/shed",
	} {
		s := site.Actions[i]
		if got := fmt.Sprintf("%s: %s, %s, %s, %s %s", s.Command[0], s.Effect, s.Risk, s.Consent, s.Method, s.Endpoint); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if s.Issue != nil || s.Definition == nil || s.Description == "" {
			t.Errorf("%+v", s)
		}
	}
}

func TestWhatIsNoManifestIsRefused(t *testing.T) {
	const other = "https://shed.example/agent-manifest.json"
	for name, test := range map[string]struct{ doc, from, code string }{
		"no JSON":                      {`<html>`, shed, "not_json"},
		"nothing":                      {``, shed, "not_json"},
		"an array":                     {`[]`, shed, "wrong_type"},
		"the same member twice":        {`{"agentManifestVersion":"0.1-draft","id":"a","id":"b"}`, shed, "duplicate_member"},
		"too deep":                     {`{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, shed, "too_deep"},
		"too large":                    {`{"a":"` + strings.Repeat("x", MaxBytes) + `"}`, shed, "too_large"},
		"too many capabilities":        {`{"agentManifestVersion":"0.1-draft","capabilities":[` + strings.Repeat("0,", MaxCapabilities) + `0]}`, shed, "too_large"},
		"a card of A2A":                {`{"name":"x","url":"https://shed.example/a2a","skills":[]}`, shed, "other_format"},
		"no version, at another place": {`{"name":"x"}`, other, "version_missing"},
		"another version":              {`{"agentManifestVersion":"1.0"}`, shed, "version_unsupported"},
		"a version that is no string":  {`{"agentManifestVersion":null}`, shed, "version_unsupported"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(test.doc), test.from)
			if e := fault.From(err); e == nil || e.Kind != fault.Manifest || e.Code != test.code {
				t.Errorf("got %v", err)
			}
			if _, err := ReadAbout([]byte(test.doc), test.from); test.code != "too_large" && fault.From(err).Code != test.code {
				t.Errorf("about: %v", err)
			}
		})
	}
}

func TestAFaultTakesAwayOneCapabilityAtMost(t *testing.T) {
	for name, test := range map[string]struct {
		change []string
		issues []string // code and pointer
		broken []string // capabilities that cannot be used, but are listed
		gone   []string // those that are not even listed
	}{
		"a document that breaks the schema": {
			[]string{`"status": "stable", `, ``, `"stack": ["html"]`, `"stack": []`},
			[]string{"member_missing ", "empty /platform/stack"},
			nil, nil,
		},
		"an unknown risk": {
			[]string{`"risk": "high"`, `"risk": "none"`}, []string{"value_unknown /capabilities/1/risk"}, []string{"borrow"}, nil,
		},
		"a critical one that asks for too little": {
			[]string{`"consentMode": "human_review"`, `"consentMode": "implicit"`}, []string{"consent_weak /capabilities/2/consentMode"}, []string{"buy"}, nil,
		},
		"a transaction without consent": {
			[]string{`"risk": "critical",
      "stateChange": true, "consentMode": "human_review", "requiresConsent": true`, `"risk": "low", "stateChange": true, "consentMode": "none", "requiresConsent": false`},
			[]string{"consent_weak /capabilities/2/requiresConsent"},
			[]string{"buy"},
			nil,
		},
		"no bindings": {
			[]string{`"bindings": [{"kind": "hosted-checkout", "url": "https://pay.example/shed", "priority": 1, "schemaMode": "external"}]`, `"bindings": []`},
			[]string{"empty /capabilities/2/bindings"},
			[]string{"buy"},
			nil,
		},
		"bindings that cannot be used": {
			[]string{`"kind": "hosted-checkout"`, `"kind": "grpc"`}, []string{"binding_unsupported /capabilities/2/bindings"}, []string{"buy"}, nil,
		},
		"the same id twice": {
			[]string{`"id": "buy"`, `"id": "borrow"`},
			[]string{"capability_duplicate /capabilities/1/id", "capability_duplicate /capabilities/2/id"},
			[]string{"borrow", "borrow"},
			[]string{"buy"},
		},
		"ids that are the same command": {
			[]string{`"id": "borrow"`, `"id": "find-tools"`},
			[]string{"capability_duplicate /capabilities/0/id", "capability_duplicate /capabilities/1/id"},
			[]string{"find_tools", "find-tools"},
			[]string{"borrow"},
		},
		"an id that is none":   {[]string{`"id": "buy"`, `"id": "-buy"`}, []string{"name_invalid /capabilities/2/id"}, nil, []string{"buy"}},
		"an id that is a path": {[]string{`"id": "buy"`, `"id": "../buy"`}, []string{"name_invalid /capabilities/2/id"}, nil, []string{"buy"}},
		"an id that is too long": {
			[]string{`"id": "buy"`, `"id": "` + strings.Repeat("b", 65) + `"`}, []string{"name_invalid /capabilities/2/id"}, nil, []string{"buy"},
		},
		"less consent than the risk": {
			[]string{`"consentMode": "step_up", "requiresConsent": true`, `"consentMode": "none", "requiresConsent": false`},
			[]string{"consent_weak /capabilities/1/consentMode"},
			nil, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			site := parse(t, edit(t, test.change...))
			if got := codes(site.Issues); !slices.Equal(got, test.issues) {
				t.Errorf("issues %q, want %q", got, test.issues)
			}
			var broken, listed []string
			for _, s := range site.Actions {
				listed = append(listed, s.Command[0])
				if s.Issue != nil {
					broken = append(broken, s.Command[0])
					if _, err := ParseAction(s, ""); fault.From(err).Code != s.Issue.Code {
						t.Errorf("%q: %v", s.Command, err)
					}
				}
			}
			if !slices.Equal(broken, test.broken) {
				t.Errorf("broken are %q, want %q", broken, test.broken)
			}
			for _, id := range test.gone {
				if slices.Contains(listed, id) {
					t.Errorf("%q is listed", id)
				}
			}
			if len(site.Actions)+len(test.gone) < 3 {
				t.Errorf("only %q are listed", listed)
			}
		})
	}
}

func TestDocumentsWithoutCapabilitiesHaveIssues(t *testing.T) {
	for _, doc := range []string{`{"agentManifestVersion":"0.1-draft"}`, `{"agentManifestVersion":"0.1-draft","capabilities":{}}`, `{"agentManifestVersion":"0.1-draft","capabilities":[1,"a",null,{}]}`} {
		if site := parse(t, doc); len(site.Actions) > 0 || len(site.Issues) == 0 {
			t.Errorf("%s: %+v", doc, site)
		}
	}
}

func TestIssuesAreLimited(t *testing.T) {
	doc := `{"agentManifestVersion":"0.1-draft","capabilities":[` + strings.Repeat(`{"id":1},`, 2*MaxIssues) + `0]}`
	site := parse(t, doc)
	if n := len(site.Issues); n != MaxIssues+1 || site.Issues[n-1].Code != "too_many_issues" {
		t.Errorf("%d issues", n)
	}
}

func TestTheStricterConsentWins(t *testing.T) {
	for _, test := range []struct {
		risk, mode string
		required   bool
		want       string
	}{
		{"low", "none", false, "none"},
		{"low", "implicit", false, "implicit"},
		{"low", "none", true, "explicit"},
		{"low", "implicit", true, "explicit"},
		{"low", "explicit", false, "explicit"},
		{"medium", "none", false, "explicit"},
		{"high", "implicit", false, "explicit"},
		{"high", "step_up", true, "step_up"},
		{"medium", "human_review", false, "human_review"},
	} {
		doc := edit(t, `"risk": "high"`, `"risk": "`+test.risk+`"`,
			`"consentMode": "step_up", "requiresConsent": true`, fmt.Sprintf(`"consentMode": %q, "requiresConsent": %t`, test.mode, test.required))
		s := action(t, parse(t, doc), "borrow")
		if s.Issue != nil || s.Consent != test.want {
			t.Errorf("%+v: got %q, %+v", test, s.Consent, s.Issue)
		}
		if c, err := ParseAction(s, "http"); err != nil || c.Consent != test.want {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestEffects(t *testing.T) {
	for _, test := range []struct {
		kind        string
		stateChange bool
		want        manifest.Effect
	}{
		{"query", false, manifest.Read},
		{"resource", false, manifest.Read},
		{"conversation", false, manifest.Read},
		{"resource", true, manifest.Write},
		{"action", true, manifest.Write},
		{"handoff", true, manifest.Write},
		{"conversation", true, manifest.Send},
		{"transaction", true, manifest.Spend},
	} {
		doc := edit(t, `"type": "action"`, fmt.Sprintf(`"type": %q`, test.kind), `"stateChange": true`, fmt.Sprintf(`"stateChange": %t`, test.stateChange))
		if got := action(t, parse(t, doc), "borrow"); got.Effect != test.want || got.Issue != nil {
			t.Errorf("%+v: got %q, %+v", test, got.Effect, got.Issue)
		}
	}
}

func TestTheDomainFitsTheHost(t *testing.T) {
	for _, test := range []struct {
		domain, host string
		fits         bool
	}{
		{"shed.example", "shed.example", true},
		{"SHED.example.", "shed.example", true},
		{"shed.example:8443", "shed.example", true},
		{"shed.example", "www.shed.example", true},
		{"bücher.example", "www.xn--bcher-kva.example", true},
		{"localhost", "localhost", true},
		{"127.0.0.1", "127.0.0.1", true},
		{"[::1]", "::1", true},
		{"www.shed.example", "shed.example", false},
		{"other.example", "shed.example", false},
		{"hed.example", "shed.example", false},
		{"example", "shed.example", false},
		{"https://shed.example", "shed.example", false},
		{"0.0.1", "127.0.0.1", false},
		{".", "shed.example", false},
		{"", "", false},
	} {
		if got := fits(test.domain, test.host); got != test.fits {
			t.Errorf("%q fits %q: %t", test.domain, test.host, got)
		}
	}
}

func TestAManifestThatSpeaksForAnotherSiteAsksForAllButReading(t *testing.T) {
	doc := edit(t, `"risk": "high"`, `"risk": "low"`, `"consentMode": "step_up", "requiresConsent": true`, `"consentMode": "none", "requiresConsent": false`)
	if s := action(t, parse(t, doc), "borrow"); s.Consent != "none" {
		t.Fatalf("on its own site it wants %q", s.Consent)
	}
	for name, doc := range map[string]string{
		"another": strings.Replace(doc, `"domain": "shed.example"`, `"domain": "bank.example"`, 1),
		"none":    strings.Replace(doc, `"domain": "shed.example", `, ``, 1),
	} {
		t.Run(name, func(t *testing.T) {
			site := parse(t, doc)
			if !slices.Contains(codes(site.Issues), "identity_mismatch /identity/domain") {
				t.Errorf("issues: %+v", site.Issues)
			}
			for id, want := range map[string]string{"find_tools": "none", "borrow": "explicit", "buy": "human_review"} {
				s := action(t, site, id)
				c, err := ParseAction(s, "")
				if err != nil {
					t.Fatal(err)
				}
				if s.Consent != want || c.Consent != want || c.IdentityMismatch == "" || len(c.Issues) == 0 || c.Issues[0].Code != "identity_mismatch" {
					t.Errorf("%s wants %q and %q, speaks for %q, issues %+v", id, s.Consent, c.Consent, c.IdentityMismatch, c.Issues)
				}
			}
		})
	}
}
