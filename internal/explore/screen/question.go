package screen

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// armTime is how long keys do not count when a question appears: what was typed before it was there does not answer it.
const armTime = 400 * time.Millisecond

// question is agentctl's before a call goes out. Its text is agentctl's own, and shown as it is.
type question struct {
	asked  []string // the lines above the prompt, as agentctl broke them
	text   scroll
	width  int // that the lines are broken for
	seen   bool
	prompt string
	yesNo  bool
	armed  bool
	typed  string
	answer func(string)
}

func newQuestion(text string, answer func(string)) *question {
	lines := strings.Split(strings.TrimRight(text, " "), "\n")
	q := &question{prompt: lines[len(lines)-1], answer: answer}
	q.yesNo = strings.HasSuffix(q.prompt, "[y/N]")
	q.asked = lines[:len(lines)-1]
	return q
}

// lay breaks the question for a window that may have become narrower: what is foreign keeps its bar on every line.
func (q *question) lay(w int) {
	const bar = "    | "
	q.width, q.seen = w, false
	var lines []string
	for _, line := range q.asked {
		indent := "  "
		if rest, foreign := strings.CutPrefix(line, bar); foreign {
			line, indent = rest, "  "+bar
		}
		for _, part := range wrap(line, w-len(indent)-1) {
			lines = append(lines, indent+part)
		}
	}
	q.text.set(lines)
}

// armMsg makes a question take answers.
type armMsg struct{ q *question }

// arm has the question take answers in a while.
func (q *question) arm() tea.Cmd {
	return tea.Tick(armTime, func(time.Time) tea.Msg { return armMsg{q} })
}

func (q *question) takesText() bool { return !q.yesNo }

func (q *question) keys() []binding {
	if q.yesNo {
		return []binding{{"y", "yes"}, {"n", "no"}, {"↑↓", "scroll"}}
	}
	return []binding{{"enter", "answer"}, {"esc", "no"}, {"↑↓", "scroll"}}
}

func (q *question) update(m *Model, msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		key := msg.String()
		switch {
		case key == "up", key == "down", key == "pgup", key == "pgdown":
			return q.text.update(m, msg)
		case key == "f1":
			return nil, false
		case !q.armed:
		case key == "esc":
			q.answer("")
		case !q.seen && (key == "y" || key == "Y" || key == "enter"): // nobody says yes to what was not on the screen
			q.text.from += max(m.bodyHeight()-3, 1)
			m.status = "Read on: y counts when all was shown"
		case q.yesNo && (key == "y" || key == "Y"):
			q.answer("y")
		case q.yesNo && (key == "n" || key == "N"):
			q.answer("n")
		case q.yesNo:
		case key == "enter":
			q.answer(q.typed)
		case key == "backspace":
			q.typed = chop(q.typed)
		case msg.Text != "":
			q.typed += msg.Text
		}
		return nil, true
	case tea.MouseWheelMsg:
		return q.text.update(m, msg)
	}
	return nil, true
}

// body shows the question at the bottom, so that it is there whatever is above it.
func (q *question) body(m *Model, w, h int) []string {
	t := m.theme
	if q.width != w {
		q.lay(w)
	}
	prompt := wrap(q.prompt, w-4)
	room := max(h-len(prompt)-1, 1)
	lines := q.text.body(t, w, room)
	for i, line := range lines {
		if i == 0 && q.text.from == 0 {
			lines[i] = t.bold.Render(line)
		}
	}
	if q.text.from+room < len(q.text.lines) && len(lines) > 1 {
		lines[len(lines)-1] = "  " + t.accent.Render("↓ more below")
		room-- // that line is not shown
	}
	if q.text.from+room >= len(q.text.lines) {
		q.seen = true
	}
	lines = append(lines, "")
	for _, line := range prompt {
		lines = append(lines, "  "+t.title.Render(line))
	}
	if !q.yesNo {
		lines[len(lines)-1] += " " + q.typed + t.accent.Render("█")
	}
	return lines
}
