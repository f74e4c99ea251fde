package screen

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
)

// past is a call that was made.
type past struct {
	at     time.Time
	took   time.Duration // until the answer, without the time for a question
	id     int
	action *explore.Description
	line   string // the command line that does the same
	reply  explore.Reply
}

// newHistory lists the calls of this session, the last one first.
func newHistory(m *Model) *list {
	l := &list{heading: "history", empty: "Nothing has been called yet."}
	var rows []row
	for _, h := range slices.Backward(m.history) {
		note := "answered"
		if f := h.reply.Failure; f != nil {
			note = "failed: " + string(f.Kind)
		}
		rows = append(rows, row{
			name: h.at.Format("15:04:05") + "  " + h.action.Site + " " + strings.Join(h.action.Command, " "), what: h.line, note: note,
			open: func() tea.Cmd {
				m.push(newAnswer(m, h))
				return nil
			},
		})
	}
	l.set(rows)
	return l
}
