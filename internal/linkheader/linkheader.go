// Package linkheader reads the Link field of HTTP answers (RFC 8288). It does not judge where a link leads.
package linkheader

import (
	"net/http"
	"strings"
)

// MaxBytes is the longest Link field that is read; what is longer holds no links.
const MaxBytes = 32 << 10

// Find returns the target of the first link with a relation, as it is written there, or "". A link about something else
// than the answer (its parameter "anchor") does not count.
func Find(header http.Header, relation string) string {
	for _, field := range header.Values("Link") {
		if len(field) > MaxBytes {
			continue
		}
		for rest := field; rest != ""; {
			var l link
			if l, rest = next(rest); l.has(relation) {
				return l.target
			}
		}
	}
	return ""
}

type link struct {
	target   string
	relation string // the first "rel": later ones do not count (RFC 8288, section 3.3)
	related  bool   // "rel" was seen
	anchored bool
}

func (l *link) has(relation string) bool {
	if l.anchored || l.target == "" {
		return false
	}
	for r := range strings.FieldsSeq(l.relation) {
		if strings.EqualFold(r, relation) {
			return true
		}
	}
	return false
}

// next reads one link; what cannot be read is passed over up to the comma behind it.
func next(field string) (l link, rest string) {
	field = strings.TrimLeft(field, " \t,")
	if !strings.HasPrefix(field, "<") {
		return l, pastComma(field)
	}
	target, rest, closed := strings.Cut(field[1:], ">")
	if !closed {
		return l, ""
	}
	l.target = strings.TrimSpace(target)
	for {
		rest = strings.TrimLeft(rest, " \t")
		if !strings.HasPrefix(rest, ";") {
			return l, pastComma(rest)
		}
		var name, value string
		name, value, rest = parameter(rest[1:])
		switch strings.ToLower(name) {
		case "rel":
			if !l.related {
				l.relation, l.related = value, true
			}
		case "anchor":
			l.anchored = true
		}
	}
}

// parameter reads one parameter: a token, or a token with a value, which may be quoted.
func parameter(s string) (name, value, rest string) {
	s = strings.TrimLeft(s, " \t")
	end := strings.IndexAny(s, "=;,")
	if end < 0 {
		return strings.TrimSpace(s), "", ""
	}
	name = strings.TrimSpace(s[:end])
	if s[end] != '=' {
		return name, "", s[end:]
	}
	s = strings.TrimLeft(s[end+1:], " \t")
	if strings.HasPrefix(s, `"`) {
		value, rest = quoted(s[1:])
		return name, value, rest
	}
	end = strings.IndexAny(s, ";,")
	if end < 0 {
		end = len(s)
	}
	return name, strings.TrimSpace(s[:end]), s[end:]
}

// quoted reads a quoted string up to its closing quote.
func quoted(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// pastComma is what follows the next comma that is in no quotes.
func pastComma(s string) string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ',':
			return s[i+1:]
		case '"':
			_, rest := quoted(s[i+1:])
			i = len(s) - len(rest) - 1
		}
	}
	return ""
}
