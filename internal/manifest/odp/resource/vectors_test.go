package resource

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// shared returns a file of the protocol's published data, which lies beside the project; AGENTCTL_SHARED says where else.
func shared(t testing.TB, name string) []byte {
	t.Helper()
	dir := os.Getenv("AGENTCTL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "..", "shared")
	}
	doc, err := os.ReadFile(filepath.Join(dir, "data", "odp", name))
	if err != nil {
		t.Skipf("no published data: %v", err)
	}
	return doc
}

// vector is one case of the protocol's test vectors. Each suite uses some of the members.
type vector struct {
	Name      string         `json:"name"`
	Operation string         `json:"operation"`
	Valid     bool           `json:"valid"`
	Expected  jsontext.Value `json:"expected"`

	Document       jsontext.Value `json:"document"`
	Representation jsontext.Value `json:"representation"`
	Terse, Full    jsontext.Value

	Actions        jsontext.Value `json:"actions"`
	Usable         []string       `json:"expected_usable"`
	Issues         []string       `json:"expected_issues"`
	Target         jsontext.Value `json:"target"`
	ServiceOpenAPI string         `json:"service_openapi"`
	Response       struct {
		Status  int
		Headers map[string]string
	}
	Requires  []Protocol
	Responses []int

	Collections jsontext.Value `json:"collections"`
	Offerings   []struct {
		ID            string   `json:"id"`
		CollectionIDs []string `json:"collection_ids"`
	}
	ChainLength       int      `json:"chain_length"`
	Condition         string   `json:"condition"`
	QueryCollectionID string   `json:"query_collection_id"`
	OfferingIDs       []string `json:"offering_ids"`

	Page          jsontext.Value `json:"page"`
	Pages         [][]string     `json:"pages"`
	Limit         int            `json:"limit"`
	ServiceOrigin odp.Origin     `json:"service_origin"`
	Next          string         `json:"next"`
	Method        string         `json:"method"`

	Resource    string         `json:"resource"`
	Bytes       int            `json:"bytes"`
	HTTPStatus  int            `json:"http_status"`
	Problem     jsontext.Value `json:"problem"`
	PriorItems  int            `json:"prior_items"`
	PageValid   bool           `json:"current_page_valid"`
	Reference   jsontext.Value `json:"reference"`
	Status      int            `json:"status"`
	ContentType string         `json:"content_type"`
	Complete    bool           `json:"complete_instance_validation"`

	RequestKind RequestKind `json:"request_kind"`
	SameOrigin  bool        `json:"same_origin"`
	InputFields []string    `json:"input_fields"`
}

// eachVector runs a test for every case of a suite that has one of the operations; none means all.
func eachVector(t *testing.T, suite string, test func(*testing.T, vector), operations ...string) {
	t.Helper()
	var contract struct{ Cases []vector }
	if err := json.Unmarshal(shared(t, filepath.Join("test-vectors", suite)), &contract); err != nil {
		t.Fatal(err)
	}
	ran := false
	for _, v := range contract.Cases {
		if len(operations) == 0 || slices.Contains(operations, v.Operation) {
			ran = true
			t.Run(v.Name, func(t *testing.T) { test(t, v) })
		}
	}
	if !ran {
		t.Error("no case has this operation")
	}
}

func (v vector) want(t *testing.T, err error) {
	t.Helper()
	if (err == nil) != v.Valid {
		t.Errorf("valid is %v, got %v", v.Valid, err)
	}
}

func cursor(t testing.TB, doc string) *odp.Cursor {
	t.Helper()
	root, err := odp.Decode([]byte(doc), odp.ResourceLimits())
	if err != nil {
		t.Fatal(err)
	}
	return odp.NewCursor(root, "test")
}

func TestOfferingVectors(t *testing.T) {
	eachVector(t, "offerings/contract.json", func(t *testing.T, v vector) {
		if string(v.Representation) == `"full"` {
			_, err := ParseOffering(v.Document, odp.Full)
			v.want(t, err)
			return
		}
		page, err := ParseOfferings([]byte(`{"odp_version":"1.0","items":[`+string(v.Document)+`]}`), PageRules{Representation: odp.Terse})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(page.Items) == 1; got != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, page.Issues)
		}
	})
}

