package odp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// shared returns a file of the protocol's published data, which lies beside the project; AGENTCTL_SHARED says where else.
func shared(t testing.TB, name string) []byte {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join(sharedDir(), "data", "odp", name))
	if err != nil {
		t.Skipf("no published data: %v", err)
	}
	return doc
}

func sharedDir() string {
	if dir := os.Getenv("AGENTCTL_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "..", "shared")
}

// vector is one case of the protocol's test vectors. Each suite uses some of the members.
type vector struct {
	Name      string `json:"name"`
	Operation string `json:"operation"`
	Valid     bool   `json:"valid"`

	Document    jsontext.Value   `json:"document"`
	Value       string           `json:"value"`
	Definition  jsontext.Value   `json:"definition"`
	Definitions []jsontext.Value `json:"definitions"`
	Expression  jsontext.Value   `json:"expression"`
	Values      []jsontext.Value `json:"values"`
	Request     jsontext.Value   `json:"request"`
	Response    jsontext.Value   `json:"response"`

	ServiceOrigin Origin           `json:"service_origin"`
	Operations    []string         `json:"operations"`
	Advertisement jsontext.Value   `json:"advertisement"`
	Href          string           `json:"href"`
	Pages         []jsontext.Value `json:"pages"`
	PageCount     int              `json:"page_count"`

	Left, Right  Identity
	SameIdentity bool `json:"same_identity"`

	Supported, Received string
	Compatible          bool
	TopLevel            bool   `json:"top_level"`
	VersionPresent      bool   `json:"odp_version_present"`
	ContentType         string `json:"request_content_type_essence"`
	ContentTypeMissing  bool   `json:"request_content_type_missing"`
	Agent               string `json:"agent"`
}

// eachVector runs a test for every case of a suite.
func eachVector(t *testing.T, suite string, test func(*testing.T, vector)) {
	t.Helper()
	var contract struct{ Cases []vector }
	if err := json.Unmarshal(shared(t, filepath.Join("test-vectors", suite)), &contract); err != nil {
		t.Fatal(err)
	}
	for _, v := range contract.Cases {
		t.Run(v.Name, func(t *testing.T) { test(t, v) })
	}
}

func TestServiceVectors(t *testing.T) {
	eachVector(t, "service-document/validation.json", func(t *testing.T, v vector) {
		if _, err := ParseService(v.Document, "https://a.example"); (err == nil) != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, err)
		}
	})
}

func TestIdentityVectors(t *testing.T) {
	for suite, valid := range map[string]func(string) bool{
		"identity/local-identifier.json":   ValidID,
		"identity/resource-reference.json": func(s string) bool { return CheckReference(s) == nil },
		"identity/service-origin.json":     func(s string) bool { _, err := ParseOrigin(s); return err == nil },
	} {
		eachVector(t, suite, func(t *testing.T, v vector) {
			if got := valid(v.Value); got != v.Valid {
				t.Errorf("%q: valid is %v, got %v", v.Value, v.Valid, got)
			}
		})
	}
	eachVector(t, "identity/identity-comparison.json", func(t *testing.T, v vector) {
		if got := v.Left == v.Right; got != v.SameIdentity {
			t.Errorf("%v and %v: got %v", v.Left, v.Right, got)
		}
	})
}

func TestVersionVectors(t *testing.T) {
	eachVector(t, "versioning/protocol-version.json", func(t *testing.T, v vector) {
		if got := ValidVersion(v.Supported) && ValidVersion(v.Received); got != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, got)
		}
		if got := CompatibleVersions(v.Supported, v.Received); got != v.Compatible {
			t.Errorf("compatible is %v, got %v", v.Compatible, got)
		}
	})
	eachVector(t, "versioning/top-level-version.json", func(t *testing.T, v vector) {
		doc := `{}`
		if v.VersionPresent {
			doc = `{"odp_version":"1.0"}`
		}
		c := cursor(t, doc)
		if v.TopLevel {
			c.Member("odp_version").Version()
		} else {
			c.Forbid("odp_version")
		}
		if got := !c.Failed(); got != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, c.Issue())
		}
	})
}

// cursor stands on a document within the limits of a resource.
func cursor(t testing.TB, doc string) *Cursor {
	t.Helper()
	tree, err := Decode([]byte(doc), ResourceLimits())
	if err != nil {
		t.Fatal(err)
	}
	return NewCursor(tree, "invalid")
}

// complete fills in what the vectors leave out of definitions: they give the members that a case is about.
func complete(t *testing.T, definition jsontext.Value, defaults string) jsontext.Value {
	t.Helper()
	tree, given := cursor(t, defaults).Node(), cursor(t, string(definition)).Node()
	for i, name := range given.Names {
		tree.Set(name, given.Items[i])
	}
	return tree.Value()
}

const (
	anyFilter = `{"title":"T","description":"D.","type":"string","operators":["eq"]}`
	anySort   = `{"title":"T","description":"D.","keys":[{"filter_id":"f","direction":"ascending","missing":"last"}]}`
)

// vectorCatalogue is the merged catalogue of a case.
func vectorCatalogue(t *testing.T, v vector) *Catalogue {
	t.Helper()
	var d Definitions
	for _, definition := range v.Definitions {
		f, c := parseWhole(t, string(complete(t, definition, anyFilter)), ParseFilter)
		requireIssue(t, c, "-")
		d.Filters = append(d.Filters, f)
	}
	return Merge(d)
}

