package agentmanifest

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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
		case atom.Base:
			if href, err := base.Parse(t.attribute("href")); err == nil && !based && t.attribute("href") != "" {
				base, based = href, true
			}
		case atom.Link:
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
	tag        atom.Atom
	attributes map[string]string // the first of each name counts
	templates  int               // that are open
}

func (h *head) next() bool {
	for {
		switch h.tokens.Next() {
		case html.ErrorToken:
			return false
		case html.EndTagToken:
			name, _ := h.tokens.TagName()
			switch atom.Lookup(name) {
			case atom.Head:
				return false
			case atom.Template:
				h.templates = max(h.templates-1, 0)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := h.tokens.TagName()
			h.tag = atom.Lookup(name)
			if h.tag == atom.Template {
				h.templates++
			}
			if h.templates > 0 {
				continue
			}
			if !inHead(h.tag) {
				return false
			}
			h.read(more)
			return true
		}
	}
}

// inHead reports whether an element can stand in a head. Any other one begins the body.
func inHead(tag atom.Atom) bool {
	switch tag {
	case atom.Html, atom.Head, atom.Base, atom.Link, atom.Meta, atom.Noscript, atom.Script, atom.Style, atom.Title:
		return true
	}
	return false
}

func (h *head) read(more bool) {
	h.attributes = map[string]string{}
	for more {
		var key, value []byte
		key, value, more = h.tokens.TagAttr()
		if _, known := h.attributes[string(key)]; !known {
			h.attributes[string(key)] = string(value)
		}
	}
}

func (h *head) attribute(name string) string { return h.attributes[name] }