func TestCollectionVectors(t *testing.T) {
	eachVector(t, "collections/envelope.json", func(t *testing.T, v vector) {
		_, err := ParseCollection(v.Document, "https://a.example", odp.Full)
		v.want(t, err)
	})
}

func TestHierarchyVectors(t *testing.T) {
	eachVector(t, "collections/hierarchy.json", func(t *testing.T, v vector) {
		var list []struct {
			ID        string   `json:"id"`
			ParentIDs []string `json:"parent_ids"`
		}
		if err := json.Unmarshal(v.Collections, &list); err != nil {
			t.Fatal(err)
		}
		var collections []*Collection
		for _, c := range list {
			collections = append(collections, collection(c.ID, c.ParentIDs...))
		}
		if v.ChainLength > 0 {
			collections = chain(v.ChainLength)
		}
		if h := NewHierarchy(collections); (len(h.Issues) == 0) != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, h.Issues)
		}
	})
	eachVector(t, "collections/invalid-edge-handling.json", func(t *testing.T, v vector) {
		var h *Hierarchy
		var issues []odp.Issue
		switch v.Condition {
		case "cycle":
			h = NewHierarchy([]*Collection{collection("a", "b"), collection("b", "a")})
		case "depth-exceeded":
			h = NewHierarchy(chain(33))
		case "missing-parent":
			h = NewHierarchy([]*Collection{collection("a", "b")})
		case "missing-collection":
			h = NewHierarchy(nil)
			_, issues = h.Members("a", []*Offering{{Head: Head{ID: "o"}, CollectionIDs: []string{"a"}}})
		default:
			t.Fatalf("unknown condition %q", v.Condition)
		}
		if len(h.Issues)+len(issues) != 1 || string(v.Expected) != `"ignore-edge"` {
			t.Errorf("got %v %v", h.Issues, issues)
		}
	})
	eachVector(t, "collections/membership.json", func(t *testing.T, v vector) {
		var ids []string
		if err := json.Unmarshal(v.Collections, &ids); err != nil {
			t.Fatal(err)
		}
		var collections []*Collection
		for _, id := range ids {
			collections = append(collections, collection(id))
		}
		var offerings []*Offering
		for _, o := range v.Offerings {
			offerings = append(offerings, &Offering{Head: Head{ID: o.ID}, CollectionIDs: o.CollectionIDs})
		}
		members, issues := NewHierarchy(collections).Members(v.QueryCollectionID, offerings)
		if v.OfferingIDs == nil {
			if len(issues) == 0 {
				t.Error("a membership that leads nowhere got no issue")
			}
			return
		}
		if !slices.Equal(members, v.OfferingIDs) || len(issues) > 0 {
			t.Errorf("got %v %v", members, issues)
		}
	})
}

func TestActionVectors(t *testing.T) {
	eachVector(t, "actions/contract.json", func(t *testing.T, v vector) {
		c := cursor(t, string(v.Actions))
		actions, issues := ReadActions(c)
		var usable, bad []string
		for _, a := range actions {
			usable = append(usable, a.ID)
		}
		for _, issue := range issues {
			bad = append(bad, issue.Command...)
		}
		if !slices.Equal(usable, v.Usable) || !slices.Equal(bad, v.Issues) || c.Failed() {
			t.Errorf("got %v, issues %v, %v", usable, issues, c.Issue())
		}
	}, "validate-actions")
	eachVector(t, "actions/contract.json", func(t *testing.T, v vector) {
		c := cursor(t, string(v.Target))
		target := readOpenAPITarget(c)
		if c.Failed() {
			v.want(t, fmt.Errorf("%v", c.Issue()))
			return
		}
		from, err := target.DocumentURL("https://a.example", v.ServiceOpenAPI)
		if err != nil {
			v.want(t, err)
			return
		}
		d, err := openapi.Parse(openAPIOf(t, v.Document), from)
		if err == nil {
			_, err = d.Operation(target.OperationID)
		}
		v.want(t, err)
	}, "resolve-openapi")
}

