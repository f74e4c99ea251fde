package resource

import (
	"fmt"
	"slices"
	"testing"
)

func collection(id string, parents ...string) *Collection {
	return &Collection{Head: Head{ID: id}, ParentIDs: parents}
}

// chain returns Collections of which each is below the one before, with so many edges in all.
func chain(edges int) []*Collection {
	list := []*Collection{collection("c0")}
	for i := range edges {
		list = append(list, collection(fmt.Sprintf("c%d", i+1), fmt.Sprintf("c%d", i)))
	}
	return list
}

func TestEdgesThatCannotBeAreLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		collections []*Collection
		issue       string // its code and pointer; "" for none
		parents     map[string][]string
	}{
		"several parents and roots": {
			[]*Collection{collection("a"), collection("b"), collection("c", "a", "b")},
			"",
			map[string][]string{"c": {"a", "b"}},
		},
		"itself":                  {[]*Collection{collection("a"), collection("b", "b", "a")}, "self_parent /parent_ids/0", map[string][]string{"b": {"a"}}},
		"a missing one":           {[]*Collection{collection("a"), collection("b", "x", "a")}, "missing_parent /parent_ids/0", map[string][]string{"b": {"a"}}},
		"a cycle loses one edge":  {[]*Collection{collection("a", "c"), collection("b", "a"), collection("c", "b")}, "cycle /parent_ids/0", map[string][]string{"a": {"c"}, "c": {"b"}}},
		"32 edges are a way":      {chain(32), "", map[string][]string{"c32": {"c31"}}},
		"the 33rd edge is beyond": {chain(33), "depth_exceeded /parent_ids/0", map[string][]string{"c32": {"c31"}, "c33": nil}},
		"one that comes twice":    {[]*Collection{collection("a"), collection("b", "a"), collection("b", "x")}, "", map[string][]string{"b": {"a"}}},
		"children before parents": {[]*Collection{collection("c", "b"), collection("b", "a"), collection("a")}, "", map[string][]string{"c": {"b"}, "b": {"a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			h := NewHierarchy(c.collections)
			got := ""
			for _, issue := range h.Issues {
				got += issue.Code + " " + issue.Pointer
			}
			if got != c.issue {
				t.Errorf("issues %v, want %q", h.Issues, c.issue)
			}
			for id, want := range c.parents {
				if !slices.Equal(h.Parents(id), want) {
					t.Errorf("the parents of %q are %v, want %v", id, h.Parents(id), want)
				}
			}
		})
	}
}

func TestEverythingBelowACollectionComesOnce(t *testing.T) {
	h := NewHierarchy([]*Collection{collection("top"), collection("l", "top"), collection("r", "top"), collection("both", "l", "r"), collection("other")})
	if got := h.Within("top"); !slices.Equal(got, []string{"top", "l", "r", "both"}) {
		t.Error(got)
	}
	if got := h.Roots(); !slices.Equal(got, []string{"top", "other"}) {
		t.Error(got)
	}
	if got := h.Children("top"); !slices.Equal(got, []string{"l", "r"}) {
		t.Error(got)
	}
	if h.Within("absent") != nil {
		t.Error("a Collection that is not there holds something")
	}
}

// A stranger decides how deep and how dense the graph is.
func TestHostileHierarchiesTakeNoLongTime(t *testing.T) {
	deep := chain(20_000)
	slices.Reverse(deep)
	if h := NewHierarchy(deep); len(h.Issues) == 0 || len(h.Parents("c32")) != 1 {
		t.Error("the first 32 edges should stay")
	}
}
