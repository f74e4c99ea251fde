package site

import (
	"mime"
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/agentactions"
	"github.com/agentctl/agentctl/internal/manifest/interagentic"
)

// dialect is how one published format is found and read. Its parse fails only when the document is unusable as a whole.
type dialect struct {
	format   string
	path     string // where the document is
	maxBytes int64
	parse    func(doc []byte, origin Origin) (*manifest.Site, error)
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
	}
}

// published tells whether the answer is a description at all (IA-3): nil, or why not.
func published(doc *fetch.Document, origin Origin) *fault.Error {
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
	case doc.Status != http.StatusOK:
		return nothing(codeNotPublished, "%s answered %s", doc.URL, statusText(doc.Status))
	}
	mediaType, _, _ := mime.ParseMediaType(doc.ContentType)
	switch {
	case mediaType == "text/html" || mediaType == "application/xhtml+xml":
		return nothing(codeNotPublished, "%s publishes nothing for agents (%s is a web page)", origin.Host(), doc.URL)
	case mediaType != "application/json" && !strings.HasSuffix(mediaType, "+json"):
		return nothing("wrong_media_type", "%s has the media type %q, not application/json", doc.URL, doc.ContentType)
	}
	return nil
}

// codeNotPublished says that a format is simply not there.
const codeNotPublished = "not_published"
