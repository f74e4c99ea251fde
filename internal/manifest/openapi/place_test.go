package openapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestPlaces(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 62) + "{}" + strings.Repeat("}", 62)
	d := parse(t, `{"openapi":"3.1.0","a":[{"b":1},{"b":{"~/":2}}],"deep":`+deep+`}`)
	for pointer, want := range map[string]string{
		"/a":                               `[{"b":1},{"b":{"~/":2}}]`,
		"/a/1/b/~0~1":                      `2`,
		"/a/0/b/c":                         "",
		"/a/2":                             "",
		"/a/01":                            "",
		"/a/-1":                            "",
		"/":                                "",
		"/deep" + strings.Repeat("/a", 62): "{}",
		"/deep" + strings.Repeat("/a", 63): "",
		strings.Repeat("/", 1<<20):         "",
	} {
		for range 2 { // before it is indexed and after that
			if got := string(d.at(pointer)); got != want {
				t.Errorf("%.40s: got %s, want %s", pointer, got, want)
			}
		}
	}
}

// A document of many references into a large part of it takes no longer than one with few.
func TestReferencesDoNotMultiplyWhatIsLookedThrough(t *testing.T) {
	var paths strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&paths, `"/%d":{"get":{"parameters":[{"$ref":"#/paths/~1last/get/parameters/%d"}],"responses":{"200":{"$ref":"#/paths/~1last/get/responses/200"}}}},`, i, i%10)
	}
	shared := `{"name":"p","in":"query","schema":{"$ref":"#/paths/~1last/get/responses/200/content/application~1json/schema/items"}}`
	doc := `{"openapi":"3.1.0","paths":{` + paths.String() + `"/last":{"get":{"parameters":[` + strings.Repeat(shared+",", 9) + shared +
		`],"responses":{"200":{"content":{"application/json":{"schema":{"type":"array","items":{"type":"string"}}}}}}}}}}`
	d := parse(t, doc)
	site := d.Site()
	parts := 0
	for range d.Parts() {
		parts++
	}
	if len(site.Actions) != 1001 || site.Issues != nil || parts != 11 || !strings.Contains(string(site.Actions[0].Definition), `"next":true`) {
		t.Errorf("%d actions, %v, %d parts", len(site.Actions), site.Issues, parts)
	}
	if d.walked > 3*len(doc) {
		t.Errorf("%d bytes were looked through in a document of %d", d.walked, len(doc))
	}
}

func TestWhatIsLookedThroughIsBounded(t *testing.T) {
	doc := jsontext.Value(`{"a":[1,2]}`)
	for name, p := range map[string]*places{
		"bytes":  {root: place{value: doc}, walked: maxWalked - len(doc)},
		"places": {root: place{value: doc}, count: maxPlaces - 2},
	} {
		if p.at("/a") == nil {
			t.Errorf("%s: refused too early", name)
		}
		if p.at("/a/1") != nil {
			t.Errorf("%s: there is no end", name)
		}
	}
}
