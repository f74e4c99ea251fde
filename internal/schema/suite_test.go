package schema

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// suiteFile is a file of the official JSON Schema test suite.
type suiteFile []struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// TestOfficialSuite runs the official test suite, which scripts/schema-suite fetches: every required file, and the
// formats, of the drafts that "$schema" may name.
func TestOfficialSuite(t *testing.T) {
	root := os.Getenv("AGENTCTL_SCHEMA_SUITE")
	if root == "" {
		t.Skip("set AGENTCTL_SCHEMA_SUITE to what scripts/schema-suite prints")
	}
	for draft, dialect := range map[string]string{
		"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
		"draft2019-09": "https://json-schema.org/draft/2019-09/schema",
		"draft7":       "http://json-schema.org/draft-07/schema#",
		"draft6":       "http://json-schema.org/draft-06/schema#",
		"draft4":       "http://json-schema.org/draft-04/schema#",
	} {
		t.Run(draft, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(root, "tests", draft, "*.json"))
			if err != nil || len(files) < 20 {
				t.Fatalf("%d files, %v", len(files), err)
			}
			optional, _ := filepath.Glob(filepath.Join(root, "tests", draft, "optional", "*.json"))
			formats, _ := filepath.Glob(filepath.Join(root, "tests", draft, "optional", "format", "*.json"))
			for _, file := range append(append(files, formats...), optional...) {
				name := strings.TrimSuffix(filepath.Base(file), ".json")
				t.Run(name, func(t *testing.T) { runSuiteFile(t, file, name, dialect) })
			}
		})
	}
}

func runSuiteFile(t *testing.T, file, name, dialect string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups suiteFile
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatal(err)
	}
	for _, group := range groups {
		raw := withDialect(jsontext.Value(group.Schema), dialect)
		s, err := Compile(raw)
		if e, ok := errors.AsType[*Error](err); ok {
			t.Errorf("%s: %s %v", group.Description, e.Code, e)
			continue
		}
		for _, test := range group.Tests {
			failures, err := s.Validate(jsontext.Value(test.Data))
			if err != nil || (len(failures) == 0) != test.Valid {
				t.Errorf("%s | %s: want valid %v, got %+v, %v", group.Description, test.Description, test.Valid, failures, err)
			}
		}
	}
}

// withDialect names a schema's draft, as older drafts' files do not.
func withDialect(raw jsontext.Value, dialect string) jsontext.Value {
	n := jsontree.Parse(raw)
	if n.Kind != '{' || n.Member("$schema") != nil {
		return raw
	}
	n.Set("$schema", jsontree.String(dialect))
	return n.Value()
}
