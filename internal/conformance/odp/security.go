package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"

	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/schema"
)

// destination: ODP-129 to ODP-133.
func destination(t testcase) error {
	if !t.has("url") {
		return missing("url")
	}
	d := fetch.Destination{URL: t.text("url"), Local: t.flag(false, "local_development")}
	for _, text := range texts(t.first("resolved_addresses")) {
		address, err := netip.ParseAddr(text)
		if err != nil {
			return t.valid(err)
		}
		d.Addresses = append(d.Addresses, address)
	}
	peer := t.text("connected_address")
	if peer == "" && len(d.Addresses) > 0 {
		peer = d.Addresses[0].String()
	}
	var err error
	if d.Peer, err = netip.ParseAddr(peer); err != nil {
		return t.valid(err)
	}
	return t.valid(d.Check())
}

// redirect: ODP-23 and ODP-134. Besides from and to, a case may tell how many redirects there are, or all places on the way.
func redirect(t testcase) error {
	way := texts(t.first("chain", "hops", "redirects", "urls"))
	if from := t.text("from"); from != "" {
		way = append([]string{from, t.text("to", "location")}, way...)
	}
	count := 0
	if n := t.first("redirect_count", "redirects", "hops", "count"); n != nil && n.Kind == '0' {
		var err error
		if count, err = number(n); err != nil {
			return err
		}
	}
	if len(way) < 2 && count == 0 {
		return missing("from")
	}
	for i := 1; i < len(way); i++ {
		if err := fetch.SameOriginRedirect(way[i-1], way[i]); err != nil {
			return t.valid(err)
		}
		from, err := url.Parse(way[i-1])
		if err != nil {
			return t.valid(err)
		}
		to, err := from.Parse(way[i])
		if err != nil {
			return t.valid(err)
		}
		way[i] = to.String()
	}
	return t.valid(errors.Join(follow(way), follow(steps(min(count, 100)))))
}

// steps is a way of so many redirects.
func steps(count int) []string {
	way := []string{"0"}
	for i := range count {
		way = append(way, strconv.Itoa(i+1))
	}
	return way
}

// forwardedFields: ODP-136 and ODP-137.
func forwardedFields(t testcase) error {
	if !t.has("input_fields") {
		return missing("input_fields")
	}
	kind := resource.RequestKind(t.text("request_kind"))
	if !slices.Contains([]resource.RequestKind{resource.SupportingDocument, resource.ServiceOperation, resource.ActionCall}, kind) {
		switch {
		case anyOf(string(kind), "document", "schema", "openapi", "image", "branding", "discovery"):
			kind = resource.SupportingDocument
		case anyOf(string(kind), "operation", "service", "list", "search", "get", "page", "continuation"):
			kind = resource.ServiceOperation
		case t.flag(false, "same_origin"): // to another origin none lets anything go
			return fmt.Errorf("there is no code for the request kind %q", string(kind))
		}
	}
	return t.equal(resource.Forwarded(kind, t.flag(false, "same_origin"), texts(t.first("input_fields"))), "expected")
}

// actionInvocable: ODP-95 and ODP-99. An Action is asked for by its id, or by nothing when nobody selected it; then its
// request is made of the inputs that the caller gave, of which it needs one.
func actionInvocable(t testcase) error {
	if !t.has("explicitly_selected") {
		return missing("explicitly_selected")
	}
	rel := resource.Invoke
	if !t.flag(true, "relation_known") {
		rel = "something-new"
	}
	o, err := resource.ParseOffering(fmt.Appendf(nil, `{"odp_version":"1.0","id":"o","name":"O","actions":[{"id":"a","rel":%q,`+
		`"authentication":"optional","http":{"href":"/do","method":"POST","request":{"content_type":"application/json","schema":{"url":"/s"}}}}]}`, rel), odp.Full)
	if err != nil {
		return err
	}
	selected := ""
	if t.flag(false, "explicitly_selected") {
		selected = "a"
	}
	var inputs manifest.Values
	if t.flag(true, "inputs_supplied", "inputs_approved", "inputs_supplied_or_approved", "inputs_available", "inputs_provided") {
		inputs.Set("amount", []byte("1"))
	}
	return t.valid(invoke(o, selected, &inputs))
}

// invoke makes the request of an Action, as far as before it would be sent.
func invoke(o *resource.Offering, id string, inputs *manifest.Values) error {
	action, ok := o.Action(id)
	if !ok {
		return fmt.Errorf("there is no Action %q", id)
	}
	invocation, err := resource.Subject{Service: "https://service.example", Offering: o}.HTTP(action, []byte(`{"type":"object","required":["amount"]}`))
	if err != nil {
		return err
	}
	rule, err := schema.Compile(invocation.Input)
	if err != nil {
		return err
	}
	failures, err := rule.Validate(inputs.Object())
	if err != nil || len(failures) > 0 {
		return fmt.Errorf("the inputs are not what the Action needs: %d faults, %w", len(failures), err)
	}
	if _, problems := invocation.Request(inputs, nil); len(problems) > 0 {
		return errors.New(problems[0].Message)
	}
	return nil
}
