package cli

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/agentctl/agentctl/internal/render"
)

// minTextWidth is the narrowest column that text is wrapped into; below it the terminal does the wrapping.
const minTextWidth = 24

// definitions lays out rows whose last cell is text: the cells before it are aligned, the text is wrapped beside them at
// width columns. A width of 0 does not wrap. What is clean by then goes through paint, which may be nil.
func definitions(rows [][]string, width int, paint render.Paint) string {
	var widths []int
	for _, row := range rows {
		for i := range row {
			row[i] = render.CleanLine(row[i])
			if i == len(row)-1 {
				break
			}
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(row[i]))
		}
	}
	indent := 0
	for _, w := range widths {
		indent += w + 2
	}
	var b strings.Builder
	for n, row := range rows {
		var line strings.Builder
		last := len(row) - 1
		for i, cell := range row[:last] {
			line.WriteString(paint.Cell(n, i, cell) + strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell)+2))
		}
		parts := wrap(row[last], width-indent)
		for i := range parts {
			parts[i] = paint.Cell(n, last, parts[i])
		}
		line.WriteString(strings.Join(parts, "\n"+strings.Repeat(" ", indent)))
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// wrap breaks text between words into lines of at most width columns, where a word allows it.
func wrap(text string, width int) []string {
	if width < minTextWidth {
		return []string{text}
	}
	var lines []string
	line, used := "", 0
	for word := range strings.FieldsSeq(text) {
		w := uniseg.StringWidth(word)
		if line != "" && used+1+w > width {
			lines = append(lines, line)
			line, used = "", 0
		}
		if line != "" {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+w
	}
	return append(lines, line)
}
