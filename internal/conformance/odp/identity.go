package main

import (
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// localIdentifier: ODP-10.
func localIdentifier(t testcase) error {
	c, err := t.cursor("value")
	if err != nil {
		return err
	}
	c.ID()
	return t.valid(faultOf(c))
}

// resourceReference: ODP-12.
func resourceReference(t testcase) error {
	c, err := t.cursor("value")
	if err != nil {
		return err
	}
	c.Reference()
	return t.valid(faultOf(c))
}

// serviceOrigin: ODP-8 and ODP-9.
func serviceOrigin(t testcase) error {
	c, err := t.cursor("value")
	if err != nil {
		return err
	}
	_, refusal := odp.ParseOrigin(c.String())
	return t.valid(refusal)
}

// identityComparison: ODP-11. Whatever else stands in the two, such as the URL of a resource, is no part of its identity.
func identityComparison(t testcase) error {
	if !t.has("right") {
		return missing("right")
	}
	return t.equal(identityOf(t.first("left")) == identityOf(t.first("right")), "same_identity", "expected")
}

func identityOf(n *jsontree.Node) odp.Identity {
	return odp.Identity{
		Service: odp.Origin(n.Member("service").Text()), Type: odp.Resource(n.Member("type").Text()), ID: n.Member("id").Text(),
	}
}
