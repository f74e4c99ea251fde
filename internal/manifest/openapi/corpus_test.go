package openapi_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/cli"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/openapi"
	"github.com/agentctl/agentctl/internal/streams"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// published is what is known beforehand of a document of the corpus.
type published struct {
	operations int            // counted by other means
	unusable   map[string]int // how many of them cannot be called, by the code of the issue
}

// corpus lists the documents that scripts/openapi-corpus fetches and that can be read.
var corpus = map[string]published{
	"adyen-checkout.json":     {operations: 25},
	"adyen-management.json":   {operations: 132},
	"akeneo.json":             {operations: 144},
	"asana.json":              {operations: 167},
	"autotask.json":           {operations: 2958},
	"aws-dynamodb.json":       {operations: 53},
	"aws-ec2.json":            {operations: 1188},
	"aws-iam.json":            {operations: 318},
	"aws-s3.json":             {operations: 97},
	"azure-web-apps.json":     {operations: 349},
	"bitbucket.json":          {operations: 305},
	"blockfrost.yaml":         {operations: 129},
	"box.json":                {operations: 260},
	"bungie.json":             {operations: 134},
	"clicksend.json":          {operations: 205},
	"codat-accounting.json":   {operations: 127},
	"digitalocean.json":       {operations: 290},
	"directus.json":           {operations: 136},
	"discourse.json":          {operations: 84},
	"docker-engine.json":      {operations: 105},
	"docusign.json":           {operations: 402},
	"figma.yaml":              {operations: 54},
	"galaxy.json":             {operations: 10},
	"galaxy.yaml":             {operations: 10},
	"github-cloud.json":       {operations: 1471},
	"github-enterprise.json":  {operations: 869},
	"github.json":             {operations: 1223},
	"gitlab.json":             {operations: 358},
	"google-compute.json":     {operations: 758},
	"hetzner.json":            {operations: 144},
	"httpbin.json":            {operations: 78, unusable: map[string]int{"feature_unsupported": 5}},
	"hubspot-marketing.json":  {operations: 16},
	"jellyfin.json":           {operations: 408},
	"jira.json":               {operations: 499},
	"kubernetes.json":         {operations: 845},
	"linode.json":             {operations: 350},
	"loket.json":              {operations: 663, unusable: map[string]int{"openapi_invalid": 5}},
	"magento.json":            {operations: 455},
	"mailchimp.json":          {operations: 272},
	"mist.json":               {operations: 779},
	"netbox.json":             {operations: 844},
	"notion.json":             {operations: 13},
	"open-build-service.json": {operations: 81},
	"openai.json":             {operations: 28},
	"plaid.json":              {operations: 200},
	"rclone.json":             {operations: 101},
	"rclone.yaml":             {operations: 101},
	"rudder.json":             {operations: 150},
	"sendgrid.json":           {operations: 334},
	"shipengine.json":         {operations: 76},
	"shipengine.yaml":         {operations: 76},
	"slack.json":              {operations: 174},
	"snyk.json":               {operations: 103},
	"spotify.json":            {operations: 89},
	"square.json":             {operations: 200},
	"stripe.json":             {operations: 452},
	"telnyx.json":             {operations: 361},
	"trello.json":             {operations: 324},
	"twilio.json":             {operations: 195},
	"twitter.json":            {operations: 80},
	"vercel.json":             {operations: 113},
	"xero-accounting.json":    {operations: 224},
	"zoom.json":               {operations: 373},
	"zuora.json":              {operations: 428},
}

// corpusFile reads a document of the corpus, or skips the test where the corpus is not there.
func corpusFile(t testing.TB, name string) []byte {
	t.Helper()
	root := os.Getenv("AGENTCTL_OPENAPI_CORPUS")
	if root == "" {
		t.Skip("set AGENTCTL_OPENAPI_CORPUS to what scripts/openapi-corpus prints")
	}
	doc, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// read parses a document as if a user had added it, for a server of the test.
func read(t testing.TB, name string, doc []byte) *openapi.Document {
	t.Helper()
	contentType := "application/json"
	if strings.HasSuffix(name, ".yaml") {
		contentType = "application/yaml"
	}
	d, err := openapi.Parse(doc, contentType, "", "https://api.example")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEveryOperationOfThePublicDocumentsBuildsACommand(t *testing.T) {
	var operations, unusable, requests atomic.Int64
	t.Run("documents", func(t *testing.T) {
		for name, want := range corpus {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				doc := read(t, name, corpusFile(t, name))
				site := doc.Site()
				if got := len(site.Actions); got != want.operations {
					t.Errorf("%d operations, want %d", got, want.operations)
				}
				checkNames(t, site)
				var codes map[string]int
				for summary, a := range everyAction(t, doc, site) {
					if a.err == nil {
						requests.Add(checkRequest(t, summary, a))
						continue
					}
					e, ok := errors.AsType[*fault.Error](a.err)
					if !ok {
						t.Fatalf("%q: %v is no fault", summary.Command, a.err)
					}
					t.Logf("%s %s: %s: %v", summary.Method, summary.Endpoint, e.Code, e)
					if codes == nil {
						codes = map[string]int{}
					}
					codes[e.Code]++
					unusable.Add(1)
				}
				if diff := cmp.Diff(want.unusable, codes); diff != "" {
					t.Errorf("operations that cannot be called (-want +got):\n%s", diff)
				}
				operations.Add(int64(len(site.Actions)))
			})
		}
	})
	n := operations.Load()
	t.Logf("%d operations, %d of them unusable, %d requests made", n, unusable.Load(), requests.Load())
	if unusable.Load()*200 > n {
		t.Errorf("%d of %d operations cannot be called: more than 0.5 %%", unusable.Load(), n)
	}
	if requests.Load()*10 < n*8 {
		t.Errorf("only %d of %d operations made a request of sample arguments", requests.Load(), n)
	}
}

