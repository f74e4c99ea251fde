package odp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// shared returns a file of the protocol's published data, which lies beside the project; AGENTCTL_SHARED says where else.
func shared(t testing.TB, name string) []byte {
	t.Helper()
	dir := os.Getenv("AGENTCTL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	doc, err := os.ReadFile(filepath.Join(dir, "data", "odp", name))
	if err != nil {
		t.Skipf("no published data: %v", err)
	}
	return doc
}

// vector is one case of the protocol's test vectors. Each suite uses some of the members.
type vector struct {
	Name      string `json:"name"`
	Operation string `json:"operation"`
	Valid     bool   `json:"valid"`

	Document    jsontext.Value   `json:"document"`
	Value       string           `json:"value"`
	Definition  jsontext.Value   `json:"definition"`
	Definitions []jsontext.Value `json:"definitions"`
	Expression  jsontext.Value   `json:"expression"`
	Values      []jsontext.Value `json:"values"`
	Request     jsontext.Value   `json:"request"`
	Response    jsontext.Value   `json:"response"`

	ServiceOrigin Origin           `json:"service_origin"`
	Operations    []string         `json:"operations"`
	Advertisement jsontext.Value   `json:"advertisement"`
	Href          string           `json:"href"`
	Pages         []jsontext.Value `json:"pages"`
	PageCount     int              `json:"page_count"`

	Left, Right  Identity
	SameIdentity bool `json:"same_identity"`

	Supported, Received string
	Compatible          bool
	TopLevel            bool   `json:"top_level"`
	VersionPresent      bool   `json:"odp_version_present"`
	ContentType         string `json:"request_content_type_essence"`
	ContentTypeMissing  bool   `json:"request_content_type_missing"`
	Agent               string `json:"agent"`
}

// eachVector runs a test for every case of a suite.
func eachVector(t *testing.T, suite string, test func(*testing.T, vector)) {
	t.Helper()
	var contract struct{ Cases []vector }
	if err := json.Unmarshal(shared(t, filepath.Join("test-vectors", suite)), &contract); err != nil {
		t.Fatal(err)
	}
	for _, v := range contract.Cases {
		t.Run(v.Name, func(t *testing.T) { test(t, v) })
	}
}

func TestServiceVectors(t *testing.T) {
	eachVector(t, "service-document/validation.json", func(t *testing.T, v vector) {
		if _, err := ParseService(v.Document, "https://a.example"); (err == nil) != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, err)
		}
	})
}

func TestIdentityVectors(t *testing.T) {
	for suite, valid := range map[string]func(string) bool{
		"identity/local-identifier.json":   ValidID,
		"identity/resource-reference.json": func(s string) bool { return CheckReference(s) == nil },
		"identity/service-origin.json":     func(s string) bool { _, err := ParseOrigin(s); return err == nil },
	} {
		eachVector(t, suite, func(t *testing.T, v vector) {
			if got := valid(v.Value); got != v.Valid {
				t.Errorf("%q: valid is %v, got %v", v.Value, v.Valid, got)
			}
		})
	}
	eachVector(t, "identity/identity-comparison.json", func(t *testing.T, v vector) {
		if got := v.Left == v.Right; got != v.SameIdentity {
			t.Errorf("%v and %v: got %v", v.Left, v.Right, got)
		}
	})
}

func TestVersionVectors(t *testing.T) {
	eachVector(t, "versioning/protocol-version.json", func(t *testing.T, v vector) {
		if got := ValidVersion(v.Supported) && ValidVersion(v.Received); got != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, got)
		}
		if got := CompatibleVersions(v.Supported, v.Received); got != v.Compatible {
			t.Errorf("compatible is %v, got %v", v.Compatible, got)
		}
	})
	eachVector(t, "versioning/top-level-version.json", func(t *testing.T, v vector) {
		doc := `{}`
		if v.VersionPresent {
			doc = `{"odp_version":"1.0"}`
		}
		c := cursor(t, doc)
		if v.TopLevel {
			c.Member("odp_version").Version()
		} else {
			c.Forbid("odp_version")
		}
		if got := !c.Failed(); got != v.Valid {
			t.Errorf("valid is %v, got %v", v.Valid, c.Issue())
		}
	})
}

// cursor stands on a document within the limits of a resource.
func cursor(t testing.TB, doc string) *Cursor {
	t.Helper()
	tree, err := Decode([]byte(doc), ResourceLimits())
	if err != nil {
		t.Fatal(err)
	}
	return NewCursor(tree, "invalid")
}
