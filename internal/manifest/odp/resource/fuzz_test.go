package resource

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// requireTyped checks that an error is one of those that are promised.
func requireTyped(t *testing.T, err error) {
	t.Helper()
	if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Manifest && e.Kind != fault.Unavailable || e.Code == "" {
		t.Fatalf("got %v", err)
	}
}

func FuzzOffering(f *testing.F) {
	f.Add([]byte(with(`"price":{"type":"range","minimum":"1","maximum":"2.5","currency":"EUR"},"actions":[`+goodAction+`]`)), false)
	f.Add([]byte(`{"odp_version":"1.0","id":"a","name":"A","schema":{"url":"/s"},"attributes":{"x":{}},"detail_fields":["/attributes/x/a~1b"]}`), true)
	examples, _ := filepath.Glob(filepath.Join("..", "..", "..", "..", "..", "shared", "data", "odp", "examples", "*", "*-offering.json"))
	for _, name := range examples {
		if doc, err := os.ReadFile(name); err == nil {
			f.Add(doc, false)
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte, terse bool) {
		r := odp.Full
		if terse {
			r = odp.Terse
		}
		o, err := ParseOffering(doc, r)
		if err != nil {
			requireTyped(t, err)
			return
		}
		if !odp.ValidID(o.ID) || o.Name == "" || terse && len(o.Actions) > 0 || o.Attributes != nil && strictjson.Check(o.Attributes) != nil {
			t.Errorf("accepted %+v", o)
		}
		seen := map[string]bool{}
		for _, a := range o.Actions {
			if seen[a.ID] || (a.HTTP == nil) == (a.OpenAPI == nil) {
				t.Errorf("usable: %+v", o.Actions)
			}
			seen[a.ID] = true
			if a.HTTP == nil || a.HTTP.Request != nil && a.HTTP.Request.SchemaURL != "" {
				continue
			}
			i, err := Subject{"https://a.example", o}.HTTP(&a, nil)
			if err != nil {
				t.Fatal(err)
			}
			if request, _ := i.Request(values(), nil); request != nil && (request.Body != nil || odp.CheckReference(request.URL) != nil) {
				t.Errorf("a request that nobody asked for: %+v", request)
			}
		}
		if item := strings.Replace(string(doc), `"odp_version"`, `"x_version"`, 1); r == odp.Full { // the same as an item of a page
			_, _ = ParseOfferings([]byte(`{"odp_version":"1.0","items":[`+item+`]}`), PageRules{Origin: "https://a.example", Representation: r})
		}
	})
}

func FuzzPage(f *testing.F) {
	f.Add([]byte(`{"odp_version":"1.0","items":[{"id":"a","name":"A"},{"id":"a"},7],"next":"/p","auth_expands":true}`))
	f.Add([]byte(`{"odp_version":"1.0","items":[{"id":"a","name":"A","parent_ids":["b"],"search_capabilities":{"filters":{"linked":{"href":"/f"}}}}]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		rules := PageRules{Origin: "https://a.example", Representation: odp.Terse}
		page, err := ParseOfferings(doc, rules)
		if _, second := ParseCollections(doc, rules); second != nil {
			requireTyped(t, second)
		}
		if err != nil {
			requireTyped(t, err)
			return
		}
		way := NewTraversal(rules.Origin, "", 0)
		for _, item := range page.Items {
			if item.ID != item.Value.ID || !odp.ValidID(item.ID) {
				t.Errorf("kept %q", item.ID)
			}
			way.Keep(item.ID)
		}
		url, err := way.Next(page.Next)
		if err != nil || (url == "") != (page.Next == "") || url != "" && odp.OriginOf(url) != rules.Origin {
			t.Errorf("from %q to %q, %v", page.Next, url, err)
		}
	})
}

func FuzzProblem(f *testing.F) {
	f.Add([]byte(problem("INVALID_REQUEST", 400, `,"invalid_params":[{"in":"body","name":"/a","reason":"r"}]`)), 400)
	f.Add([]byte(`{}`), 503)
	f.Fuzz(func(t *testing.T, doc []byte, status int) {
		if _, err := ParseProblem(doc, status); err != nil {
			requireTyped(t, err)
		}
		e := Failure(status, odp.ProblemMediaType, doc, 0)
		if e.Status != status || e.Code == "" || e.Message == "" || len(e.Problems) > 32 {
			t.Errorf("got %+v", e)
		}
	})
}

func FuzzSignals(f *testing.F) {
	f.Add(401, `Basic realm="a\"b", AEP x=y`)
	f.Fuzz(func(t *testing.T, status int, value string) {
		found := Signals(status, map[string][]string{"Www-Authenticate": {value}})
		if len(found) > 0 && status != 401 && status != 402 {
			t.Errorf("%d: got %v", status, found)
		}
		if got := strings.Join(splitOutsideQuotes(value), ","); got != value {
			t.Errorf("%q becomes %q", value, got)
		}
	})
}

// page returns a page of so many Offerings as a shop would have them.
func page(items int) []byte {
	var b strings.Builder
	b.WriteString(`{"odp_version":"1.0","items":[`)
	for i := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"offering-%d","name":"Handmade walnut standing desk","description":"Height-adjustable desk made to order by a verified workshop.",`+
			`"web_url":"/listing/%d","collection_ids":["home-office"],"price":{"type":"fixed","amount":"1450.00","currency":"USD"},`+
			`"schema":{"url":"https://market.example/schemas/furniture.json"},"attributes":{"category":"desk","materials":["walnut","steel"],"made_to_order":true},`+
			`"detail_fields":["/actions","/attributes/dimensions","/attributes/processing_days"]}`, i, i)
	}
	b.WriteString(`],"next":"/odp/pages/2"}`)
	return []byte(b.String())
}

func BenchmarkPageOfOfferings(b *testing.B) {
	doc := page(100)
	rules := PageRules{Origin: "https://market.example", Representation: odp.Terse}
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		p, err := ParseOfferings(doc, rules)
		if err != nil || len(p.Items) != 100 || len(p.Issues) > 0 {
			b.Fatal(p.Issues, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*100), "ns/item")
}

func BenchmarkTraversal(b *testing.B) {
	way := NewTraversal("https://market.example", "", 0)
	ids := make([]string, 1<<16)
	for i := range ids {
		ids[i] = fmt.Sprint("offering-", i)
	}
	i := 0
	for b.Loop() {
		way.Keep(ids[i&(1<<16-1)])
		i++
	}
}

func BenchmarkOffering(b *testing.B) {
	doc := []byte(with(`"price":{"type":"fixed","amount":"1","currency":"EUR"},"actions":[` + goodAction + `]`))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseOffering(doc, odp.Full); err != nil {
			b.Fatal(err)
		}
	}
}