// checkNames holds that every operation can be typed, and told apart from every other.
func checkNames(t *testing.T, site *manifest.Site) {
	t.Helper()
	known := map[string]string{}
	for _, a := range site.Actions {
		command := strings.Join(a.Command, " ")
		invalid := func(word string) bool { return !manifest.ValidSegment(word) }
		if len(a.Command) == 0 || slices.ContainsFunc(a.Command, invalid) || command != strings.ToLower(command) {
			t.Errorf("%s %s: %q cannot be a command", a.Method, a.Endpoint, a.Command)
		}
		if other, ok := known[command]; ok {
			t.Errorf("%q is both %s and %s %s", command, other, a.Method, a.Endpoint)
		}
		known[command] = a.Method + " " + a.Endpoint
	}
}

// prepared is an operation as far as a call has it before it looks at its arguments, and help before it prints.
type prepared struct {
	action *openapi.Action
	set    *input.Set
	err    error
}

// everyAction prepares every operation the way a call does: from its summary and the parts that it refers to.
func everyAction(t testing.TB, doc *openapi.Document, site *manifest.Site) iter.Seq2[manifest.Summary, prepared] {
	t.Helper()
	parts := maps.Collect(doc.Parts())
	return func(yield func(manifest.Summary, prepared) bool) {
		for _, summary := range site.Actions {
			if !yield(summary, prepare(summary, parts)) {
				return
			}
		}
	}
}

func prepare(summary manifest.Summary, parts map[string]jsontext.Value) (p prepared) {
	p.action, p.err = openapi.ParseAction(summary, func(pointer string) (jsontext.Value, error) { return parts[pointer], nil })
	if p.err != nil {
		return p
	}
	p.set, p.err = input.CompileObject(p.action.Input, p.action.Args)
	if p.err != nil {
		return p
	}
	for _, param := range p.set.Params() {
		p.set.Describe(param.Name)
	}
	return p
}

// What is called what must not depend on the order in which a document happens to be written.
func TestNamesDoNotDependOnTheOrderOfPaths(t *testing.T) {
	for name := range corpus {
		if !strings.HasSuffix(name, ".json") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := corpusFile(t, name)
			want := commands(read(t, name, doc).Site())
			if diff := cmp.Diff(want, commands(read(t, name, doc).Site())); diff != "" {
				t.Errorf("read again, commands differ (-first +second):\n%s", diff)
			}
			if diff := cmp.Diff(want, commands(read(t, name, reversePaths(t, doc)).Site())); diff != "" {
				t.Errorf("with the paths the other way round, commands differ (-as published +reversed):\n%s", diff)
			}
		})
	}
}

// commands tells what each operation is called.
func commands(site *manifest.Site) map[string]string {
	out := make(map[string]string, len(site.Actions))
	for _, a := range site.Actions {
		out[a.Method+" "+a.Endpoint] = strings.Join(a.Command, " ")
	}
	return out
}

// reversePaths turns the order of the paths round, and that of the operations of each.
func reversePaths(t *testing.T, doc jsontext.Value) jsontext.Value {
	t.Helper()
	paths, ok := strictjson.Member(doc, "paths")
	if !ok {
		t.Fatal("there are no paths")
	}
	turned := reverse(paths, func(item jsontext.Value) jsontext.Value {
		return reverse(item, func(v jsontext.Value) jsontext.Value { return v })
	})
	out := bytes.Replace(doc, paths, turned, 1)
	if bytes.Equal(out, doc) {
		t.Fatal("the order did not change")
	}
	return out
}

