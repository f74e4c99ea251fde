package agentmanifest

import (
	"html"
	"strings"
)

// head walks the start tags in the head of an HTML document, as far as they count: those in a <template> do not, and the
// first tag that cannot stand in a head ends it.
//
// It is our own because the tables of golang.org/x/net/html would cost every start of agentctl half a millisecond; tests hold
// it to that library's opinion.
type head struct {
	rest      string
	current   tag
	templates int // that are open
}

// tag is a start or an end tag. Of the attributes of one name the first counts.
type tag struct {
	name       string // in small letters
	end        bool
	attributes map[string]string
}

func newHead(document string) *head { return &head{rest: document} }

func (h *head) tag() tag { return h.current }

// next goes to the next start tag that counts.
func (h *head) next() bool {
	for h.read() {
		t := h.current
		switch {
		case t.end && t.name == "template":
			h.templates = max(h.templates-1, 0)
		case t.name == "template":
			h.templates++
		case h.templates > 0:
		case t.end && t.name == "head" || !inHead(t.name):
			return false
		case !t.end:
			return true
		}
	}
	return false
}

// inHead reports whether an element can stand in a head. Any other one begins the body.
func inHead(name string) bool {
	switch name {
	case "html", "head", "base", "link", "meta", "noscript", "script", "style", "title":
		return true
	}
	return false
}

// read reads the next tag of any kind. What is within comments, scripts and the like is none.
func (h *head) read() bool {
	for {
		start := strings.IndexByte(h.rest, '<')
		if start < 0 || start+1 == len(h.rest) {
			return false
		}
		h.rest = h.rest[start+1:]
		switch c := h.rest[0]; {
		case strings.HasPrefix(h.rest, "!--"):
			h.rest = behindComment(h.rest[len("!--"):])
		case isLetter(c):
			h.current = tag{}
			return h.readTag()
		case c == '/' && len(h.rest) > 1 && isLetter(h.rest[1]):
			h.rest = h.rest[1:]
			h.current = tag{end: true}
			return h.readTag()
		case c == '!' || c == '?' || c == '/':
			_, h.rest, _ = strings.Cut(h.rest, ">")
		}
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// behindComment returns what follows a comment. One that is "<!-->" or "<!--->" is over at once.
func behindComment(rest string) string {
	for _, end := range []string{">", "->"} {
		if strings.HasPrefix(rest, end) {
			return rest[len(end):]
		}
	}
	for {
		dashes := strings.Index(rest, "--")
		if dashes < 0 {
			return ""
		}
		rest = rest[dashes+1:]
		for _, end := range []string{"->", "-!>"} {
			if after, ok := strings.CutPrefix(rest, end); ok {
				return after
			}
		}
	}
}

const space = " \t\r\n\f"

// readTag reads the name and the attributes of a tag, and skips the text of an element that holds nothing else. A tag that
// has no end is none.
func (h *head) readTag() bool {
	end := strings.IndexAny(h.rest, space+"/>")
	if end < 0 {
		return false
	}
	t := &h.current
	t.name, h.rest = strings.ToLower(h.rest[:end]), h.rest[end:]
	t.attributes = map[string]string{}
	for {
		h.rest = strings.TrimLeft(h.rest, space+"/")
		if h.rest == "" {
			return false
		}
		if h.rest[0] == '>' {
			h.rest = h.rest[1:]
			break
		}
		h.readAttribute(t.attributes)
	}
	h.skipText(t)
	return true
}

// readAttribute reads one attribute, with its value if it has one.
func (h *head) readAttribute(into map[string]string) {
	end := strings.IndexAny(h.rest[1:], space+"/>=") + 1 // an "=" in the first place belongs to the name
	if end == 0 {
		end = len(h.rest)
	}
	name, value := strings.ToLower(h.rest[:end]), ""
	h.rest = h.rest[end:]
	if after := strings.TrimLeft(h.rest, space); strings.HasPrefix(after, "=") {
		value, h.rest = cutValue(strings.TrimLeft(after[1:], space))
	}
	if _, known := into[name]; !known {
		into[name] = unescape(value)
	}
}

func cutValue(text string) (value, rest string) {
	if text == "" {
		return "", ""
	}
	if quote := text[:1]; quote == `"` || quote == "'" {
		value, rest, _ = strings.Cut(text[1:], quote)
		return value, rest
	}
	end := strings.IndexAny(text, space+">")
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// unescape decodes the character references that end in a semicolon. Others may be parameters of an address: "?a=1&copy=2".
func unescape(value string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(value, "&")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name := after[:len(after)-len(strings.TrimLeftFunc(after, isReference))]
		if value = after; len(name) > maxReference || !strings.HasPrefix(after[len(name):], ";") {
			out.WriteByte('&')
			continue
		}
		out.WriteString(html.UnescapeString("&" + name + ";"))
		value = after[len(name)+1:]
	}
}

// isReference reports whether a character can be part of a reference's name.
func isReference(r rune) bool {
	return r == '#' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
}

// maxReference is the longest name of a character reference, and some.
const maxReference = 40

// skipText goes behind the end of an element whose contents are text, whatever they look like.
func (h *head) skipText(t *tag) {
	if t.end || t.name != "script" && t.name != "style" && t.name != "title" {
		return
	}
	for {
		start := strings.Index(h.rest, "</")
		if start < 0 {
			h.rest = ""
			return
		}
		h.rest = h.rest[start:]
		if name := h.rest[2:]; len(name) > len(t.name) && strings.EqualFold(name[:len(t.name)], t.name) && strings.IndexByte(space+"/>", name[len(t.name)]) >= 0 {
			return // the end tag is read as one
		}
		h.rest = h.rest[2:]
	}
}
