package main

import (
	"io"
	"math"
	"testing"
)

func TestTheRankingIsAsGoodAsPromised(t *testing.T) {
	r, err := measure(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.write(io.Discard); err != nil {
		t.Error(err)
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
		t.Errorf("%d sites and %d queries", len(sites), len(queries))
	}
	for _, s := range sites {
		if len(s.Actions) < 2 {
			t.Errorf("%s has %d actions", s.Origin, len(s.Actions))
		}
	}
	for _, q := range queries {
		if gain(grades(q)) == 0 {
			t.Errorf("%q has no answer", q.text)
		}
	}
}

func grades(q query) (list []int) {
	for _, grade := range q.grades {
		list = append(list, grade)
	}
	return list
}

// The figures of a judged list of six results, worked out by hand.
func TestFigures(t *testing.T) {
	judged := map[string]int{"a": 3, "b": 2, "c": 1, "d": 2}
	for name, test := range map[string]struct {
		results      []string
		ndcg, recall float64
	}{
		"the best order":   {[]string{"a", "b", "d", "c"}, 1, 1},
		"nothing":          {nil, 0, 0},
		"only what is not": {[]string{"x", "y"}, 0, 0},
		"too late":         {[]string{"1", "2", "3", "4", "5", "a"}, 0, 0},
		// (3/log2(2) + 7/log2(3)) / (7/log2(2) + 3/log2(3) + 3/log2(4) + 1/log2(5))
		"the second first": {[]string{"b", "a"}, 7.416508 / 10.823465, 2.0 / 3},
	} {
		if got := ndcg(test.results, judged); math.Abs(got-test.ndcg) > 1e-4 {
			t.Errorf("%s: nDCG %f, want %f", name, got, test.ndcg)
		}
		if got := recall(test.results, judged); math.Abs(got-test.recall) > 1e-9 {
			t.Errorf("%s: recall %f, want %f", name, got, test.recall)
		}
	}
}
