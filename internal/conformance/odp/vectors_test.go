package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// published is where the protocol's vectors lie: beside the project, or where AGENTCTL_SHARED says.
func published() string {
	shared := os.Getenv("AGENTCTL_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	return filepath.Join(shared, "data", "odp", "test-vectors")
}

// directories returns those of all vectors: our own, and the published ones where they are.
func directories(t *testing.T) []string {
	t.Helper()
	dirs := []string{"testdata"}
	if _, err := os.Stat(published()); err != nil {
		t.Logf("no published vectors: %v", err)
		return dirs
	}
	return append(dirs, published())
}

func TestVectors(t *testing.T) {
	for _, dir := range directories(t) {
		results, err := runVectors(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.status == failed {
				t.Errorf("%s: %s", r.name, r.message)
			}
		}
	}
}

// Our own cases are of suites and operations; none may be without.
func TestEverySuiteHasCases(t *testing.T) {
	covered := map[int]bool{}
	for _, dir := range directories(t) {
		for _, c := range casesIn(t, dir) {
			covered[slices.IndexFunc(suites(), func(s suite) bool { return s.matches(c) })] = true
		}
	}
	for i, s := range suites() {
		if !covered[i] && len(directories(t)) > 1 {
			t.Errorf("no case is for %s %s%s%s", s.category, s.vector, s.operation, s.input)
		}
	}
}

// What a case expects decides nothing: with any part of it changed, it fails.
func TestOtherExpectationsFail(t *testing.T) {
	for _, dir := range directories(t) {
		for _, c := range casesIn(t, dir) {
			if c.text("role") == "service" {
				continue
			}
			changes := 0
			for change := range expectations(c.root) {
				changes++
				if verdict, _ := judge(request{role: agent, testcase: c}); verdict == passed {
					t.Errorf("%s/%s passes with %s", c.ID, c.text("name"), change)
				}
			}
			if changes == 0 {
				t.Errorf("%s/%s expects nothing", c.ID, c.text("name"))
			}
		}
	}
}

func casesIn(t *testing.T, dir string) []testcase {
	t.Helper()
	files, err := vectorFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []testcase
	for _, file := range files {
		cases, err := readVector(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, cases...)
	}
	return list
}

// expectations changes the expected values of a case, one at a time.
func expectations(root *jsontree.Node) func(yield func(change string) bool) {
	return func(yield func(string) bool) {
		for i, name := range root.Names {
			if !slices.Contains([]string{
				"valid", "expected", "expected_usable", "expected_issues", "same_identity", "compatible", "offering_ids", "collection_ids",
				"complete_instance_validation", "retry", "agent", "filter_ids", "sort_ids", "issues",
			}, name) && (name != "response" || root.Items[i].Kind != '"') {
				continue
			}
			unordered := name == "filter_ids" || name == "sort_ids"
			for change := range changes(&root.Items[i], unordered) {
				if !yield(name + " " + change) {
					return
				}
			}
		}
	}
}

// changes puts other values in the place of one, and the old one back.
func changes(at **jsontree.Node, unordered bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		old := *at
		defer func() { *at = old }()
		var others []string
		switch old.Kind {
		case '{':
			for i, name := range old.Names {
				for change := range changes(&old.Items[i], name == "filter_ids" || name == "sort_ids") {
					if !yield(name + " " + change) {
						return
					}
				}
			}
			if len(old.Names) == 0 {
				others = append(others, `{"more":1}`)
			}
		case '[':
			longer := *old
			longer.Items = append(slices.Clip(longer.Items), tree(`"more"`))
			others = append(others, string(longer.Value()))
			if len(old.Items) > 1 && !unordered {
				backwards := *old
				backwards.Items = slices.Clone(old.Items)
				slices.Reverse(backwards.Items)
				if string(backwards.Value()) != string(old.Value()) {
					others = append(others, string(backwards.Value()))
				}
			}
		case 't':
			others = []string{"false"}
		case 'f':
			others = []string{"true"}
		case '0':
			others = []string{"7" + string(old.Raw)}
		default:
			switch old.Text() {
			case "process", "serve-odp":
				others = []string{`"refuse"`}
			case "406":
				others = []string{`"serve-odp"`}
			case "415", "reject":
				others = []string{`"process"`}
			default:
				others = []string{`"something-else"`}
			}
		}
		for _, other := range others {
			*at = jsontree.Parse([]byte(other))
			if !yield(other) {
				return
			}
		}
	}
}
