package odp

import (
	"fmt"
	"strings"
	"testing"
)

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
	quoted := func(n int, format string) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(format, i))
		}
		return strings.Join(list, ",")
	}
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
