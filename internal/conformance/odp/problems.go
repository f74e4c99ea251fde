package main

import (
	"fmt"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// problem: ODP-114 to ODP-117.
func problem(t testcase) error {
	doc, err := t.document("problem", "document")
	if err != nil {
		return err
	}
	status, err := t.number("http_status", "status")
	if err != nil {
		return err
	}
	_, refusal := resource.ParseProblem(doc, status)
	return t.valid(refusal)
}

// retry: ODP-121 and ODP-122. The attempt is the retry in question, from 1.
func retry(t testcase) error {
	status, err := t.number("status", "http_status")
	if err != nil {
		return err
	}
	attempt, err := t.number("attempt")
	if err != nil {
		return err
	}
	elapsed, err := t.seconds("elapsed_seconds")
	if err != nil {
		return err
	}
	after, err := t.seconds("retry_after_seconds")
	if err != nil {
		return err
	}
	got := fetch.MayRetry(status, attempt, elapsed, after)
	if n := t.first("expected"); n != nil && n.Kind == '{' || t.first("retry", "should_retry") != nil {
		return t.results(map[string]any{"retry": got, "should_retry": got})
	}
	return t.wants(got)
}

// seconds returns a time; none where the case does not say.
func (t testcase) seconds(name string) (time.Duration, error) {
	n := t.first(name)
	if n == nil || n.Kind == 'n' {
		return 0, nil
	}
	value, err := time.ParseDuration(string(n.Raw) + "s")
	if err != nil {
		return 0, fmt.Errorf("%s is no number of seconds", name)
	}
	return value, nil
}

// limitFailureScope: ODP-51. A page beyond its limits ends the way through a sequence, and what was read before stays.
func limitFailureScope(t testcase) error {
	before, err := t.number("prior_items")
	if err != nil {
		return err
	}
	way := resource.NewTraversal(t.origin(), "", 0)
	for i := range min(before, 1<<16) {
		way.Keep(fmt.Sprint(i))
	}
	doc := []byte(`{"odp_version":"1.0","items":[],"next":"/more"}`)
	if !t.flag(false, "current_page_valid") {
		doc = size{bytes: odp.ResourceLimits().Bytes + 1}.document(string(doc))
	}
	goOn := false
	page, err := resource.ParseOfferings(doc, resource.PageRules{Origin: t.origin()})
	if err == nil {
		next, err := way.Next(page.Next)
		goOn = err == nil && next != ""
	} else if code := fault.From(err).Code; code != resource.CodeLimitExceeded {
		return fmt.Errorf("the code of the failure is %q", code)
	}
	return t.results(map[string]any{"preserved_items": way.Items(), "continue": goOn})
}
