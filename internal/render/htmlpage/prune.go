package htmlpage

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pruner takes away from a page what is not its text, and every attribute that does not show.
type pruner struct {
	strict     bool
	nodes      int
	hasHeading bool
	err        error // the limit that was exceeded
}

func (p *pruner) prune(n *html.Node, depth int) {
	if depth > maxDepth {
		p.err = fmt.Errorf("the page is nested deeper than %d levels", maxDepth)
	}
	for child := n.FirstChild; child != nil && p.err == nil; {
		next := child.NextSibling
		if p.leavesOut(child) {
			n.RemoveChild(child)
		} else {
			p.keep(child, depth)
		}
		child = next
	}
}

// keep prunes a node that stays.
func (p *pruner) keep(n *html.Node, depth int) {
	if p.nodes++; p.nodes > maxNodes {
		p.err = fmt.Errorf("the page has more than %d elements", maxNodes)
		return
	}
	if n.Type != html.ElementNode {
		return
	}
	p.hasHeading = p.hasHeading || isElement(n, atom.H1)
	n.Attr = attributes(n)
	p.prune(n, depth+1)
	if n.DataAtom == atom.Table && cells(n) > maxCells {
		p.err = fmt.Errorf("a table of the page has more than %d cells", maxCells)
	}
}

// leavesOut reports whether a node and all that is in it is nothing to read.
func (p *pruner) leavesOut(n *html.Node) bool {
	switch n.Type {
	case html.TextNode, html.ElementNode:
	default:
		return true
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Head, atom.Link, atom.Meta, atom.Base,
		atom.Iframe, atom.Frame, atom.Frameset, atom.Object, atom.Embed, atom.Audio, atom.Video, atom.Canvas, atom.Svg, atom.Math, atom.Map,
		atom.Input, atom.Button, atom.Select, atom.Textarea, atom.Datalist, atom.Progress, atom.Meter:
		return true
	case atom.Nav, atom.Form:
		return p.strict
	case atom.Dialog:
		_, open := attribute(n, "open")
		return !open
	case atom.Img:
		alt, _ := attribute(n, "alt")
		return strings.TrimSpace(alt) == ""
	default:
		return n.Type == html.ElementNode && isHidden(n, p.strict)
	}
}

// isHidden reports whether an element says that it is not shown, or not to be read. What it says of its look in a style sheet
// nobody here knows.
func isHidden(n *html.Node, strict bool) bool {
	style, _ := attribute(n, "style")
	style = strings.ToLower(strings.Join(strings.Fields(style), ""))
	_, hidden := attribute(n, "hidden")
	role, _ := attribute(n, "role")
	label, _ := attribute(n, "aria-hidden")
	return hidden || label == "true" || strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") ||
		strict && (role == "navigation" || role == "search")
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// attributes returns those of an element that show in its markdown.
func attributes(n *html.Node) []html.Attribute {
	var out []html.Attribute
	set := func(name, value string) {
		if value != "" {
			out = append(out, html.Attribute{Key: name, Val: value})
		}
	}
	get := func(name string) string { value, _ := attribute(n, name); return value }
	switch n.DataAtom {
	case atom.A:
		set("href", address(get("href")))
	case atom.Img:
		set("alt", strings.Join(strings.Fields(get("alt")), " "))
		if src := address(get("src")); src != "" {
			set("src", src)
		} else { // there is nothing to link to: the description stays
			asText(n, out[0].Val)
			return nil
		}
	case atom.Td, atom.Th:
		set("colspan", number(get("colspan"), maxSpan))
		set("rowspan", number(get("rowspan"), maxSpan))
	case atom.Ol:
		set("start", number(get("start"), 1_000_000))
	case atom.Code, atom.Pre:
		set("class", language(get("class")))
	default:
	}
	return out
}

// language returns the class that names the language of code.
func language(class string) string {
	for word := range strings.FieldsSeq(class) {
		_, name, named := strings.Cut(word, "-")
		if named && name != "" && len(name) <= maxLanguage && (strings.HasPrefix(word, "language-") || strings.HasPrefix(word, "lang-")) && !strings.ContainsFunc(name, isOdd) {
			return word
		}
	}
	return ""
}

// isOdd reports whether a character is not part of the name of a language, such as "objective-c++".
func isOdd(r rune) bool {
	return (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r) && (r < '0' || '9' < r) && !strings.ContainsRune("+#._-", r)
}

// asText makes a text of an element.
func asText(n *html.Node, text string) {
	*n = html.Node{Type: html.TextNode, Data: text, Parent: n.Parent, PrevSibling: n.PrevSibling, NextSibling: n.NextSibling}
}

// address returns an address that is worth showing, and "" for what leads nowhere, into the page itself or to a script.
func address(text string) string {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	if err != nil || len(text) > maxLink || strings.HasPrefix(text, "#") {
		return ""
	}
	switch u.Scheme {
	case "", "http", "https", "mailto", "tel":
		return u.String()
	}
	return ""
}

// number returns a number from 1 to most; "" for anything else.
func number(text string, most int) string {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 1 {
		return ""
	}
	return strconv.Itoa(min(n, most))
}

// cells counts the cells that a table has once its rows are of one length.
func cells(table *html.Node) int {
	rows, longest, here := 0, 0, 0
	for n := range table.Descendants() {
		switch {
		case isElement(n, atom.Tr):
			rows++
			here = 0
		case isElement(n, atom.Td) || isElement(n, atom.Th):
			span, _ := attribute(n, "colspan")
			width, _ := strconv.Atoi(span)
			here += max(width, 1)
			longest = max(longest, here)
		}
	}
	return rows * longest
}
