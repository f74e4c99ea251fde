package main

import (
	"fmt"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// validateActions: ODP-94 to ODP-96, ODP-102, ODP-103 and ODP-106.
func validateActions(t testcase) error {
	c, err := t.cursor("actions")
	if err != nil {
		return err
	}
	actions, issues := resource.ReadActions(c)
	if err := faultOf(c); err != nil { // a list of none or too many spoils its Offering
		return t.valid(err)
	}
	usable, unusable := []string{}, []string{}
	for _, a := range actions {
		usable = append(usable, a.ID)
	}
	for _, issue := range issues {
		if len(issue.Command) == 0 {
			issue.Command = []string{""}
		}
		unusable = append(unusable, issue.Command[0])
	}
	return t.results(map[string]any{"expected_usable": usable, "expected_issues": unusable})
}

// resolveOpenAPI: ODP-106 to ODP-108.
func resolveOpenAPI(t testcase) error {
	target := t.first("target")
	if target == nil {
		return missing("target")
	}
	if !t.has("document") {
		return missing("document")
	}
	return t.valid(openAPIFault(t, target))
}

func openAPIFault(t testcase, target *jsontree.Node) error {
	list := tree(`[{"id":"a","rel":"invoke","authentication":"not-required"}]`)
	list.Items[0].Set("openapi", target)
	actions, issues := resource.ReadActions(odp.NewCursor(list, "case"))
	if err := firstIssue(issues); err != nil {
		return err
	}
	from, err := actions[0].OpenAPI.DocumentURL(t.origin(), serviceOpenAPI(t))
	if err != nil {
		return err
	}
	if n := t.first("content_type"); n != nil {
		if err := openapi.CheckMediaType(n.Text()); err != nil {
			return err
		}
	}
	d, err := openapi.Parse(openAPIOf(t.first("document")), from)
	if err != nil {
		return err
	}
	_, err = d.Operation(actions[0].OpenAPI.OperationID)
	return err
}

// serviceOpenAPI is the reference in the Service Document: a string, or an object as there.
func serviceOpenAPI(t testcase) string {
	n := t.first("service_openapi")
	if n != nil && n.Kind == '{' {
		n = n.Member("url")
	}
	return n.Text()
}

// openAPIOf makes a whole document of the version and the operations that a case tells of; one that is whole stays.
func openAPIOf(summary *jsontree.Node) []byte {
	operations := summary.Member("operation_ids")
	if operations == nil {
		return summary.Value()
	}
	doc, paths := &jsontree.Node{Kind: '{'}, &jsontree.Node{Kind: '{'}
	for i, id := range elements(operations) {
		paths.Set(fmt.Sprintf("/operations/%d", i), tree(`{"post":{"operationId":%s}}`, id.Value()))
	}
	for i, name := range summary.Names {
		if name != "operation_ids" {
			doc.Set(name, summary.Items[i])
		}
	}
	doc.Set("paths", paths)
	return doc.Value()
}