// openAPIOf makes a whole document of what a vector says about it.
func openAPIOf(t *testing.T, summary jsontext.Value) []byte {
	t.Helper()
	var s struct {
		OpenAPI      string   `json:"openapi"`
		OperationIDs []string `json:"operation_ids"`
	}
	if err := json.Unmarshal(summary, &s); err != nil {
		t.Fatal(err)
	}
	paths := map[string]any{}
	for i, id := range s.OperationIDs {
		paths[fmt.Sprintf("/operations/%d", i)] = map[string]any{"post": map[string]any{"operationId": id}}
	}
	doc, err := json.Marshal(map[string]any{"openapi": s.OpenAPI, "paths": paths})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestPageVectors(t *testing.T) {
	rules := PageRules{Origin: "https://a.example", Representation: odp.Terse}
	eachVector(t, "pagination/contract.json", func(t *testing.T, v vector) {
		_, err := ParseOfferings(v.Page, rules)
		v.want(t, err)
	}, "validate-page")
	eachVector(t, "pagination/contract.json", func(t *testing.T, v vector) {
		if odp.ValidLimit(v.Limit) != v.Valid {
			t.Errorf("valid is %v", v.Valid)
		}
	}, "validate-limit")
	eachVector(t, "pagination/contract.json", func(t *testing.T, v vector) {
		way := NewTraversal("https://a.example", "", 0)
		for _, id := range slices.Concat(v.Pages...) {
			way.Keep(id)
		}
		if got := way.Repeats() == 0; got != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, way.Issues)
		}
	}, "validate-sequence")
	eachVector(t, "pagination/contract.json", func(t *testing.T, v vector) {
		if v.Method != http.MethodGet {
			t.Skip("a next is only ever fetched with GET")
		}
		_, err := ParseOfferings([]byte(`{"odp_version":"1.0","items":[],"next":`+string(strictjson.Quote(v.Next))+`}`), PageRules{Origin: v.ServiceOrigin})
		v.want(t, err)
	}, "validate-next")
	eachVector(t, "representation/auth-expands.json", func(t *testing.T, v vector) {
		_, err := ParseOfferings(v.Document, rules)
		v.want(t, err)
	})
}

func TestRepresentationVectors(t *testing.T) {
	eachVector(t, "representation/detail-fields.json", func(t *testing.T, v vector) {
		v.want(t, CheckDetailFields(jsontree.Parse(v.Terse), jsontree.Parse(v.Full)))
	})
	eachVector(t, "representation/selection.json", func(t *testing.T, v vector) {
		var asked []string
		if v.Representation != nil {
			if err := json.Unmarshal(v.Representation, &asked); err != nil {
				t.Fatal(err)
			}
		}
		got, ok := Select(odp.Operation(v.Operation), asked)
		if !ok {
			got = "400"
		}
		if `"`+string(got)+`"` != string(v.Expected) {
			t.Errorf("got %q, want %s", got, v.Expected)
		}
	})
}

func TestProblemVectors(t *testing.T) {
	eachVector(t, "errors-limits/contract.json", func(t *testing.T, v vector) {
		_, err := ParseProblem(v.Problem, v.HTTPStatus)
		v.want(t, err)
	}, "validate-problem")
	eachVector(t, "errors-limits/contract.json", func(t *testing.T, v vector) {
		way := NewTraversal("https://a.example", "", 0)
		for i := range v.PriorItems {
			way.Keep(fmt.Sprint(i))
		}
		page := `{"odp_version":"1.0","items":[]}`
		if !v.PageValid {
			page = page[:len(page)-1] + strings.Repeat(" ", odp.ResourceLimits().Bytes) + "}"
		}
		_, err := ParseOfferings([]byte(page), PageRules{})
		got := map[string]any{"preserved_items": float64(way.Items()), "continue": err == nil}
		var want map[string]any
		if err := json.Unmarshal(v.Expected, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}, "limit-failure-scope")
}

func TestSchemaVectors(t *testing.T) {
	eachVector(t, "attribute-schemas/retrieval.json", func(t *testing.T, v vector) {
		c := cursor(t, string(v.Reference))
		ReadSchemaReference(c)
		if !c.Failed() != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, c.Issue())
		}
	}, "validate-reference")
	eachVector(t, "attribute-schemas/retrieval.json", func(t *testing.T, v vector) {
		err := CheckSchemaAnswer(v.Status, v.ContentType)
		if err == nil {
			_, err = schema.Graph{
				URL: "https://a.example/s", Declared: true, Load: func(string) (jsontext.Value, error) { return v.Document, nil },
			}.Bundle()
		}
		v.want(t, err)
	}, "validate-response")
	eachVector(t, "attribute-schemas/retrieval.json", func(t *testing.T, v vector) {
		compiled, err := schema.Compile(jsontext.Value(`{"required":["a"]}`))
		if err != nil {
			t.Fatal(err)
		}
		o := &Offering{Attributes: jsontext.Value(`{"b":1}`)}
		o.CheckAttributes(odp.Representation(strings.Trim(string(v.Representation), `"`)), compiled, nil)
		if got := o.Attributes == nil; got != v.Complete {
			t.Errorf("complete validation is %v", got)
		}
	}, "validation-scope")
}

