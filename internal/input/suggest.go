package input

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/agentctl/agentctl/internal/fault"
)

// unknown reports a name that is no parameter's, with those that it may have been meant to be.
func (c *call) unknown(pointer, name string) {
	message := fmt.Sprintf("unknown parameter %q", cut(name))
	if near := c.set.nearest(name); len(near) > 0 {
		message += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	c.problem(fault.Problem{Pointer: pointer, Keyword: "unknown", Message: message})
}

// nearest returns up to three parameter names, quoted, that differ from name in few characters, nearest first.
func (s *Set) nearest(name string) []string {
	if len(name) > maxWord {
		return nil
	}
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	for _, p := range s.params {
		if len(p.Name) > maxWord {
			continue
		}
		d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(p.Name))
		if d <= 1+min(len(name), len(p.Name))/4 {
			found = append(found, candidate{p.Name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var out []string
	for _, each := range found[:min(3, len(found))] {
		out = append(out, fmt.Sprintf("%q", each.name))
	}
	return out
}
