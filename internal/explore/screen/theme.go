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
	warn                                       lipgloss.Style
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
		warn:   pick("215", "130"),
		chosen: accent.Bold(true),
		match:  lipgloss.NewStyle().Underline(true),
	}
}

// effect is the colour of what has an effect: what spends and what deletes stand out.
func (t *theme) effect(name string) lipgloss.Style {
	switch name {
	case "spend":
		return t.warn
	case "delete":
		return t.bad
	case "write":
		return t.good
	}
	return t.muted
}

// cut cuts a styled line to a width.
func (t *theme) cut(line string, w int) string { return ansi.Truncate(line, max(w, 0), "…") }

// cut shortens text without styles to a width.
func cut(text string, w int) string { return ansi.Truncate(text, max(w, 0), "…") }

func width(text string) int { return ansi.StringWidth(text) }

// pad fills a line up to a width.
func pad(line string, w int) string { return line + strings.Repeat(" ", max(w-width(line), 0)) }

// wrap breaks clean text into lines of a width: at spaces, or inside of words that are longer than a line. It never breaks at a
// hyphen, which would make another command line of one.
func wrap(text string, w int) (out []string) {
	if text == "" {
		return nil
	}
	w = max(w, 1)
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\t", "    "), "\n") {
		now := line[:len(line)-len(strings.TrimLeft(line, " "))]
		empty := true
		for word := range strings.SplitSeq(line[len(now):], " ") { // "" between two spaces: in a value they count
			if !empty && width(now)+1+width(word) <= w {
				now += " " + word
				continue
			}
			if !empty {
				out, now = append(out, now), ""
			}
			parts := strings.Split(ansi.Hardwrap(now+word, w, true), "\n")
			out, now, empty = append(out, parts[:len(parts)-1]...), parts[len(parts)-1], false
		}
		out = append(out, now)
	}
	return out
}

// first is the beginning of a list, as a list of its own.
func first[T any](list []T, n int) []T { return append([]T(nil), list[:min(n, len(list))]...) }

// start is the beginning of a text that is about to be cut to far fewer columns.
func start(text string, n int) string { return strings.ToValidUTF8(text[:min(n, len(text))], "") }

// clamp puts n between low and high; where those cross, it is low.
func clamp(n, low, high int) int { return max(min(n, high), low) }
