package agentmanifest

import (
	"strings"

	"golang.org/x/net/html"
)

// libraryHead is the same walk with the tokenizer of golang.org/x/net/html: a second opinion. Linked into agentctl its tables
// would cost every start half a millisecond.
type libraryHead struct {
	tokens     *html.Tokenizer
	name       string
	attributes map[string]string
	templates  int
}

func newLibraryHead(document string) *libraryHead {
	return &libraryHead{tokens: html.NewTokenizer(strings.NewReader(document))}
}

func (h *libraryHead) tag() tag { return tag{name: h.name, attributes: h.attributes} }

func (h *libraryHead) next() bool {
	for {
		kind := h.tokens.Next()
		switch kind {
		case html.ErrorToken:
			return false
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		default:
			continue
		}
		name, more := h.tokens.TagName()
		h.name = string(name)
		switch {
		case kind == html.EndTagToken && h.name == "template":
			h.templates = max(h.templates-1, 0)
		case h.name == "template":
			h.templates++
		case h.templates > 0:
		case kind == html.EndTagToken && h.name == "head" || !inHead(h.name):
			return false
		case kind != html.EndTagToken:
			h.read(more)
			return true
		}
	}
}

// read reads the attributes of the two elements whose attributes count.
func (h *libraryHead) read(more bool) {
	h.attributes = map[string]string{}
	for more && (h.name == "base" || h.name == "link") {
		var key, value []byte
		key, value, more = h.tokens.TagAttr()
		if _, known := h.attributes[string(key)]; !known {
			h.attributes[string(key)] = string(value)
		}
	}
}
