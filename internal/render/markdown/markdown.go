// Package markdown renders markdown for a terminal with glamour. It is apart from package render because glamour costs
// 25 ms at the start of a program: only agentctl-ui imports it.
//
// The markdown is a stranger's: nothing in it becomes an escape sequence, and the output has no sequences but colours.
package markdown

import (
	"bytes"
	"fmt"

	"github.com/charmbracelet/glamour"
	"github.com/muesli/termenv"

	"github.com/agentctl/agentctl/internal/render"
)

// Limits of what is styled. A document beyond one comes back as it is, cleaned: reading it matters more than its looks.
const (
	MaxSize  = 1 << 20 // bytes, a second of work
	maxDepth = 12      // nested quotes and lists; glamour's work grows with the square of it
)

// Depth is the number of colours the terminal has.
type Depth int

// The depths of colour.
const (
	NoColor Depth = iota
	Color16
	Color256
	TrueColor
)

// Background is what the colours have to stand out from.
type Background int

// The backgrounds.
const (
	Dark Background = iota
	Light
)

// Options say what the terminal is like.
type Options struct {
	Width      int // columns; below 20 counts as 20
	Depth      Depth
	Background Background // ignored without colours
}

// Render returns the source styled for a terminal, without blank lines at either end and without spaces at the end of a
// line. When a document cannot be styled it returns it cleaned, and the reason as an error.
func Render(source []byte, o Options) (styled []byte, err error) {
	clean := []byte(render.Clean(string(source)))
	if len(source) > MaxSize {
		return clean, fmt.Errorf("the document has more than %d bytes", MaxSize)
	}
	if isTooDeep(clean) {
		return clean, fmt.Errorf("the document is nested deeper than %d levels", maxDepth)
	}
	defer func() { // a stranger's document must not crash us where glamour did not expect it
		if r := recover(); r != nil {
			styled, err = clean, fmt.Errorf("the document cannot be styled: %v", r)
		}
	}()
	o.Width = max(o.Width, 20)
	renderer, err := glamour.NewTermRenderer(
		glamour.WithStyles(style(o)),
		glamour.WithWordWrap(o.Width),
		glamour.WithColorProfile(profile(o.Depth)),
		glamour.WithChromaFormatter(highlighter(o.Depth)),
	)
	if err != nil {
		return clean, err
	}
	out, err := renderer.RenderBytes(hideEntities(clean))
	if err != nil {
		return clean, err
	}
	return trim(render.OnlyColors(out, o.Depth != NoColor)), nil
}

func profile(d Depth) termenv.Profile {
	switch d {
	case Color16:
		return termenv.ANSI
	case Color256:
		return termenv.ANSI256
	case TrueColor:
		return termenv.TrueColor
	case NoColor:
	}
	return termenv.Ascii
}

// highlighter names the formatter of chroma, which colours code.
func highlighter(d Depth) string {
	switch d {
	case Color16:
		return "terminal16"
	case Color256:
		return "terminal256"
	case TrueColor:
		return "terminal16m"
	case NoColor:
	}
	return "noop"
}

// isTooDeep reports whether a line opens, or is indented for, more blocks than an honest document nests.
func isTooDeep(source []byte) bool {
	for line := range bytes.Lines(source) {
		lead := line[:len(line)-len(bytes.TrimLeft(line, " \t>-*+.)0123456789"))]
		markers := bytes.Count(lead, []byte(">")) + bytes.Count(lead, []byte("-")) + bytes.Count(lead, []byte("*")) +
			bytes.Count(lead, []byte("+")) + bytes.Count(lead, []byte(".")) + bytes.Count(lead, []byte(")"))
		if markers > maxDepth && !isRule(line) || len(lead) > 4*maxDepth && markers > 0 && !isRule(line) {
			return true
		}
	}
	return false
}

// isRule reports whether a line is a thematic break or an underline, which may be of any length.
func isRule(line []byte) bool {
	return len(bytes.Trim(line, "- \t\r\n")) == 0 || len(bytes.Trim(line, "* \t\r\n")) == 0
}
