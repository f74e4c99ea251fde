package schema

import (
	"net/url"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of a [Graph] (ODP-84).
const (
	MaxDocuments     = 16
	MaxDocumentBytes = 256 << 10
	MaxGraphBytes    = 1 << 20
	MaxDocumentDepth = 16                // every value counts, scalars too (ODP-2)
	maxReferences    = 8                 // from the first document to any other
	maxPath          = maxPointer / 2    // bytes of the JSON Pointer to a schema in its document
	maxBundleBytes   = 4 * MaxGraphBytes // long names can make a reference longer than it was written
)

// Graph is a schema whose references lead to other documents (draft 2020-12 only). Relative references are resolved against
// the nearest "$id", else against the URL of their document (RFC 3986, ODP-84).
type Graph struct {
	URL string // of the first document, absolute

	// Load returns the document at an absolute URL without fragment. It is asked once for each, the first one included,
	// and never for the meta-schemas of draft 2020-12, which are here. What it returns must not change any more.
	Load func(url string) (jsontext.Value, error)

	Declared bool // every document must name draft 2020-12 in "$schema" (ODP-83)
}

// Bundle returns one schema without references to anything outside (ODP-85): the first document, with the others in its
// "$defs" and every reference a "#/pointer". "$id" and anchors, which nothing needs any more, are left out.
//
// Its error is an [*Error] whose URL names the document: of code [CodeTooComplex] beyond the limits above, [CodeRemoteRef]
// when a document cannot be had, which then wraps the error of Load, [CodeUnsupported] for other drafts, vocabularies that
// are not known and a "$dynamicRef" that depends on the way there, else [CodeInvalid].
func (g Graph) Bundle() (jsontext.Value, error) {
	b, err := g.collect()
	if err != nil {
		return nil, err
	}
	return b.bundle()
}

// Compile compiles the whole graph. Its error is that of [Graph.Bundle] or of [Compile].
func (g Graph) Compile() (*Schema, error) {
	b, err := g.collect()
	if err != nil {
		return nil, err
	}
	raw, err := b.bundle()
	if err != nil {
		return nil, err
	}
	s, err := NewCompiler().compile(raw, maxBundleBytes)
	if err != nil {
		return nil, b.locate(err)
	}
	return s, nil
}

// collect reads the first document and all that it needs.
func (g Graph) collect() (*bundler, error) {
	b := newBundler(g)
	base, err := url.Parse(g.URL)
	if err != nil || !base.IsAbs() {
		return nil, &Error{Code: CodeInvalid, URL: cut(g.URL), Message: "the URL of a schema must be absolute"}
	}
	if _, err := b.document(withoutFragment(base), 0); err != nil {
		return nil, err
	}
	for len(b.pending) > 0 { // first come, first served: so a document's level is the shortest way to it
		l := b.pending[0]
		b.pending = b.pending[1:]
		if err := b.follow(l); err != nil {
			return nil, err
		}
	}
	return b, b.dynamic()
}
