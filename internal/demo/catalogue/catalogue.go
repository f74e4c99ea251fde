// Package catalogue is the part of the demo that publishes what the shop has through the Offering Discovery Protocol. It
// remembers nothing; what its Actions lead to is the demo's work.
//
// Rule numbers such as ODP-12 in comments are those of the project's requirement sheet for the protocol.
package catalogue

import (
	"embed"
	"net/http"
	"sync"

	"github.com/agentctl/agentctl/internal/demo/reply"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Base is the path below which everything is but the Service Document.
const Base = "/shop"

// data holds the documents as they were written. Nothing of it is read before somebody asks.
//
//go:embed data
var data embed.FS

// Catalogue is one Service of the protocol.
type Catalogue struct {
	stock func() (*stock, error)
}

// New makes the catalogue of an origin, without reading it yet.
func New(origin odp.Origin) *Catalogue {
	return &Catalogue{sync.OnceValues(func() (*stock, error) { return readStock(origin) })}
}

// Price returns the price preview of an Offering; nil when it is not there.
func (c *Catalogue) Price(id string) (*resource.Price, error) {
	stock, err := c.stock()
	if err != nil {
		return nil, err
	}
	if offering := stock.offerings.find(id); offering != nil {
		return offering.price, nil
	}
	return nil, nil
}

// file is a document that is served as it was written.
type file struct{ name, mediaType string }

func files() map[string]file {
	const openAPI = "application/vnd.oai.openapi+json;version=3.1" // ODP-107
	all := map[string]file{
		odp.WellKnown:                 {"service.json", odp.MediaType},
		Base + "/filters/popcorn":     {"filters.json", odp.MediaType},
		Base + "/openapi.json":        {"openapi.json", openAPI},
		Base + "/recipes/caramel.txt": {"recipe.txt", "text/plain; charset=utf-8"},
	}
	for _, name := range []string{"attributes", "hold", "nothing", "order", "parts", "present"} {
		all[Base+"/schemas/"+name+".json"] = file{"schemas/" + name + ".json", odp.SchemaMediaType}
	}
	return all
}

// operations lists what the Service Document promises, and the pages that lists and searches go on with.
func operations() map[string]func(*stock, *http.Request) (*jsontree.Node, error) {
	return map[string]func(*stock, *http.Request) (*jsontree.Node, error){
		"GET " + Base + "/offerings":                                   (*stock).listOfferings,
		"POST " + Base + "/offerings/search":                           (*stock).searchOfferings,
		"GET " + Base + "/offerings/{id}":                              (*stock).getOffering,
		"GET " + Base + "/collections":                                 (*stock).listCollections,
		"POST " + Base + "/collections/search":                         (*stock).searchCollections,
		"GET " + Base + "/collections/{id}":                            (*stock).getCollection,
		"GET " + Base + "/collections/{id}/offerings":                  (*stock).listMembers,
		"GET " + Base + "/pages/{kind}/{representation}/{size}/{rest}": (*stock).nextPage,
	}
}

// Open adds the catalogue to a site.
func (c *Catalogue) Open(mux *http.ServeMux) {
	for path, file := range files() {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			doc, err := data.ReadFile("data/" + file.name)
			if err != nil {
				writeProblem(w, err)
				return
			}
			reply.Lasting(w, r, file.mediaType, doc)
		})
	}
	for pattern, operation := range operations() {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Language", "en") // ODP-128: there is no other
			doc, err := c.answer(r, operation)
			switch {
			case err != nil:
				writeProblem(w, err)
			case r.Method == http.MethodPost:
				reply.Once(w, http.StatusOK, odp.MediaType, string(doc))
			default:
				reply.Lasting(w, r, odp.MediaType, doc)
			}
		})
	}
	mux.HandleFunc("GET "+Base+"/pages/", func(w http.ResponseWriter, _ *http.Request) { writeProblem(w, expired()) })
	for _, path := range []string{Base + "/", odp.WellKnown} { // other paths, and other methods
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { writeProblem(w, notFound()) })
	}
}

func (c *Catalogue) answer(r *http.Request, operation func(*stock, *http.Request) (*jsontree.Node, error)) ([]byte, error) {
	stock, err := c.stock()
	if err != nil {
		return nil, err
	}
	doc, err := operation(stock, r)
	if err != nil {
		return nil, err
	}
	return doc.Value(), nil
}
