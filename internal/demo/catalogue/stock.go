package catalogue

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// stock is all that the shop has. It is read-only.
type stock struct {
	offerings   *kind
	collections *kind
	own         odp.Definitions            // of the whole Service
	byScope     map[string]odp.Definitions // of one Collection each
}

// kind holds the Offerings, or the Collections, in their order.
type kind struct {
	name  string // as it stands in paths
	items []*item
}

func (k *kind) find(id string) *item {
	if i := slices.IndexFunc(k.items, func(o *item) bool { return o.id == id }); i >= 0 {
		return k.items[i]
	}
	return nil
}

// placed tells where each item belongs.
func (k *kind) placed() []odp.Placed {
	var all []odp.Placed
	for _, o := range k.items {
		all = append(all, odp.Placed{ID: o.id, In: o.in})
	}
	return all
}

// item is one Offering or Collection.
type item struct {
	id          string
	in          []string // Collections that it is in
	text        string   // to look for words in, in lower case
	full, terse *jsontree.Node
	price       *resource.Price
	values      map[string][]jsontext.Value // of the filters
}

func readStock(origin odp.Origin) (*stock, error) {
	s := &stock{byScope: make(map[string]odp.Definitions)}
	doc, err := data.ReadFile("data/service.json")
	if err != nil {
		return nil, err
	}
	service, err := odp.ParseService(doc, origin)
	if err != nil {
		return nil, err
	}
	s.own = odp.Definitions{Filters: service.Capabilities.Filters.Inline, Sorts: service.Capabilities.Sorts.Inline}
	if s.collections, err = readKind("collections", "parent_ids", "id", "name", "description", "parent_ids"); err != nil {
		return nil, err
	}
	if s.offerings, err = readKind("offerings", "collection_ids", "id", "name", "price"); err != nil {
		return nil, err
	}
	for _, o := range s.offerings.items {
		if err := o.readOffering(); err != nil {
			return nil, err
		}
	}
	return s, s.readScopes(origin)
}

// readKind reads a file of full documents; the member in tells where each belongs, and terse what the short form has.
func readKind(name, in string, terse ...string) (*kind, error) {
	doc, err := data.ReadFile("data/" + name + ".json")
	if err != nil {
		return nil, err
	}
	if err := strictjson.Check(doc); err != nil {
		return nil, err
	}
	k := &kind{name: name}
	for _, full := range jsontree.Parse(doc).Items {
		o := &item{id: full.Member("id").Text(), full: full, terse: shorten(full, terse)}
		o.text = strings.ToLower(o.id + " " + full.Member("name").Text() + " " + full.Member("description").Text())
		if places := full.Member(in); places != nil {
			for _, place := range places.Items {
				o.in = append(o.in, place.Text())
			}
		}
		k.items = append(k.items, o)
	}
	return k, nil
}

// readOffering takes the price and what the filters ask about: the price, and the attributes of the filters' names.
func (o *item) readOffering() error {
	parsed, err := resource.ParseOffering(document(o.full).Value(), odp.Full)
	if err != nil {
		return err
	}
	o.price = parsed.Price
	if kind := o.full.At("/attributes/kind"); kind != nil {
		o.text += " " + kind.Text()
	}
	o.values = map[string][]jsontext.Value{"price": amounts(o.price)}
	attributes := o.full.Member("attributes")
	if attributes == nil {
		return nil
	}
	for i, name := range attributes.Names {
		list := []*jsontree.Node{attributes.Items[i]}
		if list[0].IsArray() {
			list = list[0].Items
		}
		for _, value := range list {
			o.values[name] = append(o.values[name], value.Value())
		}
	}
	return nil
}

// amounts returns the lowest and the highest known price.
func amounts(p *resource.Price) []jsontext.Value {
	switch {
	case p == nil || p.Type == resource.Quote:
		return nil
	case p.IsFree():
		return []jsontext.Value{strictjson.Quote("0")}
	case p.Type == resource.Range:
		return []jsontext.Value{strictjson.Quote(p.Minimum), strictjson.Quote(p.Maximum)}
	}
	return []jsontext.Value{strictjson.Quote(p.Amount)}
}

// readScopes takes the filters and sorts that Collections have of their own.
func (s *stock) readScopes(origin odp.Origin) error {
	for _, o := range s.collections.items {
		parsed, err := resource.ParseCollection(document(o.full).Value(), origin, odp.Full)
		if err != nil {
			return err
		}
		scope := odp.Definitions{Filters: parsed.SearchCapabilities.Filters.Inline, Sorts: parsed.SearchCapabilities.Sorts.Inline}
		if link := parsed.SearchCapabilities.Filters.Linked; link != "" {
			if scope.Filters, err = linkedFilters(origin, link); err != nil {
				return err
			}
		}
		s.byScope[o.id] = scope
	}
	return nil
}

func linkedFilters(origin odp.Origin, link string) ([]odp.Filter, error) {
	doc, err := data.ReadFile("data/" + files()[link].name)
	if err != nil {
		return nil, err
	}
	source := odp.LinkedFilters(origin, link, odp.MaxFilters)
	if _, err := source.Add(doc); err != nil {
		return nil, err
	}
	filters, _ := source.Definitions()
	return filters, nil
}

// document makes an item a document of its own (ODP-16).
func document(of *jsontree.Node) *jsontree.Node {
	n := object()
	n.Set("odp_version", jsontree.String(odp.Version))
	for i, name := range of.Names {
		n.Set(name, of.Items[i])
	}
	return n
}

// shorten makes the terse form: it keeps what a list shows, and tells what the full form has besides (ODP-39).
func shorten(full *jsontree.Node, keep []string) *jsontree.Node {
	short, left := object(), &jsontree.Node{Kind: '['}
	for i, name := range full.Names {
		if slices.Contains(keep, name) {
			short.Set(name, full.Items[i])
		} else {
			left.Items = append(left.Items, jsontree.String(jsontree.Pointer("", name)))
		}
	}
	if len(left.Items) > 0 {
		short.Set("detail_fields", left)
	}
	return short
}

func object() *jsontree.Node { return &jsontree.Node{Kind: '{'} }

func number(n int) *jsontree.Node {
	return &jsontree.Node{Kind: '0', Raw: jsontext.Value(strconv.Itoa(n))}
}
