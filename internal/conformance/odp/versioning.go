package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// protocolVersion: ODP-16.
func protocolVersion(t testcase) error {
	supported, received := t.text("supported"), t.text("received")
	if err := t.wants(odp.ValidVersion(supported) && odp.ValidVersion(received)); err != nil {
		return err
	}
	return t.equal(odp.CompatibleVersions(supported, received), "compatible")
}

// versionPlacement: ODP-16 and ODP-17. What stands on top is an Offering or a page, what is nested an item of a page.
func versionPlacement(t testcase) error {
	version := ""
	if t.flag(false, "odp_version_present") {
		version = `"odp_version":"1.0",`
	}
	if t.flag(false, "top_level") {
		_, offering := resource.ParseOffering([]byte(`{`+version+`"id":"a","name":"A"}`), odp.Full)
		_, page := resource.ParseOfferings([]byte(`{`+version+`"items":[]}`), resource.PageRules{})
		if (offering == nil) != (page == nil) {
			return fmt.Errorf("an Offering and a page are not judged alike: %w", errors.Join(offering, page))
		}
		return t.valid(offering)
	}
	return t.valid(itemFault(`{`+version+`"id":"a","name":"A"}`, odp.Terse))
}

// itemFault reads an Offering as the one item of a page, and returns why it was dropped.
func itemFault(offering string, r odp.Representation) error {
	page, err := resource.ParseOfferings([]byte(`{"odp_version":"1.0","items":[`+offering+`]}`), resource.PageRules{Representation: r})
	switch {
	case err != nil:
		return err
	case len(page.Items) == 0:
		return fmt.Errorf("%q %s", page.Issues[0].Pointer, page.Issues[0].Message)
	}
	return nil
}

// mediaNegotiation: ODP-18 to ODP-21. The cases are about Accept, or about the Content-Type of a request or an answer.
func mediaNegotiation(t testcase) error {
	if header, ok := contentType(t); ok {
		return t.decision(odp.CheckMediaType(header, odp.MediaType) == nil)
	}
	accept, err := acceptHeader(t)
	if err != nil {
		return err
	}
	return t.decision(odp.Acceptable(accept, odp.MediaType))
}

// contentType returns the header that a case describes, or ok=false where it is not about one.
func contentType(t testcase) (header string, ok bool) {
	for i, name := range t.root.Names {
		value := t.root.Items[i]
		switch {
		case !strings.Contains(name, "content_type"), strings.Contains(name, "version"):
		case value.Kind == '"' || value.Kind == 'n':
			return value.Text(), true
		case value.Kind == 't' && strings.HasSuffix(name, "_missing"):
			return "", true
		case value.Kind == 't' && strings.HasSuffix(name, "_malformed"):
			return "application odp+json", true
		}
	}
	return "", false
}

// acceptHeader returns the fields that a case describes.
func acceptHeader(t testcase) ([]string, error) {
	if n := t.first("accept"); n != nil {
		return append(texts(n), strings.Fields(n.Text())...), nil
	}
	if t.first("accepts_odp", "accepts_wildcard", "accept_missing") == nil {
		return nil, missing("accept")
	}
	if t.flag(false, "accept_missing") {
		return nil, nil
	}
	fields := []string{"text/html"}
	if t.flag(false, "accepts_odp") {
		fields = append(fields, odp.MediaType)
	}
	if t.flag(false, "accepts_wildcard") {
		fields = append(fields, "*/*;q=0.5")
	}
	return fields, nil
}

// decision compares whether something was taken with the word for what is to become of it.
func (t testcase) decision(taken bool) error {
	want := t.first("response", "agent", "expected")
	if want == nil {
		return missing("response")
	}
	word := plain(want.Value())
	if taken != anyOf(word, "process", "serve", "accept", "parse") {
		return fmt.Errorf("want %q, but it was taken: %v", word, taken)
	}
	return nil
}
