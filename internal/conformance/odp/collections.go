package main

import (
	"errors"
	"fmt"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// collectionDocument: ODP-53.
func collectionDocument(t testcase) error {
	doc, err := t.document("document")
	if err != nil {
		return err
	}
	_, refusal := resource.ParseCollection(doc, t.origin(), representation(t))
	return t.valid(refusal)
}

// representation is what a document of the case is; full unless it says otherwise.
func representation(t testcase) odp.Representation {
	if r := t.text("representation"); r != "" {
		return odp.Representation(r)
	}
	return odp.Full
}

// hierarchy: ODP-54 and ODP-55.
func hierarchy(t testcase) error {
	return t.valid(firstIssue(resource.NewHierarchy(collectionsOf(t.first("collections"))).Issues))
}

// firstIssue is the first issue as an error.
func firstIssue(issues []odp.Issue) error {
	if len(issues) == 0 {
		return nil
	}
	return errors.New(issues[0].Message)
}

func collectionsOf(n *jsontree.Node) []*resource.Collection {
	var list []*resource.Collection
	for _, item := range elements(n) {
		list = append(list, collection(identifier(item), texts(item.Member("parent_ids"))...))
	}
	return list
}

func collection(id string, parents ...string) *resource.Collection {
	return &resource.Collection{Head: resource.Head{ID: id}, ParentIDs: parents}
}

// hierarchyChain: a chain of that many edges (ODP-55).
func hierarchyChain(t testcase) error {
	edges, err := t.number("chain_length")
	if err != nil {
		return err
	}
	return t.valid(firstIssue(resource.NewHierarchy(chain(min(edges, 1<<16))).Issues))
}

// chain returns Collections one below the other, with that many edges between them.
func chain(edges int) []*resource.Collection {
	list := []*resource.Collection{collection("c0")}
	for i := range edges {
		list = append(list, collection(fmt.Sprintf("c%d", i+1), fmt.Sprintf("c%d", i)))
	}
	return list
}

// invalidEdge: ODP-55 and ODP-56. An edge that cannot be is left out; all else stays, which a sound edge beside it shows.
func invalidEdge(t testcase) error {
	sound := []*resource.Collection{collection("root"), collection("leaf", "root")}
	offering := &resource.Offering{Head: resource.Head{ID: "o"}, CollectionIDs: []string{"leaf"}}
	switch condition := t.text("condition"); condition {
	case "cycle":
		sound = append(sound, collection("a", "b"), collection("b", "a"))
	case "self-parent":
		sound = append(sound, collection("a", "a"))
	case "depth-exceeded":
		sound = append(sound, chain(odp.MaxHierarchyEdges+1)...)
	case "missing-parent":
		sound = append(sound, collection("a", "b"))
	case "missing-collection":
		offering.CollectionIDs = append(offering.CollectionIDs, "b")
	default:
		return fmt.Errorf("there is no code for the condition %q", condition)
	}
	h := resource.NewHierarchy(sound)
	members, issues := h.Members("leaf", []*resource.Offering{offering})
	outcome := "keep-edge"
	switch lost := len(h.Issues) + len(issues); {
	case len(members) != 1 || len(h.Parents("leaf")) != 1:
		outcome = "reject"
	case lost == 1:
		outcome = "ignore-edge"
	}
	return t.equal(outcome, "expected")
}

// membership: ODP-56. A Collection that is not there has no members.
func membership(t testcase) error {
	h := resource.NewHierarchy(collectionsOf(t.first("collections")))
	var offerings []*resource.Offering
	for _, item := range elements(t.first("offerings")) {
		offerings = append(offerings, &resource.Offering{Head: resource.Head{ID: identifier(item)}, CollectionIDs: texts(item.Member("collection_ids"))})
	}
	id := t.text("query_collection_id")
	members, issues := h.Members(id, offerings)
	refusal := firstIssue(issues)
	if refusal == nil && !h.Has(id) {
		refusal = fmt.Errorf("there is no Collection %q", id)
	}
	if t.has("valid") {
		if err := t.valid(refusal); err != nil || !t.has("offering_ids") {
			return err
		}
	}
	return t.equal(orEmpty(members), "offering_ids", "expected")
}
