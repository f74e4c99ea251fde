package catalogue

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// arrange puts Offerings into a published order; those that are equal in it stay as they are.
func (s *stock) arrange(ids []string, sort string, defined *odp.Catalogue) {
	by, _ := defined.Sort(sort)
	slices.SortStableFunc(ids, func(a, b string) int {
		for _, key := range by.Keys {
			f, _ := defined.Filter(key.Filter)
			if order := compare(f, key, s.offerings.find(a).values[f.ID], s.offerings.find(b).values[f.ID]); order != 0 {
				return order
			}
		}
		return 0
	})
}

// compare compares what two Offerings have for one key: of several values the one that comes first counts.
func compare(f odp.Filter, key odp.SortKey, a, b []jsontext.Value) int {
	absent := 1
	if key.Missing == "first" {
		absent = -1
	}
	switch {
	case len(a) == 0 && len(b) == 0:
		return 0
	case len(a) == 0:
		return absent
	case len(b) == 0:
		return -absent
	}
	operator := odp.Less
	if key.Descending {
		operator = odp.Greater
	}
	first := func(values []jsontext.Value) jsontext.Value {
		best := values[0]
		for _, value := range values[1:] {
			if before(f, operator, value, best) {
				best = value
			}
		}
		return best
	}
	switch {
	case before(f, operator, first(a), first(b)):
		return -1
	case before(f, operator, first(b), first(a)):
		return 1
	}
	return 0
}

func before(f odp.Filter, operator odp.Operator, a, b jsontext.Value) bool {
	holds, _ := odp.Expression{ID: f.ID, Operator: operator, Value: b}.Matches(f, []jsontext.Value{a})
	return holds
}
