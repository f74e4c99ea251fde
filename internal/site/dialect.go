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
	"github.com/agentctl/agentctl/internal/manifest/agentmanifest"
	"github.com/agentctl/agentctl/internal/manifest/interagentic"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// dialect is how one published format is found and read. Its parse fails only when the document is unusable as a whole.
type dialect struct {
	format   string
	places   []string // paths at the origin where the document may be, the best first
	given    bool     // places are not paths, but an address in full or a file
	maxBytes int64
	parse    func(doc *fetch.Document, origin Origin) (*manifest.Site, error)

	accept   string                            // the media types to ask for; "" leaves it to the client
	takes    func(mediaType string) bool       // the media types to take; nil takes any JSON
	must     bool                              // whether everybody must be able to read the document (ODP-14)
	ours     func(doc []byte) bool             // tells the format from others that use its places; nil where none does
	linked   func(page *fetch.Document) string // the document's address as the home page names it, or ""; nil where it names none
	last     bool                              // looked for only where nothing better is published
	lifetime time.Duration                     // how long the document is fresh that says nothing about it; 0 for the usual time
}

// ask is how the document at an address is asked for.
func (d *dialect) ask(url string) fetch.Ask {
	a := fetch.Ask{URL: url, MaxBytes: d.maxBytes, Lifetime: d.lifetime, StaleWillDo: true}
	if a.Lifetime == 0 {
		a.Lifetime = fetch.DefaultLifetime
	}
	if d.accept != "" {
		a.Header = http.Header{"Accept": {d.accept}}
	}
	return a
}

// at is the address of one of its places.
func (d *dialect) at(origin Origin, place int) string {
	if d.given {
		return d.places[place]
	}
	return string(origin) + d.places[place]
}

// dialects are the formats that are looked for, in the order in which they win a clash (contract, section 1).
func dialects() []dialect {
	return []dialect{
		{
			format: interagentic.Format, places: []string{interagentic.IndexPath}, maxBytes: interagentic.MaxIndexBytes,
			parse: func(doc *fetch.Document, _ Origin) (*manifest.Site, error) { return interagentic.ParseIndex(doc.Body) },
		},
		{
			format: agentactions.Format, places: []string{agentactions.Path}, maxBytes: agentactions.MaxBytes,
			parse: func(doc *fetch.Document, origin Origin) (*manifest.Site, error) {
				return agentactions.Parse(doc.Body, origin.hostname())
			},
		},
		{
			format: odp.Format, places: []string{odp.WellKnown}, maxBytes: int64(odp.ServiceLimits().Bytes), parse: parseService,
			accept: odp.MediaType, takes: func(mediaType string) bool { return mediaType == odp.MediaType }, must: true,
			lifetime: odp.ServiceLifetime,
		},
		{
			format: agentmanifest.Format, places: agentmanifest.Places(), maxBytes: agentmanifest.MaxBytes, ours: isAgentManifest,
			parse: func(doc *fetch.Document, _ Origin) (*manifest.Site, error) {
				return agentmanifest.Parse(doc.Body, doc.URL)
			},
			accept: agentmanifest.MediaType + ", application/json;q=0.9", takes: isJSON,
			linked: func(page *fetch.Document) string { return agentmanifest.Link(page.Body, page.URL) },
		},
		openAPI(""),
	}
}

// isAgentManifest tells a manifest from what else is published at its places, such as A2A cards (AM-1). One that cannot be
// read is for the parser to judge.
func isAgentManifest(doc []byte) bool {
	if strictjson.Check(doc) != nil {
		return true
	}
	_, ok := strictjson.Member(doc, "agentManifestVersion")
	return ok
}

// parseService takes from a Service Document what is said of the site as a whole. What it offers is asked for by helpers.
func parseService(doc *fetch.Document, origin Origin) (*manifest.Site, error) {
	service, err := odp.ParseService(doc.Body, odp.Origin(origin))
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
func (d *dialect) published(doc *fetch.Document, origin Origin) *fault.Error {
	nothing := func(code, format string, args ...any) *fault.Error {
		e := fault.New(fault.Manifest, code, format, args...)
		e.Status = doc.Status
		return e
	}
	mediaType := mediaTypeOf(doc.ContentType)
	switch {
	case doc.Status == http.StatusTooManyRequests || doc.Status >= 500:
		e := nothing("site_unavailable", "%s answered %s", doc.URL, statusText(doc.Status))
		e.Kind = fault.Unavailable
		return e
	case doc.Status == http.StatusNotFound || doc.Status == http.StatusGone:
		return nothing(codeNotPublished, "%s publishes nothing for agents (%s: %d)", origin.Host(), doc.URL, doc.Status)
	case d.must && (doc.Status == http.StatusUnauthorized || doc.Status == http.StatusPaymentRequired):
		return nothing("description_protected", "%s answered %s, but must be readable by everybody", doc.URL, statusText(doc.Status))
	case doc.Status != http.StatusOK:
		return nothing(codeNotPublished, "%s answered %s", doc.URL, statusText(doc.Status))
	case isPage(mediaType):
		return nothing(codeNotPublished, "%s publishes nothing for agents (%s is a web page)", origin.Host(), doc.URL)
	case d.takes != nil && !d.takes(mediaType):
		return nothing("wrong_media_type", "%s has the media type %q, not %s", doc.URL, doc.ContentType, d.accept)
	case d.takes == nil && !isJSON(mediaType):
		return nothing("wrong_media_type", "%s has the media type %q, not application/json", doc.URL, doc.ContentType)
	case d.ours != nil && !d.ours(doc.Body):
		return nothing(codeNotPublished, "%s publishes nothing for agents (%s is of another format)", origin.Host(), doc.URL)
	}
	return nil
}

func mediaTypeOf(contentType string) string {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	return mediaType
}

func isPage(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

func isJSON(mediaType string) bool {
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}

// codeNotPublished says that a format is simply not there.
const codeNotPublished = "not_published"
