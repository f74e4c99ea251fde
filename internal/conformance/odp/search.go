package main

import (
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// request reads the body of a search as it goes over the wire, within the limits of one (ODP-62).
func (t testcase) request() (*odp.Cursor, error) {
	doc, err := t.document("request")
	if err != nil {
		return nil, err
	}
	root, err := odp.Decode(doc, odp.RequestLimits())
	if err != nil {
		return nil, err
	}
	return odp.NewCursor(root, "request_invalid"), nil
}

// collectionSearch: ODP-57.
func collectionSearch(t testcase) error {
	if !t.has("request") {
		return missing("request")
	}
	c, refusal := t.request()
	if refusal == nil {
		odp.ParseCollectionSearch(c)
		refusal = faultOf(c)
	}
	return t.valid(refusal)
}

// offeringSearch: ODP-60, and ODP-67 and ODP-70 where a case tells the definitions.
func offeringSearch(t testcase) error {
	if !t.has("request") {
		return missing("request")
	}
	c, refusal := t.request()
	if refusal != nil {
		return t.valid(refusal)
	}
	s := odp.ParseOfferingSearch(c)
	if refusal = faultOf(c); refusal == nil && t.has("definitions") {
		known, err := catalogue(t)
		if err != nil {
			return err
		}
		_, refusal = s.Body(known)
	}
	return t.valid(refusal)
}

// applyCollectionSearch: ODP-57. What a query matches is for the Service to say.
func applyCollectionSearch(t testcase) error {
	c, err := t.request()
	if err != nil {
		return err
	}
	collections := placedIn(t.first("collections"), "parent_ids")
	found := odp.ParseCollectionSearch(c).Apply(collections, t.matches(collections))
	return t.equal(orEmpty(found), "collection_ids", "expected")
}

// applyOfferingSearch: ODP-60 and ODP-61.
func applyOfferingSearch(t testcase) error {
	c, err := t.request()
	if err != nil {
		return err
	}
	offerings := placedIn(t.first("offerings"), "collection_ids")
	found, ok := odp.ParseOfferingSearch(c).Apply(placedIn(t.first("collections"), "parent_ids"), offerings, t.matches(offerings))
	if !ok {
		return t.equal("not-found", "expected", "offering_ids")
	}
	return t.equal(orEmpty(found), "expected", "offering_ids")
}

// matches are the identifiers of what the Service finds for a search, in its order; all when a case does not say.
func (t testcase) matches(all []odp.Placed) []string {
	if n := t.first("service_matches", "matches"); n != nil {
		return ids(n)
	}
	var list []string
	for _, p := range all {
		list = append(list, p.ID)
	}
	return list
}

// placedIn reads Collections or Offerings: their identifiers, and what they are in.
func placedIn(n *jsontree.Node, in string) []odp.Placed {
	var list []odp.Placed
	for _, item := range elements(n) {
		if hidden, visible := item.Member("hidden"), item.Member("visible"); hidden != nil && hidden.Kind == 't' || visible != nil && visible.Kind == 'f' {
			continue // to whoever may not see it, it is not there (ODP-61)
		}
		list = append(list, odp.Placed{ID: identifier(item), In: texts(item.Member(in))})
	}
	return list
}

// orEmpty is for JSON, where nothing and an empty list are two.
func orEmpty(list []string) []string { return append([]string{}, list...) }
