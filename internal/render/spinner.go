package render

import (
	"fmt"
	"sync"
	"time"

	"github.com/agentctl/agentctl/internal/streams"
)

// spinAfter is how long something takes before it is worth a word.
const spinAfter = 300 * time.Millisecond

// Spin shows on s.Err, if that is a terminal, that something takes time: not before it has taken a moment. what tells how far it is
// each time. stop takes that away; nothing may be written to the terminal before.
func Spin(s *streams.Streams, what func() string) (stop func()) {
	if !s.ErrTTY {
		return func() {}
	}
	first, ticker := time.NewTimer(spinAfter), time.NewTicker(progressEvery)
	p := &progress{w: s.Err, width: s.Width, end: make(chan struct{})}
	p.ended.Go(func() { p.spin(first.C, ticker.C, what) })
	return sync.OnceFunc(func() {
		first.Stop()
		ticker.Stop()
		p.stop("")
	})
}

// spin paints a new picture at every tick behind the first moment, until the end.
func (p *progress) spin(first, ticks <-chan time.Time, what func() string) {
	select {
	case <-first:
	case <-p.end:
		return
	}
	for i := 0; ; i++ {
		fmt.Fprint(p.w, clearLine, spinnerLine(i, what(), p.width))
		select {
		case <-ticks:
		case <-p.end:
			fmt.Fprint(p.w, clearLine)
			return
		}
	}
}

// spinnerLine is one picture, narrower than width.
func spinnerLine(i int, what string, width int) string {
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	text := string(frames[i%len(frames)]) + " " + CleanLine(what)
	if displayWidth(text) >= width {
		text, _ = truncate(text, max(width-1, 1))
	}
	return text
}
