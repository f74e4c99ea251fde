package catalogue

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/strictjson"
)

func TestSearches(t *testing.T) {
	c := newClient(t)
	filter := func(id, operator, value string) string {
		return `{"id":"` + id + `","operator":"` + operator + `","value":` + value + `}`
	}
	for name, test := range map[string]struct{ members, want string }{
		"by words":                       {`"query":"butter CARAMEL"`, "caramel"},
		"by words that nothing has":      {`"query":"gravel"`, ""},
		"by price":                       {`"filters":[` + filter("price", "lt", `"4.00"`) + `],"collection_id":"popcorn"`, "salted surprise"},
		"by a price with other digits":   {`"filters":[` + filter("price", "eq", `"4.0"`) + `]`, "chili-lime"},
		"by either end of a range":       {`"filters":[` + filter("price", "gte", `"6.50"`) + `],"collection_id":"popcorn"`, "truffle surprise"},
		"what is free":                   {`"filters":[` + filter("price", "eq", `"0"`) + `]`, "recipe-caramel"},
		"without a known price":          {`"filters":[` + filter("price", "exists", `false`) + `]`, "evening tour"},
		"by weight as a number":          {`"filters":[` + filter("weight", "gt", `"0.70"`) + `]`, "machine"},
		"by one of several flavours":     {`"filters":[` + filter("flavour", "in", `["sour","salty"]`) + `]`, "salted cheddar chili-lime gift-box"},
		"by two filters":                 {`"filters":[` + filter("vegan", "eq", `true`) + `,` + filter("kind", "eq", `"popcorn"`) + `]`, "salted truffle chili-lime"},
		"by what is not known":           {`"filters":[` + filter("vegan", "exists", `false`) + `,` + filter("kind", "eq", `"popcorn"`) + `]`, "surprise"},
		"by date":                        {`"filters":[` + filter("since", "gte", `"2024-01-01"`) + `]`, "surprise recipe-caramel tour"},
		"by a filter of the collection":  {`"filters":[` + filter("heat", "gte", `1`) + `],"collection_id":"popcorn"`, "truffle chili-lime"},
		"in a collection alone":          {`"query":"caramel","collection_id":"at-home"`, "recipe-caramel"},
		"below a collection":             {`"query":"caramel","collection_id":"snacks","include_descendants":true`, "caramel recipe-caramel"},
		"not below it":                   {`"query":"caramel","collection_id":"snacks"`, ""},
		"cheapest first, unknown last":   {`"filters":[` + filter("since", "gte", `"2022-12-01"`) + `],"sort":"cheapest"`, "recipe-caramel surprise chili-lime gift-box tour"},
		"lightest first, price decides":  {`"filters":[` + filter("kind", "eq", `"popcorn"`) + `],"sort":"lightest"`, "salted chili-lime truffle surprise caramel cheddar"},
		"newest first":                   {`"filters":[` + filter("kind", "eq", `"popcorn"`) + `],"sort":"newest"`, "surprise chili-lime truffle cheddar salted caramel"},
		"by the sort of the collection":  {`"filters":[` + filter("price", "gt", `"0"`) + `],"collection_id":"popcorn","sort":"mildest"`, "salted caramel cheddar truffle chili-lime surprise"},
		"two at a time":                  {`"filters":[` + filter("kind", "in", `["topping"]`) + `],"limit":2`, "topping-butter topping-chili topping-herbs topping-honey topping-nuts"},
		"with members that nobody knows": {`"query":"gift","colour":"red"`, "gift-box"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, version := range []string{"1.0", "1.7"} { // every minor version is understood (ODP-16)
				if got := c.in(t).search(`{"odp_version":"` + version + `",` + test.members + `}`); got != test.want {
					t.Errorf("found %q, want %q", got, test.want)
				}
			}
		})
	}
}

func TestCollectionSearches(t *testing.T) {
	c := newClient(t)
	for members, want := range map[string]string{
		`"parent_id":null`:                   "snacks at-home",
		`"parent_id":"snacks"`:               "popcorn toppings",
		`"query":"bowl"`:                     "at-home",
		`"query":"bag","parent_id":"snacks"`: "popcorn",
		`"parent_id":"nowhere"`:              "",
	} {
		w := c.send(http.MethodPost, c.address(odp.SearchCollections, "", odp.View{}), odp.MediaType, `{"odp_version":"1.0",`+members+`}`)
		page, err := resource.ParseCollections(c.document(w, odp.MediaType), rules(odp.SearchCollections, odp.View{}))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, item := range page.Items {
			found = append(found, item.ID)
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%s: found %q, want %q", members, got, want)
		}
	}
}

