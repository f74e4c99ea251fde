package catalogue

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

const origin odp.Origin = "http://localhost:26767"

// client asks the catalogue as a client does.
type client struct {
	t       *testing.T
	mux     *http.ServeMux
	service *odp.Service
}

func newClient(t *testing.T) client {
	t.Helper()
	c := client{t: t, mux: http.NewServeMux()}
	New(origin).Open(c.mux)
	service, err := odp.ParseService(c.get(odp.WellKnown, odp.MediaType), origin)
	if err != nil {
		t.Fatal(err)
	}
	c.service = service
	return c
}

// in reports to another test.
func (c client) in(t *testing.T) client {
	c.t = t
	return c
}

// send sends a request to a path or an absolute URL.
func (c client) send(method, target, mediaType, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, strings.TrimPrefix(target, string(origin)), strings.NewReader(body))
	if mediaType != "" {
		r.Header.Set("Content-Type", mediaType)
	}
	w := httptest.NewRecorder()
	c.mux.ServeHTTP(w, r)
	return w
}

func (c client) sendIfNoneMatch(target, etag string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	c.mux.ServeHTTP(w, r)
	return w
}

// get returns a document, which must be of that media type.
func (c client) get(target, mediaType string) []byte {
	c.t.Helper()
	return c.document(c.send(http.MethodGet, target, "", ""), mediaType)
}

func (c client) document(w *httptest.ResponseRecorder, mediaType string) []byte {
	c.t.Helper()
	if err := odp.CheckMediaType(w.Header().Get("Content-Type"), mediaType); err != nil || w.Code != http.StatusOK {
		c.t.Fatalf("%d, %v: %s", w.Code, err, w.Body)
	}
	return w.Body.Bytes()
}

func (c client) address(operation odp.Operation, id string, v odp.View) string {
	c.t.Helper()
	url, err := c.service.Address(operation, id, v)
	if err != nil {
		c.t.Fatal(err)
	}
	return url
}

// ask asks for a list, and for all pages behind it.
func (c client) ask(operation odp.Operation, id string, v odp.View) []resource.Item[*resource.Offering] {
	c.t.Helper()
	url := c.address(operation, id, v)
	return c.follow(url, c.get(url, odp.MediaType), rules(operation, v))
}

func rules(operation odp.Operation, v odp.View) resource.PageRules {
	form := v.Representation
	if form == "" {
		form = operation.Default()
	}
	return resource.PageRules{Origin: origin, Representation: form}
}

// follow reads a page of Offerings and those behind it.
func (c client) follow(first string, doc []byte, rules resource.PageRules) (all []resource.Item[*resource.Offering]) {
	c.t.Helper()
	traversal := resource.NewTraversal(origin, first, 0)
	for {
		page, err := resource.ParseOfferings(doc, rules)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, item := range page.Items {
			if !traversal.Keep(item.ID) {
				c.t.Errorf("%q came again", item.ID)
			}
			all = append(all, item)
		}
		next, err := traversal.Next(page.Next)
		if err != nil {
			c.t.Fatal(err)
		}
		if next == "" {
			return all
		}
		doc, rules.Refinements = c.get(next, odp.MediaType), nil
	}
}

// search returns the identifiers that a search finds, on all its pages.
func (c client) search(body string) string {
	c.t.Helper()
	w := c.send(http.MethodPost, c.address(odp.SearchOfferings, "", odp.View{}), odp.MediaType, body)
	return ids(c.follow("", c.document(w, odp.MediaType), rules(odp.SearchOfferings, odp.View{})))
}

func ids(items []resource.Item[*resource.Offering]) string {
	var all []string
	for _, item := range items {
		all = append(all, item.ID)
	}
	return strings.Join(all, " ")
}

func tree(t testing.TB, doc []byte) *jsontree.Node {
	t.Helper()
	if err := strictjson.Check(doc); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return jsontree.Parse(doc)
}
