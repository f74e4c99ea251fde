package demo

import (
	"bytes"
	"flag"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/strictjson"
)

var update = flag.Bool("update", false, "rewrite the outputs of the published examples")

// gif is a whole picture of one pixel, as a client sends it.
const gif = `{"path":"evening.gif","contents":"data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs="}`

// exampleRequest is the request that a published example must become, written down by hand from the rules.
type exampleRequest struct {
	method, target, body string
	headers              []string
	status               int
}

func exampleRequests() map[string]exampleRequest {
	return map[string]exampleRequest{
		"menu list":   {"GET", "/menu?vegan=true&maxPrice=4.5", "", nil, 200},
		"menu get":    {"GET", "/menu/caramel", "", nil, 200},
		"orders list": {"GET", "/orders?status=delivered&limit=1&tags=party&tags=friends", "", nil, 200},
		"orders get":  {"GET", "/orders/ord_8fJ2", "", nil, 200},
		"orders create": {
			"POST", "/orders",
			`{"qty":2,"flavour":"caramel","toppings":["butter","nuts"],"note":"ring twice","gift":true,"tags":["party"],"shipping_city":"Paris","shipping_zip":"75001"}`,
			nil, 201,
		},
		"orders refunds create": {"POST", "/orders/ord_8fJ2/refunds?notify=true", `{"reason":"damaged","refund":{"amount":4.5}}`, nil, 201},
		"orders delete":         {"DELETE", "/orders/ord_8fJ2", "", nil, 200},
		"photos upload":         {"POST", "/photos", `{"caption":"Film night","order":"ord_8fJ2","files":[` + gif + `]}`, nil, 201},
		"club":                  {"GET", "/club", "", nil, 200},
		"club join":             {"POST", "/club/members", `{"name":"Ada","newsletter":false}`, nil, 201},
		"reports sales": {
			"POST", "/reports/sales/month?currency=USD&flavour=salted&flavour=caramel&since=2026-01-31",
			`{"title":"Sales (month), for Ada & Co","columns":["orders","bags","total","average"],"filter":{"minimum":5.0,"count":{"refunded":true}},"archive":{"keep":true,"token":"{{ARCHIVE_TOKEN}}"}}`,
			[]string{"X-Api-Version", "2026-09", "X-Report-Group", "flavour"},
			200,
		},
		"teapot": {"GET", "/teapot", "", nil, 418},
	}
}

// publishedFile fetches one file of the description as a client does.
func publishedFile(t *testing.T, name string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, publishedBase+name, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	newSite(t).ServeHTTP(recorder, request)
	return recorder
}

func valueAt(value jsontext.Value, path ...string) jsontext.Value {
	for _, name := range path {
		value, _ = strictjson.Member(value, name)
	}
	return value
}

