package markdown

import (
	"html"
	"regexp"

	"github.com/agentctl/agentctl/internal/render"
)

// hideEntities replaces every character reference that stands for something unsafe ("&#27;" is an escape) by a visible
// U+FFFD: the renderer decodes references after the text was cleaned. The replacement joins nothing into a new reference.
func hideEntities(source []byte) []byte {
	return reference().ReplaceAllFunc(source, func(ref []byte) []byte {
		decoded := html.UnescapeString(string(ref))
		if render.Clean(decoded) == decoded {
			return ref
		}
		return []byte("\ufffd")
	})
}

// reference matches what [html.UnescapeString] may decode; the semicolon is optional there too.
func reference() *regexp.Regexp {
	return regexp.MustCompile(`&(#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);?`)
}
