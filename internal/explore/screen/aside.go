package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
)

// asideWidth is how wide a window has to be for a list to have something beside it.
const asideWidth = 100

// aside is what is told beside a list about the row that is chosen.
type aside interface {
	lines(t *theme, w int) []string
}

// groupAside lists what is below a group.
type groupAside struct {
	about string
	rows  func() []row
}

func (g *groupAside) lines(t *theme, w int) []string {
	out := wrap(g.about, w)
	if len(out) > 0 {
		out = append(out, "")
	}
	rows, nameWidth := g.rows(), 0
	for _, r := range rows {
		nameWidth = max(nameWidth, width(r.name))
	}
	nameWidth = min(nameWidth, w/3)
	for _, r := range rows {
		out = append(out, t.bold.Render(pad(cut(r.name, nameWidth), nameWidth))+"  "+t.muted.Render(cut(oneLine(r.what), w-nameWidth-2)))
	}
	return out
}

// actionAside explains an action: what the list has of it, and all of it as soon as that has come from the cache.
type actionAside struct {
	site   string
	item   explore.Item
	action *explore.Description
	asked  bool
	full   detail // the action as lines, broken when the width or the theme is another one
}

func (a *actionAside) lines(t *theme, w int) []string {
	if a.action != nil {
		if a.full.action != a.action || a.full.width != w || a.full.dark != t.dark {
			a.full = detail{action: a.action, width: w, dark: t.dark}
			a.full.text.lines = a.full.lines(t, w, 0)
		}
		return a.full.text.lines
	}
	out := append(wrap(a.item.Description, w), "")
	return append(out, wrap("agentctl "+a.site+" "+strings.Join(a.item.Command, " "), w)...)
}

// peek has what is beside the list explained. The site is never asked for that.
func (l *list) peek(m *Model) {
	if m.width < asideWidth || l.at >= len(l.found) || l.peeking {
		return
	}
	a, ok := l.found[l.at].aside.(*actionAside)
	if !ok || a.asked {
		return
	}
	a.asked, l.peeking = true, true
	m.request(explore.Request{Op: explore.Action, Site: a.site, Command: a.item.Command, Cached: true}, func(r explore.Reply) tea.Cmd {
		l.peeking, a.action = false, r.Action
		l.peek(m) // another row may be chosen by now
		return nil
	})
}

// beside puts what is told about the chosen row to the right of the rows.
func (l *list) beside(m *Model, rows func(w int) []string, w, h int) []string {
	if w < asideWidth || l.at >= len(l.found) || l.found[l.at].aside == nil {
		return rows(w)
	}
	left := clamp(w*9/20, 44, 64)
	right := l.found[l.at].aside.lines(m.theme, w-left-4)
	out := rows(left)
	if len(right) > h {
		right = append(right[:h-1:h-1], m.theme.muted.Render("…"))
	}
	for i := range h {
		if i >= len(out) {
			out = append(out, "")
		}
		line := pad(m.theme.cut(out[i], left), left) + m.theme.muted.Render(" │ ")
		if i < len(right) {
			line += m.theme.cut(right[i], w-left-4)
		}
		out[i] = line
	}
	return out
}
