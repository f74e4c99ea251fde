package agentmanifest

import (
	"net/http"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Limits of an envelope. What is longer is cut; a body that is larger is none.
const (
	MaxEnvelopeBytes = 1 << 20
	maxEnvelopeText  = 4 << 10
	maxEnvelopeID    = 256
	maxEnvelopeLinks = 100
)

// Envelope is what a capability that changes something answers (AM-17). All of it is the site's word: whoever shows it cleans
// it, and takes secrets out.
type Envelope struct {
	Status           string          `json:"status"` // "accepted", "error", …; an open set
	CapabilityID     string          `json:"capabilityId,omitempty"`
	CorrelationID    string          `json:"correlationId,omitempty"`
	AuditID          string          `json:"auditId,omitempty"`
	Summary          string          `json:"summary,omitempty"`
	RequiresFollowUp bool            `json:"requiresFollowUp,omitempty"`
	Links            []manifest.Link `json:"links,omitempty"` // the relation is the name; the address as published
	Code             string          `json:"code,omitempty"`  // of an error
	Message          string          `json:"message,omitempty"`
}

// ReadEnvelope reads an answer's body. ok tells whether it is an envelope: an object with a status, and with either the
// capability that answers or an error.
func ReadEnvelope(body []byte) (e Envelope, ok bool) {
	if manifest.CheckObject(body, MaxEnvelopeBytes, "answer") != nil {
		return e, false
	}
	n := jsontree.Parse(body)
	id := func(name string) string { return fault.Cut(n.Member(name).Text(), maxEnvelopeID) }
	e = Envelope{
		Status: id("status"), CapabilityID: id("capabilityId"), CorrelationID: id("correlationId"), AuditID: id("auditId"),
		Summary: fault.Cut(n.Member("summary").Text(), maxEnvelopeText), RequiresFollowUp: isTrue(n.Member("requiresFollowUp")),
	}
	if links := n.Member("links"); links.IsArray() {
		for _, link := range links.Items[:min(len(links.Items), maxEnvelopeLinks)] {
			if href := link.Member("href").Text(); href != "" {
				e.Links = append(e.Links, manifest.Link{Name: fault.Cut(link.Member("rel").Text(), maxEnvelopeID), URL: fault.Cut(href, maxEnvelopeText)})
			}
		}
	}
	failure := n.Member("error")
	e.Code, e.Message = fault.Cut(failure.Member("code").Text(), maxEnvelopeID), fault.Cut(failure.Member("message").Text(), maxEnvelopeText)
	return e, e.Status != "" && (e.CapabilityID != "" || e.failed() && failure != nil && failure.Kind == '{')
}

// failed reports whether the envelope is that of an error.
func (e *Envelope) failed() bool { return e.Status == "error" }

// Fault returns the error that an envelope tells of, nil when it tells of none. status is that of the answer. A site that
// wants consent is of kind [fault.Approval] (AM-17), whatever the status; the request was sent all the same.
func (e *Envelope) Fault(status int) *fault.Error {
	if !e.failed() {
		return nil
	}
	f := &fault.Error{Kind: fault.Rejected, Code: e.Code, Message: e.Message, Status: status, Sent: fault.SentYes, Details: e.ids()}
	if status >= http.StatusMultipleChoices {
		f.Kind = fault.OfStatus(status)
	}
	if e.Code == "consent_required" {
		f.Kind = fault.Approval
	}
	if f.Code == "" {
		f.Code = "error"
	}
	if f.Message == "" {
		f.Message = "the site answered with the error " + f.Code
	}
	return f
}

// ids are what names the call on the site's side.
func (e *Envelope) ids() map[string]any {
	ids := map[string]any{}
	for name, id := range map[string]string{"capabilityId": e.CapabilityID, "correlationId": e.CorrelationID, "auditId": e.AuditID} {
		if id != "" {
			ids[name] = id
		}
	}
	return ids
}
