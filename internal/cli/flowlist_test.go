package cli

import (
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/flow"
	"github.com/agentctl/agentctl/internal/streams"
)

// A run of which only the file is left has no next step; people read times in words.
func TestHowFarARunIs(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	p := &place{run: &run{Env: Env{Streams: &streams.Streams{OutTTY: true}, Now: func() time.Time { return now }}}}
	run := &flow.Run{Changed: now.Add(-5 * time.Minute), Steps: []flow.StepRun{{State: flow.Done}, {State: flow.Failed}}}
	if got := p.progress(run); got != "at step 2, 5 minutes ago" {
		t.Errorf("a run in the middle is %q", got)
	}
	run.Steps[1].State = flow.Done
	if got := p.progress(run); got != "all steps are done, 5 minutes ago" {
		t.Errorf("a run at its end is %q", got)
	}
}
