package main

import (
	"fmt"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// offeringDocument: ODP-58, ODP-59 and section 12 of the sheet. A terse Offering is the item of a page unless it says its
// version, as one that was retrieved does.
func offeringDocument(t testcase) error {
	doc, err := t.document("document")
	if err != nil {
		return err
	}
	r := representation(t)
	if r == odp.Terse && t.first("document").Member("odp_version") == nil {
		return t.valid(itemFault(string(doc), r))
	}
	_, refusal := resource.ParseOffering(doc, r)
	return t.valid(refusal)
}

// resourceDocument: ODP-40, on whatever the document is.
func resourceDocument(t testcase) error {
	doc, err := t.document("document")
	if err != nil {
		return err
	}
	document := t.first("document")
	var refusal error
	switch {
	case document.Member("items") != nil:
		_, refusal = resource.ParseOfferings(doc, resource.PageRules{Origin: t.origin(), Representation: odp.Terse})
	case document.Member("parent_ids") != nil || t.text("type", "resource") == string(odp.Collection):
		_, refusal = resource.ParseCollection(doc, t.origin(), representation(t))
	default:
		return offeringDocument(t)
	}
	return t.valid(refusal)
}

// detailFields: ODP-37 to ODP-39.
func detailFields(t testcase) error {
	if !t.has("full") {
		return missing("full")
	}
	return t.valid(resource.CheckDetailFields(t.first("terse"), t.first("full")))
}

// selectRepresentation: ODP-35.
func selectRepresentation(t testcase) error {
	asked := texts(t.first("representation"))
	if one := t.text("representation"); one != "" {
		asked = []string{one}
	}
	if err := known(odp.Operation(t.text("operation"))); err != nil {
		return err
	}
	selected, ok := resource.Select(odp.Operation(t.text("operation")), asked)
	if !ok {
		selected = "400"
	}
	want := t.first("expected")
	if want == nil {
		return missing("expected")
	}
	if got := plain(want.Value()); got != string(selected) {
		return fmt.Errorf("the representation is %s, want %s", selected, got)
	}
	return nil
}

// known reports whether there is such an operation: one that a Service Document may hold.
func known(operation odp.Operation) error {
	_, err := odp.ParseService(serviceWith("keywords", tree(`[]`), []*jsontree.Node{jsontree.String(string(operation))}), "https://service.example")
	return err
}
