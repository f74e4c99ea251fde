package resource

import (
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// Follow returns the absolute URL of a Resource Reference that a Service published and that passed
// [odp.CheckReference]: of a schema, an OpenAPI document, an Action. Only a Service on the caller's own machine may lead
// there (ODP-14). Its error is a [*fault.Error].
func Follow(service odp.Origin, reference string) (string, error) {
	url := service.Resolve(reference)
	return url, checkDestination(service, odp.OriginOf(url))
}

func checkDestination(service, target odp.Origin) error {
	if target.Local() && !service.Local() {
		return fault.New(fault.Manifest, "local_reference", "%s leads to %s, which is the caller's own machine", service, target)
	}
	return nil
}

// RequestKind is what a request is for, which decides whether secrets go with it.
type RequestKind string

// The kinds of requests.
const (
	SupportingDocument RequestKind = "supporting-document" // Service Document, schemas, OpenAPI, images: always anonymous (ODP-136)
	ServiceOperation   RequestKind = "operation"           // lists, searches, retrievals
	ActionCall         RequestKind = "action"              // ODP-137
)

// Sensitive reports whether a header field carries a credential, a proof or a cookie. Names ignore case.
func Sensitive(field string) bool {
	return slices.ContainsFunc([]string{
		"Authorization", "Proxy-Authorization", "AEP-Authorization", "Cookie", "Cookie2", "PAYMENT-SIGNATURE", "X-PAYMENT",
		"X-API-Key", "API-Key", "Apikey", "X-Auth-Token", "X-Access-Token",
	}, func(name string) bool { return strings.EqualFold(name, field) })
}

// Forwarded returns those of the header fields that carry secrets and still go with the request. Nothing goes to another
// origin than the Service's, and nothing with a supporting document even there (ODP-136, ODP-137).
func Forwarded(kind RequestKind, sameOrigin bool, fields []string) []string {
	kept := []string{}
	if !sameOrigin || kind != ServiceOperation && kind != ActionCall {
		return kept
	}
	for _, field := range fields {
		if Sensitive(field) {
			kept = append(kept, field)
		}
	}
	return kept
}