func TestCompositionVectors(t *testing.T) {
	eachVector(t, "composition/contract.json", func(t *testing.T, v vector) {
		header := http.Header{}
		for name, value := range v.Response.Headers {
			header[name] = []string{value}
		}
		var want []Protocol
		if err := json.Unmarshal(v.Expected, &want); err != nil {
			t.Fatal(err)
		}
		if got := Signals(v.Response.Status, header); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}, "classify-live-response")
	eachVector(t, "composition/contract.json", func(t *testing.T, v vector) {
		if got := ValidSequence(v.Requires, v.Responses); got != v.Valid {
			t.Errorf("got %v", got)
		}
	}, "validate-sequence")
}

func TestForwardingVectors(t *testing.T) {
	eachVector(t, "security/contract.json", func(t *testing.T, v vector) {
		var want []string
		if err := json.Unmarshal(v.Expected, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, Forwarded(v.RequestKind, v.SameOrigin, v.InputFields)); diff != "" {
			t.Error(diff)
		}
	}, "forwarded-sensitive-fields")
}

func TestExamples(t *testing.T) {
	for _, name := range []string{
		"marketplace/walnut-standing-desk-offering.json", "free-digital-product/free-digital-product-offering.json",
		"digital-subscription/team-annual-offering.json", "minimum-service/consultation-offering.json",
		"physical-retail/travel-mug-offering.json",
	} {
		t.Run(name, func(t *testing.T) {
			o, err := ParseOffering(shared(t, "examples/"+name), odp.Full)
			if err != nil || len(o.Issues) > 0 {
				t.Fatal(err, o)
			}
		})
	}
	if _, err := ParseCollection(shared(t, "examples/marketplace/home-office-collection.json"), "https://market.example", odp.Full); err != nil {
		t.Error(err)
	}
	rules := PageRules{Origin: "https://market.example", Representation: odp.Terse, Refinements: anyRefinements}
	if page, err := ParseOfferings(shared(t, "examples/marketplace/home-office-search-response.json"), rules); err != nil || len(page.Items) != 2 || len(page.Issues) > 0 || page.Next == "" {
		t.Error(page, err)
	}
	if page, err := ParseOfferings(shared(t, "examples/minimum-service/offerings-page.json"), rules); err != nil || len(page.Issues) > 0 {
		t.Error(page, err)
	}
	if page, err := ParseCollections(shared(t, "examples/marketplace/home-office-collection-search-response.json"), rules); err != nil || len(page.Items) == 0 || len(page.Issues) > 0 {
		t.Error(page, err)
	}
}

func TestLimitVectors(t *testing.T) {
	limits := map[string]int{
		"request": odp.RequestLimits().Bytes, "offering": offeringDocument().limits.Bytes, "page": pageDocument().limits.Bytes,
		"problem": odp.ProblemLimits().Bytes, "schema": schema.MaxDocumentBytes, "schema_graph": schema.MaxGraphBytes,
	}
	eachVector(t, "errors-limits/contract.json", func(t *testing.T, v vector) {
		limit, known := limits[v.Resource]
		if got := v.Bytes <= limit; !known || got != v.Valid {
			t.Errorf("%d bytes of %q: got %v", v.Bytes, v.Resource, got)
		}
	}, "validate-limit")
}
