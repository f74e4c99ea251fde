package htmlpage

import (
	"bytes"
	"fmt"

	"golang.org/x/net/html"
)

// survey refuses what would make reading the page costly, before it is read: a parser builds whatever the tags say, and
// builds every formatting element that was left open anew in each block that follows.
func survey(page []byte) error {
	tokens := html.NewTokenizer(bytes.NewReader(page))
	open := map[string]int{}
	tags, formatting := 0, 0
	for {
		kind := tokens.Next()
		switch kind {
		case html.ErrorToken:
			return nil
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
		default:
			continue
		}
		if tags++; tags > maxTags {
			return fmt.Errorf("the page has more than %d tags", maxTags)
		}
		name, _ := tokens.TagName()
		switch {
		case !isFormatting(name):
		case kind != html.EndTagToken:
			formatting++
			open[string(name)]++
		case open[string(name)] > 0:
			formatting--
			open[string(name)]--
		}
		if formatting > maxFormatting {
			return fmt.Errorf("the page leaves more than %d formatting elements open", maxFormatting)
		}
	}
}

// isFormatting reports whether an element goes on in the next block when it is left open (HTML, section 13.2.4.3).
func isFormatting(name []byte) bool {
	switch string(name) {
	case "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return true
	}
	return false
}
