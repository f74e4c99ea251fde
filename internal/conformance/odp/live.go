package main

import (
	"net/http"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// liveResponse: ODP-142 and ODP-145. What was advertised is not looked at.
func liveResponse(t testcase) error {
	response := t.first("response")
	if response == nil {
		return missing("response")
	}
	header := http.Header{}
	headers := response.Member("headers")
	if headers != nil {
		for i, name := range headers.Names {
			values := texts(headers.Items[i])
			if headers.Items[i].Kind == '"' {
				values = []string{headers.Items[i].Text()}
			}
			header[name] = values
		}
	}
	status := odp.NewCursor(response, "case").Member("status").Integer(100, 599)
	signals := resource.Signals(int(status), header)
	if signals == nil {
		signals = []resource.Protocol{}
	}
	return t.equal(signals, "expected")
}

// liveSequence: ODP-143.
func liveSequence(t testcase) error {
	if !t.has("responses") {
		return missing("responses")
	}
	var asked []resource.Protocol
	for _, word := range texts(t.first("requires")) {
		asked = append(asked, protocol(word))
	}
	var statuses []int
	for _, response := range elements(t.first("responses")) {
		c := odp.NewCursor(response, "case")
		if response.Kind == '{' {
			c = c.Member("status")
		}
		statuses = append(statuses, int(c.Integer(100, 599)))
	}
	return t.wants(resource.ValidSequence(asked, statuses))
}

// protocol is what a word of the cases means: a protocol, or what one is for.
func protocol(word string) resource.Protocol {
	switch {
	case anyOf(word, "enroll", "authenti", "sign"):
		return resource.AEP
	case anyOf(word, "pay"):
		return resource.MPP
	}
	return resource.Protocol(word)
}
