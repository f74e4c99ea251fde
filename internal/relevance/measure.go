package main

import (
	"cmp"
	"math"
	"slices"
)

// depth is how many results count: what somebody sees without scrolling.
const depth = 5

// useful is the lowest grade of an action that a person would be content with.
const useful = 2

// ndcg is the normalised discounted cumulative gain of the first results: 1 when the best actions stand first in the order
// of their grades. The gain of a grade is 2^grade-1 (Burges and others 2005).
func ndcg(results []string, grades map[string]int) float64 {
	ideal := make([]int, 0, len(grades))
	for _, grade := range grades {
		ideal = append(ideal, grade)
	}
	slices.SortFunc(ideal, func(a, b int) int { return cmp.Compare(b, a) })
	got := make([]int, len(results))
	for i, result := range results {
		got[i] = grades[result]
	}
	return gain(got) / gain(ideal)
}

func gain(grades []int) (sum float64) {
	for i, grade := range grades[:min(len(grades), depth)] {
		sum += (math.Exp2(float64(grade)) - 1) / math.Log2(float64(i)+2)
	}
	return sum
}

// recall is the share of the useful actions that are among the first results, of as many as there is room for.
func recall(results []string, grades map[string]int) float64 {
	all, found := 0, 0
	for action, grade := range grades {
		if grade < useful {
			continue
		}
		all++
		if slices.Contains(results[:min(len(results), depth)], action) {
			found++
		}
	}
	return float64(found) / float64(min(all, depth))
}
