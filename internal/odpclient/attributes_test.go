package odpclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

const (
	drill = `{"odp_version":"1.0","id":"drill","name":"Drill","price":{"type":"free"},"schema":{"url":"/schema"},"attributes":{"kg":2.60},` +
		`"actions":[{"id":"take","rel":"download","authentication":"not-required","http":{"href":"/take","method":"GET"}}]}`
	dialect = `"$schema":"https://json-schema.org/draft/2020-12/schema"`
)

func schemaOf(body string) answer { return answer{mediaType: odp.SchemaMediaType, body: body} }

// Attributes that cannot be judged, or do not fit, are dropped and nothing else is (ODP-83, ODP-84, ODP-87).
func TestAttributesAreHeldAgainstTheirSchema(t *testing.T) {
	good := `{` + dialect + `,"type":"object","properties":{"kg":{"type":"number"}}}`
	references := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"$ref":"/part?%d"}`, i))
		}
		return `{` + dialect + `,"allOf":[` + strings.Join(all, ",") + `]}`
	}
	for name, test := range map[string]struct {
		schema answer
		why    string // of the issue; "" where the attributes stay
	}{
		"they fit":                      {schemaOf(good), ""},
		"with parameters of the type":   {answer{mediaType: "Application/Schema+JSON; charset=utf-8", body: good}, ""},
		"by parts that are elsewhere":   {schemaOf(references(15)), ""},
		"they do not fit":               {schemaOf(strings.Replace(good, "number", "string", 1)), `"/attributes/kg" does not match "type"`},
		"it is not there":               {answer{status: 404, mediaType: odp.SchemaMediaType, body: good}, "status 404"},
		"it is of another type":         {answer{mediaType: "application/json", body: good}, "must be application/schema+json"},
		"it is no JSON":                 {schemaOf(`{`), "cannot be read"},
		"it does not say which draft":   {schemaOf(`{"type":"object"}`), "$schema"},
		"it is of an older draft":       {schemaOf(`{"$schema":"http://json-schema.org/draft-07/schema#"}`), "schema"},
		"it needs more than is known":   {schemaOf(`{` + dialect + `,"$vocabulary":{"https://x.example/v":true}}`), "https://x.example/v"},
		"it is of 17 documents":         {schemaOf(references(16)), "more than 16 documents"},
		"it refers to nowhere":          {schemaOf(`{` + dialect + `,"$ref":"/nowhere"}`), "cannot be had"},
		"it refers to a private place":  {schemaOf(`{` + dialect + `,"$ref":"http://10.0.0.1/"}`), "cannot be had"},
		"it is too large":               {schemaOf(`{` + dialect + `,"title":"` + strings.Repeat("x", 262_144) + `"}`), "larger than"},
		"it redirects to another place": {answer{status: 302, header: map[string]string{"Location": "https://elsewhere.example/"}}, "redirects to another origin"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShed(t, map[string][]answer{list + "/drill": once(answer{body: drill}), "/schema": once(test.schema), "/part": once(schemaOf(`{` + dialect + `}`))}, nil)
			o, raw, err := s.Offering(t.Context(), "drill")
			if err != nil || string(raw) != drill || len(s.log) != 1 {
				t.Fatalf("%s, %v\n%s", raw, err, s.lines())
			}
			if err := s.CheckAttributes(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			told := strings.Join(s.issues, "\n")
			if dropped := o.Attributes == nil; dropped != (test.why != "") || !strings.Contains(told, test.why) || dropped != (told != "") {
				t.Errorf("attributes %s, told %q, want %q", o.Attributes, told, test.why)
			}
			if o.Name != "Drill" || !o.Price.IsFree() || len(o.Actions) != 1 {
				t.Errorf("the rest is gone, too: %+v", o)
			}
			for _, r := range s.log[1:] { // supporting documents are for everybody (ODP-136)
				if r.header.Get("Authorization") != "" || r.header.Get("Accept-Language") != "" || r.header.Get("Accept") != odp.SchemaMediaType {
					t.Errorf("%s: %v", r.line, r.header)
				}
			}
		})
	}
}

// fullPage is a page of full offerings, each with a schema at that address.
func fullPage(schemas ...string) answer {
	items := make([]string, len(schemas))
	for i, url := range schemas {
		items[i] = fmt.Sprintf(`{"id":"o%d","name":"n","schema":{"url":%q},"attributes":{"kg":%d}}`, i, url, i)
	}
	return pageOf("", items)
}

func TestAttributesOfLists(t *testing.T) {
	good, bad := schemaOf(`{`+dialect+`}`), schemaOf(`{`+dialect+`,"properties":{"kg":{"const":0}}}`)
	answers := map[string][]answer{list: once(fullPage("/good", "/bad", "/good", "/bad", "/missing")), "/good": once(good), "/bad": once(bad)}
	for name, test := range map[string]struct {
		full bool
		want string // the items that have attributes
		asks int
	}{
		"full ones are judged, by each schema once": {true, "o0 o2", 4},
		"terse ones are not (ODP-86)":               {false, "o0 o1 o2 o3 o4", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShed(t, answers, nil)
			var with []string
			_, err := s.Offerings(t.Context(), "", Wanted{Full: test.full}, func(item resource.Item[*resource.Offering]) error {
				if inNode := item.Node.Member("attributes") != nil; inNode != (item.Value.Attributes != nil) {
					t.Errorf("%s says something else than %+v", item.Node.Value(), item.Value)
				} else if inNode {
					with = append(with, item.ID)
				}
				return nil
			})
			if got := strings.Join(with, " "); err != nil || got != test.want || len(s.log) != test.asks {
				t.Errorf("%s, %v\n%s", got, err, s.lines())
			}
			if told := strings.Join(s.issues, "\n"); test.full && !strings.Contains(told, `the attributes of "o4" are left out`) {
				t.Errorf("told %s", told)
			}
		})
	}
}

// Offerings with ever new schemas cost no more than sixteen of them.
func TestMoreSchemasThanAreLookedAt(t *testing.T) {
	var schemas []string
	for i := range 20 {
		schemas = append(schemas, fmt.Sprintf("/schema?%d", i))
	}
	s := openShed(t, map[string][]answer{list: once(fullPage(schemas...)), "/schema": once(schemaOf(`{` + dialect + `}`))}, nil)
	ids, _, err := s.ids(t, Wanted{Full: true})
	if err != nil || len(ids) != 20 || len(s.log) != 1+maxJudges || len(s.issues) != 1 || !strings.HasPrefix(s.issues[0], "attributes_unchecked") {
		t.Errorf("%d offerings, %d requests, %q: %v", len(ids), len(s.log), s.issues, err)
	}
}
