package catalogue

import (
	"bytes"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dlclark/regexp2"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// graph returns the schema at a reference, with the documents that it leads to.
func (c client) graph(reference string) schema.Graph {
	return schema.Graph{URL: origin.Resolve(reference), Declared: true, Load: func(url string) (jsontext.Value, error) {
		return c.get(url, odp.SchemaMediaType), nil
	}}
}

func TestAClientFindsOnlyTheFaultThatIsMeant(t *testing.T) {
	c := newClient(t)
	for _, issue := range c.service.Issues {
		t.Errorf("the Service Document: %+v", issue)
	}
	var issues []odp.Issue
	full := c.ask(odp.ListOfferings, "", odp.View{Representation: odp.Full})
	for _, item := range full {
		issues = append(issues, item.Value.Issues...)
		if item.Value.SchemaURL != "" {
			compiled, err := c.graph(item.Value.SchemaURL).Compile()
			item.Value.CheckAttributes(odp.Full, compiled, err)
			if item.Value.Attributes == nil {
				t.Errorf("%s: %v %+v", item.ID, err, item.Value.Issues)
			}
		}
	}
	if len(issues) != 1 || !slices.Equal(issues[0].Command, []string{"old-form"}) {
		t.Errorf("the issues are %+v", issues)
	}
	if len(full) < 12 {
		t.Errorf("only %d Offerings", len(full))
	}
}

func TestEveryUsableActionLeadsToARequest(t *testing.T) {
	c := newClient(t)
	for _, item := range c.ask(odp.ListOfferings, "", odp.View{Representation: odp.Full}) {
		subject := resource.Subject{Service: origin, Offering: item.Value}
		for _, a := range item.Value.Actions {
			invocation, err := c.invocation(subject, &a)
			if err != nil {
				t.Errorf("%s %s: %v", item.ID, a.ID, err)
			} else if invocation.Foreign {
				t.Errorf("%s %s leads away to %s", item.ID, a.ID, invocation.Origin)
			}
		}
	}
}

func (c client) invocation(subject resource.Subject, a *resource.Action) (*resource.Invocation, error) {
	if a.OpenAPI != nil {
		url, err := a.OpenAPI.DocumentURL(origin, c.service.OpenAPI)
		if err != nil {
			return nil, err
		}
		w := c.send(http.MethodGet, url, "", "")
		if err := openapi.CheckMediaType(w.Header().Get("Content-Type")); err != nil {
			return nil, err
		}
		doc, err := openapi.Parse(w.Body.Bytes(), url)
		if err != nil {
			return nil, err
		}
		return subject.OpenAPI(a, doc)
	}
	if a.HTTP.Request == nil {
		return subject.HTTP(a, nil)
	}
	rule, err := c.graph(a.HTTP.Request.SchemaURL).Bundle()
	if err != nil {
		return nil, err
	}
	return subject.HTTP(a, rule)
}

func TestTerseAndFullAgree(t *testing.T) {
	c := newClient(t)
	terse, full := c.ask(odp.ListOfferings, "", odp.View{}), c.ask(odp.ListOfferings, "", odp.View{Representation: odp.Full, Limit: 3})
	if ids(terse) != ids(full) {
		t.Fatalf("terse: %s\nfull:  %s", ids(terse), ids(full))
	}
	for i, item := range terse {
		if err := resource.CheckDetailFields(item.Node, full[i].Node); err != nil {
			t.Errorf("%s: %v", item.ID, err)
		}
		if _, err := resource.ParseOffering(c.get(c.address(odp.GetOffering, item.ID, odp.View{Representation: odp.Terse}), odp.MediaType), odp.Terse); err != nil {
			t.Errorf("%s: %v", item.ID, err)
		}
		alone := tree(t, c.get(c.address(odp.GetOffering, item.ID, odp.View{}), odp.MediaType))
		if got, want := string(alone.Value()), string(document(full[i].Node).Value()); got != want {
			t.Errorf("alone: %s\nin a list: %s", got, want)
		}
	}
}

func TestCollectionsAndTheirMembers(t *testing.T) {
	c := newClient(t)
	url := c.address(odp.ListCollections, "", odp.View{Representation: odp.Full})
	page, err := resource.ParseCollections(c.get(url, odp.MediaType), rules(odp.ListCollections, odp.View{Representation: odp.Full}))
	if err != nil || len(page.Issues) > 0 {
		t.Fatalf("%v %+v", err, page.Issues)
	}
	var all []*resource.Collection
	for _, item := range page.Items {
		all = append(all, item.Value)
		if _, err := resource.ParseCollection(c.get(c.address(odp.GetCollection, item.ID, odp.View{}), odp.MediaType), origin, odp.Full); err != nil {
			t.Errorf("%s: %v", item.ID, err)
		}
	}
	graph := resource.NewHierarchy(all)
	if len(graph.Issues) > 0 || strings.Join(graph.Roots(), " ") != "snacks at-home" {
		t.Errorf("roots %v, issues %+v", graph.Roots(), graph.Issues)
	}
	var offerings []*resource.Offering
	for _, item := range c.ask(odp.ListOfferings, "", odp.View{Representation: odp.Full}) {
		offerings = append(offerings, item.Value)
	}
	for _, collection := range all {
		want, issues := graph.Members(collection.ID, offerings)
		if got := ids(c.ask(odp.ListCollectionOfferings, collection.ID, odp.View{})); got != strings.Join(want, " ") || len(issues) > 0 {
			t.Errorf("%s has %q, and its Offerings say %q; %+v", collection.ID, got, want, issues)
		}
	}
}

// Where the values were of another type than their filter, searches would silently find too little.
func TestEveryValueIsOfItsFiltersType(t *testing.T) {
	stock, err := readStock(origin)
	if err != nil {
		t.Fatal(err)
	}
	defined := odp.Merge(stock.own, stock.byScope["popcorn"])
	var values []map[string][]jsontext.Value
	for _, o := range stock.offerings.items {
		values = append(values, o.values)
	}
	for _, f := range defined.Filters {
		if counts, err := defined.Counts(f.ID, nil, values); err != nil || len(counts) < 2 {
			t.Errorf("%s: %v, %v", f.ID, counts, err)
		}
	}
	if len(defined.Issues) > 0 {
		t.Errorf("%+v", defined.Issues)
	}
}

// publishedSchemas is the directory that they lie in.
type publishedSchemas string

func (dir publishedSchemas) Load(url string) (any, error) {
	doc, err := os.ReadFile(filepath.Join(string(dir), path.Base(url)))
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(doc))
}

