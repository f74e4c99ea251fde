package htmlpage

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// PlainText writes the text of a page of any size and shape: one line for each block, without tags, scripts and styles. It
// does not hold the page in memory. An error is that of reading or writing.
func PlainText(w io.Writer, page io.Reader) error {
	out := lines{w: bufio.NewWriter(w)}
	tokens := html.NewTokenizer(page)
	skipping := "" // the element whose contents are left out
	for {
		kind := tokens.Next()
		switch kind {
		case html.ErrorToken:
			if err := tokens.Err(); !errors.Is(err, io.EOF) {
				return err
			}
			return out.end()
		case html.TextToken:
			if skipping == "" {
				out.text(string(tokens.Text()))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			raw, _ := tokens.TagName()
			name := string(raw)
			switch {
			case skipping != "":
				if kind == html.EndTagToken && name == skipping {
					skipping = ""
				}
			case kind == html.StartTagToken && isSkipped(name):
				skipping = name
			case !isInline(name):
				out.block()
			}
		default:
		}
	}
}

func isSkipped(name string) bool {
	switch name {
	case "script", "style", "template", "noscript", "iframe", "noembed", "noframes", "textarea", "select", "svg":
		return true
	}
	return false
}

func isInline(name string) bool {
	switch name {
	case "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img", "ins", "kbd", "label", "mark", "q", "s",
		"samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr":
		return true
	}
	return false
}

// lines joins words to lines. Its writer keeps the first error.
type lines struct {
	w     *bufio.Writer
	begun bool // the line has a word
	space bool // there was white space since the last word
}

func (l *lines) text(text string) {
	words := strings.TrimLeftFunc(text, unicode.IsSpace)
	l.space = l.space || len(words) < len(text)
	for word := range strings.FieldsSeq(words) {
		if l.space && l.begun {
			_ = l.w.WriteByte(' ')
		}
		_, _ = l.w.WriteString(word)
		l.begun, l.space = true, true
	}
	if words != "" {
		l.space = len(strings.TrimRightFunc(words, unicode.IsSpace)) < len(words)
	}
}

// block ends a line that has a word.
func (l *lines) block() {
	if l.begun {
		_ = l.w.WriteByte('\n')
	}
	l.begun, l.space = false, false
}

func (l *lines) end() error {
	l.block()
	return l.w.Flush()
}
