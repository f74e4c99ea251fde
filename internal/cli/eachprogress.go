package cli

import (
	"fmt"
	"sync/atomic"
)

// eachProgress is how far a batch is, for whoever watches it.
type eachProgress struct{ ended, failed atomic.Int64 }

func (p *eachProgress) add(r *eachResult) {
	p.ended.Add(1)
	if r.err != nil {
		p.failed.Add(1)
	}
}

// of tells it: "1200 of 30000 lines, 3 failed".
func (p *eachProgress) of(lines int) string {
	text := fmt.Sprintf("%d of %s", p.ended.Load(), counted(lines, "line"))
	if failed := p.failed.Load(); failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	return text
}

// spinEach shows how far the batch is, where its results go elsewhere than to the terminal.
func (b *eachRun) spinEach(p *eachProgress) (stop func()) {
	if b.OutTTY {
		return func() {}
	}
	return b.spinning(func() string { return p.of(b.lines) })
}
