package agentmanifest

import (
	"net/url"
	"slices"
	"strings"
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
	return find(newHead(string(document[:min(len(document), MaxPageBytes)])), base, page)
}

// walker yields the start tags of a head, one after the other.
type walker interface {
	next() bool
	tag() tag
}

// find looks for the link among the tags of a head.
func find(h walker, base *url.URL, page string) string {
	based := false
	for h.next() {
		t := h.tag()
		href := strings.TrimSpace(t.attributes["href"])
		switch t.name {
		case "base":
			if to, err := base.Parse(href); err == nil && !based && href != "" {
				base, based = to, true
			}
		case "link":
			if slices.Contains(strings.Fields(strings.ToLower(t.attributes["rel"])), "agent-manifest") {
				return sameOrigin(href, base, page)
			}
		}
	}
	return ""
}

// sameOrigin returns where an address leads, or "" when that is another origin than the page's.
func sameOrigin(href string, base *url.URL, page string) string {
	to, err := base.Parse(href)
	if href == "" || err != nil || to.User != nil || !SameOrigin(to.String(), page) {
		return ""
	}
	to.Fragment = ""
	return to.String()
}
