package schema

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// file is one document of a graph.
type file struct {
	url    string
	root   *jsontree.Node
	level  int    // references between the first document and this one
	prefix string // JSON Pointer to it in the bundle
}

func (f *file) fault(code, pointer, format string, args ...any) *Error {
	return &Error{Code: code, Pointer: pointer, Message: fmt.Sprintf(format, args...), URL: cut(f.url)}
}

// bundler collects a graph.
type bundler struct {
	graph     Graph
	files     []*file                      // in the order in which they were met
	loaded    int                          // of files, without meta-schemas
	size      int                          // bytes of those
	resources map[string]*resource         // by URL without fragment
	roots     map[*jsontree.Node]*resource // by the schema that they begin at
	visited   map[*jsontree.Node]bool      // schemas that were read
	schemas   []*jsontree.Node             // visited, in order
	links     []*link
	pending   []*link // of links, not followed yet
}

func newBundler(g Graph) *bundler {
	return &bundler{
		graph: g, resources: map[string]*resource{}, roots: map[*jsontree.Node]*resource{}, visited: map[*jsontree.Node]bool{},
	}
}

// document returns the resource at a URL without fragment, and has it loaded when it is not known yet.
func (b *bundler) document(at *url.URL, level int) (*resource, error) {
	f := &file{url: at.String(), level: level}
	if known := b.resources[f.url]; known != nil {
		return known, nil
	}
	raw, meta := metaSchema(f.url)
	if !meta {
		var err error
		if raw, err = b.load(f); err != nil {
			return nil, err
		}
	}
	f.root = jsontree.Parse(raw)
	switch {
	case deepest(f.root) > MaxDocumentDepth:
		return nil, f.fault(CodeTooComplex, "", "nested deeper than %d levels", MaxDocumentDepth)
	case b.graph.Declared && !meta && f.root.Member("$schema") == nil:
		return nil, f.fault(CodeUnsupported, "", "\"$schema\" must be %q", dialect2020)
	}
	b.files = append(b.files, f)
	r := b.resource(at, f, f.root, "")
	b.resources[f.url] = r
	return r, b.schema(r, f.root, "")
}

// load has a document fetched, and holds it to the limits.
func (b *bundler) load(f *file) (jsontext.Value, error) {
	switch {
	case ofJSONSchema(f.url):
		return nil, f.fault(CodeUnsupported, "", "only the meta-schemas of draft 2020-12 are known, and none is ever fetched")
	case b.loaded == MaxDocuments:
		return nil, f.fault(CodeTooComplex, "", "more than %d documents", MaxDocuments)
	case f.level > maxReferences:
		return nil, f.fault(CodeTooComplex, "", "more than %d references away from the first document", maxReferences)
	}
	raw, err := b.graph.Load(f.url)
	if err != nil {
		e := f.fault(CodeRemoteRef, "", "the document cannot be had: %v", err)
		e.Err = err
		return nil, e
	}
	b.loaded++
	b.size += len(raw)
	switch {
	case len(raw) > MaxDocumentBytes:
		return nil, f.fault(CodeTooComplex, "", "the document is larger than %d KiB", MaxDocumentBytes>>10)
	case b.size > MaxGraphBytes:
		return nil, f.fault(CodeTooComplex, "", "the documents are larger than %d KiB together", MaxGraphBytes>>10)
	}
	if err := strictjson.Check(raw); err != nil {
		return nil, f.fault(CodeInvalid, "", "the document cannot be read: %v", err)
	}
	return raw, nil
}

// deepest counts the levels of a tree as ODP-2 does.
func deepest(n *jsontree.Node) int {
	most := 0
	for _, item := range n.Items {
		most = max(most, deepest(item))
	}
	return most + 1
}

// withoutFragment returns the URL of a whole document. Two spellings of a host are one.
func withoutFragment(u *url.URL) *url.URL {
	document := *u
	document.Fragment, document.RawFragment = "", ""
	document.Host = strings.ToLower(document.Host)
	return &document
}
