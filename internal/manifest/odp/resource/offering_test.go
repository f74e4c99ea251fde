package resource

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema"
)

// requireAt checks that an error is a refusal of the document that names the place.
func requireAt(t *testing.T, err error, pointer string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.Manifest {
		t.Fatalf("want a fault at %q, got %v", pointer, err)
	}
	if e.Details["pointer"] != pointer || pointer != "" && !strings.Contains(e.Message, pointer) {
		t.Errorf("want %q to be named, got %v (%v)", pointer, e, e.Details)
	}
}

// with returns a full Offering with more members.
func with(members string) string {
	return `{"odp_version":"1.0","id":"drill-7","name":"Hammer drill",` + members + `}`
}

func TestOfferingsThatAreRefusedWhole(t *testing.T) {
	long := strings.Repeat("é", 1025)
	for name, c := range map[string]struct{ doc, pointer string }{
		"no version (ODP-16)":                {`{"id":"a","name":"A"}`, "/odp_version"},
		"another major version":              {`{"odp_version":"2.0","id":"a","name":"A"}`, "/odp_version"},
		"a malformed version":                {`{"odp_version":"01.0","id":"a","name":"A"}`, "/odp_version"},
		"no id":                              {`{"odp_version":"1.0","name":"A"}`, "/id"},
		"an id with a space (ODP-10)":        {`{"odp_version":"1.0","id":"a b","name":"A"}`, "/id"},
		"an id that is a dot segment":        {`{"odp_version":"1.0","id":"..","name":"A"}`, "/id"},
		"a member with another case (ODP-4)": {`{"odp_version":"1.0","id":"a","Name":"A"}`, "/name"},
		"no name":                            {`{"odp_version":"1.0","id":"a"}`, "/name"},
		"an empty name":                      {`{"odp_version":"1.0","id":"a","name":""}`, "/name"},
		"a name of 129 characters":           {`{"odp_version":"1.0","id":"a","name":"` + strings.Repeat("é", 129) + `"}`, "/name"},
		"null in place of a name":            {`{"odp_version":"1.0","id":"a","name":null}`, "/name"},
		"a description that is too long":     {with(`"description":"` + long + `"`), "/description"},
		"an empty description":               {with(`"description":""`), "/description"},
		"no image (ODP-112)":                 {with(`"images":[]`), "/images"},
		"17 images":                          {with(`"images":[` + images(17) + `]`), "/images"},
		"an image twice":                     {with(`"images":[{"src":"/a"},{"src":"/a","alt":"x"}]`), "/images/1/src"},
		"an image of another type":           {with(`"images":[{"src":"/a","type":"image/gif"}]`), "/images/0/type"},
		"an image with another member":       {with(`"images":[{"src":"/a","title":"x"}]`), "/images/0/title"},
		"an image without an address":        {with(`"images":[{"alt":"x"}]`), "/images/0/src"},
		"an image 65536 wide":                {with(`"images":[{"src":"/a","width":65536}]`), "/images/0/width"},
		"an image of half a pixel":           {with(`"images":[{"src":"/a","height":0.5}]`), "/images/0/height"},
		"an image with an empty alt":         {with(`"images":[{"src":"/a","alt":""}]`), "/images/0/alt"},
		"a malformed language (ODP-25)":      {with(`"language":"en-a"`), "/language"},
		"no localization":                    {with(`"localizations":[]`), "/localizations"},
		"a localization twice":               {with(`"localizations":["en","EN"]`), "/localizations/1"},
		"localizations without the language": {with(`"language":"ja","localizations":["en"]`), "/localizations"},
		"a relative web_url (ODP-12)":        {with(`"web_url":"a"`), "/web_url"},
		"a web_url over plain http":          {with(`"web_url":"http://a.example/"`), "/web_url"},
		"a web_url with a fragment":          {with(`"web_url":"/a#b"`), "/web_url"},
		"no collection":                      {with(`"collection_ids":[]`), "/collection_ids"},
		"a collection twice":                 {with(`"collection_ids":["a","b","a"]`), "/collection_ids/2"},
		"a collection among many twice":      {with(`"collection_ids":[` + ids(20) + `,"c3"]`), "/collection_ids/20"},
		"a malformed collection":             {with(`"collection_ids":["a/b"]`), "/collection_ids/0"},
		"attributes without a schema":        {with(`"attributes":{"a":1}`), "/attributes"},
		"empty attributes":                   {with(`"schema":{"url":"/s"},"attributes":{}`), "/attributes"},
		"attributes that are a list":         {with(`"schema":{"url":"/s"},"attributes":[1]`), "/attributes"},
		"a schema with another member":       {with(`"schema":{"url":"/s","media_type":"x"}`), "/schema/media_type"},
		"a schema that is a text":            {with(`"schema":"/s"`), "/schema"},
		"no action (ODP-58)":                 {with(`"actions":[]`), "/actions"},
		"17 actions":                         {with(`"actions":[` + strings.Repeat(`{},`, 16) + `{}]`), "/actions"},
		"actions that are no list":           {with(`"actions":{}`), "/actions"},
		"detail_fields in full (ODP-39)":     {with(`"detail_fields":["/price"]`), "/detail_fields"},
		"auth_expands false (ODP-40)":        {with(`"auth_expands":false`), "/auth_expands"},
		"a price that is no object":          {with(`"price":"free"`), "/price"},
		"a price without a type":             {with(`"price":{"amount":"1"}`), "/price/type"},
		"a price of an empty type":           {with(`"price":{"type":""}`), "/price/type"},
		"an amount that is a number":         {with(`"price":{"type":"fixed","amount":1,"currency":"EUR"}`), "/price/amount"},
		"a negative amount":                  {with(`"price":{"type":"fixed","amount":"-1","currency":"EUR"}`), "/price/amount"},
		"an amount with leading zeros":       {with(`"price":{"type":"fixed","amount":"01","currency":"EUR"}`), "/price/amount"},
		"an amount with an exponent":         {with(`"price":{"type":"fixed","amount":"1e3","currency":"EUR"}`), "/price/amount"},
		"an amount without a fraction":       {with(`"price":{"type":"starting_at","amount":"1.","currency":"EUR"}`), "/price/amount"},
		"a price without a currency":         {with(`"price":{"type":"fixed","amount":"1"}`), "/price/currency"},
		"an empty currency":                  {with(`"price":{"type":"fixed","amount":"1","currency":""}`), "/price/currency"},
		"a range upside down":                {with(`"price":{"type":"range","minimum":"10","maximum":"9.99","currency":"EUR"}`), "/price/minimum"},
		"a range without an end":             {with(`"price":{"type":"range","minimum":"10","currency":"EUR"}`), "/price/maximum"},
		"a metered price without a unit":     {with(`"price":{"type":"metered","amount":"1","currency":"EUR"}`), "/price/unit"},
		"not an object":                      {`[]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseOffering([]byte(c.doc), odp.Full)
			requireAt(t, err, c.pointer)
		})
	}
}

func images(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"src":"/%d"}`, i)
	}
	return strings.Join(list, ",")
}