type lookingAhead struct{ *regexp2.Regexp }

func (r lookingAhead) MatchString(text string) bool {
	found, err := r.Regexp.MatchString(text)
	return found && err == nil
}

// The published schemas lie beside the project; AGENTCTL_SHARED says where else.
func TestThePublishedSchemasAreSatisfied(t *testing.T) {
	dir := os.Getenv("AGENTCTL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "data", "odp", "schemas")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no published schemas: %v", err)
	}
	c := newClient(t)
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(publishedSchemas(dir))
	compiler.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) { // some look ahead, which Go's own cannot
		compiled, err := regexp2.Compile(pattern, regexp2.ECMAScript)
		return lookingAhead{compiled}, err
	})
	check := func(name string, n *jsontree.Node) {
		t.Helper()
		compiled, err := compiler.Compile("https://offeringprotocol.org/schemas/" + name + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(n.Value()))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	check("service-document", tree(t, c.get(odp.WellKnown, odp.MediaType)))
	check("filter-definition-page", tree(t, c.get(Base+"/filters/popcorn", odp.MediaType)))
	for _, operation := range []odp.Operation{odp.ListOfferings, odp.ListCollections} {
		check("page-envelope", tree(t, c.get(c.address(operation, "", odp.View{}), odp.MediaType)))
	}
	stock, err := readStock(origin)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range stock.collections.items {
		check("collection", tree(t, c.get(c.address(odp.GetCollection, o.id, odp.View{}), odp.MediaType)))
	}
	for _, o := range stock.offerings.items {
		n := tree(t, c.get(c.address(odp.GetOffering, o.id, odp.View{}), odp.MediaType))
		if actions := n.Member("actions"); actions != nil { // the one that is meant to be faulty spoils nothing else (ODP-96)
			actions.Items = slices.DeleteFunc(actions.Items, func(a *jsontree.Node) bool { return a.Member("id").Text() == "old-form" })
		}
		check("offering", n)
	}
}
