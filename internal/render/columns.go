package render

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/agentctl/agentctl/internal/streams"
)

// ColumnOptions say how [Columns] lays rows out.
type ColumnOptions struct {
	Indent int  // spaces before each row
	Gap    int  // spaces between two columns; 0 means 2
	Width  int  // display columns a row may take, Indent included; 0: rows are not cut
	Header bool // the first row is printed bold
	Paint  Paint
}

// Paint puts colours on a cell, which is clean and cut by then, or returns it as it is. Nil paints nothing.
type Paint func(row, column int, text string) string

// Cell is the painted cell.
func (p Paint) Cell(row, column int, text string) string {
	if p == nil || strings.TrimSpace(text) == "" {
		return text
	}
	return p(row, column, text)
}

// ColumnsFor returns options for Out: rows are cut on a terminal and whole in a pipe.
func ColumnsFor(s *streams.Streams) ColumnOptions {
	if !s.OutTTY {
		return ColumnOptions{}
	}
	return ColumnOptions{Width: s.Width}
}

// Columns prints rows of cells in aligned columns, without spaces at the end of a line. Every cell is cleaned with
// [CleanLine] and measured as a terminal shows it. When a row is wider than o.Width the widest columns give way, cut with
// an ellipsis between two characters, never inside one; a column keeps at least one character.
func Columns(w io.Writer, rows [][]string, o ColumnOptions) error {
	cells := make([][]cell, len(rows))
	for i, row := range rows {
		cells[i] = make([]cell, len(row))
		for j, text := range row {
			cells[i][j] = newCell(text)
		}
	}
	return layOut(w, cells, nil, o)
}

// layOut is [Columns] for cells that were measured. The columns that right names end at the same place instead of beginning
// there; it may be nil.
func layOut(w io.Writer, cells [][]cell, right []bool, o ColumnOptions) error {
	o.Gap = cmp.Or(o.Gap, defaultGap)
	widths := widest(cells)
	if o.Width > 0 && len(widths) > 0 {
		shrink(widths, o.Width-o.Indent-o.Gap*(len(widths)-1))
	}
	g := grid{newSink(w), widths, right, o}
	for i, row := range cells {
		g.row(i, row, o.Header && i == 0)
	}
	return g.out.flush()
}

const defaultGap = 2

// cell is clean text and what is known of it.
type cell struct {
	text  string
	width int    // display columns
	link  string // where a terminal that can leads to from here; "" for nowhere

	painted string // text with colours, for where it is shown whole; "" for none
}

func newCell(text string) cell {
	text = CleanLine(text)
	return cell{text: text, width: displayWidth(text)}
}

func widest(cells [][]cell) (widths []int) {
	for _, row := range cells {
		for j, c := range row {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], c.width)
		}
	}
	return widths
}

// shrink lowers the widest columns until they fit: the narrow ones, names and numbers as a rule, stay whole.
func shrink(widths []int, available int) {
	ascending := slices.Clone(widths)
	slices.Sort(ascending)
	limit := 0
	for i, width := range ascending {
		share := max(available/(len(ascending)-i), 1) // of each column from here on
		limit = min(width, share)
		if width > share {
			break
		}
		available -= width
	}
	for i := range widths {
		widths[i] = min(widths[i], limit)
	}
}

// grid prints rows whose columns are so wide.
type grid struct {
	out    sink
	widths []int
	right  []bool // may be shorter than widths
	o      ColumnOptions
}

func (g grid) row(n int, cells []cell, bold bool) {
	for len(cells) > 0 && cells[len(cells)-1].text == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) > 0 {
		g.out.spaces(g.o.Indent)
	}
	if bold {
		g.out.text(colorHeader)
	}
	for i, c := range cells {
		if c.width > g.widths[i] {
			c.text, c.width = truncate(c.text, g.widths[i])
		} else if c.painted != "" {
			c.text = c.painted
		}
		room := g.widths[i] - c.width
		if i < len(g.right) && g.right[i] {
			g.out.spaces(room)
			room = 0
		}
		g.out.text(Hyperlink(c.link, g.o.Paint.Cell(n, i, c.text)))
		if i < len(cells)-1 {
			g.out.spaces(room + g.o.Gap)
		}
	}
	if bold {
		g.out.text(colorReset)
	}
	g.out.byte('\n')
}

// truncate cuts text to at most width display columns, an ellipsis at its end included.
func truncate(text string, width int) (cut string, cutWidth int) {
	const ellipsis = "…"
	room := width - 1
	end, state := 0, -1
	for rest := text; rest != ""; {
		var cluster string
		var clusterWidth int
		cluster, rest, clusterWidth, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if cutWidth+clusterWidth > room {
			break
		}
		end, cutWidth = end+len(cluster), cutWidth+clusterWidth
	}
	kept := strings.TrimRight(text[:end], " ")
	return kept + ellipsis, cutWidth - (end - len(kept)) + 1
}

// displayWidth returns the number of terminal columns that text takes. ASCII, the usual case, is counted.
func displayWidth(text string) int {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return uniseg.StringWidth(text)
		}
	}
	return len(text)
}
