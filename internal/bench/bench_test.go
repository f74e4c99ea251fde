package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/interagentic"
	"github.com/agentctl/agentctl/internal/manifest/openapi"
)

// A measurement of a site that agentctl does not accept would measure its error.
func TestTheSitesAreSound(t *testing.T) {
	for _, actions := range []int{smallActions, largeActions} {
		index, err := interagentic.ParseIndex(newIndex(actions))
		if err != nil {
			t.Fatal(err)
		}
		if len(index.Actions) != actions || len(index.Issues) > 0 {
			t.Errorf("%d actions with issues %v, want %d without", len(index.Actions), index.Issues, actions)
		}
		for _, summary := range index.Actions[:smallActions] {
			if _, err := interagentic.ParseDetail(newDetail(strings.Join(summary.Command, "/")), summary, index.BaseURL); err != nil {
				t.Errorf("%q: %v", summary.Command, err)
			}
		}
	}
}

func TestBoundsDecideTheRows(t *testing.T) {
	for name, test := range map[string]struct {
		add    func(*table)
		broken bool
	}{
		"as fast as allowed":   {func(t *table) { t.ratio("", 130, 100, 1.3) }, false},
		"slower than allowed":  {func(t *table) { t.ratio("", 131, 100, 1.3) }, true},
		"faster when larger":   {func(t *table) { t.difference("", 9*time.Millisecond, time.Millisecond, 0) }, false},
		"slower when larger":   {func(t *table) { t.difference("", 1, 5*time.Millisecond, 2*time.Millisecond) }, true},
		"too much memory":      {func(t *table) { t.memory("", 31<<20, 30) }, true},
		"constant memory":      {func(t *table) { t.growth("", 20<<20, 21<<20, 8) }, false},
		"growing memory":       {func(t *table) { t.growth("", 20<<20, 90<<20, 8) }, true},
		"four fifths of curl":  {func(t *table) { t.rate("", 1, 125, 100, 0.8) }, false},
		"three fifths of curl": {func(t *table) { t.rate("", 1, 160, 100, 0.8) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			var rows table
			test.add(&rows)
			if rows.broken() != test.broken {
				t.Errorf("broken is %v: %+v", rows.broken(), rows.rows)
			}
		})
	}
}

func TestMedian(t *testing.T) {
	if got := median([]int64{9, 1, 5}); got != 5 {
		t.Errorf("median %d, want 5", got)
	}
}

func TestTheDocumentsAreSound(t *testing.T) {
	for _, operations := range []int{fewOperations, manyOperations} {
		doc, err := openapi.Parse(newDocument(operations, 0), "application/json", "", "")
		if err != nil {
			t.Fatal(err)
		}
		site := doc.Site()
		if len(site.Actions) != operations || len(site.Issues) > 0 {
			t.Errorf("%d operations with issues %v, want %d without", len(site.Actions), site.Issues, operations)
		}
		if !slices.ContainsFunc(site.Actions, func(a manifest.Summary) bool { return slices.Equal(a.Command, []string{"orders", "list"}) }) {
			t.Errorf("with %d operations there is no command to measure", operations)
		}
	}
	if got := len(newDocument(manyOperations, manyOperationsBytes)); got < manyOperationsBytes || got > manyOperationsBytes*11/10 {
		t.Errorf("the larger document has %d bytes, want %d", got, manyOperationsBytes)
	}
}
