package catalogue

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// maxSize is how many items a page has at most. It is small, so that whoever wants all of them sees more than one page.
const maxSize = 5

// view is how a caller wants items to come.
type view struct {
	representation odp.Representation
	size           int // items of a page
}

// viewOf reads the query of a request.
func viewOf(r *http.Request, operation odp.Operation) (v view, err error) {
	query := r.URL.Query()
	representation, ok := resource.Select(operation, query["representation"])
	if !ok {
		return v, invalid("query", "representation", "must be terse or full, once")
	}
	v = view{representation, maxSize}
	limits := query["limit"]
	if len(limits) == 0 {
		return v, nil
	}
	limit, err := strconv.Atoi(limits[0])
	if err != nil || len(limits) > 1 || !odp.ValidLimit(limit) {
		return v, invalid("query", "limit", "must be 1 to 100, once")
	}
	return v.limited(limit), nil
}

// limited takes the number of items that a caller asks for; 0 asks for none.
func (v view) limited(limit int) view {
	if limit > 0 {
		v.size = min(v.size, limit)
	}
	return v
}

func (v view) of(o *item) *jsontree.Node {
	if v.representation == odp.Full {
		return o.full
	}
	return o.terse
}

// page makes a page of the first of these items. The way to the next page holds what is left, so that nothing is remembered
// and no item comes twice (ODP-49).
func (k *kind) page(v view, ids []string) *jsontree.Node {
	size := min(v.size, len(ids))
	list := &jsontree.Node{Kind: '['}
	for _, id := range ids[:size] {
		list.Items = append(list.Items, v.of(k.find(id)))
	}
	n := object()
	n.Set("odp_version", jsontree.String(odp.Version))
	n.Set("items", list)
	if rest := ids[size:]; len(rest) > 0 {
		path := []string{Base, "pages", k.name, string(v.representation), strconv.Itoa(v.size), strings.Join(rest, ",")}
		n.Set("next", jsontree.String(strings.Join(path, "/")))
	}
	return n
}

// nextPage goes on with a list or a search. A way that page cannot have made is as good as an expired one (ODP-50).
func (s *stock) nextPage(r *http.Request) (*jsontree.Node, error) {
	for _, k := range []*kind{s.offerings, s.collections} {
		size, _ := strconv.Atoi(r.PathValue("size"))
		v := view{odp.Representation(r.PathValue("representation")), size}
		rest := strings.Split(r.PathValue("rest"), ",")
		if k.name == r.PathValue("kind") && v.possible() && k.has(rest) {
			return k.page(v, rest), nil
		}
	}
	return nil, expired()
}

func (v view) possible() bool {
	return v.size >= 1 && v.size <= maxSize && (v.representation == odp.Terse || v.representation == odp.Full)
}

// has reports whether all of these are there, and each is named once.
func (k *kind) has(ids []string) bool {
	for i, id := range ids {
		if k.find(id) == nil || slices.Contains(ids[:i], id) {
			return false
		}
	}
	return true
}

func (s *stock) listOfferings(r *http.Request) (*jsontree.Node, error) {
	return s.offerings.list(r, odp.ListOfferings, func(*item) bool { return true })
}

func (s *stock) listCollections(r *http.Request) (*jsontree.Node, error) {
	return s.collections.list(r, odp.ListCollections, func(*item) bool { return true })
}

// listMembers lists the Offerings that are directly in a Collection (ODP-56).
func (s *stock) listMembers(r *http.Request) (*jsontree.Node, error) {
	id := r.PathValue("id")
	if s.collections.find(id) == nil {
		return nil, notFound()
	}
	return s.offerings.list(r, odp.ListCollectionOfferings, func(o *item) bool { return slices.Contains(o.in, id) })
}

func (k *kind) list(r *http.Request, operation odp.Operation, keep func(*item) bool) (*jsontree.Node, error) {
	v, err := viewOf(r, operation)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, o := range k.items {
		if keep(o) {
			ids = append(ids, o.id)
		}
	}
	return k.page(v, ids), nil
}

func (s *stock) getOffering(r *http.Request) (*jsontree.Node, error) {
	return s.offerings.get(r, odp.GetOffering)
}

func (s *stock) getCollection(r *http.Request) (*jsontree.Node, error) {
	return s.collections.get(r, odp.GetCollection)
}

func (k *kind) get(r *http.Request, operation odp.Operation) (*jsontree.Node, error) {
	v, err := viewOf(r, operation)
	if err != nil {
		return nil, err
	}
	o := k.find(r.PathValue("id"))
	if o == nil {
		return nil, notFound()
	}
	return document(v.of(o)), nil
}
