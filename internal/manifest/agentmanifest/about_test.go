package agentmanifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAbout(t *testing.T) {
	got, err := ReadAbout([]byte(full), shed)
	if err != nil {
		t.Fatal(err)
	}
	want := &About{
		ID: "shed", Status: "stable", TemplateKind: "default", Name: "Tool Shed", Domain: "shed.example", Owner: "Shed Ltd.", Contact: "hello@shed.example", Jurisdiction: "FR",
		Platform: Platform{Type: "generic-website", Stack: []string{"html"}, IntegrationMode: "static-or-bridge", ServingNotes: []string{"none"}},
		Policies: []Policy{{"consent", "Ask."}, {"auth", "Sign in."}, {"dataMinimization", "Little."}, {"audit", "All."}, {"retention", `{"days":30}`}},
		Knowledge: []Knowledge{
			{ID: "tools", Type: "catalog", Source: "./tools.json", URL: "https://shed.example/.well-known/tools.json", Refresh: "daily"},
			{ID: "weather", Type: "summary", Source: "https://weather.example/", URL: "https://weather.example/", CrossOrigin: true},
		},
		Context: []string{"https://shed.example/llms.txt", "https://shed.example/llms-full.txt"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if k, ok := got.Source("weather"); !ok || k.URL != "https://weather.example/" {
		t.Errorf("got %+v", k)
	}
	if _, ok := got.Source("nosuch"); ok {
		t.Error("there is no such source")
	}
}

func TestAboutLeavesOutWhatBreaksTheSchema(t *testing.T) {
	got, err := ReadAbout([]byte(edit(t, `"./tools.json"`, `"file:///etc/passwd"`, `"id": "weather"`, `"id": 7`, `"stack": ["html"]`, `"stack": [1, "html", ""]`,
		`"/llms.txt"`, `"javascript:x"`, `"domain": "shed.example"`, `"domain": "other.example"`)), shed)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Knowledge) != 1 || got.Knowledge[0].URL != "" || !strings.Contains(got.Knowledge[0].Refused, `"file"`) {
		t.Errorf("knowledge: %+v", got.Knowledge)
	}
	if len(got.Platform.Stack) != 1 || len(got.Context) != 1 || got.Mismatch != "other.example" {
		t.Errorf("got %+v", got)
	}
	for _, doc := range []string{
		`{"agentManifestVersion":"0.1-draft"}`,
		`{"agentManifestVersion":"0.1-draft","identity":[],"platform":1,"knowledge":{},"policies":["x"],"discovery":null}`,
	} {
		if a, err := ReadAbout([]byte(doc), shed); err != nil || len(a.Knowledge)+len(a.Policies) > 0 {
			t.Errorf("%s: %+v, %v", doc, a, err)
		}
	}
}
