package aep

import (
	"context"
	"net/http"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// Limits of reading an Inspect document (AEP-2).
const (
	maxInspectBytes = 64 << 10
	inspectTime     = 10 * time.Second
)

// Inspect fetches the document that a challenge leads to, anonymously, or finds it in the cache (AEP-2, AEP-5). The Service
// must be the one that the challenge names, if it names one (AEP-3), and of the origin of the document (AEP-4).
//
// Its faults have the codes of [ParseInspect], "inspect_missing", or those of [fetch.Client.Get].
func (c *Client) Inspect(ctx context.Context, to Challenge) (*Inspect, error) {
	where, err := parseHTTPS(to.Inspect)
	if err != nil {
		return nil, badInspect(to.Inspect, err)
	}
	if to.ServiceDID != "" { // redirects stay within the origin, so a stranger need not even be asked
		if _, err := bind(to.ServiceDID, originOf(where)); err != nil {
			return nil, err
		}
	}
	doc, err := c.document(ctx, to.Inspect)
	if err != nil {
		return nil, err
	}
	in, err := ParseInspect(doc.Body, to.Inspect)
	if err != nil {
		return nil, err
	}
	if to.ServiceDID != "" && in.Service.String() != to.ServiceDID {
		return nil, mismatch("the challenge names %q, the document %q", fault.Word(to.ServiceDID), fault.Word(in.Service.String()))
	}
	in.Fresh = doc.Expires
	return in, nil
}

// document gets a document of the protocol, anonymously: it must be there, of the protocol's type, and of no other origin.
func (c *Client) document(ctx context.Context, at string) (*fetch.Document, error) {
	limited, cancel := context.WithTimeout(ctx, inspectTime)
	defer cancel()
	doc, err := c.HTTP.Get(limited, fetch.Ask{
		URL: at, Header: http.Header{"Accept": {mediaType}}, MaxBytes: maxInspectBytes, Lifetime: fetch.DefaultLifetime,
	})
	switch {
	case err != nil:
		return nil, err
	case doc.Status != http.StatusOK:
		return nil, noInspect(at, doc)
	case !isMediaType(doc.ContentType, mediaType):
		return nil, fault.New(fault.Manifest, "inspect_invalid", "the AEP document at %q has the type %q", fault.Word(at), fault.Word(doc.ContentType))
	}
	return doc, nil
}

func noInspect(at string, doc *fetch.Document) *fault.Error {
	kind := fault.Manifest
	if fault.OfStatus(doc.Status) == fault.Unavailable {
		kind = fault.Unavailable
	}
	e := fault.New(kind, "inspect_missing", "there is no AEP document at %q: status %d", fault.Word(at), doc.Status)
	e.Status, e.RetryAfter = doc.Status, doc.RetryAfterSeconds()
	return e
}

// current returns the document itself while it is fresh, else as it is now: from the same Service, or not at all (AEP-5).
func (c *Client) current(ctx context.Context, in *Inspect) (*Inspect, error) {
	if c.Now().Before(in.Fresh) {
		return in, nil
	}
	return c.Inspect(ctx, Challenge{ServiceDID: in.Service.String(), Inspect: in.URL})
}
