package demo

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/odpclient"
)

// catalogueClient asks the catalogue as agentctl does.
func catalogueClient(t *testing.T) (c *odpclient.Client, issues *[]odp.Issue) {
	t.Helper()
	server := httptest.NewServer(Handler(t.TempDir(), evening))
	t.Cleanup(server.Close)
	client := fetch.New(fetch.Settings{Now: time.Now})
	doc, err := client.Get(t.Context(), fetch.Ask{URL: server.URL + odp.WellKnown})
	if err != nil {
		t.Fatal(err)
	}
	if err := odp.CheckMediaType(doc.ContentType, odp.MediaType); err != nil {
		t.Fatal(err)
	}
	service, err := odp.ParseService(doc.Body, odp.Origin(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	issues = new([]odp.Issue)
	return &odpclient.Client{HTTP: client, Service: service, Note: func(issue odp.Issue) { *issues = append(*issues, issue) }}, issues
}

func TestTheCatalogueIsWhatTheProtocolAsksFor(t *testing.T) {
	c, issues := catalogueClient(t)
	var ids []string
	for _, full := range []bool{false, true} {
		ids = nil
		out, err := c.Offerings(t.Context(), "", odpclient.Wanted{Full: full, Most: 0}, func(item resource.Item[*resource.Offering]) error {
			ids = append(ids, item.ID)
			return nil
		})
		if err != nil || !out.Complete || len(ids) != 17 {
			t.Fatalf("full %v: %d offerings, %v", full, len(ids), err)
		}
	}
	*issues = nil
	for _, id := range ids {
		offering, _, err := c.Offering(t.Context(), id)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if offering.Attributes == nil && offering.SchemaURL != "" {
			t.Errorf("%s: the attributes do not fit their schema: %+v", id, *issues)
		}
		for i := range offering.Actions {
			if _, err := c.Invocation(t.Context(), offering, &offering.Actions[i]); err != nil {
				t.Errorf("%s %s: %v", id, offering.Actions[i].ID, err)
			}
		}
	}
	if len(*issues) != 1 || !strings.HasPrefix((*issues)[0].Pointer, "/actions/2") { // the one that is there to be looked at
		t.Errorf("issues %+v", *issues)
	}
	var shelved []string
	if _, err := c.Collections(t.Context(), odpclient.Wanted{Full: true}, func(item resource.Item[*resource.Collection]) error {
		shelved = append(shelved, item.ID)
		return nil
	}); err != nil || len(shelved) != 5 {
		t.Errorf("%d collections, %v", len(shelved), err)
	}
	for _, id := range shelved {
		if _, _, err := c.Collection(t.Context(), id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestSearchingTheCatalogue(t *testing.T) {
	c, _ := catalogueClient(t)
	known, err := c.Catalogue(t.Context(), "")
	if err != nil || len(known.Issues) > 0 {
		t.Fatal(known, err)
	}
	for name, test := range map[string]struct {
		search  odp.OfferingSearch
		filters []string
		want    string
	}{
		"words":                {search: odp.OfferingSearch{Query: "caramel"}, want: "caramel recipe-caramel"},
		"a price":              {filters: []string{"price<4", "kind=popcorn"}, want: "salted surprise"},
		"an order":             {search: odp.OfferingSearch{Query: "popcorn", Sort: "cheapest"}, want: "salted surprise chili-lime caramel cheddar truffle machine evening"},
		"in a collection":      {search: odp.OfferingSearch{Collection: "toppings"}, filters: []string{"vegan=false"}, want: "topping-butter topping-honey"},
		"in none below":        {search: odp.OfferingSearch{Collection: "snacks"}, filters: []string{"vegan=false"}},
		"and what is below it": {search: odp.OfferingSearch{Collection: "snacks", Descendants: true}, filters: []string{"vegan=false"}, want: "caramel cheddar topping-butter topping-honey gift-box"},
		"what has a value":     {filters: []string{"vegan exists false"}, want: "surprise bowl machine recipe-caramel evening tour"},
		"nothing":              {search: odp.OfferingSearch{Query: "gravel"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range test.filters {
				filter, err := known.ParseFilterText(text)
				if err != nil {
					t.Fatal(err)
				}
				test.search.Filters = append(test.search.Filters, filter)
			}
			var ids []string
			_, err := c.SearchOfferings(t.Context(), test.search, known, odpclient.Wanted{Most: 100}, func(item resource.Item[*resource.Offering]) error {
				ids = append(ids, item.ID)
				return nil
			})
			if got := strings.Join(ids, " "); err != nil || got != test.want {
				t.Fatalf("found %q, want %q (%v)", got, test.want, err)
			}
		})
	}
}

func TestTheCatalogueRefuses(t *testing.T) {
	handler := Handler(t.TempDir(), evening)
	for target, status := range map[string]int{
		"GET /shop/offerings?limit=0": 400, "GET /shop/offerings?limit=x": 400, "GET /shop/offerings?limit=101": 400,
		"GET /shop/offerings?representation=all": 400, "GET /shop/offerings/nothing": 404, "GET /shop/collections/nothing": 404,
		"GET /shop/collections/nothing/offerings": 404, "GET /shop/pages/x": 410, "GET /shop/schemas/gravel.json": 404,
		"GET /shop/schemas/service.json": 404, "POST /shop/offerings/search": 415,
	} {
		method, path, _ := strings.Cut(target, " ")
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(method, path, nil))
		if recorder.Code != status {
			t.Errorf("%s: %d, want %d", target, recorder.Code, status)
		}
		failure := resource.Failure(recorder.Code, recorder.Header().Get("Content-Type"), recorder.Body.Bytes(), 0)
		if _, err := resource.ParseProblem(recorder.Body.Bytes(), status); err != nil || failure == nil || !slices.Contains([]fault.Kind{fault.Rejected, fault.Unavailable}, failure.Kind) {
			t.Errorf("%s: %s is no problem document: %v", target, recorder.Body, err)
		}
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/shop/offerings/machine/purchases", strings.NewReader(`{"quantity":1}`)))
	if recorder.Code != http.StatusNotFound {
		t.Errorf("a machine was sold: %d", recorder.Code)
	}
}
