package screen

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// armTime is how long a part of a question has to be on the screen before keys count: what was typed before does not answer it, nor
// does a key that is held down.
const armTime = 400 * time.Millisecond

// question is agentctl's before a call goes out. Its text is agentctl's own, and shown as it is.
type question struct {
	asked  []string // the lines above the prompt, as agentctl broke them
	text   scroll
	width  int       // that the lines are broken for
	read   int       // how many lines, from the first on, have been on the screen
	since  time.Time // when the last of those lines appeared
	prompt string
	yesNo  bool
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
	q.width, q.read = w, 0
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

// seen tells whether all of it has been on the screen. What was scrolled past unseen has not.
func (q *question) seen() bool { return q.width > 0 && q.read >= len(q.text.lines) }

// armed tells whether a key can be meant for what is shown.
func (q *question) armed(m *Model) bool {
	return q.read > 0 && m.world.Now().Sub(q.since) >= armTime
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
		case !q.armed(m):
			q.since = m.world.Now() // a key that repeats never counts
		case key == "esc":
			q.answer("")
		case !q.seen() && (key == "y" || key == "Y" || key == "enter"): // nobody says yes to what was not on the screen
			q.text.from = q.read
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
	prompt = prompt[max(len(prompt)-max(h-2, 1), 0):] // its end is where one types
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
	if end := min(q.text.from+room, len(q.text.lines)); q.text.from <= q.read && end > q.read {
		q.read, q.since = end, m.world.Now()
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
