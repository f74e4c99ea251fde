package odp

import (
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

// What must be refused of a Service Document: each row changes one thing of a good one (section 3 of the sheet).
func TestServiceDocumentsThatAreRefused(t *testing.T) {
	long := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	many := func(n int, format string) string { return "[" + numbered(n, ","+format)[1:] + "]" }
	filter := func(more string) string {
		return `{"id":"f","title":"F","description":"F.","type":"integer","operators":["eq"]` + more + `}`
	}
	const inline, sorts = "/search_capabilities/filters/inline", "/search_capabilities/sorts/inline"
	for _, c := range []struct{ name, pointer, value, at string }{
		{"no version", "/odp_version", "", "/odp_version"},
		{"version 2", "/odp_version", `"2.0"`, "/odp_version"},
		{"version without minor", "/odp_version", `"1"`, "/odp_version"},
		{"version with leading zero", "/odp_version", `"01.0"`, "/odp_version"},
		{"version with patch", "/odp_version", `"1.0.0"`, "/odp_version"},
		{"version as a number", "/odp_version", `1.0`, "/odp_version"},
		{"an id", "/id", `"shed"`, "/id"},
		{"a web_url", "/web_url", `"/"`, "/web_url"},

		{"no name", "/name", "", "/name"},
		{"name in the wrong case", "/Name", `"x"`, ""}, // ignored: see below
		{"empty name", "/name", `""`, "/name"},
		{"name of 129 code points", "/name", long(129), "/name"},
		{"null name", "/name", "null", "/name"},
		{"no description", "/description", "", "/description"},
		{"description of 1025 code points", "/description", long(1025), "/description"},

		{"no language", "/language", "", "/language"},
		{"empty extension", "/language", `"en-a"`, "/language"},
		{"tag with underscore", "/language", `"en_US"`, "/language"},
		{"tag of 36 characters", "/language", `"en-x-aaaaaaaa-bbbbbbbb-cccccccc-dddd"`, "/language"},
		{"no localizations", "/localizations", "", "/localizations"},
		{"empty localizations", "/localizations", "[]", "/localizations"},
		{"17 localizations", "/localizations", many(17, `"en-x-%d"`), "/localizations"},
		{"localizations that differ in case", "/localizations", `["en","fr","FR"]`, "/localizations/2"},
		{"language not among localizations", "/localizations", `["fr"]`, "/localizations"},
		{"bad localization", "/localizations/1", `"fr--x"`, "/localizations/1"},
		{"localization that is no text", "/localizations/1", `7`, "/localizations/1"},

		{"33 keywords", "/keywords", many(33, `"k%d"`), "/keywords"},
		{"keyword twice", "/keywords", `["a","b","a"]`, "/keywords/2"},
		{"empty keyword", "/keywords", `[""]`, "/keywords/0"},
		{"keyword of 65 code points", "/keywords", "[" + long(65) + "]", "/keywords/0"},
		{"keyword with white space in front", "/keywords", `["\u00a0a"]`, "/keywords/0"},
		{"keyword with white space behind", "/keywords", `["a\n"]`, "/keywords/0"},
		{"1025 characters of keywords", "/keywords", many(17, `"%061d"`), "/keywords"},
		{"keywords that are no array", "/keywords", `"tools"`, "/keywords"},

		{"no operations", "/operations", "", "/operations"},
		{"one operation", "/operations", `[{"name":"list-offerings","authentication":"not-required"}]`, "/operations"},
		{"no list-offerings", "/operations/0/name", `"list-collections"`, "/operations"},
		{"no get-offering", "/operations/1/name", `"list-collections"`, "/operations"},
		{"operation twice", "/operations/3/name", `"get-offering"`, "/operations/3"},
		{"unknown operation", "/operations/3/name", `"buy-offering"`, "/operations/3/name"},
		{"operation without authentication", "/operations/2/authentication", "", "/operations/2/authentication"},
		{"unknown authentication", "/operations/2/authentication", `"maybe"`, "/operations/2/authentication"},
		{"operation with more members", "/operations/2/path", `"/x"`, "/operations/2/path"},
		{"operation that is no object", "/operations/2", `"get-offering"`, "/operations/2"},

		{"no http", "/http", "", "/http"},
		{"no endpoint_base", "/http/endpoint_base", "", "/http/endpoint_base"},
		{"relative base", "/http/endpoint_base", `"odp/"`, "/http/endpoint_base"},
		{"base that names a host", "/http/endpoint_base", `"//evil.example/"`, "/http/endpoint_base"},
		{"base with query", "/http/endpoint_base", `"/odp?x"`, "/http/endpoint_base"},
		{"base with fragment", "/http/endpoint_base", `"/odp#x"`, "/http/endpoint_base"},
		{"base with backslash", "/http/endpoint_base", `"/\\evil.example"`, "/http/endpoint_base"},
		{"base of 2049 characters", "/http/endpoint_base", `"/` + strings.Repeat("a", 2048) + `"`, "/http/endpoint_base"},
		{"openapi without url", "/http/openapi/url", "", "/http/openapi/url"},
		{"openapi with more members", "/http/openapi/version", `"3.1"`, "/http/openapi/version"},
		{"openapi as text", "/http/openapi", `"/openapi.json"`, "/http/openapi"},

		{"branding without logo", "/branding/logo", "", "/branding/logo"},
		{"branding with more members", "/branding/banner", `{"src":"/x"}`, "/branding/banner"},
		{"image without src", "/branding/icon/src", "", "/branding/icon/src"},
		{"image of an unknown type", "/branding/icon/type", `"image/gif"`, "/branding/icon/type"},
		{"image with more members", "/branding/icon/alt", `"x"`, "/branding/icon/alt"},
		{"image with a bad reference", "/branding/icon/src", `"icon.svg"`, "/branding/icon/src"},

		{"no enrollment for an operation", "/protocols/enrollment", "", "/operations"},
		{"protocols empty", "/protocols", "{}", "/protocols"},
		{"unknown protocol category", "/protocols/escrow", `[]`, "/protocols/escrow"},
		{"no enrollment entry", "/protocols/enrollment", `[]`, "/protocols/enrollment"},
		{"two enrollment entries", "/protocols/enrollment", `[{"name":"aep"},{"name":"aep"}]`, "/protocols/enrollment"},
		{"unknown enrollment", "/protocols/enrollment/0/name", `"oauth"`, "/protocols/enrollment/0/name"},
		{"enrollment with more members", "/protocols/enrollment/0/url", `"/x"`, "/protocols/enrollment/0/url"},
		{"no payments entry", "/protocols/payments", `[]`, "/protocols/payments"},
		{"three payments", "/protocols/payments/-", `{"name":"mpp","authentication":"required"}`, "/protocols/payments"},
		{"payment twice", "/protocols/payments/1/name", `"x402"`, "/protocols/payments/1"},
		{"unknown payment", "/protocols/payments/1/name", `"future-pay"`, "/protocols/payments/1/name"},
		{"optional payment sign-in", "/protocols/payments/1/authentication", `"optional"`, "/protocols/payments/1/authentication"},
		{"payment without sign-in", "/protocols/payments/1/authentication", "", "/protocols/payments/1/authentication"},
		{"payment with more members", "/protocols/payments/1/price", `"1"`, "/protocols/payments/1/price"},
		{"no options", "/protocols/payments/0/options", `[]`, "/protocols/payments/0/options"},
		{"unknown option", "/protocols/payments/0/options", `["gold"]`, "/protocols/payments/0/options/0"},
		{"option twice", "/protocols/payments/0/options", `["base","base"]`, "/protocols/payments/0/options/1"},

		{"relative website", "/website_url", `"../"`, "/website_url"},
		{"plain http documentation", "/documentation_url", `"http://shed.example/"`, "/documentation_url"},
		{"support with fragment", "/support_url", `"/help#top"`, "/support_url"},
		{"status that is no text", "/status_url", `{}`, "/status_url"},

		{"capabilities empty", "/search_capabilities", `{}`, "/search_capabilities"},
		{"capabilities that are no object", "/search_capabilities", `[]`, "/search_capabilities"},
		{"source inline and linked", "/search_capabilities/filters/linked", `{"href":"/f"}`, "/search_capabilities/filters"},
		{"source without either", "/search_capabilities/filters", `{}`, "/search_capabilities/filters"},
		{"source on another origin", "/search_capabilities/filters", `{"linked":{"href":"https://other.example/f"}}`, "/search_capabilities/filters/linked/href"},
		{"link without href", "/search_capabilities/filters", `{"linked":{}}`, "/search_capabilities/filters/linked/href"},
		{"no inline filter", inline, `[]`, inline},
		{"33 inline filters", inline, many(33, `{"id":"f%d","title":"F","description":"F.","type":"date","operators":["eq"]}`), inline},
		{"17 inline sorts", sorts, many(17, `{"id":"s%d","title":"S","description":"S.","keys":[{"filter_id":"weight","direction":"ascending","missing":"last"}]}`), sorts},
		{"filter twice", inline + "/1/id", `"weight"`, inline + "/1/id"},
		{"filter id with a space", inline + "/0/id", `"a b"`, inline + "/0/id"},
		{"filter id of 65 characters", inline + "/0/id", `"` + strings.Repeat("a", 65) + `"`, inline + "/0/id"},
		{"filter without title", inline + "/0/title", "", inline + "/0/title"},
		{"filter title of 129", inline + "/0/title", long(129), inline + "/0/title"},
		{"filter without description", inline + "/0/description", "", inline + "/0/description"},
		{"unknown type", inline + "/0/type", `"money"`, inline + "/0/type"},
		{"no operators", inline + "/0/operators", `[]`, inline + "/0/operators"},
		{"unknown operator", inline + "/0/operators/0", `"like"`, inline + "/0/operators/0"},
		{"operator twice", inline + "/0/operators/0", `"gte"`, inline + "/0/operators/1"},
		{"order of strings", inline + "/1/operators/0", `"lt"`, inline + "/1/operators/0"},
		{"order of booleans", inline + "/0", `{"id":"b","title":"B","description":"B.","type":"boolean","operators":["eq","gt"]}`, inline + "/0/operators/1"},
		{"unit of a string", inline + "/1/unit", `{"system":"ucum","code":"1"}`, inline + "/1/unit"},
		{"unit of an unknown system", inline + "/0/unit/system", `"imperial"`, inline + "/0/unit/system"},
		{"unit without code", inline + "/0/unit/code", "", inline + "/0/unit/code"},
		{"unit code of 65", inline + "/0/unit/code", long(65), inline + "/0/unit/code"},
		{"own unit without title", inline + "/0/unit", `{"system":"service","code":"gpu-hour"}`, inline + "/0/unit/title"},
		{"own unit with a bad code", inline + "/0/unit", `{"system":"service","code":"gpu hour","title":"GPU hour"}`, inline + "/0/unit/code"},
		{"refinable false", inline + "/1/refinable", "false", inline + "/1/refinable"},
		{"refinable without eq or in", inline + "/0/refinable", "true", inline + "/0/refinable"},
		{"sort without keys", sorts + "/0/keys", `[]`, sorts + "/0/keys"},
		{"sort with four keys", sorts + "/0/keys", many(4, `{"filter_id":"f%d","direction":"ascending","missing":"last"}`), sorts + "/0/keys"},
		{"sort by one filter twice", sorts + "/0/keys/-", `{"filter_id":"weight","direction":"descending","missing":"last"}`, sorts + "/0/keys/1/filter_id"},
		{"unknown direction", sorts + "/0/keys/0/direction", `"up"`, sorts + "/0/keys/0/direction"},
		{"no word on missing values", sorts + "/0/keys/0/missing", "", sorts + "/0/keys/0/missing"},
		{"nine levels", inline + "/0", filter(`,"x":[[[1]]]`), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := edit(t, toolShed, c.pointer, c.value)
			_, err := ParseService([]byte(doc), origin)
			switch {
			case c.pointer == "/Name":
				if err != nil {
					t.Fatalf("unknown members mean nothing (ODP-5): %v", err)
				}
			case c.name == "nine levels":
				requireFault(t, err, fault.Manifest, "service_invalid", "-")
				if !strings.Contains(err.Error(), "levels") {
					t.Fatal(err)
				}
			default:
				f := requireFault(t, err, fault.Manifest, "service_invalid", c.at)
				if c.at != "" && !strings.Contains(f.Message, `"`+c.at+`"`) {
					t.Errorf("the message does not name the place: %s", f.Message)
				}
			}
		})
	}
}

