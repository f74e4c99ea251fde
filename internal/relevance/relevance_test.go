package main

import (
	"math"
	"strings"
	"testing"
)

// What people look for is found, as well as is promised; the half of the queries that no word was weighed by shows whether
// the ranking was made for the other half.
func TestWhatPeopleLookForIsFound(t *testing.T) {
	r, err := measure(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.write(&out); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	if n, rec := r.means(heldOut); math.IsNaN(n) || n < leastNDCG-0.05 || rec < leastRecall-0.1 {
		t.Errorf("of the queries held out nDCG is %.3f and recall %.3f", n, rec)
	}
}

func TestTheSetIsLargeEnough(t *testing.T) {
	sites, err := loadSites()
	if err != nil {
		t.Fatal(err)
	}
	queries, err := loadQueries(sites)
	if err != nil {
		t.Fatal(err)
	}
	if len(sites) < 60 || len(queries) < 40 {
		t.Errorf("%d sites and %d queries; at least 60 and 40 are promised", len(sites), len(queries))
	}
	t.Logf("%d sites, %d queries", len(sites), len(queries))
}
