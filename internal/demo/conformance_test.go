package demo

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/interagentic"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// clientView returns the published site as a client reads it.
func clientView(t *testing.T) *manifest.Site {
	t.Helper()
	index, err := interagentic.ParseIndex(publishedFile(t, "services.json").Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func TestAClientFindsNothingWrong(t *testing.T) {
	index := clientView(t)
	for _, issue := range index.Issues {
		t.Errorf("the index: %+v", issue)
	}
	files := details(t)
	for _, summary := range index.Actions {
		command := strings.Join(summary.Command, " ")
		for _, issue := range interagentic.Lint(files[command], summary, index.BaseURL) {
			t.Errorf("%q: %+v", command, issue)
		}
	}
}

// The examples' inputs must become the requests that were written down by hand, which TestExamplesAreTrue sends.
func TestExampleInputsBecomeTheRequests(t *testing.T) {
	index, files, requests := clientView(t), details(t), exampleRequests()
	for _, summary := range index.Actions {
		command := strings.Join(summary.Command, " ")
		t.Run(command, func(t *testing.T) {
			action, err := interagentic.ParseDetail(files[command], summary, index.BaseURL)
			if err != nil {
				t.Fatal(err)
			}
			var values manifest.Values
			for name, value := range strictjson.Members(action.Example.Input) {
				values.Set(name, strictjson.Compact(value))
			}
			var upload jsontext.Value
			if action.Files != nil {
				upload = jsontext.Value("[" + gif + "]")
			}
			got, problems := action.Request(Origin, &values, upload, false)
			if len(problems) > 0 {
				t.Fatalf("problems with the example: %+v", problems)
			}
			want := requests[command]
			if diff := cmp.Diff([]string{want.method, Origin + apiBase + want.target, want.body}, []string{got.Method, got.URL, string(got.Body)}); diff != "" {
				t.Errorf("the request differs (-by hand +by the client):\n%s", diff)
			}
			for i := 0; i+1 < len(want.headers); i += 2 {
				if value := got.Header.Get(want.headers[i]); value != want.headers[i+1] {
					t.Errorf("%s is %q, want %q", want.headers[i], value, want.headers[i+1])
				}
			}
		})
	}
}

func TestOnlyJoiningAndDeletingAskFirst(t *testing.T) {
	for _, summary := range clientView(t).Actions {
		want := manifest.Write
		switch {
		case summary.Method == "GET":
			want = manifest.Read
		case strings.Join(summary.Command, " ") == "orders delete":
			want = manifest.Delete
		case strings.Join(summary.Command, " ") == "club join":
			want = manifest.Spend
		}
		if summary.Effect != want {
			t.Errorf("%q has the effect %q, want %q", strings.Join(summary.Command, " "), summary.Effect, want)
		}
	}
}
