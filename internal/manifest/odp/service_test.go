package odp

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestServiceDocumentHoldsEverything(t *testing.T) {
	want := &Service{
		Origin: origin, Version: "1.0", Name: "Tool Shed", Description: "Hand and power tools to borrow by the day.",
		Language: "en", Localizations: []string{"en", "fr"}, Keywords: []string{"tools", "GPU", "gpu"},
		Operations: []Advertised{
			{ListOfferings, NoAuthentication},
			{GetOffering, OptionalAuthentication},
			{SearchOfferings, NoAuthentication},
			{GetCollection, NoAuthentication},
			{ListCollectionOfferings, NoAuthentication},
		},
		Base: "/shop/odp/", OpenAPI: "/api/openapi.json",
		Branding: &Branding{&BrandingImage{"/icon.svg", "image/svg+xml"}, &BrandingImage{"https://cdn.example/logo", ""}},
		Protocols: Protocols{true, []PaymentSupport{
			{"x402", NoAuthentication, []string{"base"}}, {"mpp", NeedsAuthentication, nil},
		}},
		Capabilities: Capabilities{
			Filters: Source[Filter]{Inline: []Filter{
				{"weight", "Weight", "Weight of the tool without packaging.", DecimalFilter, []Operator{LessEqual, GreaterEqual}, &Unit{"ucum", "kg", ""}, false},
				{"maker", "Maker", "Name of the manufacturer.", StringFilter, []Operator{Equal, In}, nil, true},
			}},
			Sorts: Source[Sort]{Inline: []Sort{
				{"light-first", "Lightest first", "By weight, unknown weights last.", []SortKey{{"weight", false, "last"}}},
			}},
		},
		Website: "/", Documentation: "/docs?x=1", Support: "https://help.example/", Status: "/status",
	}
	if got := shed(t); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Examples of whole sites, as the protocol publishes them.
func TestPublishedServiceDocuments(t *testing.T) {
	shared(t, "test-vectors/index.json")
	root := os.DirFS(sharedDir())
	files, err := fs.Glob(root, "data/odp/examples/*/*-service.json")
	if err != nil || len(files) < 3 {
		t.Fatalf("%v %v", files, err)
	}
	for _, name := range files {
		doc, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseService(doc, "https://market.example"); err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
	}
}

func TestServiceDocumentsAtTheirLimits(t *testing.T) {
	if _, err := ParseService(maximalService(), origin); err != nil {
		t.Error(err)
	}
	for name, change := range map[string][2]string{
		"128 code points, of 3 bytes each": {"/name", `"` + strings.Repeat("東", 128) + `"`},
		"empty keywords":                   {"/keywords", `[]`},
		"1024 characters of keywords":      {"/keywords", `["` + strings.Repeat("a", 64) + `"` + numbered(15, `,"%064d"`) + `]`},
		"language in another case":         {"/localizations", `["EN"]`},
		"base of one slash":                {"/http/endpoint_base", `"/"`},
		"unknown members":                  {"/future", `{"id":1,"web_url":null}`},
		"unknown members of http":          {"/http/grpc", `1`},
		"no website":                       {"/website_url", ""},
		"a linked source on the origin":    {"/search_capabilities/filters", `{"linked":{"href":"https://shed.example:443/f","x":1}}`},
		"a sort by a filter of elsewhere":  {"/search_capabilities/sorts/inline/0/keys/0/filter_id", `"elsewhere"`},
	} {
		if _, err := ParseService([]byte(edit(t, toolShed, change[0], change[1])), origin); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a later minor version adds is ignored, entry by entry, and told (ODP-149).
func TestLaterVersions(t *testing.T) {
	later := edit(t, toolShed, "/odp_version", `"1.7"`)
	const inline = "/search_capabilities/filters/inline"
	for _, c := range []struct {
		name, pointer, value string
		issue                string // pointer of the one issue; "" for none
		check                func(*Service) bool
	}{
		{"operation", "/operations/-", `{"name":"buy","authentication":"required"}`, "/operations/5/name", func(s *Service) bool { return len(s.Operations) == 5 }},
		{"authentication", "/operations/3/authentication", `"maybe"`, "/operations/3/authentication", func(s *Service) bool {
			_, ok := s.Operation(GetCollection)
			return !ok
		}},
		{"member of an operation", "/operations/0/path", `"/x"`, "", func(s *Service) bool { return len(s.Operations) == 5 }},
		{"payment", "/protocols/payments/-", `{"name":"future","authentication":"optional"}`, "/protocols/payments/2/name", func(s *Service) bool { return len(s.Protocols.Payments) == 2 }},
		{"option", "/protocols/payments/0/options/-", `"gold"`, "/protocols/payments/0/options/1", func(s *Service) bool { return len(s.Protocols.Payments[0].Options) == 1 }},
		{"enrollment", "/protocols/enrollment/-", `{"name":"oauth"}`, "/protocols/enrollment/1/name", func(s *Service) bool { return s.Protocols.Enrollment }},
		{"category", "/protocols/escrow", `[]`, "", func(s *Service) bool { return s.Protocols.Enrollment }},
		{"image", "/branding/icon/type", `"image/jxl"`, "/branding/icon/type", func(s *Service) bool { return s.Branding.Icon == nil && s.Branding.Logo != nil }},
		{"filter type", inline + "/0/type", `"money"`, inline + "/0/type", func(s *Service) bool { return s.Capabilities.Filters.Inline[0].ID == "maker" }},
		{"operator", inline + "/0/operators/-", `"like"`, inline + "/0/operators/2", func(s *Service) bool { return s.Capabilities.Filters.Inline[0].ID == "maker" }},
		{"direction", "/search_capabilities/sorts/inline/0/keys/0/direction", `"random"`, "/search_capabilities/sorts/inline/0/keys/0/direction", func(s *Service) bool { return len(s.Capabilities.Sorts.Inline) == 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := ParseService([]byte(edit(t, later, c.pointer, c.value)), origin)
			if err != nil {
				t.Fatal(err)
			}
			if !c.check(s) {
				t.Errorf("got %+v", s)
			}
			if (c.issue == "") != (len(s.Issues) == 0) || c.issue != "" && s.Issues[0].Pointer != c.issue {
				t.Errorf("issues: %+v", s.Issues)
			}
		})
	}
	for name, change := range map[string][2]string{
		"a needed operation is unknown": {"/operations/0/name", `"list-everything"`},
		"a known rule is broken":        {"/name", `""`},
		"an entry that is no object":    {"/operations/0", `1`},
		"an unknown word of no type":    {"/operations/0/name", `1`},
	} {
		if _, err := ParseService([]byte(edit(t, later, change[0], change[1])), origin); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestAddressesOfOperations(t *testing.T) {
	s := shed(t)
	for _, c := range []struct {
		base string
		op   Operation
		id   string
		view View
		want string
	}{
		{"/shop/odp/", ListOfferings, "", View{}, "/shop/odp/offerings"},
		{"/shop/odp", ListOfferings, "", View{}, "/shop/odp/offerings"},
		{"/", ListOfferings, "", View{}, "/offerings"},
		{"/a%2Fb/", GetOffering, "x~._-Y", View{Representation: Full}, "/a%2Fb/offerings/x~._-Y?representation=full"},
		{"/odp", GetCollection, "c", View{Limit: 5}, "/odp/collections/c"},
		{"/odp", ListCollectionOfferings, "c", View{Terse, 100}, "/odp/collections/c/offerings?representation=terse&limit=100"},
		{"/odp", SearchOfferings, "", View{Full, 5}, "/odp/offerings/search?representation=full"},
		{"/odp", ListOfferings, "", View{Limit: 1}, "/odp/offerings?limit=1"},
	} {
		s.Base = c.base
		if got, err := s.Address(c.op, c.id, c.view); err != nil || got != string(origin)+c.want {
			t.Errorf("got %q, want %q: %v", got, c.want, err)
		}
	}
	s.Base = "/odp/"
	for name, call := range map[string]func() error{
		"operation_not_offered":  func() error { _, err := s.URL(SearchCollections, ""); return err },
		"invalid_id":             func() error { _, err := s.URL(GetOffering, ".."); return err },
		"invalid_limit":          func() error { _, err := s.Address(ListOfferings, "", View{Limit: 101}); return err },
		"invalid_representation": func() error { _, err := s.Address(ListOfferings, "", View{Representation: "brief"}); return err },
	} {
		kind := fault.Usage
		if name == "operation_not_offered" {
			kind = fault.Manifest
		}
		requireFault(t, call(), kind, name, "-")
	}
	for _, id := range []string{"", "a/b", "a%2Fb", "a b", "é", strings.Repeat("a", 129)} {
		if got, err := s.URL(GetOffering, id); err == nil {
			t.Errorf("%q gives %q", id, got)
		}
	}
	if got, err := s.URL(ListOfferings, "x"); err == nil {
		t.Errorf("an identifier too many gives %q", got)
	}
	s.Base = "/100%/"
	_, err := s.URL(ListOfferings, "")
	requireFault(t, err, fault.Manifest, "service_invalid", "-")
}

func BenchmarkParseService(b *testing.B) {
	for _, doc := range []struct {
		name string
		doc  []byte
	}{
		{"marketplace", shared(b, "examples/marketplace/marketplace-service.json")},
		{"maximal", maximalService()},
	} {
		b.Run(doc.name, func(b *testing.B) {
			b.SetBytes(int64(len(doc.doc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseService(doc.doc, "https://market.example"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// maximalService is a Service Document with as many entries of each kind as there may be, and texts of an honest length.
func maximalService() []byte {
	quoted := func(n int, format string) string { return numbered(n, ","+format)[1:] }
	operations := `{"name":"` + strings.Join(operationNames(), `","authentication":"optional"},{"name":"`) + `","authentication":"optional"}`
	text := strings.Repeat("Words about it. ", 10)
	filters := quoted(32, `{"id":"filter-%d","title":"Filter","description":"`+text+`","type":"decimal",
		"operators":["eq","in","lt","lte","gt","gte","exists"],"unit":{"system":"service","code":"gpu-hour","title":"GPU hour"},"refinable":true}`)
	sorts := quoted(16, `{"id":"sort-%d","title":"Sort","description":"`+text+`","keys":[
		{"filter_id":"filter-1","direction":"ascending","missing":"last"},{"filter_id":"filter-2","direction":"descending","missing":"first"},
		{"filter_id":"filter-3","direction":"ascending","missing":"last"}]}`)
	return []byte(`{"odp_version":"1.0","name":"Market","description":"` + text + `","language":"en","localizations":["en",` + quoted(15, `"de-x-%d"`) + `],
		"keywords":[` + quoted(32, `"keyword %d"`) + `],"operations":[` + operations + `],
		"http":{"endpoint_base":"/odp/","openapi":{"url":"/openapi.json"}},
		"branding":{"icon":{"src":"/icon.svg","type":"image/svg+xml"},"logo":{"src":"/logo.png","type":"image/png"}},
		"protocols":{"enrollment":[{"name":"aep"}],"payments":[
			{"name":"mpp","authentication":"required","options":["algorand","aptos","arbitrum","avalanche","base","card","ethereum","hedera","inflow","lightning","polygon","solana","stellar","stripe","tempo","ton"]},
			{"name":"x402","authentication":"not-required","options":["base","solana"]}]},
		"search_capabilities":{"filters":{"inline":[` + filters + `]},"sorts":{"inline":[` + sorts + `]}},
		"website_url":"/","documentation_url":"/docs/","support_url":"/support/","status_url":"https://status.example/"}`)
}

// numbered repeats a format with the numbers from 0.
func numbered(n int, format string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format, i)
	}
	return out.String()
}
