package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/agentctl/agentctl/internal/render"
)

const clearLine = "\r\x1b[K"

// countBar shows on a terminal how many of many things are done. All of its methods work on a nil bar and do nothing there;
// they are not for several goroutines at once.
type countBar struct {
	w           io.Writer
	done, total int
	width       int
}

// newCountBar returns a bar, or nil where nobody would see it.
func (r *run) newCountBar(total int) *countBar {
	if !r.ErrTTY || r.Quiet || total < 2 {
		return nil
	}
	return &countBar{w: r.Err, total: total, width: r.Width}
}

// step counts one more thing as done, and names it.
func (b *countBar) step(name string) {
	if b != nil {
		b.done++
		fmt.Fprint(b.w, clearLine, countLine(b.done, b.total, render.CleanLine(name), b.width))
	}
}

// clear makes room for a line; the next step draws the bar again.
func (b *countBar) clear() {
	if b != nil {
		fmt.Fprint(b.w, clearLine)
	}
}

func (b *countBar) end() { b.clear() }

// countLine is one picture of the bar: " 42% ━━━━────── 42 of 100  popcorn.club". It never takes a whole line of the terminal,
// which would break.
func countLine(done, total int, name string, width int) string {
	const length = 20
	full := length * done / total
	line := fmt.Sprintf("%3d%% %s%s %d of %d  ", 100*done/total, strings.Repeat("━", full), strings.Repeat("─", length-full), done, total)
	used := len([]rune(line))
	var shown strings.Builder
	for i, r := range []rune(name) {
		if r > '~' || used+i >= width-1 { // a host in ASCII is shown; wider characters would have to be measured
			break
		}
		shown.WriteRune(r)
	}
	if used >= width {
		return fmt.Sprintf("%d of %d", done, total)
	}
	return line + shown.String()
}