func ids(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"c%d"`, i)
	}
	return strings.Join(list, ",")
}

func TestDocumentsBeyondTheirLimits(t *testing.T) {
	size := odp.ResourceLimits().Bytes
	fits := with(`"x":1`)
	fits += strings.Repeat(" ", size-len(fits))
	if _, err := ParseOffering([]byte(fits), odp.Full); err != nil {
		t.Error(err)
	}
	for name, doc := range map[string]string{
		"a byte more":   fits + " ",
		"17 levels":     with(`"x":` + strings.Repeat("[", 15) + "1" + strings.Repeat("]", 15)),
		"a deep object": with(`"x":` + strings.Repeat(`{"a":`, 15) + "1" + strings.Repeat("}", 15)),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseOffering([]byte(doc), odp.Full)
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Unavailable || e.Code != CodeLimitExceeded {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := ParseOffering([]byte(with(`"x":`+strings.Repeat("[", 14)+"1"+strings.Repeat("]", 14))), odp.Full); err != nil {
		t.Errorf("16 levels: %v", err)
	}
	for name, doc := range map[string]string{
		"a member twice (ODP-4)":   with(`"id":"b"`),
		"text behind the document": with(`"x":1`) + "1",
		"invalid UTF-8":            with("\"x\":\"\xff\""),
		"an unpaired surrogate":    with(`"x":"\ud800"`),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseOffering([]byte(doc), odp.Full)
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Manifest {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestOfferingsAreReadCompletely(t *testing.T) {
	doc := with(`"description":"Drills.","images":[{"src":"/a.png","alt":"A","type":"image/png","width":2,"height":3}],"language":"en",
		"localizations":["fr","EN"],"web_url":"https://a.example/d","collection_ids":["drills"],"auth_expands":true,
		"price":{"type":"metered","amount":"6.50","currency":"EUR","unit":"day","more":1},
		"schema":{"url":"/s"},"attributes":{"weight_kg":2.60, "id":12345678901234567890},
		"actions":[{"id":"manual","rel":"download","authentication":"not-required","http":{"href":"/m.pdf","method":"GET"}}],"unknown":[]`)
	o, err := ParseOffering([]byte(strings.Replace(doc, `"1.0"`, `"1.7"`, 1)), odp.Full)
	if err != nil {
		t.Fatal(err)
	}
	want := &Offering{
		Head: Head{
			ID: "drill-7", Name: "Hammer drill", Description: "Drills.", Images: []Image{{"/a.png", "A", "image/png", 2, 3}},
			Language: "en", Localizations: []string{"fr", "EN"}, WebURL: "https://a.example/d", AuthExpands: true,
		},
		CollectionIDs: []string{"drills"},
		Price:         &Price{Type: Metered, Amount: "6.50", Currency: "EUR", Unit: "day"},
		SchemaURL:     "/s", Attributes: jsontext.Value(`{"weight_kg":2.60,"id":12345678901234567890}`),
		Actions: []Action{{ID: "manual", Rel: Download, Authentication: odp.NoAuthentication, HTTP: &HTTPTarget{Href: "/m.pdf", Method: "GET"}}},
	}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Error(diff)
	}
	if _, ok := o.Action("manual"); !ok {
		t.Error("the Action is not found")
	}
	if _, ok := o.Action("other"); ok {
		t.Error("an Action is found that is not there")
	}
}

func TestAnUnknownTypeSpoilsThePriceOnly(t *testing.T) {
	o, err := ParseOffering([]byte(with(`"price":{"type":"auction","amount":7}`)), odp.Full)
	if err != nil {
		t.Fatal(err)
	}
	if o.Price == nil || o.Price.Type != "auction" || o.Price.Amount != "" || o.Price.IsFree() || len(o.Issues) != 1 ||
		o.Issues[0].Code != "price_unsupported" || o.Issues[0].Pointer != "/price" {
		t.Errorf("got %+v, issues %v", o.Price, o.Issues)
	}
}

func TestPrices(t *testing.T) {
	for doc, c := range map[string]struct {
		text string
		cost *manifest.Cost
	}{
		`{"type":"free"}`:  {"free", &manifest.Cost{Mode: "free"}},
		`{"type":"quote"}`: {"on request", &manifest.Cost{Mode: "quote"}},
		`{"type":"fixed","amount":"0.10","currency":"EUR"}`:                {"0.10 EUR", &manifest.Cost{Mode: "fixed", Amount: "0.10", Currency: "EUR"}},
		`{"type":"starting_at","amount":"9","currency":"EUR"}`:             {"from 9 EUR", &manifest.Cost{Mode: "starting_at", Currency: "EUR"}},
		`{"type":"range","minimum":"9","maximum":"9.00","currency":"EUR"}`: {"9 to 9.00 EUR", &manifest.Cost{Mode: "range", Currency: "EUR"}},
		`{"type":"metered","amount":"6.50","currency":"EUR","unit":"day"}`: {"6.50 EUR per day", &manifest.Cost{Mode: "metered", Currency: "EUR"}},
	} {
		o, err := ParseOffering([]byte(with(`"price":`+doc)), odp.Full)
		if err != nil {
			t.Errorf("%s: %v", doc, err)
			continue
		}
		if o.Price.String() != c.text || !cmp.Equal(o.Price.Cost(), c.cost) {
			t.Errorf("%s: got %q, %v", doc, o.Price, o.Price.Cost())
		}
	}
	var none *Price // absent is not free (ODP-91)
	if none.IsFree() || none.Cost() != nil || none.String() != "" {
		t.Error("an absent price says something")
	}
}

func TestAmountsCompareExactly(t *testing.T) {
	digits := strings.Repeat("9", 400)
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1.0", "1.00", 0},
		{"0", "0.0", 0},
		{"9", "10", -1},
		{"0.3", "0.25", 1},
		{"0.1", "0.10000000000000000000000000001", -1},
		{digits, "1" + digits, -1},
		{digits + ".5", digits + ".49", 1},
	} {
		if got := compareMoney(c.a, c.b); got != c.want {
			t.Errorf("%.20s and %.20s: got %d", c.a, c.b, got)
		}
		if got := compareMoney(c.b, c.a); got != -c.want {
			t.Errorf("%.20s and %.20s: got %d", c.b, c.a, got)
		}
	}
}

func TestTerseItems(t *testing.T) {
	for name, c := range map[string]struct{ item, pointer string }{
		"the least":                             {`{"id":"a","name":"A"}`, ""},
		"details":                               {`{"id":"a","name":"A","schema":{"url":"/s"},"attributes":{"x":{"y":1}},"detail_fields":["/actions","/attributes/x/z","/attributes/a~1b~0c"]}`, ""},
		"a version of its own (ODP-17)":         {`{"odp_version":"1.0","id":"a","name":"A"}`, "/items/0/odp_version"},
		"actions (ODP-59)":                      {`{"id":"a","name":"A","actions":[{"id":"x"}]}`, "/items/0/actions"},
		"attributes without a schema":           {`{"id":"a","name":"A","attributes":{"x":1}}`, "/items/0/attributes"},
		"no detail field":                       {`{"id":"a","name":"A","detail_fields":[]}`, "/items/0/detail_fields"},
		"33 detail fields":                      {`{"id":"a","name":"A","detail_fields":["/x0"` + fields(32) + `]}`, "/items/0/detail_fields"},
		"a detail field twice":                  {`{"id":"a","name":"A","detail_fields":["/x","/x"]}`, "/items/0/detail_fields/1"},
		"a fragment":                            {`{"id":"a","name":"A","detail_fields":["#/x"]}`, "/items/0/detail_fields/0"},
		"the whole document":                    {`{"id":"a","name":"A","detail_fields":[""]}`, "/items/0/detail_fields/0"},
		"a malformed escape":                    {`{"id":"a","name":"A","detail_fields":["/x~2"]}`, "/items/0/detail_fields/0"},
		"an escape that is cut":                 {`{"id":"a","name":"A","detail_fields":["/x~"]}`, "/items/0/detail_fields/0"},
		"no ASCII":                              {`{"id":"a","name":"A","detail_fields":["/é"]}`, "/items/0/detail_fields/0"},
		"a detail field of 257 characters":      {`{"id":"a","name":"A","detail_fields":["/` + strings.Repeat("x", 256) + `"]}`, "/items/0/detail_fields/0"},
		"the version as a detail field":         {`{"id":"a","name":"A","detail_fields":["/odp_version"]}`, "/items/0/detail_fields/0"},
		"a detail field that is there":          {`{"id":"a","name":"A","detail_fields":["/name"]}`, "/items/0/detail_fields/0"},
		"a detail field in one that is missing": {`{"id":"a","name":"A","detail_fields":["/attributes/x"]}`, "/items/0/detail_fields/0"},
		"a detail field within a text":          {`{"id":"a","name":"A","detail_fields":["/name/x"]}`, "/items/0/detail_fields/0"},
		"a detail field that is no text":        {`{"id":"a","name":"A","detail_fields":[1]}`, "/items/0/detail_fields/0"},
		"not an object":                         {`7`, "/items/0"},
	} {
		t.Run(name, func(t *testing.T) {
			page, err := ParseOfferings([]byte(`{"odp_version":"1.0","items":[`+c.item+`,{"id":"z","name":"Z"}]}`), PageRules{Representation: odp.Terse})
			if err != nil {
				t.Fatal(err)
			}
			if c.pointer == "" {
				if len(page.Items) != 2 || len(page.Issues) > 0 {
					t.Errorf("got %v", page.Issues)
				}
				return
			}
			if len(page.Items) != 1 || page.Items[0].ID != "z" || len(page.Issues) != 1 || page.Issues[0].Pointer != c.pointer {
				t.Errorf("got %v, want an issue at %q", page.Issues, c.pointer)
			}
		})
	}
}

func fields(n int) string {
	out := ""
	for i := range n {
		out += fmt.Sprintf(`,"/x%d"`, i+1)
	}
	return out
}

func TestAttributesThatDoNotMatchAreDropped(t *testing.T) {
	compiled, err := schema.Compile(jsontext.Value(`{"properties":{"weight":{"type":"number"}},"required":["maker"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		attributes     string
		representation odp.Representation
		failed         error
		kept           bool
	}{
		"full ones that match":           {`{"maker":"Acme"}`, odp.Full, nil, true},
		"full ones that do not":          {`{"weight":1}`, odp.Full, nil, false},
		"terse ones may lack members":    {`{"weight":1}`, odp.Terse, nil, true},
		"a schema that cannot be had":    {`{"maker":"Acme"}`, odp.Full, errors.New("status 404"), false},
		"… for terse ones just the same": {`{"maker":"Acme"}`, odp.Terse, errors.New("status 404"), false},
	} {
		t.Run(name, func(t *testing.T) {
			o := &Offering{Attributes: jsontext.Value(c.attributes), Price: &Price{Type: Free}}
			o.CheckAttributes(c.representation, compiled, c.failed)
			if (o.Attributes != nil) != c.kept || (len(o.Issues) == 0) != c.kept || o.Price == nil {
				t.Errorf("got %s, issues %v", o.Attributes, o.Issues)
			}
		})
	}
}

func TestCollectionsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ members, pointer string }{
		"no parent (ODP-54)":         {`"parent_ids":[]`, "/parent_ids"},
		"a parent twice":             {`"parent_ids":["a","a"]`, "/parent_ids/1"},
		"a linked source elsewhere":  {`"search_capabilities":{"filters":{"linked":{"href":"https://b.example/f"}}}`, "/search_capabilities/filters/linked/href"},
		"capabilities with nothing":  {`"search_capabilities":{}`, "/search_capabilities"},
		"detail_fields in full":      {`"detail_fields":["/x"]`, "/detail_fields"},
		"auth_expands that is false": {`"auth_expands":false`, "/auth_expands"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseCollection([]byte(with(c.members)), "https://a.example", odp.Full)
			requireAt(t, err, c.pointer)
		})
	}
	got, err := ParseCollection([]byte(with(`"parent_ids":["b","a"],"search_capabilities":{"sorts":{"linked":{"href":"/s"}}}`)), "https://a.example", odp.Full)
	if err != nil || !slices.Equal(got.ParentIDs, []string{"b", "a"}) || got.SearchCapabilities.Sorts.Linked != "/s" {
		t.Errorf("got %+v, %v", got, err)
	}
}
