package demo

import (
	"encoding/base64"
	"io"
	"maps"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// defaultPage is how many items a page has that is not asked for a number.
const defaultPage = 10

func findListed(id string) (*listed, bool) {
	all := catalogue()
	i := slices.IndexFunc(all, func(l listed) bool { return l.id == id })
	if i < 0 {
		return nil, false
	}
	return &all[i], true
}

func findShelf(id string) (*shelf, bool) {
	all := shelves()
	i := slices.IndexFunc(all, func(c shelf) bool { return c.id == id })
	if i < 0 {
		return nil, false
	}
	return &all[i], true
}

// pageRequest is what is left of a list: all that the address of the next page says.
type pageRequest struct {
	Shelves bool     `json:"s,omitzero"` // of Collections
	IDs     []string `json:"i"`          // still to come
	Full    bool     `json:"f,omitzero"`
	Limit   int      `json:"l"`
}

// view reads how the items of an answer are wanted (ODP-35, ODP-47). A faulty one is answered here.
func view(w http.ResponseWriter, r *http.Request, limit int) (p pageRequest, ok bool) {
	query := r.URL.Query()
	p.Limit = defaultPage
	switch representations := query["representation"]; {
	case len(representations) > 1 || len(representations) == 1 && representations[0] != "terse" && representations[0] != "full":
		writeProblem(w, http.StatusBadRequest, "INVALID_REQUEST", "representation must be terse or full")
		return p, false
	case len(representations) == 1:
		p.Full = representations[0] == "full"
	}
	if text := query.Get("limit"); text != "" {
		limit, _ = strconv.Atoi(text)
		if limit < 1 {
			limit = -1
		}
	}
	switch {
	case limit < 0 || limit > odp.MaxPageItems:
		writeProblem(w, http.StatusBadRequest, "INVALID_REQUEST", "limit must be 1 to 100")
		return p, false
	case limit > 0:
		p.Limit = limit
	}
	return p, true
}

func (s *shop) listCatalogue(w http.ResponseWriter, r *http.Request) {
	p, ok := view(w, r, 0)
	if !ok {
		return
	}
	shelf := r.PathValue("id")
	if _, known := findShelf(shelf); shelf != "" && !known {
		writeProblem(w, http.StatusNotFound, "NOT_FOUND", "there is no such Collection")
		return
	}
	for _, l := range catalogue() {
		if shelf == "" || slices.Contains(l.collections, shelf) {
			p.IDs = append(p.IDs, l.id)
		}
	}
	p.write(w, nil)
}

func (s *shop) listShelves(w http.ResponseWriter, r *http.Request) {
	p, ok := view(w, r, 0)
	if !ok {
		return
	}
	p.Shelves = true
	for _, c := range shelves() {
		p.IDs = append(p.IDs, c.id)
	}
	p.write(w, nil)
}

func (s *shop) nextPage(w http.ResponseWriter, r *http.Request) {
	text, err := base64.RawURLEncoding.DecodeString(r.PathValue("cursor"))
	var p pageRequest
	if err != nil || json.Unmarshal(text, &p) != nil || p.Limit < 1 || len(p.IDs) == 0 {
		writeProblem(w, http.StatusGone, "CONTINUATION_EXPIRED", "there is no such page any more")
		return
	}
	p.write(w, nil)
}

// write answers with a page. more are members of the first one.
func (p pageRequest) write(w http.ResponseWriter, more map[string]any) {
	now, later := p.IDs, []string(nil)
	if len(now) > p.Limit {
		now, later = now[:p.Limit], now[p.Limit:]
	}
	items := []map[string]any{}
	for _, id := range now {
		if c, ok := findShelf(id); p.Shelves && ok {
			items = append(items, c.document(p.Full))
		}
		if l, ok := findListed(id); !p.Shelves && ok {
			items = append(items, l.document(p.Full))
		}
	}
	doc := map[string]any{"odp_version": odp.Version, "items": items}
	if len(later) > 0 {
		p.IDs = later
		cursor, _ := json.Marshal(p) // strings and numbers only
		doc["next"] = odpBase + "/pages/" + base64.RawURLEncoding.EncodeToString(cursor)
	}
	maps.Copy(doc, more)
	writeODP(w, doc)
}

func (s *shop) getListed(w http.ResponseWriter, r *http.Request) {
	l, ok := findListed(r.PathValue("id"))
	if !ok {
		writeProblem(w, http.StatusNotFound, "NOT_FOUND", "there is no such Offering")
		return
	}
	writeOne(w, r, l.document)
}

func (s *shop) getShelf(w http.ResponseWriter, r *http.Request) {
	c, ok := findShelf(r.PathValue("id"))
	if !ok {
		writeProblem(w, http.StatusNotFound, "NOT_FOUND", "there is no such Collection")
		return
	}
	writeOne(w, r, c.document)
}

// writeOne answers with one resource, in full unless that is not wanted.
func writeOne(w http.ResponseWriter, r *http.Request, document func(full bool) map[string]any) {
	doc := document(r.URL.Query().Get("representation") != "terse")
	doc["odp_version"] = odp.Version
	writeODP(w, doc)
}

// readSearch reads the body of a search. A faulty one is answered here.
func readSearch[T any](w http.ResponseWriter, r *http.Request, parse func(*odp.Cursor) T) (search T, ok bool) {
	if odp.CheckMediaType(r.Header.Get("Content-Type"), odp.MediaType) != nil {
		writeProblem(w, http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "a search is application/odp+json")
		return search, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, int64(odp.RequestLimits().Bytes)))
	var tree *jsontree.Node
	if err == nil {
		tree, err = odp.Decode(body, odp.RequestLimits())
	}
	if err != nil {
		writeProblem(w, http.StatusBadRequest, "INVALID_REQUEST", "the body cannot be read")
		return search, false
	}
	c := odp.NewCursor(tree, "invalid_request")
	search = parse(c)
	if issue := c.Issue(); issue != nil {
		writeProblem(w, http.StatusBadRequest, "INVALID_REQUEST", issue.Pointer+" "+issue.Message)
		return search, false
	}
	return search, true
}