// reverse turns the order of an object's members round, and changes each.
func reverse(object jsontext.Value, change func(jsontext.Value) jsontext.Value) jsontext.Value {
	var list []string
	for name, value := range strictjson.Members(object) {
		list = append(list, string(strictjson.Quote(name))+":"+string(change(value)))
	}
	slices.Reverse(list)
	return jsontext.Value("{" + strings.Join(list, ",") + "}")
}

// Some publish the same API as JSON and as YAML, and JSON is YAML.
func TestYAMLReadsLikeJSON(t *testing.T) {
	for json, yaml := range map[string]string{
		"galaxy.json": "galaxy.yaml", "rclone.json": "rclone.yaml", "shipengine.json": "shipengine.yaml",
	} {
		t.Run(yaml, func(t *testing.T) {
			want, got := read(t, json, corpusFile(t, json)).Site(), read(t, yaml, corpusFile(t, yaml)).Site()
			if diff := cmp.Diff(commands(want), commands(got)); diff != "" {
				t.Errorf("commands differ (-JSON +YAML):\n%s", diff)
			}
		})
	}
	t.Run("JSON as YAML", func(t *testing.T) {
		doc := corpusFile(t, "stripe.json")
		want, got := read(t, "stripe.json", doc), read(t, "stripe.yaml", doc)
		if diff := cmp.Diff(want.Site(), got.Site()); diff != "" {
			t.Errorf("sites differ (-JSON +YAML):\n%s", diff)
		}
	})
}

func TestPublicDocumentsThatCannotBeRead(t *testing.T) {
	for name, code := range map[string]string{
		"microsoft-graph.json": "too_large",           // 20 MB
		"netlify.json":         "version_unsupported", // Swagger 2.0
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openapi.Parse(corpusFile(t, name), "application/json", "", "https://api.example")
			e, ok := errors.AsType[*fault.Error](err)
			if !ok || e.Kind != fault.Manifest || e.Code != code {
				t.Errorf("%v, want a manifest fault with the code %q", err, code)
			}
		})
	}
}

// Help is what tells a newcomer how to use an operation, and the last thing that may fail.
func TestEveryOperationOfThePublicDocumentsAnswersHelp(t *testing.T) {
	for _, name := range []string{"digitalocean.json", "figma.yaml", "github.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := read(t, name, corpusFile(t, name)).Site()
			run := newProgram(t)
			file := filepath.Join(os.Getenv("AGENTCTL_OPENAPI_CORPUS"), name)
			if status, _, errOut := run("site", "add", "corpus", "--openapi", file, "--server", "https://api.example"); status != 0 {
				t.Fatal(errOut)
			}
			for _, a := range site.Actions {
				status, out, errOut := run(append(append([]string{"corpus"}, a.Command...), "--help")...)
				if status != 0 || !strings.Contains(out, "agentctl corpus "+strings.Join(a.Command, " ")) {
					t.Errorf("%q: status %d\n%s%s", a.Command, status, out, errOut)
				}
			}
		})
	}
}

// newProgram returns a way to run command lines with directories of their own. They must not ask for anything.
func newProgram(t *testing.T) func(args ...string) (status int, out, errOut string) {
	config, cache, state := t.TempDir(), t.TempDir(), t.TempDir()
	return func(args ...string) (int, string, string) {
		var out, errOut bytes.Buffer
		status := cli.Run(t.Context(), append(args, "--offline"), cli.Env{
			Streams:   &streams.Streams{In: strings.NewReader(""), Out: &out, Err: &errOut, Width: 80},
			Getenv:    func(string) string { return "" },
			ReadFile:  func(_ context.Context, name string) ([]byte, error) { return os.ReadFile(name) },
			ConfigDir: config, CacheDir: cache, StateDir: state, Now: time.Now, Version: "test",
		})
		return status, out.String(), errOut.String()
	}
}

// BenchmarkParse reads the document of 2.4 MB that issue 6 speaks of, and makes its commands.
func BenchmarkParse(b *testing.B) {
	doc := corpusFile(b, "stripe.json")
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		read(b, "stripe.json", doc).Site()
	}
}

// BenchmarkPrepare is the warm path to an operation whose schemas refer to many others.
func BenchmarkPrepare(b *testing.B) {
	doc := read(b, "stripe.json", corpusFile(b, "stripe.json"))
	parts := maps.Collect(doc.Parts())
	actions := doc.Site().Actions
	at := slices.IndexFunc(actions, func(a manifest.Summary) bool { return a.Method == "POST" && a.Endpoint == "/v1/payment_intents" })
	b.ReportAllocs()
	for b.Loop() {
		if p := prepare(actions[at], parts); p.err != nil {
			b.Fatal(p.err)
		}
	}
}
