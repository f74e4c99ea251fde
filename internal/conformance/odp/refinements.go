package main

import (
	"fmt"

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
	known, err := catalogue(t)
	if err != nil {
		return err
	}
	filters, err := expressions(t)
	if err != nil {
		return err
	}
	offerings := t.first("offerings", "items")
	if offerings == nil {
		return missing("offerings")
	}
	var have []map[string][]jsontext.Value
	for _, offering := range elements(offerings) {
		have = append(have, valuesOf(offering))
	}
	id := t.text("filter_id", "refinement", "filter", "group")
	if asked := texts(first(t.first("request"), "refinements")); id == "" && len(asked) == 1 {
		id = asked[0]
	}
	counts, err := known.Counts(id, filters, have)
	if err != nil {
		return err
	}
	return t.counts(id, counts)
}

// expressions reads the filters of a search, which stand in the case or in its request.
func expressions(t testcase) ([]odp.Expression, error) {
	list := t.first("expressions", "filters")
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

// counts compares with an object from values to counts, or with buckets as in an answer.
func (t testcase) counts(id string, got map[string]int) error {
	want := t.first("expected", "counts", "expected_counts")
	if nested := want.Member(id); nested != nil && nested.Kind != '0' {
		want = nested
	}
	if want == nil {
		return missing("expected")
	}
	wanted := make(map[string]string)
	for i, name := range want.Names {
		wanted[name] = string(want.Items[i].Raw)
	}
	for _, bucket := range elements(want) {
		wanted[plain(bucket.Member("value").Value())] = string(bucket.Member("count").Value())
	}
	found := make(map[string]string)
	for value, count := range got {
		found[plain(jsontext.Value(value))] = fmt.Sprint(count)
	}
	if fmt.Sprint(found) != fmt.Sprint(wanted) {
		return fmt.Errorf("the counts are %v, want %v", found, wanted)
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