func TestServiceDocumentsThatAreNoJSONOfOurs(t *testing.T) {
	for name, doc := range map[string]string{
		"empty":                   ``,
		"no object":               `[]`,
		"cut":                     toolShed[:len(toolShed)-1],
		"more behind":             toolShed + `{}`,
		"name twice":              `{"name":"a","name":"b"}`,
		"name twice, escaped":     `{"name":"a","n\u0061me":"b"}`,
		"invalid UTF-8":           "{\"name\":\"\xff\"}",
		"unpaired surrogate":      `{"name":"\ud800"}`,
		"unpaired surrogate name": `{"\udc00":1}`,
		"byte order mark":         "\ufeff" + toolShed,
		"65,537 bytes":            toolShed + strings.Repeat(" ", 65_537-len(toolShed)),
		"65 levels":               strings.Repeat("[", 65) + strings.Repeat("]", 65),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseService([]byte(doc), origin)
			requireFault(t, err, fault.Manifest, "service_invalid", "-")
		})
	}
	if _, err := ParseService([]byte(toolShed+strings.Repeat(" ", 65_536-len(toolShed))), origin); err != nil {
		t.Errorf("65,536 bytes are allowed: %v", err)
	}
}

func TestSigningInNeedsAWayToEnrol(t *testing.T) {
	bare := edit(t, edit(t, toolShed, "/operations/1/authentication", `"not-required"`), "/protocols/enrollment", "")
	_, err := ParseService([]byte(bare), origin)
	requireFault(t, err, fault.Manifest, "service_invalid", "/protocols") // mpp asks for it
	if _, err := ParseService([]byte(edit(t, bare, "/protocols/payments/1/authentication", `"not-required"`)), origin); err != nil {
		t.Error(err)
	}
}

func TestSearchCapabilitiesNeedTheSearch(t *testing.T) {
	_, err := ParseService([]byte(edit(t, toolShed, "/operations/2/name", `"list-collections"`)), origin)
	requireFault(t, err, fault.Manifest, "service_invalid", "/search_capabilities")
}
