package site

import (
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/agentactions"
	"github.com/agentctl/agentctl/internal/manifest/interagentic"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// dialect is how one published format is found and read. Its parse fails only when the document is unusable as a whole.
type dialect struct {
	format   string
	path     string // where the document is
	maxBytes int64
	parse    func(doc []byte, origin Origin) (*manifest.Site, error)

	accept   string        // the media type to ask for, and the only one to take; "" takes any JSON
	lifetime time.Duration // how long the document is fresh that says nothing about it; 0 for the usual time
}

// ask is how the document is asked for.
func (d *dialect) ask(origin Origin) fetch.Ask {
	a := fetch.Ask{URL: string(origin) + d.path, MaxBytes: d.maxBytes, Lifetime: d.lifetime, StaleWillDo: true}
	if a.Lifetime == 0 {
		a.Lifetime = fetch.DefaultLifetime
	}
	if d.accept != "" {
		a.Header = http.Header{"Accept": {d.accept}}
	}
	return a
}

// dialects are the formats that are looked for, in the order in which they win a clash (contract, section 1).
func dialects() []dialect {
	return []dialect{
		{
			format: interagentic.Format, path: interagentic.IndexPath, maxBytes: interagentic.MaxIndexBytes,
			parse: func(doc []byte, _ Origin) (*manifest.Site, error) { return interagentic.ParseIndex(doc) },
		},
		{
			format: agentactions.Format, path: agentactions.Path, maxBytes: agentactions.MaxBytes,
			parse: func(doc []byte, origin Origin) (*manifest.Site, error) {
				return agentactions.Parse(doc, origin.hostname())
			},
		},
		{
			format: odp.Format, path: odp.WellKnown, maxBytes: int64(odp.ServiceLimits().Bytes), parse: parseService,
			accept: odp.MediaType, lifetime: odp.ServiceLifetime,
		},
	}
}

// parseService takes from a Service Document what is said of the site as a whole. What it offers is asked for by helpers.
func parseService(doc []byte, origin Origin) (*manifest.Site, error) {
	service, err := odp.ParseService(doc, odp.Origin(origin))
	if err != nil {
		return nil, err
	}
	m := &manifest.Site{Format: odp.Format, Name: service.Name, Description: service.Description, Version: service.Version, Issues: service.Issues}
	for _, link := range []manifest.Link{
		{Name: "website", URL: service.Website},
		{Name: "documentation", URL: service.Documentation},
		{Name: "support", URL: service.Support},
		{Name: "status", URL: service.Status},
	} {
		if link.URL != "" {
			m.Links = append(m.Links, link)
		}
	}
	return m, nil
}

// published tells whether the answer is a description at all (IA-3): nil, or why not.
func published(doc *fetch.Document, origin Origin, accept string) *fault.Error {
	nothing := func(code, format string, args ...any) *fault.Error {
		e := fault.New(fault.Manifest, code, format, args...)
		e.Status = doc.Status
		return e
	}
	switch {
	case doc.Status == http.StatusTooManyRequests || doc.Status >= 500:
		e := nothing("site_unavailable", "%s answered %s", doc.URL, statusText(doc.Status))
		e.Kind = fault.Unavailable
		return e
	case doc.Status == http.StatusNotFound || doc.Status == http.StatusGone:
		return nothing(codeNotPublished, "%s publishes nothing for agents (%s: %d)", origin.Host(), doc.URL, doc.Status)
	case accept != "" && (doc.Status == http.StatusUnauthorized || doc.Status == http.StatusPaymentRequired):
		return nothing("description_protected", "%s answered %s, but must be readable by everybody", doc.URL, statusText(doc.Status))
	case doc.Status != http.StatusOK:
		return nothing(codeNotPublished, "%s answered %s", doc.URL, statusText(doc.Status))
	}
	mediaType, _, _ := mime.ParseMediaType(doc.ContentType)
	switch {
	case mediaType == "text/html" || mediaType == "application/xhtml+xml":
		return nothing(codeNotPublished, "%s publishes nothing for agents (%s is a web page)", origin.Host(), doc.URL)
	case accept != "" && mediaType != accept:
		return nothing("wrong_media_type", "%s has the media type %q, not %s", doc.URL, doc.ContentType, accept)
	case accept == "" && mediaType != "application/json" && !strings.HasSuffix(mediaType, "+json"):
		return nothing("wrong_media_type", "%s has the media type %q, not application/json", doc.URL, doc.ContentType)
	}
	return nil
}

// codeNotPublished says that a format is simply not there.
const codeNotPublished = "not_published"
