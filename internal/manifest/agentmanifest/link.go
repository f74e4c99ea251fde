package agentmanifest

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// MaxPageBytes is how much of a home page is looked at; the head is far smaller.
const MaxPageBytes = 1 << 20

// Link returns the address of the manifest that a home page names: the first <link rel="agent-manifest"> of its head,
// absolute (AM-1). page is the address of the page. It is "" when there is none, and when it is on another origin: what is
// there does not speak for this site. A <base> counts as in a browser.
func Link(document []byte, page string) string {
	base, err := url.Parse(page)
	if err != nil {
		return ""
	}
	t := head{tokens: html.NewTokenizer(bytes.NewReader(document[:min(len(document), MaxPageBytes)]))}
	based := false
	for t.next() {
		switch t.tag {
		case "base":
			if href, err := base.Parse(t.attribute("href")); err == nil && !based && t.attribute("href") != "" {
				base, based = href, true
			}
		case "link":
			if slices.Contains(strings.Fields(strings.ToLower(t.attribute("rel"))), "agent-manifest") {
				return t.manifest(base, page)
			}
		}
	}
	return ""
}

func (h *head) manifest(base *url.URL, page string) string {
	href := strings.TrimSpace(h.attribute("href"))
	to, err := base.Parse(href)
	if href == "" || err != nil || to.User != nil || !SameOrigin(to.String(), page) {
		return ""
	}
	to.Fragment = ""
	return to.String()
}

// head walks the start tags of a document's head that count: those in a <template> do not.
type head struct {
	tokens     *html.Tokenizer
	tag        string
	attributes map[string]string // the first of each name counts
	templates  int               // that are open
}

func (h *head) next() bool {
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
		h.tag = string(name)
		switch {
		case kind == html.EndTagToken && h.tag == "template":
			h.templates = max(h.templates-1, 0)
		case h.tag == "template":
			h.templates++
		case h.templates > 0:
		case kind == html.EndTagToken && h.tag == "head" || !inHead(h.tag):
			return false
		case kind != html.EndTagToken:
			h.read(more)
			return true
		}
	}
}

// inHead reports whether an element can stand in a head. Any other one begins the body.
func inHead(tag string) bool {
	switch tag {
	case "html", "head", "base", "link", "meta", "noscript", "script", "style", "title":
		return true
	}
	return false
}

// read reads the attributes of the two elements whose attributes count.
func (h *head) read(more bool) {
	h.attributes = map[string]string{}
	for more && (h.tag == "base" || h.tag == "link") {
		var key, value []byte
		key, value, more = h.tokens.TagAttr()
		if _, known := h.attributes[string(key)]; !known {
			h.attributes[string(key)] = string(value)
		}
	}
}

func (h *head) attribute(name string) string { return h.attributes[name] }
