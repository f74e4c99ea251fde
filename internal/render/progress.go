package render

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentctl/agentctl/internal/streams"
)

const (
	progressEvery = 100 * time.Millisecond
	clearLine     = "\r\x1b[K"
)

// progress draws a bar on Err while a body is saved. All of its methods work on a nil progress and do nothing there.
type progress struct {
	w     io.Writer
	total int64 // bytes, -1 when unknown
	width int
	done  atomic.Int64
	end   chan struct{}
	ended sync.WaitGroup
}

// startProgress begins to draw, or returns nil when nobody wants to see it. Quick transfers end before the first bar.
func startProgress(s *streams.Streams, total int64, quiet bool) *progress {
	if quiet || !s.ErrTTY {
		return nil
	}
	p := &progress{w: s.Err, total: total, width: s.Width, end: make(chan struct{})}
	p.ended.Go(func() {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		p.draw(ticker.C)
	})
	return p
}

// draw paints a new bar at every tick, until the end.
func (p *progress) draw(ticks <-chan time.Time) {
	var elapsed time.Duration
	for {
		select {
		case <-ticks:
			elapsed += progressEvery
			fmt.Fprint(p.w, clearLine, progressLine(p.done.Load(), p.total, elapsed, p.width))
		case <-p.end:
			if elapsed > 0 {
				fmt.Fprint(p.w, clearLine)
			}
			return
		}
	}
}

func (p *progress) add(n int) {
	if p != nil {
		p.done.Add(int64(n))
	}
}

// stop takes the bar away, and tells what was saved unless path is empty.
func (p *progress) stop(path string) {
	if p == nil {
		return
	}
	close(p.end)
	p.ended.Wait()
	if path != "" {
		fmt.Fprintf(p.w, "saved %s (%s)\n", CleanLine(path), ByteSize(p.done.Load()))
	}
}

// progressLine is one picture of the bar, narrower than width: " 42% ━━━━━━━━──────────  4.2 MiB of 10.0 MiB  2.1 MiB/s".
func progressLine(done, total int64, elapsed time.Duration, width int) string {
	figures := ByteSize(done)
	if total > 0 {
		figures += " of " + ByteSize(total)
	}
	if seconds := elapsed.Seconds(); seconds > 0 {
		figures += "  " + ByteSize(int64(float64(done)/seconds)) + "/s"
	}
	if total <= 0 {
		return cutTo(figures, width-1)
	}
	share := min(float64(done)/float64(total), 1)
	percent := fmt.Sprintf("%3d%%", int(share*100))
	room := min(width-1-len(percent)-len(figures)-3, 40)
	if room < 5 {
		return cutTo(percent+"  "+figures, width-1)
	}
	full := int(share * float64(room))
	return percent + " " + strings.Repeat("━", full) + strings.Repeat("─", room-full) + "  " + figures
}

func cutTo(ascii string, width int) string { return ascii[:max(min(len(ascii), width), 0)] }

// ByteSize formats a number of bytes for people: "999 B", "4.2 MiB".
func ByteSize(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), 0
	for value >= 1024 && unit < 5 {
		value /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", value, " KMGTP"[unit])
}
