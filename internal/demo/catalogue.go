package demo

import (
	"embed"
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// The catalogue is what the shop offers, by the Offering Discovery Protocol: to list, to search, and to act on.

// catalogueFiles are its documents that do not change.
//
//go:embed odp
var catalogueFiles embed.FS

// odpBase is the "endpoint_base" of its Service Document.
const odpBase = "/shop"

// listed is an offering of the catalogue.
type listed struct {
	id, name, description string
	kind                  string
	vegan                 *bool
	grams                 int
	price                 cents // 0: see priced
	collections           []string
}

// shelf is a Collection.
type shelf struct{ id, name, description, parent string }

func shelves() []shelf {
	return []shelf{
		{"snacks", "Snacks", "What is eaten", ""},
		{"popcorn", "Popcorn", "By the bag", "snacks"},
		{"toppings", "Toppings", "To strew over it", "snacks"},
		{"at-home", "Make it at home", "Recipes, and the machine", ""},
	}
}

func catalogue() []listed {
	var all []listed
	for _, f := range flavours() {
		all = append(all, listed{f.SKU, f.Name, f.Description, "popcorn", &f.Vegan, 120, f.Price, []string{"popcorn"}})
	}
	for _, topping := range toppings() {
		vegan := topping != "butter" && topping != "honey"
		all = append(all, listed{"topping-" + topping, strings.ToUpper(topping[:1]) + topping[1:], "A little jar of it.", "topping", &vegan, 30, toppingPrice, []string{"toppings"}})
	}
	return append(all,
		listed{id: "recipe-caramel", name: "Burnt Caramel, the recipe", description: "Free to take along.", kind: "recipe", collections: []string{"at-home"}},
		listed{id: "machine", name: "Popcorn machine", description: "Red, loud, and heavy. By the day.", kind: "machine", price: 1500, collections: []string{"at-home"}},
	)
}

// openCatalogue adds the catalogue to the site.
func (s *shop) openCatalogue(mux *http.ServeMux) {
	mux.HandleFunc("GET "+odp.WellKnown, func(w http.ResponseWriter, r *http.Request) { serveCatalogueFile(w, r, "service.json", odp.MediaType) })
	mux.HandleFunc("GET "+odpBase+"/schemas/{name}", func(w http.ResponseWriter, r *http.Request) {
		serveCatalogueFile(w, r, r.PathValue("name"), odp.SchemaMediaType)
	})
	mux.HandleFunc("GET "+odpBase+"/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		serveCatalogueFile(w, r, "openapi.json", "application/json")
	})
	mux.HandleFunc("GET "+odpBase+"/offerings", s.listCatalogue)
	mux.HandleFunc("GET "+odpBase+"/offerings/{id}", s.getListed)
	mux.HandleFunc("POST "+odpBase+"/offerings/search", s.searchCatalogue)
	mux.HandleFunc("GET "+odpBase+"/collections", s.listShelves)
	mux.HandleFunc("GET "+odpBase+"/collections/{id}", s.getShelf)
	mux.HandleFunc("GET "+odpBase+"/collections/{id}/offerings", s.listCatalogue)
	mux.HandleFunc("POST "+odpBase+"/collections/search", s.searchShelves)
	mux.HandleFunc("GET "+odpBase+"/pages/{cursor}", s.nextPage)
	s.openCatalogueActions(mux)
}

func serveCatalogueFile(w http.ResponseWriter, r *http.Request, name, mediaType string) {
	content, err := catalogueFiles.ReadFile("odp/" + name)
	if err != nil || name == "service.json" && mediaType != odp.MediaType {
		writeProblem(w, http.StatusNotFound, "NOT_FOUND", "there is no such document")
		return
	}
	serveLasting(w, r, mediaType, content)
}

// attributes are what a full offering says of itself by its schema.
func (l *listed) attributes() map[string]any {
	a := map[string]any{"kind": l.kind}
	if l.vegan != nil {
		a["vegan"] = *l.vegan
	}
	if l.grams > 0 {
		a["grams"] = l.grams
	}
	return a
}

func (l *listed) pricePreview() map[string]any {
	switch l.kind {
	case "recipe":
		return map[string]any{"type": "free"}
	case "machine":
		return map[string]any{"type": "metered", "amount": l.price.String(), "currency": "credits", "unit": "day"}
	}
	return map[string]any{"type": "fixed", "amount": l.price.String(), "currency": "credits"}
}

// document is the offering, as an item or by itself.
func (l *listed) document(full bool) map[string]any {
	d := map[string]any{"id": l.id, "name": l.name, "price": l.pricePreview()}
	if !full {
		d["detail_fields"] = []string{"/actions", "/attributes", "/collection_ids", "/description", "/schema"}
		return d
	}
	d["description"] = l.description
	d["collection_ids"] = l.collections
	d["schema"] = map[string]any{"url": odpBase + "/schemas/attributes.json"}
	d["attributes"] = l.attributes()
	d["actions"] = l.actions()
	return d
}

// actions are what can be done with it.
func (l *listed) actions() []map[string]any {
	post := func(id, rel, path, schema, description string) map[string]any {
		return map[string]any{
			"id": id, "rel": rel, "authentication": "not-required", "description": description,
			"http": map[string]any{"href": odpBase + path, "method": "POST", "request": map[string]any{
				"content_type": "application/json", "schema": map[string]any{"url": odpBase + "/schemas/" + schema},
			}},
		}
	}
	switch l.kind {
	case "recipe":
		return []map[string]any{{
			"id": "take", "rel": "download", "authentication": "not-required",
			"http": map[string]any{"href": odpBase + "/recipes/caramel.txt", "method": "GET", "response_content_types": []string{"text/plain"}},
		}}
	case "machine":
		return []map[string]any{
			post("hold", "reserve", "/machines/holds", "hold.json", "Keep it for a day"),
			{"id": "rent", "rel": "purchase", "authentication": "not-required", "openapi": map[string]any{"operation_id": "rentMachine"}},
			{"id": "old-form", "rel": "invoke", "authentication": "not-required", "http": map[string]any{"href": odpBase + "/old", "method": "PUT"}},
		}
	}
	return []map[string]any{post("buy", "purchase", "/offerings/"+l.id+"/purchases", "purchase.json", "Buy it, paid at the door")}
}

func (c *shelf) document(full bool) map[string]any {
	d := map[string]any{"id": c.id, "name": c.name}
	if !full {
		return d
	}
	d["description"] = c.description
	if c.parent != "" {
		d["parent_ids"] = []string{c.parent}
	}
	return d
}
