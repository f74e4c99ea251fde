package demo

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// table is a Markdown table whose columns line up, so that it reads well before it is rendered too.
type table struct {
	header []string
	right  map[int]bool // columns that are aligned right
	rows   [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(out *strings.Builder) {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), len("--:"))
		}
	}
	rule := make([]string, len(t.header))
	for i, width := range widths {
		rule[i] = strings.Repeat("-", width)
		if t.right[i] {
			rule[i] = rule[i][1:] + ":"
		}
	}
	t.writeRow(out, t.header, widths)
	t.writeRow(out, rule, widths)
	for _, row := range t.rows {
		t.writeRow(out, row, widths)
	}
}

func (t *table) writeRow(out *strings.Builder, cells []string, widths []int) {
	for i, cell := range cells {
		padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if t.right[i] {
			cell = padding + cell
		} else {
			cell += padding
		}
		out.WriteString("| " + cell + " ")
	}
	out.WriteString("|\n")
}

// escape makes text from a caller harmless in Markdown: it is shown as it is, in a table cell too.
func escape(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r':
			r = ' '
		case strings.ContainsRune("\\`*_{}[]<>#|~!", r):
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// code is for words that the shop itself chose; they hold no back-quotes.
func code(word string) string { return "`" + word + "`" }

func dollars(amount cents) string { return "$" + amount.String() }

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func day(t time.Time) string { return t.Format("2 Jan 2006") }

func moment(t time.Time) string { return t.Format("2 Jan 2006, 15:04 MST") }

// count writes a number with its noun: 1 bag, 2 bags.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// nextStep is the last line of a page: the command that a reader may want to try next.
func nextStep(command string) string {
	return "\n> Next: " + code("agentctl demo "+command) + "\n"
}
