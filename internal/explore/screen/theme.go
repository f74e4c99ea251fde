package screen

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// theme is how things look. There is one accent; colours alone never carry a meaning.
type theme struct {
	dark                                       bool
	title, accent, key, muted, bold, bad, good lipgloss.Style
	chosen, match                              lipgloss.Style
}

// newTheme is for a dark or a light background.
func newTheme(dark bool) *theme {
	pick := func(onDark, onLight string) lipgloss.Style {
		if dark {
			return lipgloss.NewStyle().Foreground(lipgloss.Color(onDark))
		}
		return lipgloss.NewStyle().Foreground(lipgloss.Color(onLight))
	}
	accent := pick("213", "54") // the one that Markdown has
	return &theme{
		dark:   dark,
		title:  accent.Bold(true),
		accent: accent,
		key:    accent,
		muted:  pick("245", "242"),
		bold:   lipgloss.NewStyle().Bold(true),
		bad:    pick("210", "160"),
		good:   pick("114", "28"),
		chosen: accent.Bold(true),
		match:  lipgloss.NewStyle().Underline(true),
	}
}

// cut cuts a styled line to a width.
func (t *theme) cut(line string, w int) string { return ansi.Truncate(line, max(w, 0), "…") }

// cut shortens text without styles to a width.
func cut(text string, w int) string { return ansi.Truncate(text, max(w, 0), "…") }

func width(text string) int { return ansi.StringWidth(text) }

// pad fills a line up to a width.
func pad(line string, w int) string { return line + strings.Repeat(" ", max(w-width(line), 0)) }

// wrap breaks text into lines of a width, at spaces where that can be.
func wrap(text string, w int) []string {
	if text == "" {
		return nil
	}
	return strings.Split(ansi.Wrap(strings.ReplaceAll(text, "\t", "    "), max(w, 1), ""), "\n")
}

// first is the beginning of a list, as a list of its own.
func first[T any](list []T, n int) []T { return append([]T(nil), list[:min(n, len(list))]...) }

// clamp puts n between low and high; where those cross, it is low.
func clamp(n, low, high int) int { return max(min(n, high), low) }