// A group counts as if its own filter were not asked for, and all other filters were (ODP-72).
func TestRefinementsCountWithoutTheirOwnFilter(t *testing.T) {
	c := newClient(t)
	doc := c.document(c.send(http.MethodPost, c.address(odp.SearchOfferings, "", odp.View{}), odp.MediaType, `{"odp_version":"1.0","limit":1,
		"filters":[{"id":"kind","operator":"eq","value":"popcorn"},{"id":"vegan","operator":"eq","value":true}],"refinements":["vegan","kind"]}`), odp.MediaType)
	const want = `[{"filter_id":"vegan","values":[{"value":true,"count":3},{"value":false,"count":2}]},` +
		`{"filter_id":"kind","values":[{"value":"popcorn","count":3},{"value":"topping","count":3}]}]`
	if got := string(tree(t, doc).Member("refinements").Value()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	defined := odp.Merge(odp.Definitions{Filters: c.service.Capabilities.Filters.Inline})
	r := rules(odp.SearchOfferings, odp.View{})
	r.Refinements = func(cursor *odp.Cursor) []odp.Refinement {
		return defined.ParseRefinements(cursor, []string{"vegan", "kind"})
	}
	if got := ids(c.follow("", doc, r)); got != "salted truffle chili-lime" {
		t.Errorf("found %q", got)
	}
}

func TestWhatIsNoRequestIsAProblem(t *testing.T) {
	c := newClient(t)
	const search = Base + "/offerings/search"
	for name, test := range map[string]struct {
		method, target, body string
		status               int
		code                 string
		in, param            string
	}{
		"no such Offering":                              {target: Base + "/offerings/gravel", status: 404, code: "NOT_FOUND"},
		"no such Collection":                            {target: Base + "/collections/gravel", status: 404, code: "NOT_FOUND"},
		"members of nothing":                            {target: Base + "/collections/gravel/offerings", status: 404, code: "NOT_FOUND"},
		"no such path":                                  {target: Base + "/gravel", status: 404, code: "NOT_FOUND"},
		"a wrong method":                                {method: "PUT", target: Base + "/offerings", status: 404, code: "NOT_FOUND"},
		"a third representation":                        {target: Base + "/offerings?representation=long", status: 400, code: "INVALID_REQUEST", in: "query", param: "representation"},
		"two representations":                           {target: Base + "/offerings/salted?representation=full&representation=full", status: 400, code: "INVALID_REQUEST", in: "query", param: "representation"},
		"a limit of none":                               {target: Base + "/offerings?limit=0", status: 400, code: "INVALID_REQUEST", in: "query", param: "limit"},
		"a limit beyond the protocol":                   {target: Base + "/offerings?limit=101", status: 400, code: "INVALID_REQUEST", in: "query", param: "limit"},
		"a page of another kind":                        {target: Base + "/pages/offerings/terse/5/popcorn", status: 410, code: "CONTINUATION_EXPIRED"},
		"a page with one twice":                         {target: Base + "/pages/offerings/terse/5/salted,salted", status: 410, code: "CONTINUATION_EXPIRED"},
		"a page that never was":                         {target: Base + "/pages/x", status: 410, code: "CONTINUATION_EXPIRED"},
		"a page of a size that none has":                {target: Base + "/pages/offerings/terse/6/salted", status: 410, code: "CONTINUATION_EXPIRED"},
		"a page in a third form":                        {target: Base + "/pages/offerings/long/5/salted", status: 410, code: "CONTINUATION_EXPIRED"},
		"no JSON":                                       {target: search, body: `{`, status: 400, code: "INVALID_REQUEST", in: "body"},
		"a name twice":                                  {target: search, body: `{"odp_version":"1.0","query":"a","query":"b"}`, status: 400, code: "INVALID_REQUEST", in: "body"},
		"another version":                               {target: search, body: `{"odp_version":"2.0","query":"a"}`, status: 400, code: "INVALID_REQUEST", in: "body", param: "/odp_version"},
		"neither words nor filters":                     {target: search, body: `{"odp_version":"1.0"}`, status: 400, code: "INVALID_REQUEST", in: "body"},
		"an unknown filter":                             {target: search, body: `{"odp_version":"1.0","filters":[{"id":"colour","operator":"eq","value":"red"}]}`, status: 400, code: "INVALID_REQUEST", in: "body", param: "/filters/0/id"},
		"a filter of a Collection that is not searched": {target: search, body: `{"odp_version":"1.0","filters":[{"id":"heat","operator":"eq","value":1}]}`, status: 400, code: "INVALID_REQUEST", in: "body", param: "/filters/0/id"},
		"an operator that is not offered":               {target: search, body: `{"odp_version":"1.0","filters":[{"id":"vegan","operator":"in","value":[true]}]}`, status: 400, code: "INVALID_REQUEST", in: "body", param: "/filters/0/operator"},
		"a price as a number":                           {target: search, body: `{"odp_version":"1.0","filters":[{"id":"price","operator":"lt","value":4}]}`, status: 400, code: "INVALID_REQUEST", in: "body", param: "/filters/0/value"},
		"an unknown sort":                               {target: search, body: `{"odp_version":"1.0","query":"a","sort":"loudest"}`, status: 400, code: "INVALID_REQUEST", in: "body", param: "/sort"},
		"counts of what has none":                       {target: search, body: `{"odp_version":"1.0","query":"a","refinements":["price"]}`, status: 400, code: "INVALID_REQUEST", in: "body", param: "/refinements/0"},
		"a search in nothing":                           {target: search, body: `{"odp_version":"1.0","query":"a","collection_id":"gravel"}`, status: 404, code: "NOT_FOUND"},
		"too large":                                     {target: search, body: `{"odp_version":"1.0","query":"` + strings.Repeat("a", 70000) + `"}`, status: 413, code: "REQUEST_TOO_LARGE"},
	} {
		t.Run(name, func(t *testing.T) {
			method := test.method
			if method == "" && test.body != "" {
				method = http.MethodPost
			} else if method == "" {
				method = http.MethodGet
			}
			w := c.send(method, test.target, odp.MediaType, test.body)
			problem, err := resource.ParseProblem(w.Body.Bytes(), w.Code)
			if err != nil || w.Header().Get("Content-Type") != odp.ProblemMediaType {
				t.Fatalf("%v: %d %s", err, w.Code, w.Body)
			}
			if problem.Status != test.status || problem.Code != test.code {
				t.Errorf("got %d %s, want %d %s", problem.Status, problem.Code, test.status, test.code)
			}
			if test.in != "" && (len(problem.InvalidParams) != 1 || problem.InvalidParams[0].In != test.in || problem.InvalidParams[0].Name != test.param) {
				t.Errorf("the parameters are %+v, want %s %q", problem.InvalidParams, test.in, test.param)
			}
		})
	}
	if w := c.send(http.MethodPost, search, "application/json", `{"odp_version":"1.0","query":"a"}`); w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("a search in plain JSON: %d %s", w.Code, w.Body)
	}
}

