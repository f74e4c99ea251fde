package main

import "github.com/agentctl/agentctl/internal/manifest/odp"

// filterDefinition: ODP-64 and ODP-66.
func filterDefinition(t testcase) error {
	c, err := t.cursor("definition")
	if err != nil {
		return err
	}
	odp.ParseFilter(c)
	return t.valid(faultOf(c))
}

// filterExpression: ODP-67.
func filterExpression(t testcase) error {
	_, _, refusal, err := expression(t)
	if err != nil {
		return err
	}
	return t.valid(refusal)
}

// expression reads the expression of a case, and judges it by its definition. err is for a case that has none.
func expression(t testcase) (f odp.Filter, e odp.Expression, refusal, err error) {
	definition, err := t.cursor("definition")
	if err != nil {
		return f, e, nil, err
	}
	c, err := t.cursor("expression")
	if err != nil {
		return f, e, nil, err
	}
	f, e = odp.ParseFilter(definition), odp.ParseExpression(c)
	if refusal = faultOf(definition); refusal == nil {
		refusal = faultOf(c)
	}
	if refusal == nil {
		_, refusal = e.Check(f)
	}
	return f, e, refusal, nil
}

// evaluateExpression: ODP-65 and ODP-68.
func evaluateExpression(t testcase) error {
	f, e, refusal, err := expression(t)
	switch {
	case err != nil:
		return err
	case refusal != nil:
		return t.valid(refusal)
	case !t.has("values"):
		return missing("values")
	}
	matches, refusal := e.Matches(f, values(t.first("values")))
	if refusal != nil {
		return t.valid(refusal)
	}
	return t.wants(matches)
}

// sortDefinition: ODP-69 and ODP-80. A sort is usable if the filters of its keys are. One of which a case tells neither title
// nor description has any.
func sortDefinition(t testcase) error {
	n := t.first("sort")
	if n == nil {
		return missing("sort")
	}
	if n.Kind == '{' && first(n, "title", "description") == nil {
		n = complete(n, `{"title":"T","description":"D."}`)
	}
	c := odp.NewCursor(n, "case")
	s := odp.ParseSort(c)
	if refusal := faultOf(c); refusal != nil {
		return t.valid(refusal)
	}
	known, err := catalogue(t)
	if err != nil {
		return err
	}
	_, refusal := odp.Merge(odp.Definitions{Filters: known.Filters, Sorts: []odp.Sort{s}}).Sort(s.ID)
	return t.valid(refusal)
}
