package main

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// refinementRequest: ODP-70.
func refinementRequest(t testcase) error {
	_, _, refusal, err := requested(t)
	if err != nil {
		return err
	}
	return t.valid(refusal)
}

// requested reads the filters that a request wants to have refined. err is for a case that cannot be run.
func requested(t testcase) (known *odp.Catalogue, list []string, refusal, err error) {
	if known, err = catalogue(t); err != nil {
		return nil, nil, nil, err
	}
	c, err := t.cursor("request")
	if err != nil {
		return nil, nil, nil, err
	}
	list = odp.ParseRefinementRequest(c.Optional("refinements"))
	if refusal = faultOf(c); refusal == nil {
		refusal = known.CheckRefinements(list)
	}
	return known, list, refusal, nil
}

// refinementResponse: ODP-71. A continuation is read as what was not asked for refinements.
func refinementResponse(t testcase) error {
	known, asked, refusal, err := requested(t)
	switch {
	case err != nil:
		return err
	case refusal != nil:
		return t.valid(refusal)
	}
	c, err := t.cursor("response")
	if err != nil {
		return err
	}
	if t.flag(false, "continuation", "is_continuation") || !t.flag(true, "first_page", "initial") {
		asked = nil
	}
	known.ParseRefinements(c.Optional("refinements"), asked)
	return t.valid(faultOf(c))
}

// computeCounts: ODP-72. The Offerings of a case have their values under the names of filters.
func computeCounts(t testcase) error {
	offerings := t.first("offerings", "items")
	if offerings == nil {
		return missing("offerings")
	}
	var have []map[string][]jsontext.Value
	for _, offering := range elements(offerings) {
		have = append(have, valuesOf(offering))
	}
	filters, err := expressions(t)
	if err != nil {
		return err
	}
	known, err := countable(t, filters, have)
	if err != nil {
		return err
	}
	want := t.first("expected", "counts", "expected_counts")
	if want == nil {
		return missing("expected")
	}
	asked := refined(t, known)
	if len(asked) == 0 {
		return missing("filter_id")
	}
	for _, id := range asked {
		counts, err := known.Counts(id, filters, have)
		if err == nil {
			err = sameCounts(want, id, counts)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refined returns the filters whose values are to be counted: those that the case names, or else those that can be.
func refined(t testcase, known *odp.Catalogue) []string {
	if id := t.text("filter_id", "refinement", "filter", "refinement_id"); id != "" {
		return []string{id}
	}
	list := t.first("refinements")
	if list == nil {
		list = t.first("request").Member("refinements")
	}
	asked := ids(list)
	for _, f := range known.Filters {
		if list == nil && f.Refinable {
			asked = append(asked, f.ID)
		}
	}
	return asked
}

// countable returns the definitions of a case. Filters that it uses without one are of the type that their values have.
func countable(t testcase, filters []odp.Expression, have []map[string][]jsontext.Value) (*odp.Catalogue, error) {
	known, err := catalogue(t)
	if err != nil {
		return nil, err
	}
	seen := map[string]jsontext.Value{}
	for _, e := range filters {
		seen[e.ID] = e.Value
	}
	for _, values := range have {
		for id, list := range values {
			for _, value := range list {
				seen[id] = value
			}
		}
	}
	d := odp.Definitions{Filters: known.Filters}
	for id, value := range seen {
		if _, err := known.Filter(id); err != nil {
			d.Filters = append(d.Filters, odp.Filter{ID: id, Type: typeOf(value)})
		}
	}
	return odp.Merge(d), nil
}

func typeOf(value jsontext.Value) odp.FilterType {
	switch value.Kind() {
	case '0':
		return odp.NumberFilter
	case 't', 'f':
		return odp.BooleanFilter
	default:
		return odp.StringFilter
	}
}

// expressions reads the filters of a search, which stand in the case or in its request.
func expressions(t testcase) ([]odp.Expression, error) {
	list := t.first("expressions", "filters", "active_filters", "applied_filters")
	if list == nil {
		list = t.first("request").Member("filters")
	}
	var filters []odp.Expression
	for _, item := range elements(list) {
		c := odp.NewCursor(item, "case")
		filters = append(filters, odp.ParseExpression(c))
		if err := faultOf(c); err != nil {
			return nil, err
		}
	}
	return filters, nil
}

// valuesOf reads what an Offering has for each filter: an array, or a single value.
func valuesOf(offering *jsontree.Node) map[string][]jsontext.Value {
	if nested := first(offering, "values", "filter_values", "attributes", "filters"); nested != nil && nested.Kind == '{' {
		offering = nested
	}
	have := make(map[string][]jsontext.Value)
	for i, name := range offering.Names {
		if item := offering.Items[i]; item.IsArray() {
			have[name] = values(item)
		} else {
			have[name] = []jsontext.Value{item.Value()}
		}
	}
	return have
}

// sameCounts compares with an object from values to counts, or with buckets as in an answer. Those of several filters stand
// under their names. A count of nothing may be left out.
func sameCounts(want *jsontree.Node, id string, got map[string]int) error {
	if nested := want.Member(id); nested != nil && nested.Kind != '0' {
		want = nested
	}
	wanted, found := map[string]string{}, map[string]string{}
	for i, name := range want.Names {
		wanted[name] = plain(want.Items[i].Value())
	}
	for _, bucket := range elements(want) {
		wanted[plain(bucket.Member("value").Value())] = plain(bucket.Member("count").Value())
	}
	for value, count := range got {
		found[plain(jsontext.Value(value))] = strconv.Itoa(count)
	}
	maps.DeleteFunc(wanted, func(_, count string) bool { return count == "0" })
	if !maps.Equal(found, wanted) {
		return fmt.Errorf("the counts of %q are %v, want %v", id, found, wanted)
	}
	return nil
}

// plain returns the text of a string, and other values as they are written.
func plain(value jsontext.Value) string {
	if text, ok := strictjson.String(value); ok {
		return text
	}
	return string(value)
}
