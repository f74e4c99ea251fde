package main

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// conditionalGet: ODP-52 and ODP-126. A page was kept with its validator, and is asked for again.
func conditionalGet(t testcase) error {
	kept, now := []string{"cached_url", "stored_url", "validator_url"}, []string{"request_url", "url"}
	e := exchange{
		tag:     entityTag(t.text("if_none_match", "cached_etag", "stored_etag", "etag", "validator")),
		current: entityTag(t.text("current_etag", "response_etag", "server_etag", "etag", "if_none_match", "cached_etag", "stored_etag", "validator")),
		first:   question{url: t.text(slices.Concat(kept, now)...), method: t.text("method")},
		second:  question{url: t.text(slices.Concat(now, kept)...), method: t.text("method")},
		status:  http.StatusNotModified,
	}
	if e.current != e.tag {
		e.status = http.StatusOK
	}
	if n := t.first("status", "response_status"); n != nil {
		var err error
		if e.status, err = httpStatus(n); err != nil {
			return err
		}
	}
	conditional, state, err := e.run()
	if err != nil {
		return err
	}
	if n := t.first("expected", "expected_status"); n != nil && n.Kind == '0' {
		status := http.StatusOK
		if state == fetch.CacheRevalidated {
			status = http.StatusNotModified
		}
		return t.equal(status, "expected", "expected_status")
	}
	return t.wants(conditional && (e.status != http.StatusNotModified || state == fetch.CacheRevalidated))
}

// entityTag is a validator as it goes over the wire.
func entityTag(text string) string {
	if strings.HasPrefix(text, `"`) || strings.HasPrefix(text, `W/"`) {
		return text
	}
	return `"` + text + `"`
}

// cacheReusable: ODP-126. A case tells two questions, in objects or by members whose names say of which of the two they are, or
// whether the two are the same in some respect.
func cacheReusable(t testcase) error {
	c := cacheCase{first: question{}, second: question{}}
	for i, name := range t.root.Names {
		if err := c.read(name, t.root.Items[i]); err != nil {
			return err
		}
	}
	if !c.understood {
		return errors.New("the case tells nothing about two questions")
	}
	reused, err := reuses(c.first, c.second, c.answer)
	if err != nil {
		return err
	}
	if t.first("reusable", "expected_reusable") != nil {
		return t.equal(reused, "reusable", "expected_reusable")
	}
	return t.wants(reused)
}

// cacheCase is what was understood of a case.
type cacheCase struct {
	first, second question
	answer        kept
	understood    bool
}

func (c *cacheCase) read(name string, value *jsontree.Node) error {
	if slices.Contains([]string{"name", "operation", "role", "valid", "expected"}, name) {
		return nil
	}
	if answers, err := c.answered(name, value); answers || err != nil {
		return err
	}
	yes, flag := value.Kind == 't', value.Kind == 't' || value.Kind == 'f'
	side := c.side(name)
	switch {
	case value.Kind == '{' && side != nil:
		for i, member := range value.Names {
			c.set(side, member, value.Items[i])
		}
	case flag && anyOf(name, "same", "match", "equal", "identical"):
		c.differ(name, !yes)
	case flag && anyOf(name, "differ", "changed", "cross", "other"):
		c.differ(name, yes)
	case side != nil:
		c.set(side, name, value)
	case !flag: // both have it
		c.set(&c.first, name, value)
		c.set(&c.second, name, value)
	}
	return nil
}

// side is the question that a name is about, or nil.
func (c *cacheCase) side(name string) *question {
	switch {
	case anyOf(name, "cached", "stored", "original", "entry", "left", "first", "previous"):
		return &c.first
	case anyOf(name, "request", "current", "incoming", "new", "right", "second", "next"):
		return &c.second
	}
	return nil
}

// respect is the part of a question that a name is about, or nil.
func (q *question) respect(name string) *string {
	switch {
	case anyOf(name, "lang"):
		return &q.language
	case anyOf(name, "represent"):
		return &q.representation
	case anyOf(name, "method"):
		return &q.method
	case anyOf(name, "url", "uri", "path", "href"):
		return &q.url
	case anyOf(name, "auth", "context", "credential", "identity", "account", "principal", "partition", "agent"):
		return &q.account
	case anyOf(name, "origin"):
		return &q.origin
	}
	return nil
}

func (c *cacheCase) set(q *question, name string, value *jsontree.Node) {
	part := q.respect(name)
	if part == nil {
		return
	}
	c.understood = true
	*part = plain(value.Value())
	nobody := *part == "anonymous" || *part == "none" || *part == "null" || *part == "false" || *part == "unauthenticated"
	if part == &q.account && nobody {
		*part = ""
	}
}

func (c *cacheCase) differ(name string, differs bool) {
	part := c.second.respect(name)
	if part == nil {
		return
	}
	c.understood = true
	switch {
	case !differs:
	case part == &c.second.method:
		*part = http.MethodPost
	default:
		*part = "another"
	}
}

// answered reads what a case says about the answer that was kept; it reports whether the member is about that.
func (c *cacheCase) answered(name string, value *jsontree.Node) (about bool, err error) {
	yes := value.Kind == 't'
	switch {
	case anyOf(name, "cache_control"):
		c.answer.cache = value.Text()
	case anyOf(name, "no_store") && yes:
		c.answer.cache = "no-store"
	case anyOf(name, "stale", "expired") && yes:
		c.answer.cache = "max-age=0"
	case anyOf(name, "fresh") && !yes:
		c.answer.cache = "-"
	case anyOf(name, "status"):
		c.answer.status, err = httpStatus(value)
	case !anyOf(name, "no_store", "stale", "expired", "fresh"):
		return false, nil
	}
	c.understood = true
	return true, err
}
