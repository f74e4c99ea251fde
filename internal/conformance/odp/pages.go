package main

import (
	"errors"
	"net/http"
	"time"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// page: ODP-43 to ODP-46.
func page(t testcase) error {
	doc, err := t.document("page")
	if err != nil {
		return err
	}
	p, refusal := resource.ParseOfferings(doc, resource.PageRules{Origin: t.origin(), Representation: odp.Terse})
	if refusal == nil {
		_, refusal = resource.NewTraversal(t.origin(), own(t), 0).Next(p.Next)
	}
	return t.valid(refusal)
}

// own is the absolute URL of the page that a case is about; "" when it does not say.
func own(t testcase) string {
	url := t.text("url", "page_url", "request_url", "current", "current_url", "self")
	if url == "" {
		return ""
	}
	return t.origin().Resolve(url)
}

// pageLimit: ODP-47, in the body of a search and in the query of a list alike.
func pageLimit(t testcase) error {
	n := t.first("limit")
	if n == nil {
		return missing("limit")
	}
	body := odp.NewCursor(tree(`{"odp_version":"1.0","query":"q","limit":%s}`, n.Value()), "case")
	limit := odp.ParseCollectionSearch(body).Limit
	refusal := faultOf(body)
	if refusal == nil && !odp.ValidLimit(limit) {
		refusal = errors.New("the limit may not be asked for")
	}
	return t.valid(refusal)
}

// pageSequence: ODP-49, and ODP-46 where the pages of a case say what comes next.
func pageSequence(t testcase) error {
	if !t.has("pages") {
		return missing("pages")
	}
	way := resource.NewTraversal(t.origin(), own(t), 0)
	for _, page := range elements(t.first("pages")) {
		items := page
		if page.Kind == '{' {
			items = first(page, "items", "ids")
		}
		for _, id := range ids(items) {
			way.Keep(id)
		}
		if next := page.Member("next").Text(); next != "" {
			if _, err := way.Next(next); err != nil {
				return t.valid(err)
			}
		}
	}
	return t.valid(firstIssue(way.Issues))
}

// nextPage: ODP-44 to ODP-46. A page has been read whose "next" it is.
func nextPage(t testcase) error {
	next := t.first("next")
	if next == nil {
		return missing("next")
	}
	if t.has("method") && t.text("method") != http.MethodGet {
		return t.valid(errors.New("a continuation is only ever asked for with GET"))
	}
	return t.valid(continueTo(t, next))
}

func continueTo(t testcase, next *jsontree.Node) error {
	page := tree(`{"odp_version":"1.0","items":[]}`)
	page.Set("next", next)
	p, err := resource.ParseOfferings(page.Value(), resource.PageRules{Origin: t.origin(), Representation: odp.Terse})
	if err != nil {
		return err
	}
	_, err = resource.NewTraversal(t.origin(), own(t), 0).Next(p.Next)
	return err
}

// continuationLifetime is about Services: how long a continuation can be followed at least.
func continuationLifetime(t testcase) error {
	seconds, err := t.number("lifetime_seconds")
	if err != nil {
		return err
	}
	return t.wants(seconds >= int(odp.ContinuationLifetime/time.Second))
}

// storageModel: however a Service keeps the place in a sequence, to an agent its continuation is opaque (ODP-44). So the
// model of the case becomes a part of one.
func storageModel(t testcase) error {
	next := t.first("next")
	if next == nil {
		model := t.text("storage_model", "model", "storage", "strategy")
		next = jsontree.String("/odp/pages/" + model)
	}
	return t.valid(continueTo(t, next))
}