// commandOf returns a command as it is typed.
func commandOf(action jsontext.Value) string {
	var words []string
	for _, segment := range strictjson.Elements(valueAt(action, "command")) {
		word, _ := strictjson.String(segment)
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// details returns every published detail file by its command.
func details(t *testing.T) map[string]jsontext.Value {
	t.Helper()
	found := make(map[string]jsontext.Value)
	err := fs.WalkDir(published, "site/services", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		doc := publishedFile(t, strings.TrimPrefix(name, "site/")).Body.Bytes()
		command := commandOf(doc)
		if want := path.Join("site/services", strings.ReplaceAll(command, " ", "/")) + ".json"; name != want {
			t.Errorf("the file of %q is %s, want %s (IA-1)", command, name, want)
		}
		found[command] = doc
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestEveryPublishedFileIsStrictJSON(t *testing.T) {
	files := details(t)
	files["the index"] = publishedFile(t, "services.json").Body.Bytes()
	for name, doc := range files {
		if err := strictjson.Check(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestIndexAndDetailsAgree(t *testing.T) {
	files := details(t)
	index := jsontext.Value(publishedFile(t, "services.json").Body.Bytes())
	if got, _ := strictjson.String(valueAt(index, "baseUrl")); got != apiBase {
		t.Errorf("baseUrl %q, want %q", got, apiBase)
	}
	for _, action := range strictjson.Elements(valueAt(index, "actions")) {
		command := commandOf(action)
		detail, ok := files[command]
		if !ok {
			t.Errorf("%q is in the index but has no file", command)
		}
		delete(files, command)
		for name, value := range strictjson.Members(action) {
			want := valueAt(detail, name)
			if name == "payment" {
				want = valueAt(detail, name, "mode")
			}
			if diff := cmp.Diff(string(strictjson.Compact(want)), string(strictjson.Compact(value))); diff != "" {
				t.Errorf("%q: %s differs (-detail +index):\n%s", command, name, diff)
			}
		}
	}
	for command := range files {
		t.Errorf("%q has a file but is not in the index", command)
	}
}

func TestEveryBranchHasADescription(t *testing.T) {
	index := jsontext.Value(publishedFile(t, "services.json").Body.Bytes())
	described := make(map[string]bool)
	for _, group := range strictjson.Elements(valueAt(index, "groups")) {
		text, _ := strictjson.String(valueAt(group, "description"))
		described[commandOf(group)] = text != ""
	}
	for _, action := range strictjson.Elements(valueAt(index, "actions")) {
		words := strings.Fields(commandOf(action))
		for i := 1; i < len(words); i++ {
			if group := strings.Join(words[:i], " "); !described[group] {
				t.Errorf("the group %q has no description", group)
			}
		}
	}
}

func TestEveryParameterIsExplained(t *testing.T) {
	for command, detail := range details(t) {
		for i, param := range strictjson.Elements(valueAt(detail, "params")) {
			for _, name := range []string{"name", "label", "description", "example", "required", "type"} {
				if value := valueAt(param, name); value == nil || string(value) == `""` {
					t.Errorf("%q: params[%d] has no %s", command, i, name)
				}
			}
		}
	}
}

// Every example is sent to the shop on its opening day; the answer must be, to the byte, the one that is published.
func TestExamplesAreTrue(t *testing.T) {
	requests := exampleRequests()
	for command, detail := range details(t) {
		t.Run(command, func(t *testing.T) {
			example, ok := requests[command]
			if !ok {
				t.Fatal("exampleRequests does not list this action")
			}
			got := newSite(t).send(example.method, example.target, example.body, example.headers...).wantStatus(example.status).Body.Bytes()
			if *update {
				rewriteOutput(t, command, got)
				return
			}
			want := strictjson.Compact(valueAt(detail, "example", "output"))
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("the published output is not what the shop answers (go test ./internal/demo -update accepts it; -published +answer):\n%s", diff)
			}
		})
	}
}

// rewriteOutput replaces example.output, which is the last member of every detail file.
func rewriteOutput(t *testing.T, command string, output jsontext.Value) {
	t.Helper()
	file := path.Join("site/services", strings.ReplaceAll(command, " ", "/")) + ".json"
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const key = `"output": `
	start := bytes.LastIndex(doc, []byte(key)) + len(key)
	output = slices.Clone(output)
	if err := output.Indent(jsontext.WithIndent("  "), jsontext.WithIndentPrefix("    ")); err != nil {
		t.Fatal(err)
	}
	doc = append(doc[:start:start], append(output, "\n  }\n}\n"...)...)
	if err := os.WriteFile(file, doc, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPublishedFilesCanBeCachedAndRevalidated(t *testing.T) {
	first := publishedFile(t, "services.json")
	etag := first.Header().Get("ETag")
	for name, want := range map[string]string{"Content-Type": "application/json", "Cache-Control": "max-age=300"} {
		if got := first.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if etag == "" || etag == publishedFile(t, "services/club.json").Header().Get("ETag") {
		t.Fatalf("ETag %q does not tell one file from another", etag)
	}
	if again := publishedFile(t, "services.json", "If-None-Match", etag); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("a conditional request got %d with %d bytes, want 304 without a body", again.Code, again.Body.Len())
	}
}

func TestIndexAnswersHead(t *testing.T) {
	request := httptest.NewRequest(http.MethodHead, publishedBase+"services.json", nil)
	recorder := httptest.NewRecorder()
	newSite(t).ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK || recorder.Body.Len() != 0 || recorder.Header().Get("Content-Length") == "" {
		t.Errorf("HEAD: status %d, %d bytes, Content-Length %q", recorder.Code, recorder.Body.Len(), recorder.Header().Get("Content-Length"))
	}
}

func TestOnlyTheDescriptionIsPublished(t *testing.T) {
	for _, name := range []string{"", "services", "services/", "nothing.json", "../demo.go", "..%2f..%2fdemo.go"} {
		if got := publishedFile(t, name); got.Code == http.StatusOK {
			t.Errorf("%q is served: %s", name, got.Body)
		}
	}
	request := httptest.NewRequest(http.MethodPost, publishedBase+"services.json", nil)
	recorder := httptest.NewRecorder()
	newSite(t).ServeHTTP(recorder, request)
	answer{recorder, t}.wantError(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
}
