package schema

import (
	"encoding/json"
	"errors"
	"io/fs"
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

// differences are the cases in which this package means to differ from the suite: "FILE" or "FILE | GROUP", and why.
var differences = map[string]string{
	"format":               "formats are asserted, as authors of schemas mean them; here they must be annotations",
	"idn-hostname":         "not among the formats that are known: its rules are tables of Unicode",
	"content":              "what a string contains is its own affair, as since 2019-09",
	"zeroTerminatedFloats": "1.0 is an integer in draft 4 too, as in all later ones",
	"ecmascript-regex | \\a is not an ECMA 262 control escape":          "Go's engine takes it for the bell",
	"ecmascript-regex | ECMA 262 \\s matches whitespace":                "Go's engine takes white space as that of ASCII",
	"ecmascript-regex | ECMA 262 \\S matches everything but whitespace": "Go's engine takes white space as that of ASCII",
}

// refused is how many groups of each draft need another document, or names that an inner "$id" changes the meaning of
// nothing is fetched).
var refused = map[string]int{"draft2020-12": 56, "draft2019-09": 50, "draft7": 30, "draft6": 25, "draft4": 15}

// TestOfficialSuite runs the official test suite, which scripts/schema-suite fetches, optional cases and formats included,
// in each of the drafts that "$schema" may name.
func TestOfficialSuite(t *testing.T) {
	for draft, dialect := range map[string]string{
		"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
		"draft2019-09": "https://json-schema.org/draft/2019-09/schema",
		"draft7":       "http://json-schema.org/draft-07/schema#",
		"draft6":       "http://json-schema.org/draft-06/schema#",
		"draft4":       "http://json-schema.org/draft-04/schema#",
	} {
		t.Run(draft, func(t *testing.T) {
			run := suiteRun{dialect: dialect, compile: Compile, excuse: func(e *Error) bool {
				return e.Code == CodeRemoteRef || strings.Contains(e.Message, `below an inner "$id"`)
			}}
			if run.draft(t, draft); run.groups < 180 || run.refused != refused[draft] {
				t.Errorf("%d groups, %d refused, want %d", run.groups, run.refused, refused[draft])
			}
		})
	}
}

// refusedGraphs is how many groups need another dialect, or a dynamic reference that is one.
const refusedGraphs = 18

// TestOfficialSuiteAsGraphs runs the suite of 2020-12 again, with the documents that its references lead to.
func TestOfficialSuiteAsGraphs(t *testing.T) {
	const first = "https://suite.example/schema"
	graph := func(raw jsontext.Value) (*Schema, error) {
		return Graph{URL: first, Load: func(url string) (jsontext.Value, error) {
			if url == first {
				return raw, nil
			}
			path, _ := strings.CutPrefix(url, "http://localhost:1234/")
			return os.ReadFile(filepath.Join(suiteRoot(t), "remotes", filepath.FromSlash(path)))
		}}.Compile()
	}
	run := suiteRun{dialect: dialect2020, compile: graph, excuse: func(e *Error) bool { return e.Code == CodeUnsupported }}
	if run.draft(t, "draft2020-12"); run.groups < 400 || run.refused != refusedGraphs {
		t.Errorf("%d groups, %d refused, want %d", run.groups, run.refused, refusedGraphs)
	}
}

func suiteRoot(t *testing.T) string {
	root := os.Getenv("AGENTCTL_SCHEMA_SUITE")
	if root == "" {
		t.Skip("set AGENTCTL_SCHEMA_SUITE to what scripts/schema-suite prints")
	}
	return root
}

type suiteRun struct {
	dialect         string
	compile         func(jsontext.Value) (*Schema, error)
	excuse          func(*Error) bool // for refusing a group
	groups, refused int
}

// draft runs everything that the suite has for a draft.
func (r *suiteRun) draft(t *testing.T, name string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(suiteRoot(t), "tests", name), func(path string, _ fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(filepath.Base(path), ".json"); ok && differences[name] == "" {
			r.file(t, path, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (r *suiteRun) file(t *testing.T, path, name string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var groups suiteFile
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatal(err)
	}
	for _, group := range groups {
		if differences[name+" | "+group.Description] != "" {
			continue
		}
		r.groups++
		s, err := r.compile(withDialect(jsontext.Value(group.Schema), r.dialect))
		if e, ok := errors.AsType[*Error](err); ok {
			if r.refused++; !r.excuse(e) {
				t.Errorf("%s | %s: %v", name, group.Description, e)
			}
			continue
		}
		for _, test := range group.Tests {
			failures, err := s.Validate(jsontext.Value(test.Data))
			if err != nil || (len(failures) == 0) != test.Valid {
				t.Errorf("%s | %s | %s: want valid %v, got %s, %v", name, group.Description, test.Description, test.Valid, show(failures), err)
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
