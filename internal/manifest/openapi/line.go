package openapi

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a line about something.
const (
	maxLine = 100     // characters
	maxRead = 4 << 10 // bytes of what it is made of
	maxTag  = 256     // bytes of a tag
)

// line returns a text in one line as a listing shows it: its first paragraph, without the markup of HTML, cut where a word
// ends when it is long.
func line(text string) string {
	text = withoutTags(strings.ToValidUTF8(text[:min(len(text), maxRead)], ""))
	text, _, _ = strings.Cut(strings.Trim(text, "# \t\n"), "\n\n")
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= maxLine {
		return text
	}
	end, count := 0, 0
	for i := range text {
		if count++; count > maxLine {
			break
		}
		if text[i] == ' ' || end == 0 && count == maxLine {
			end = i
		}
	}
	return strings.TrimRight(text[:end], " ,.;:-") + "…"
}

// sentence returns the first sentence of a text in one line.
func sentence(text string) string {
	text = line(text)
	for i := range text {
		rest, ends := strings.CutPrefix(text[i:], ". ")
		if begins, _ := utf8.DecodeRuneInString(rest); ends && unicode.IsUpper(begins) && !isShortened(text[:i]) {
			return text[:i+1]
		}
	}
	return text
}

// isShortened reports whether a text ends with a word that has a full stop of its own.
func isShortened(text string) bool {
	return strings.HasSuffix(text, "e.g") || strings.HasSuffix(text, "i.e")
}

// withoutTags replaces what is HTML in a text: paragraphs stay apart, all other tags are left out.
func withoutTags(text string) string {
	text = strings.ReplaceAll(text, "\r", "")
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<")
		out.WriteString(before)
		if !found {
			return html.UnescapeString(out.String())
		}
		tag, _, closed := strings.Cut(rest[:min(len(rest), maxTag)], ">")
		name := strings.ToLower(strings.TrimLeft(tag, "/"))
		switch {
		case !closed || name == "" || name[0] < 'a' || name[0] > 'z':
			out.WriteByte('<')
			text = rest
			continue
		case name == "p" || strings.HasPrefix(name, "br") || strings.HasPrefix(name, "h"):
			out.WriteString("\n\n")
		}
		text = rest[len(tag)+1:]
	}
}
