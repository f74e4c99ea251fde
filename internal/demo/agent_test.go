package demo

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// fetchPage returns what is served at a path.
func fetchPage(t *testing.T, h http.Handler, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	return ask(h, http.MethodGet, target, "", headers...)
}

// ask sends one request, whose body is JSON if there is one.
func ask(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, r)
	return recorder
}

// agentManifest returns the manifest as it is served.
func agentManifest(t *testing.T) *jsontree.Node {
	t.Helper()
	return jsontree.Parse(servedJSON(t, agentManifestPath))
}

func servedJSON(t *testing.T, path string) jsontext.Value {
	t.Helper()
	got := fetchPage(t, newSite(t), path)
	if got.Code != http.StatusOK {
		t.Fatalf("%s: status %d", path, got.Code)
	}
	if err := strictjson.Check(got.Body.Bytes()); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return got.Body.Bytes()
}

// wantFits holds a value to a schema; at is where in the document the schema is, "" for all of it.
func wantFits(t *testing.T, schema []byte, at, value string) {
	t.Helper()
	if err := fits(t, schema, at, value); err != nil {
		t.Errorf("%s\ndoes not fit: %v", value, err)
	}
}

func fits(t *testing.T, schema []byte, at, value string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("schema:///", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema:///#" + at)
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(instance)
}

// manifestSchema returns the draft's schema, which lies beside the project; AGENTCTL_SHARED says where else.
func manifestSchema(t *testing.T) []byte {
	t.Helper()
	dir := os.Getenv("AGENTCTL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	schema, err := os.ReadFile(filepath.Join(dir, "data", "agentmanifest", "schema", "agent-manifest.v0.1.schema.json"))
	if err != nil {
		t.Skipf("the schema is not beside the project: %v", err)
	}
	return schema
}

func TestTheManifestFitsTheDraftsSchema(t *testing.T) {
	schema := manifestSchema(t)
	doc := string(servedJSON(t, agentManifestPath))
	wantFits(t, schema, "", doc)
	if err := fits(t, schema, "", strings.Replace(doc, `"consentMode": "step_up"`, `"consentMode": "none"`, 1)); err == nil {
		t.Error("the schema holds the manifest to nothing")
	}
}

func TestEachKindOfBindingComesFirstSomewhere(t *testing.T) {
	first := make(map[string]string)
	seen := map[string]bool{}
	for _, capability := range agentManifest(t).Member("capabilities").Items {
		var best *jsontree.Node
		for _, binding := range capability.Member("bindings").Items {
			if best == nil || priority(binding) < priority(best) {
				best = binding
			}
			if priority(binding) == priority(best) && binding != best {
				t.Errorf("%s: two bindings have the same priority", capability.Member("id").Text())
			}
		}
		first[best.Member("kind").Text()] = capability.Member("id").Text()
		seen["risk "+capability.Member("risk").Text()] = true
		seen["consent "+capability.Member("consentMode").Text()] = true
	}
	for _, kind := range []string{"static", "html", "http", "openapi", "mcp", "hosted-checkout"} {
		if first[kind] == "" {
			t.Errorf("no capability is bound by %s first", kind)
		}
	}
	for _, want := range []string{
		"risk low", "risk medium", "risk high", "risk critical",
		"consent none", "consent implicit", "consent explicit", "consent step_up", "consent human_review",
	} {
		if !seen[want] {
			t.Errorf("no capability has %s", want)
		}
	}
}

func priority(binding *jsontree.Node) int {
	n, _ := parseWhole(binding.Member("priority").Value())
	return n
}

// The formats share one tree of commands: nobody may hide another's.
func TestNoCapabilityHidesAnotherCommand(t *testing.T) {
	taken := []string{"offerings", "collections", "filters", "sorts", "about", "flows", "knowledge"} // what formats add by themselves
	for _, action := range clientView(t).Actions {
		taken = append(taken, action.Command[0])
	}
	for _, action := range counterView(t).Actions {
		taken = append(taken, action.Command[0])
	}
	for i := range taken {
		taken[i] = strings.ReplaceAll(taken[i], "_", "-") // the two are one
	}
	for _, capability := range agentManifest(t).Member("capabilities").Items {
		id := capability.Member("id").Text()
		if slices.Contains(taken, strings.ReplaceAll(id, "_", "-")) {
			t.Errorf("%q is a command already", id)
		}
		taken = append(taken, id)
		if about := capability.Member("description").Text(); len(about) > 60 {
			t.Errorf("%q is described in %d letters; a list has no room for that", id, len(about))
		}
	}
}

func TestWhatTheManifestNamesIsThere(t *testing.T) {
	manifest := agentManifest(t)
	var pages []string
	for _, source := range manifest.Member("knowledge").Items {
		pages = append(pages, source.Member("source").Text())
	}
	discovery := manifest.Member("discovery")
	pages = append(pages, discovery.Member("openapi").Text(), discovery.Member("mcp").Text())
	for _, list := range []*jsontree.Node{manifest.Member("extensionPoints"), discovery.Member("llmContext"), discovery.Member("recommendedLocations")} {
		for _, page := range list.Items {
			pages = append(pages, page.Text())
		}
	}
	for _, capability := range manifest.Member("capabilities").Items {
		for _, name := range []string{"inputSchema", "outputSchema"} {
			if schema := capability.Member(name); schema != nil && schema.Kind == '"' {
				pages = append(pages, schema.Text())
				wantSchema(t, servedJSON(t, schema.Text()))
			}
		}
		for _, binding := range capability.Member("bindings").Items {
			pages = append(pages, wantBound(t, capability.Member("id").Text(), binding)...)
		}
	}
	for _, page := range pages {
		if got := fetchPage(t, newSite(t), page); got.Code != http.StatusOK || got.Body.Len() == 0 {
			t.Errorf("%s is not there: %d", page, got.Code)
		}
	}
}

func wantSchema(t *testing.T, doc jsontext.Value) {
	t.Helper()
	_ = fits(t, doc, "", `{}`) // fails where it is no schema
}

// wantBound checks what a binding leads to, and returns the pages that it needs.
func wantBound(t *testing.T, capability string, binding *jsontree.Node) (pages []string) {
	t.Helper()
	member := func(name string) string {
		if n := binding.Member(name); n != nil {
			return n.Text()
		}
		t.Errorf("%s: the binding %s lacks %s", capability, binding.Member("kind").Text(), name)
		return ""
	}
	switch kind := member("kind"); kind {
	case "static", "html", "hosted-checkout":
		return []string{member("url")}
	case "http":
		method := "GET"
		if m := binding.Member("method"); m != nil {
			method = m.Text()
		}
		if got := ask(newSite(t), method, member("endpoint"), ""); got.Code == http.StatusNotFound {
			t.Errorf("%s: nobody answers %s %s", capability, method, member("endpoint"))
		}
	case "openapi":
		doc := servedJSON(t, member("spec"))
		parsed, err := openapi.Parse(doc, Origin+member("spec"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parsed.Operation(member("operationId")); err != nil {
			t.Errorf("%s: %v", capability, err)
		}
		path, method, _ := parsed.Locate(member("operationId"))
		if marked := jsontree.Parse(doc).Member("paths").Member(path).Member(strings.ToLower(method)).Member("x-agent-capability"); marked == nil || marked.Text() != capability {
			t.Errorf("%s: the operation is marked otherwise", capability)
		}
		return []string{member("spec")}
	case "mcp":
		described := false
		for _, tool := range jsontree.Parse(servedJSON(t, agentBase+"/mcp.json")).Member("tools").Items {
			if tool.Member("name").Text() == member("tool") {
				described = tool.Member("capabilityId").Text() == capability
			}
		}
		if server := member("server"); !described || server != agentBase+"/mcp" && server != agentBase+"/mcp.json" {
			t.Errorf("%s: no tool %s at %s", capability, member("tool"), server)
		}
	default:
		t.Errorf("%s: what is %q?", capability, kind)
	}
	return nil
}

func TestAgentDocumentsAreServedWithTheirTypes(t *testing.T) {
	for path, want := range map[string]string{
		agentManifestPath: "application/agent-manifest+json", "/agent/house-rules": "text/html; charset=utf-8", "/llms.txt": "text/plain; charset=utf-8",
		"/agent/opening-hours.json": "application/json", "/agent/openapi.json": "application/vnd.oai.openapi+json;version=3.1",
	} {
		got := fetchPage(t, newSite(t), path)
		if mediaType := got.Header().Get("Content-Type"); mediaType != want {
			t.Errorf("%s is %s, want %s", path, mediaType, want)
		}
		if again := fetchPage(t, newSite(t), path, "If-None-Match", got.Header().Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s cannot be revalidated: %d", path, again.Code)
		}
	}
	for _, path := range []string{"/openapi.json", "/.well-known/openapi.json", "/agent/", "/agent/schemas/nothing.json", "/agent/agent.json", "/agent/..%2fagent.go"} {
		if got := fetchPage(t, newSite(t), path); got.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, got.Code)
		}
	}
}

func TestEnquiriesAnswerAsTheirSchemasSay(t *testing.T) {
	wantFits(t, servedJSON(t, "/agent/schemas/opening-hours.json"), "", string(servedJSON(t, "/agent/opening-hours.json")))
	wantFits(t, servedJSON(t, "/agent/schemas/snacks.json"), "", string(servedJSON(t, "/agent/snacks")))
	spec := servedJSON(t, "/agent/openapi.json")
	answers := "/responses/200/content/application~1json/schema"
	wantFits(t, spec, "/paths/~1snacks/get"+answers, string(servedJSON(t, "/agent/snacks?query=caramel")))
	wantFits(t, spec, "/paths/~1screenings/get"+answers, string(servedJSON(t, "/agent/screenings")))
	h := newSite(t)
	ask(h, "POST", "/agent/screenings/late/bookings", `{"name":"Ada","wishes":{"extras":["blanket"]}}`)
	wantFits(t, spec, "/paths/~1bookings/get"+answers, fetchPage(t, h, "/agent/bookings").Body.String())
}

func TestSnacksAreFound(t *testing.T) {
	for query, want := range map[string]string{
		"?query=caramel": "caramel", "?vegan=true&query=popcorn": "salted truffle chili-lime", "?max_price=0.5&query=honey": "topping-honey",
		"?max_price=0.49": "", "?query=gravel": "",
	} {
		var list snackList
		got := fetchPage(t, newSite(t), "/agent/snacks"+query)
		if err := json.Unmarshal(got.Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, each := range list.Items {
			ids = append(ids, each.ID)
		}
		if found := strings.Join(ids, " "); found != want {
			t.Errorf("%s finds %q, want %q", query, found, want)
		}
	}
	for query, code := range map[string]string{
		"?vegan=1": "invalid_vegan", "?max_price=-1": "invalid_price", "?max_price=x": "invalid_price", "?query=a&query=b": "given_twice",
		"?query=%1b": "control_character", "?query=" + strings.Repeat("a", 81): "too_long",
	} {
		wantRefusal(t, fetchPage(t, newSite(t), "/agent/snacks"+query), http.StatusUnprocessableEntity, "find-snacks", code)
	}
}

// wantRefusal checks an error of a capability (AM-17).
func wantRefusal(t *testing.T, got *httptest.ResponseRecorder, status int, capability, code string) {
	t.Helper()
	spec := servedJSON(t, "/agent/openapi.json")
	var doc refusal
	if err := json.Unmarshal(got.Body.Bytes(), &doc); err != nil {
		t.Fatalf("%v: %s", err, got.Body)
	}
	if got.Code != status || doc.Error.Code != code || doc.Capability != capability {
		t.Errorf("%d %s, want %d %s %s", got.Code, got.Body, status, capability, code)
	}
	if capability != "" {
		wantFits(t, spec, "/components/schemas/Refusal", got.Body.String())
	}
}