func (s *shop) searchShelves(w http.ResponseWriter, r *http.Request) {
	search, ok := readSearch(w, r, odp.ParseCollectionSearch)
	if !ok {
		return
	}
	p, ok := view(w, r, search.Limit)
	if !ok {
		return
	}
	p.Shelves = true
	for _, c := range shelves() {
		if (search.Parent == nil || *search.Parent == c.parent) && (search.Query == "" || found(search.Query, c.name, c.description)) {
			p.IDs = append(p.IDs, c.id)
		}
	}
	p.write(w, nil)
}

// found reports whether a text has one of the words.
func found(query string, texts ...string) bool {
	text := strings.ToLower(strings.Join(texts, " "))
	return slices.ContainsFunc(strings.Fields(strings.ToLower(query)), func(word string) bool { return strings.Contains(text, word) })
}

// values are what an offering's filters can ask about.
func (l *listed) values(filter string) []jsontext.Value {
	switch {
	case filter == "kind":
		return []jsontext.Value{jsontext.Value(strconv.Quote(l.kind))}
	case filter == "price" && l.price > 0:
		return []jsontext.Value{jsontext.Value(strconv.Quote(l.price.String()))}
	case filter == "vegan" && l.vegan != nil:
		return []jsontext.Value{jsontext.Value(strconv.FormatBool(*l.vegan))}
	}
	return nil
}

func (s *shop) searchCatalogue(w http.ResponseWriter, r *http.Request) {
	search, ok := readSearch(w, r, odp.ParseOfferingSearch)
	if !ok {
		return
	}
	definitions := serviceDefinitions()
	p, ok := view(w, r, search.Limit)
	if !ok {
		return
	}
	var hits []*listed
	for _, l := range catalogue() {
		if !l.within(search) || search.Query != "" && !found(search.Query, l.name, l.description, l.kind) {
			continue
		}
		fits := true
		for _, expression := range search.Filters {
			definition, err := definitions.Filter(expression.ID)
			if err == nil {
				_, err = expression.Check(definition)
			}
			if err != nil {
				writeProblem(w, http.StatusBadRequest, "INVALID_REQUEST", "the filter "+clip(expression.ID)+" cannot be asked so")
				return
			}
			match, err := expression.Matches(definition, l.values(expression.ID))
			fits = fits && match && err == nil
		}
		if fits {
			hits = append(hits, &l)
		}
	}
	if search.Sort == "cheapest" {
		slices.SortStableFunc(hits, func(a, b *listed) int { return a.rank().Cmp(b.rank()) })
	}
	for _, l := range hits {
		p.IDs = append(p.IDs, l.id)
	}
	p.write(w, counts(search.Refinements, hits))
}

// within reports whether an offering is where the search looks.
func (l *listed) within(search odp.OfferingSearch) bool {
	if search.Collection == "" || slices.Contains(l.collections, search.Collection) {
		return true
	}
	return search.Descendants && slices.ContainsFunc(l.collections, func(id string) bool {
		c, ok := findShelf(id)
		return ok && c.parent == search.Collection
	})
}

// rank puts what has no price last.
func (l *listed) rank() *big.Int {
	if l.price == 0 {
		return big.NewInt(maxNumber)
	}
	return big.NewInt(int64(l.price))
}

// counts are the values that a search wants counted.
func counts(filters []string, hits []*listed) map[string]any {
	groups := []map[string]any{}
	for _, filter := range filters {
		numbers := map[string]int{}
		var order []string
		for _, l := range hits {
			for _, value := range l.values(filter) {
				if numbers[string(value)]++; numbers[string(value)] == 1 {
					order = append(order, string(value))
				}
			}
		}
		buckets := []map[string]any{}
		for _, value := range order {
			buckets = append(buckets, map[string]any{"value": jsontext.Value(value), "count": numbers[value]})
		}
		if len(buckets) > 0 {
			groups = append(groups, map[string]any{"filter_id": filter, "values": buckets})
		}
	}
	if len(groups) == 0 {
		return nil
	}
	return map[string]any{"refinements": groups}
}

// serviceDefinitions are the filters of the Service Document.
func serviceDefinitions() *odp.Catalogue {
	content, _ := catalogueFiles.ReadFile("odp/service.json")
	service, err := odp.ParseService(content, Origin)
	if err != nil { // a test holds it to be good
		return odp.Merge()
	}
	return odp.Merge(odp.Definitions{Filters: service.Capabilities.Filters.Inline, Sorts: service.Capabilities.Sorts.Inline})
}

func writeODP(w http.ResponseWriter, doc any) {
	text, _ := json.Marshal(doc, json.Deterministic(true)) // maps, strings and numbers only
	write(w, http.StatusOK, odp.MediaType, string(text))
}

// writeProblem answers with Problem Details (ODP-114).
func writeProblem(w http.ResponseWriter, status int, code, title string) {
	text, _ := json.Marshal(map[string]any{
		"type":  "https://offeringprotocol.org/problems/" + strings.ToLower(strings.ReplaceAll(code, "_", "-")),
		"title": title, "status": status, "code": code,
	}, json.Deterministic(true))
	write(w, status, odp.ProblemMediaType, string(text))
}
