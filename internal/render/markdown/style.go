package markdown

import (
	"strings"

	"github.com/charmbracelet/glamour/ansi"
)

// palette holds the few colours of a style, as indexes of the 256-colour table. Body text has none: it stays in the
// terminal's own colour, which is readable on any background.
type palette struct {
	heading, accent, code, link, muted string
	theme                              string // of the highlighter
}

func paletteOf(b Background) palette {
	if b == Light {
		return palette{heading: "25", accent: "54", code: "124", link: "25", muted: "244", theme: "github"}
	}
	return palette{heading: "81", accent: "213", code: "215", link: "75", muted: "245", theme: "catppuccin-mocha"}
}

// style returns how each element looks: with colours by weight and colour, without them by the marks of markdown.
func style(o Options) ansi.StyleConfig {
	if o.Depth == NoColor {
		return plainStyle(o.Width)
	}
	c := paletteOf(o.Background)
	s := layoutStyle(o.Width)
	s.Heading.Color, s.Heading.Bold = &c.heading, new(true)
	s.H1.Color, s.H1.Underline = &c.accent, new(true)
	s.H4.Color = &c.muted
	s.H5.Color, s.H5.Bold = &c.muted, new(false)
	s.H6 = s.H5
	s.BlockQuote.Color = &c.muted
	s.Emph.Italic = new(true)
	s.Strong.Bold = new(true)
	s.Strikethrough.CrossedOut = new(true)
	s.HorizontalRule.Color = &c.muted
	s.Link = ansi.StylePrimitive{Color: &c.muted, Underline: new(true)}
	s.LinkText = ansi.StylePrimitive{Color: &c.link, Bold: new(true)}
	s.Image = s.Link
	s.ImageText.Color = &c.link
	s.Code.Color = &c.code
	s.CodeBlock.Theme = c.theme
	if o.Depth == Color16 && o.Background == Dark { // the few colours of others come out alike
		s.CodeBlock.Theme = "monokai"
	}
	s.DefinitionTerm.Bold = new(true)
	return s
}

// plainStyle marks with characters what the coloured style marks with colours.
func plainStyle(width int) ansi.StyleConfig {
	s := layoutStyle(width)
	for level, heading := range []*ansi.StyleBlock{&s.H1, &s.H2, &s.H3, &s.H4, &s.H5, &s.H6} {
		heading.Prefix = strings.Repeat("#", level+1) + " "
	}
	s.Emph.BlockPrefix, s.Emph.BlockSuffix = "*", "*"
	s.Strong.BlockPrefix, s.Strong.BlockSuffix = "**", "**"
	s.Strikethrough.BlockPrefix, s.Strikethrough.BlockSuffix = "~~", "~~"
	s.Code.Prefix, s.Code.Suffix = "`", "`"
	return s
}

// layoutStyle is what both styles share: where things stand.
func layoutStyle(width int) ansi.StyleConfig {
	return ansi.StyleConfig{
		BlockQuote: ansi.StyleBlock{Indent: new(uint(1)), IndentToken: new("│ ")},
		List:       ansi.StyleList{LevelIndent: 2},
		Heading:    ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{BlockSuffix: "\n"}},
		HorizontalRule: ansi.StylePrimitive{
			Format: "\n" + strings.Repeat("─", max(width-2, 1)) + "\n",
		},
		Item:        ansi.StylePrimitive{BlockPrefix: "• "},
		Enumeration: ansi.StylePrimitive{BlockPrefix: ". "},
		Task:        ansi.StyleTask{Ticked: "[✓] ", Unticked: "[ ] "},
		ImageText:   ansi.StylePrimitive{Format: "image: {{.text}}"},
		CodeBlock:   ansi.StyleCodeBlock{StyleBlock: ansi.StyleBlock{Margin: new(uint(2))}},
		Table: ansi.StyleTable{
			CenterSeparator: new("┼"), ColumnSeparator: new("│"), RowSeparator: new("─"),
		},
		DefinitionDescription: ansi.StylePrimitive{BlockPrefix: "\n  "},
	}
}
