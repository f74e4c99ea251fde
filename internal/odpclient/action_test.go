package odpclient

import (
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// tool is an offering with Actions of every kind of target.
const tool = `{"odp_version":"1.0","id":"drill","name":"Drill","price":{"type":"fixed","amount":"6.50","currency":"EUR"},"schema":{"url":"/attributes"},"attributes":{"kg":1},"actions":[
 {"id":"manual","rel":"download","authentication":"not-required","http":{"href":"/manual","method":"GET"}},
 {"id":"hold","rel":"reserve","authentication":"required","http":{"href":"https://book.example/hold","method":"POST","request":{"schema":{"url":"/hold"}}}},
 {"id":"rent","rel":"purchase","authentication":"optional","openapi":{"operation_id":"rent"}},
 {"id":"other","rel":"invoke","authentication":"optional","openapi":{"operation_id":"rent","url":"/other.json"}}]}`

const rental = `{"openapi":"3.1.0","paths":{"/tools/{id}":{"post":{"operationId":"rent","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}]}}}}`

// prepare makes one Action of the tool ready.
func prepare(t *testing.T, answers map[string][]answer, id string) (*shed, *resource.Invocation, error) {
	t.Helper()
	answers[list+"/drill"] = once(answer{body: tool})
	s := openShed(t, answers, nil)
	o, _, err := s.Offering(t.Context(), "drill")
	if err != nil {
		t.Fatal(err)
	}
	action, ok := o.Action(id)
	if !ok {
		t.Fatalf("no Action %q in %+v", id, o.Actions)
	}
	s.log = nil
	i, err := s.Invocation(t.Context(), o, action)
	return s, i, err
}

func openAPI(mediaType, body string) map[string][]answer {
	return map[string][]answer{"/openapi.json": once(answer{mediaType: mediaType, body: body})}
}

// servedBy is the OpenAPI document with another server.
func servedBy(url string) string {
	return strings.Replace(rental, `"paths"`, `"servers":[{"url":"`+url+`"}],"paths"`, 1)
}

// Only the documents of the one Action are fetched, by nobody in particular, and its target is not called (ODP-98, ODP-136).
func TestActionsAreMadeReady(t *testing.T) {
	const plain = "application/json"
	moved := map[string][]answer{
		"/openapi.json": once(answer{status: 301, header: map[string]string{"Location": "/v2.json"}}),
		"/v2.json":      once(answer{mediaType: plain, body: rental}),
	}
	for name, test := range map[string]struct {
		id      string
		answers map[string][]answer
		lines   string
		target  string
		foreign bool
		effect  manifest.Effect
	}{
		"without documents":        {"manual", map[string][]answer{}, "", "GET /manual", false, manifest.Read},
		"with a schema":            {"hold", map[string][]answer{"/hold": once(schemaOf(`{` + dialect + `}`))}, "GET /hold", "POST https://book.example/hold", true, manifest.Write},
		"by the Service's OpenAPI": {"rent", openAPI(plain, rental), "GET /openapi.json", "POST /tools/{id}", false, manifest.Spend},
		"by an OpenAPI of its own": {"other", map[string][]answer{"/other.json": once(answer{mediaType: "application/vnd.oai.openapi+json; version=3.1", body: rental})}, "GET /other.json", "POST /tools/{id}", false, resource.Unknown},
		"by one for another host":  {"rent", openAPI(plain, servedBy("https://rent.example/v1")), "GET /openapi.json", "POST https://rent.example/v1/tools/{id}", true, manifest.Spend},
		"by one that has moved":    {"rent", moved, "GET /openapi.json\nGET /v2.json", "POST /tools/{id}", false, manifest.Spend},
	} {
		t.Run(name, func(t *testing.T) {
			s, i, err := prepare(t, test.answers, test.id)
			if err != nil {
				t.Fatal(err)
			}
			if got := i.Method + " " + strings.TrimPrefix(i.Endpoint, string(s.Service.Origin)); got != test.target || i.Foreign != test.foreign || i.Effect != test.effect {
				t.Errorf("%s, foreign %v, effect %s", got, i.Foreign, i.Effect)
			}
			if s.lines() != test.lines {
				t.Errorf("asked\n%s", s.lines())
			}
			for _, r := range s.log {
				if r.header.Get("Authorization") != "" || r.header.Get("Accept-Language") != "" {
					t.Errorf("%s: %v", r.line, r.header)
				}
			}
		})
	}
}

// What an Action needs and cannot be had takes that Action away (ODP-96, ODP-107, ODP-108).
func TestActionsThatCannotBeMadeReady(t *testing.T) {
	const plain = "application/json"
	for name, test := range map[string]struct {
		id      string
		answers map[string][]answer
		kind    fault.Kind
		message string
	}{
		"the schema is not there":              {"hold", map[string][]answer{}, fault.Manifest, "status 404"},
		"the schema is of no draft":            {"hold", map[string][]answer{"/hold": once(schemaOf(`{}`))}, fault.Manifest, "$schema"},
		"the schema is plain JSON":             {"hold", map[string][]answer{"/hold": once(answer{mediaType: plain, body: `{` + dialect + `}`})}, fault.Manifest, "application/schema+json"},
		"OpenAPI is not there":                 {"rent", map[string][]answer{}, fault.Manifest, "404"},
		"OpenAPI of no version":                {"rent", openAPI("application/vnd.oai.openapi+json", rental), fault.Manifest, "version=3.1"},
		"OpenAPI of another version":           {"rent", openAPI("application/vnd.oai.openapi+json;version=3.0", rental), fault.Manifest, "version=3.1"},
		"OpenAPI as text":                      {"rent", openAPI("text/plain", rental), fault.Manifest, plain},
		"OpenAPI 3.0":                          {"rent", openAPI(plain, strings.Replace(rental, "3.1.0", "3.0.3", 1)), fault.Manifest, "3.1"},
		"OpenAPI 3.2":                          {"rent", openAPI(plain, strings.Replace(rental, "3.1.0", "3.2.0", 1)), fault.Manifest, "3.1"},
		"no such operation":                    {"rent", openAPI(plain, strings.Replace(rental, `"rent"`, `"Rent"`, 1)), fault.Manifest, `no operation has the id "rent"`},
		"OpenAPI is too large":                 {"rent", openAPI(plain, strings.Replace(rental, "{", `{"x":"`+strings.Repeat("x", 1<<20)+`",`, 1)), fault.Unavailable, "larger than"},
		"OpenAPI moved elsewhere":              {"rent", map[string][]answer{"/openapi.json": once(answer{status: 302, header: map[string]string{"Location": "https://elsewhere.example/"}})}, fault.Unavailable, "another origin"},
		"its server is spoken to in the clear": {"rent", openAPI(plain, servedBy("http://rent.example")), fault.Manifest, "http://"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := prepare(t, test.answers, test.id)
			if e := fault.From(err); err == nil || e.Kind != test.kind || !strings.Contains(e.Error(), test.message) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A Service without an OpenAPI document has no Actions that rely on it (ODP-106).
func TestNoOpenAPIDocument(t *testing.T) {
	document := strings.Replace(toolShed, `,"openapi":{"url":"/openapi.json"}`, "", 1)
	service, err := odp.ParseService([]byte(document), "https://shed.example")
	if err != nil {
		t.Fatal(err)
	}
	o, err := resource.ParseOffering([]byte(tool), odp.Full)
	if err != nil {
		t.Fatal(err)
	}
	action, _ := o.Action("rent")
	c := &Client{HTTP: fetch.New(fetch.Settings{Offline: true}), Service: service}
	if _, err := c.Invocation(t.Context(), o, action); err == nil || fault.From(err).Kind != fault.Manifest {
		t.Errorf("got %v", err)
	}
}

// Two Actions of one document ask for it once, whether it can be had or not.
func TestDocumentsAreAskedForOnce(t *testing.T) {
	for name, doc := range map[string]answer{"one that is there": {mediaType: "application/json", body: rental}, "one that is not": {status: 404}} {
		t.Run(name, func(t *testing.T) {
			s := openShed(t, map[string][]answer{list + "/drill": once(answer{body: tool}), "/openapi.json": once(doc)}, nil)
			o, _, err := s.Offering(t.Context(), "drill")
			if err != nil {
				t.Fatal(err)
			}
			action, _ := o.Action("rent")
			_, first := s.Invocation(t.Context(), o, action)
			_, second := s.Invocation(t.Context(), o, action)
			if (first == nil) != (doc.status == 0) || (first == nil) != (second == nil) || strings.Count(s.lines(), "/openapi.json") != 1 {
				t.Errorf("%v, then %v:\n%s", first, second, s.lines())
			}
		})
	}
}
