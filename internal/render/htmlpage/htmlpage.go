// Package htmlpage makes the text of a web page readable: as markdown, which package markdown then renders, or as plain text
// where that would cost too much. It is apart from package render because only agentctl-ui needs its library.
//
// The page is a stranger's: whoever shows the result cleans it. What counting can bound is bounded by counting; the library
// takes the square of the time for some shapes even so, so whoever uses it looks at a clock as well.
package htmlpage

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of what becomes markdown. For pages beyond them there is [PlainText].
const (
	MaxSize       = 8 << 20 // bytes
	maxTags       = 100_000 // of start and end
	maxFormatting = 20      // formatting elements that are open at one time
	maxNodes      = 50_000  // elements and texts that are kept
	maxDepth      = 100     // elements in each other
	maxCells      = 20_000  // of one table, once all of its rows are as long as the longest
	maxSpan       = 20      // columns or rows of one cell
	maxLink       = 2000    // bytes of an address
	maxLanguage   = 30      // bytes of the name of a programming language
)

var errNoText = errors.New("the page has no text")

// Markdown returns the text of a page as markdown: without scripts, styles, forms, navigation and what is hidden, with the
// addresses of links and the descriptions of images. The error says why there is none.
func Markdown(page []byte) (markdown []byte, err error) {
	if len(page) > MaxSize {
		return nil, fmt.Errorf("the page has more than %d bytes", MaxSize)
	}
	defer func() { // a stranger's page must not crash us where the library did not expect it
		if r := recover(); r != nil {
			markdown, err = nil, fmt.Errorf("the page cannot be converted: %v", r)
		}
	}()
	if err := survey(page); err != nil {
		return nil, err
	}
	markdown, err = convert(page, true)
	if errors.Is(err, errNoText) { // all of it is in a form, as on some frameworks' pages
		markdown, err = convert(page, false)
	}
	return markdown, err
}

// convert makes markdown of a page; strict leaves out what usually surrounds the text.
func convert(page []byte, strict bool) ([]byte, error) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil, fmt.Errorf("the page cannot be read: %w", err)
	}
	title := titleOf(root)
	p := pruner{strict: strict}
	p.prune(root, 0)
	if p.err != nil {
		return nil, p.err
	}
	out, err := newConverter().ConvertNode(root)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return nil, errNoText
	}
	if title != "" && !p.hasHeading {
		out = append([]byte("# "+title+"\n\n"), out...)
	}
	return append(out, '\n'), nil
}

func newConverter() *converter.Converter {
	c := converter.NewConverter()
	c.Register.Plugin(base.NewBasePlugin())
	c.Register.Plugin(commonmark.NewCommonmarkPlugin(
		commonmark.WithLinkEmptyHrefBehavior(commonmark.LinkBehaviorSkip),
		commonmark.WithLinkEmptyContentBehavior(commonmark.LinkBehaviorSkip),
		commonmark.WithListEndComment(false),
	))
	c.Register.Plugin(strikethrough.NewStrikethroughPlugin())
	c.Register.Plugin(table.NewTablePlugin(
		table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), // padding could be larger than the page by far
		table.WithSkipEmptyRows(true), table.WithHeaderPromotion(true),
	))
	// What was "&amp;lt;" is the text "&lt;", and no "<" once more.
	c.Register.TextTransformer(func(_ converter.Context, text string) string { return strings.ReplaceAll(text, "&", "&amp;") }, converter.PriorityEarly)
	return c
}

// titleOf returns the title of a page, in which no character means anything to markdown.
func titleOf(root *html.Node) string {
	for n := range root.Descendants() {
		if isElement(n, atom.Title) && n.FirstChild != nil {
			title := strings.Join(strings.Fields(n.FirstChild.Data), " ")
			return strings.NewReplacer("&", "&amp;", "<", "&lt;", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`).Replace(title)
		}
	}
	return ""
}

func isElement(n *html.Node, name atom.Atom) bool {
	return n.Type == html.ElementNode && n.DataAtom == name && n.Namespace == ""
}
