package audit

import (
	"fmt"

	"github.com/agentctl/agentctl/internal/fault"
)

// Report is what [Log.Verify] found.
type Report struct {
	Lines   int    `json:"lines"` // that hold
	Calls   int    `json:"calls"`
	Open    int    `json:"open"`              // calls without an end
	Torn    int    `json:"torn,omitempty"`    // bytes of a line that a crash cut off; the next call removes them
	Head    string `json:"head"`              // SHA-256 of the last line: kept elsewhere, it proves that nothing was cut off
	Broken  string `json:"broken,omitempty"`  // FILE:LINE of the first line that does not hold
	Problem string `json:"problem,omitempty"` // what is wrong there
}

// broken stops the walk at the first line that does not hold.
type broken struct {
	at  place
	why string
}

func (b *broken) Error() string { return fmt.Sprintf("%s: %s", b.at, b.why) }

// Verify walks through the chain. What is broken is told in the report; the error says that the log cannot be read at all.
func (l *Log) Verify() (Report, error) {
	r := Report{Head: noHash}
	open := map[int]bool{}
	seq := 0
	torn, err := l.lines(func(at place, text []byte) error {
		if at.line == 0 {
			return &broken{at, "the file before it ends in half a line"}
		}
		parsed, err := parse(text)
		switch {
		case err != nil:
			return &broken{at, err.Error()}
		case parsed.Seq != seq+1:
			return &broken{at, fmt.Sprintf("it has the number %d where %d is due: lines are missing or were put in", parsed.Seq, seq+1)}
		case parsed.Prev != r.Head:
			return &broken{at, "it does not belong to the line before it"}
		case parsed.Event == eventDone && !open[parsed.Done]:
			return &broken{at, fmt.Sprintf("it ends the call %d, which is none or over", parsed.Done)}
		}
		seq, r.Head = parsed.Seq, sum(text)
		r.Lines++
		if parsed.Event == eventCall {
			r.Calls++
			open[seq] = true
		} else {
			delete(open, parsed.Done)
		}
		return nil
	})
	r.Open, r.Torn = len(open), torn
	if b, ok := err.(*broken); ok { //nolint:errorlint // made just above
		r.Broken, r.Problem = b.at.String(), b.why
		return r, nil
	}
	if err != nil {
		return r, unreadable(err)
	}
	return r, nil
}

// Err is the fault for a log that does not hold, or nil.
func (r *Report) Err() error {
	if r.Broken == "" {
		return nil
	}
	e := fault.New(fault.Internal, "audit_broken", "the audit log is broken at %s: %s", r.Broken, r.Problem)
	e.Details = map[string]any{"broken": r.Broken, "lines": r.Lines}
	return e
}