func TestPagesHaveValidators(t *testing.T) {
	c := newClient(t)
	first := c.send(http.MethodGet, Base+"/offerings", "", "")
	etag := first.Header().Get("ETag")
	if etag == "" || first.Header().Get("Content-Language") != "en" {
		t.Fatalf("%v", first.Header())
	}
	if again := c.sendIfNoneMatch(Base+"/offerings", etag); again.Code != http.StatusNotModified {
		t.Errorf("status %d", again.Code)
	}
}

// Whatever is searched for, the answer is a page or a problem that a client can read.
func FuzzSearch(f *testing.F) {
	f.Add(`{"odp_version":"1.0","query":"caramel","sort":"cheapest","limit":1,"refinements":["kind"]}`)
	f.Add(`{"odp_version":"1.0","filters":[{"id":"price","operator":"lt","value":"1e9"}],"collection_id":"popcorn"}`)
	f.Add(`{"odp_version":"1.0","filters":[{"id":"flavour","operator":"in","value":["a\u0000","b"]},{"id":"` + strings.Repeat("x", 300) + `"}]}`)
	mux := http.NewServeMux()
	New(origin).Open(mux)
	f.Fuzz(func(t *testing.T, body string) {
		w := client{t: t, mux: mux}.send(http.MethodPost, Base+"/offerings/search", odp.MediaType, body)
		if err := strictjson.Check(w.Body.Bytes()); err != nil {
			t.Fatalf("%v: %s", err, w.Body)
		}
		var err error
		if w.Code == http.StatusOK {
			r := rules(odp.SearchOfferings, odp.View{})
			r.Refinements = func(*odp.Cursor) []odp.Refinement { return nil }
			_, err = resource.ParseOfferings(w.Body.Bytes(), r)
		} else {
			_, err = resource.ParseProblem(w.Body.Bytes(), w.Code)
		}
		if err != nil || w.Code >= http.StatusInternalServerError {
			t.Fatalf("%d %v: %s", w.Code, err, w.Body)
		}
	})
}