func TestFilterVectors(t *testing.T) {
	eachVector(t, "filters-sorting/contract.json", func(t *testing.T, v vector) {
		f, definition := parseWhole(t, string(v.Definition), ParseFilter)
		got := !definition.Failed()
		if v.Operation != "validate-definition" {
			e, c := parseWhole(t, string(v.Expression), ParseExpression)
			_, err := e.Check(f)
			got = got && !c.Failed() && err == nil
			if v.Operation == "evaluate-expression" {
				matches, err := e.Matches(f, v.Values)
				got = got && matches && err == nil
			}
		}
		if got != v.Valid {
			t.Errorf("valid is %v, got %v %v", v.Valid, got, definition.Issue())
		}
	})
}

func TestRefinementVectors(t *testing.T) {
	eachVector(t, "refinements/contract.json", func(t *testing.T, v vector) {
		catalogue := vectorCatalogue(t, v)
		requested, c := parseWhole(t, string(v.Request), func(c *Cursor) []string { return ParseRefinementRequest(c.Optional("refinements")) })
		got := !c.Failed() && catalogue.CheckRefinements(requested) == nil
		if v.Operation == "validate-response" {
			_, c := parseWhole(t, string(v.Response), func(c *Cursor) []Refinement {
				return catalogue.ParseRefinements(c.Optional("refinements"), requested)
			})
			got = got && !c.Failed()
		}
		if got != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, got)
		}
	})
}

func TestSearchVectors(t *testing.T) {
	eachVector(t, "offering-search/contract.json", func(t *testing.T, v vector) {
		if _, c := parseWhole(t, string(v.Request), ParseOfferingSearch); c.Failed() == v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, c.Issue())
		}
	})
	eachVector(t, "collection-search/contract.json", func(t *testing.T, v vector) {
		if _, c := parseWhole(t, string(v.Request), ParseCollectionSearch); c.Failed() == v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, c.Issue())
		}
	})
}

func TestCapabilityVectors(t *testing.T) {
	eachVector(t, "search-capabilities/contract.json", func(t *testing.T, v vector) {
		var got error
		switch v.Operation {
		case "validate-advertisement":
			got = advertise(t, v)
		case "validate-linked-source":
			got = gather(t, LinkedFilters(v.ServiceOrigin, v.Href, MaxFilters), completePages(t, v.Pages)...)
		case "validate-linked-page-count":
			var pages []string
			for i := range v.PageCount {
				pages = append(pages, definitionPage(i, i+1 < v.PageCount))
			}
			got = gather(t, LinkedFilters(origin, "/f", MaxFilters), pages...)
		}
		if (got == nil) != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, got)
		}
	})
}

// advertise puts the capabilities of a case into a Service Document with its operations.
func advertise(t *testing.T, v vector) error {
	t.Helper()
	doc := edit(t, toolShed, "/search_capabilities", string(v.Advertisement))
	tree := cursor(t, doc).Node()
	for kind, defaults := range map[string]string{"filters": anyFilter, "sorts": anySort} {
		if inline := tree.At("/search_capabilities/" + kind + "/inline"); inline != nil {
			for i := range inline.Items {
				inline.Items[i] = cursor(t, string(complete(t, inline.Items[i].Value(), defaults))).Node()
			}
		}
	}
	operations := `[{"name":"list-offerings","authentication":"not-required"},{"name":"get-offering","authentication":"not-required"}`
	for _, name := range v.Operations {
		if name != string(ListOfferings) && name != string(GetOffering) {
			operations += `,{"name":"` + name + `","authentication":"not-required"}`
		}
	}
	_, err := ParseService([]byte(edit(t, string(tree.Value()), "/operations", operations+"]")), v.ServiceOrigin)
	return err
}

func completePages(t *testing.T, pages []jsontext.Value) []string {
	t.Helper()
	var list []string
	for _, page := range pages {
		tree := cursor(t, string(page)).Node()
		items := tree.Member("items")
		for i := range items.Items {
			items.Items[i] = cursor(t, string(complete(t, items.Items[i].Value(), anyFilter))).Node()
		}
		list = append(list, string(tree.Value()))
	}
	return list
}

func TestMediaVectors(t *testing.T) {
	eachVector(t, "versioning/media-negotiation.json", func(t *testing.T, v vector) {
		if v.ContentType == "" && !v.ContentTypeMissing {
			t.Skip("about what a Service answers")
		}
		if got := CheckMediaType(v.ContentType, MediaType) == nil; got != (v.Response == nil || string(v.Response) == `"process"`) {
			t.Errorf("%q: %v", v.ContentType, got)
		}
	})
}

func TestPublishedSearchRequests(t *testing.T) {
	_, c := parseWhole(t, string(shared(t, "examples/marketplace/home-office-offering-search-request.json")), ParseOfferingSearch)
	requireIssue(t, c, "-")
	_, c = parseWhole(t, string(shared(t, "examples/marketplace/home-office-collection-search-request.json")), ParseCollectionSearch)
	requireIssue(t, c, "-")
	const market = Origin("https://market.example")
	capabilities, c := parseWhole(t, string(shared(t, "examples/marketplace/home-office-collection.json")), func(c *Cursor) Capabilities {
		capabilities, _ := ParseCapabilities(c.Member("search_capabilities"), market, 0)
		return capabilities
	})
	requireIssue(t, c, "-")
	filters := LinkedFilters(market, capabilities.Filters.Linked, MaxFilters)
	if err := gather(t, filters, string(shared(t, "examples/marketplace/home-office-filters-page-1.json")),
		string(shared(t, "examples/marketplace/home-office-filters-page-2.json"))); err != nil {
		t.Fatal(err)
	}
	list, _ := filters.Definitions()
	if catalogue := Merge(Definitions{}, Definitions{list, capabilities.Sorts.Inline}); len(catalogue.Sorts) != 1 || len(catalogue.Issues) != 0 {
		t.Errorf("got %+v", catalogue)
	}
}
