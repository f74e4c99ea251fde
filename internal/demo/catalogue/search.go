package catalogue

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

func (s *stock) searchCollections(r *http.Request) (*jsontree.Node, error) {
	v, err := viewOf(r, odp.SearchCollections)
	if err != nil {
		return nil, err
	}
	search, err := readSearch(r, odp.ParseCollectionSearch)
	if err != nil {
		return nil, err
	}
	found := search.Apply(s.collections.placed(), s.collections.mentioning(search.Query))
	return s.collections.page(v.limited(search.Limit), found), nil
}

func (s *stock) searchOfferings(r *http.Request) (*jsontree.Node, error) {
	v, err := viewOf(r, odp.SearchOfferings)
	if err != nil {
		return nil, err
	}
	search, err := readSearch(r, odp.ParseOfferingSearch)
	if err != nil {
		return nil, err
	}
	ids, ok := search.Apply(s.collections.placed(), s.offerings.placed(), s.offerings.mentioning(search.Query))
	if !ok {
		return nil, notFound()
	}
	defined := odp.Merge(s.own, s.byScope[search.Collection])
	if _, err := search.Body(defined); err != nil { // what a client must not send, nobody may
		return nil, invalidSearch(err)
	}
	found := s.filter(ids, search.Filters, defined)
	if search.Sort != "" {
		s.arrange(found, search.Sort, defined)
	}
	page := s.offerings.page(v.limited(search.Limit), found)
	groups, err := s.refinements(ids, search, defined)
	if len(groups.Items) > 0 {
		page.Set("refinements", groups)
	}
	return page, err
}

// readSearch reads the body of a search and judges its shape.
func readSearch[T any](r *http.Request, parse func(*odp.Cursor) T) (search T, err error) {
	if odp.CheckMediaType(r.Header.Get("Content-Type"), odp.MediaType) != nil {
		return search, unsupported()
	}
	limits := odp.RequestLimits()
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, int64(limits.Bytes)))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return search, tooLargeBody(limits.Bytes)
	}
	if err != nil {
		return search, invalid("body", "", "did not arrive whole")
	}
	root, err := odp.Decode(body, limits)
	if err != nil {
		return search, invalid("body", "", err.Error())
	}
	c := odp.NewCursor(root, "invalid_search")
	search = parse(c)
	if issue := c.Issue(); issue != nil {
		return search, invalid("body", issue.Pointer, issue.Message)
	}
	return search, nil
}

func invalidSearch(err error) error {
	p := invalidRequest()
	problems := fault.From(err).Problems
	for _, problem := range problems[:min(len(problems), maxParams)] {
		p.Params = append(p.Params, param{"body", problem.Pointer, problem.Message})
	}
	return p
}

// mentioning returns the items that have all words in their name or description.
func (k *kind) mentioning(query string) []string {
	var found []string
	words := strings.Fields(strings.ToLower(query))
	for _, o := range k.items {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(o.text, word) }) {
			found = append(found, o.id)
		}
	}
	return found
}

func (s *stock) filter(ids []string, filters []odp.Expression, defined *odp.Catalogue) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return slices.ContainsFunc(filters, func(e odp.Expression) bool {
			f, _ := defined.Filter(e.ID)
			fits, _ := e.Matches(f, s.offerings.find(id).values[e.ID]) // the stock's values are of their filter's type
			return !fits
		})
	})
}

// refinements counts the values of filters, each group as if its own filter were not asked for (ODP-72).
func (s *stock) refinements(ids []string, search odp.OfferingSearch, defined *odp.Catalogue) (*jsontree.Node, error) {
	groups := &jsontree.Node{Kind: '['}
	var values []map[string][]jsontext.Value
	for _, id := range ids {
		values = append(values, s.offerings.find(id).values)
	}
	for _, filter := range search.Refinements {
		counts, err := defined.Counts(filter, search.Filters, values)
		if err != nil {
			return groups, err
		}
		if len(counts) > 0 {
			group := object()
			group.Set("filter_id", jsontree.String(filter))
			group.Set("values", buckets(counts))
			groups.Items = append(groups.Items, group)
		}
	}
	return groups, nil
}

// buckets lists the most frequent value first.
func buckets(counts map[string]int) *jsontree.Node {
	list := &jsontree.Node{Kind: '['}
	for _, value := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	}) {
		bucket := object()
		bucket.Set("value", jsontree.Parse(jsontext.Value(value)))
		bucket.Set("count", number(counts[value]))
		list.Items = append(list.Items, bucket)
	}
	return list
}
