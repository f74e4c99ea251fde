package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// result is what became of one case.
type result struct {
	category string
	name     string // of file and case
	status   status
	message  string
}

// runVectors runs the cases for agents of a directory of vectors: of the files that its index.json lists, else of all that
// are there.
func runVectors(dir string) ([]result, error) {
	files, err := vectorFiles(dir)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, file := range files {
		cases, err := readVector(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, t := range cases {
			verdict, message := judge(request{role: agent, testcase: t})
			results = append(results, result{t.Category, t.ID + "/" + t.text("name"), verdict, message})
		}
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("there are no cases in %s", dir)
	}
	return results, nil
}

func vectorFiles(dir string) ([]string, error) {
	var index struct {
		Vectors []string `json:"vectors"`
	}
	if text, err := os.ReadFile(filepath.Join(dir, "index.json")); err == nil {
		if err := json.Unmarshal(text, &index); err != nil {
			return nil, fmt.Errorf("index.json: %w", err)
		}
		for i, name := range index.Vectors {
			index.Vectors[i] = filepath.Join(dir, filepath.FromSlash(name))
		}
		return index.Vectors, nil
	}
	return filepath.Glob(filepath.Join(dir, "*.json"))
}

// readVector returns the cases of a file that are for agents.
func readVector(file string) ([]testcase, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	root, err := odp.Decode(text, odp.Limits{Bytes: maxRequestBytes, Depth: maxRequestDepth})
	if err != nil {
		return nil, err
	}
	v := vector{ID: root.Member("id").Text(), Category: root.Member("category").Text(), Subject: root.Member("subject").Text()}
	if applies := root.Member("applies_to"); applies != nil && !slices.Contains(texts(applies), agent) {
		return nil, nil
	}
	var cases []testcase
	for _, item := range elements(root.Member("cases")) {
		cases = append(cases, testcase{v, item})
	}
	return cases, nil
}

// report says what the results are about.
type report struct {
	Version  string
	Revision string
	Time     time.Time
}

// suiteCount is a line of the report.
type suiteCount struct {
	Category string `json:"category"`
	Passed   int    `json:"passed"`
	Failed   int    `json:"failed"`
	Skipped  int    `json:"skipped"`
}

// write prints the report in the protocol's format, and each case that did not pass as a diagnostic. Cases that failed are an
// error.
func (r report) write(out, diagnostics io.Writer, results []result) error {
	text, err := json.MarshalIndent(map[string]any{
		"report_version": "1", "generated_at": r.Time.UTC().Format(time.RFC3339),
		"implementation": map[string]string{"name": "agentctl", "version": r.Version},
		"role":           agent, "odp_version": odp.Version, "vector_revision": r.Revision, "suites": count(results),
	}, "", "  ")
	if err != nil {
		return err
	}
	if _, err := out.Write(append(text, '\n')); err != nil {
		return err
	}
	bad := 0
	for _, result := range results {
		if result.status != passed {
			fmt.Fprintf(diagnostics, "%s: %s: %s\n", result.status, result.name, result.message)
		}
		if result.status == failed {
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d cases failed", bad, len(results))
	}
	return nil
}

func count(results []result) []suiteCount {
	var suites []suiteCount
	for _, result := range results {
		i, found := slices.BinarySearchFunc(suites, result.category, func(s suiteCount, name string) int { return strings.Compare(s.Category, name) })
		if !found {
			suites = slices.Insert(suites, i, suiteCount{Category: result.category})
		}
		switch result.status {
		case passed:
			suites[i].Passed++
		case failed:
			suites[i].Failed++
		case skipped:
			suites[i].Skipped++
		}
	}
	return suites
}
