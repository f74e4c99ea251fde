package main

import (
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// serviceDocument: section 3 of the sheet.
func serviceDocument(t testcase) error {
	doc, err := t.document("document")
	if err != nil {
		return err
	}
	_, refusal := odp.ParseService(doc, t.origin())
	return t.valid(refusal)
}

// origin is where the documents of a case come from.
func (t testcase) origin() odp.Origin {
	if origin := t.text("service_origin", "origin"); origin != "" {
		return odp.Origin(origin)
	}
	return "https://service.example"
}

// protocolAdvertisement: ODP-29 and ODP-30.
func protocolAdvertisement(t testcase) error {
	protocols := t.first("protocols", "advertisement")
	if protocols == nil {
		return missing("protocols")
	}
	_, refusal := odp.ParseService(serviceWith("protocols", protocols, elements(t.first("operations"))), t.origin())
	return t.valid(refusal)
}

// serviceWith is a Service Document with the one part that a case is about. Operations that a Service has to have are there
// unless the case says something else about them.
func serviceWith(name string, part *jsontree.Node, operations []*jsontree.Node) []byte {
	doc := tree(`{"odp_version":"1.0","name":"N","description":"D.","language":"en","localizations":["en"],"http":{"endpoint_base":"/odp"}}`)
	list := &jsontree.Node{Kind: '['}
	for _, operation := range operations {
		if operation.Kind == '"' {
			operation = tree(`{"name":%s,"authentication":"not-required"}`, operation.Raw)
		}
		list.Items = append(list.Items, operation)
	}
	for _, needed := range []odp.Operation{odp.ListOfferings, odp.GetOffering} {
		if !lists(list, needed) {
			list.Items = append(list.Items, tree(`{"name":%q,"authentication":"not-required"}`, needed))
		}
	}
	doc.Set("operations", list)
	doc.Set(name, part)
	return doc.Value()
}

func lists(operations *jsontree.Node, name odp.Operation) bool {
	for _, operation := range operations.Items {
		if operation.Member("name").Text() == string(name) {
			return true
		}
	}
	return false
}
