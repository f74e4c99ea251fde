package screen

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// scroll is text that may be longer than the screen, with a search.
type scroll struct {
	lines []string // styled
	head  int      // how many of them stay above, whatever is scrolled
	from  int
	room  int // lines that are in sight
	wide  int // columns of the widest line
	left  int // columns that are out of sight to the left
	find  finder
}

// set gives it other lines.
func (s *scroll) set(lines []string) {
	s.lines, s.wide = lines, 0
	for _, line := range lines {
		s.wide = max(s.wide, width(line))
	}
}

// place tells where in the whole the lines are that are in sight; "" where all of them are.
func (s *scroll) place() string {
	hidden := len(s.lines) - s.room
	if hidden <= 0 {
		return ""
	}
	return fmt.Sprintf("%d %%", s.from*100/hidden)
}

// finder is a search in lines.
type finder struct {
	typing bool
	query  string
	hits   []int // lines
	at     int
}

// look searches lines of plain text.
func (f *finder) look(lines []string) {
	f.hits, f.at = f.hits[:0], 0
	for i, line := range lines {
		if f.query != "" && strings.Contains(strings.ToLower(ansi.Strip(line)), strings.ToLower(f.query)) {
			f.hits = append(f.hits, i)
		}
	}
}

// pressed takes what is typed into a search. done tells that the search is to be looked up.
func (f *finder) pressed(msg tea.KeyPressMsg) (done, handled bool) {
	switch key := msg.String(); {
	case !f.typing && key == "/":
		f.typing, f.query = true, ""
	case !f.typing && key == "esc" && f.query != "":
		f.query, f.hits = "", nil
	case !f.typing:
		return false, false
	case key == "esc":
		f.typing, f.query, f.hits = false, "", nil
	case key == "enter":
		f.typing = false
		return true, true
	case key == "backspace":
		f.query = chop(f.query)
		return true, true
	case msg.Text != "":
		f.query += msg.Text
		return true, true
	}
	return false, true
}

// step goes to the next hit, or to the one before, and returns its line; ok is false without any.
func (f *finder) step(by int) (line int, ok bool) {
	if len(f.hits) == 0 {
		return 0, false
	}
	f.at = (f.at + by + len(f.hits)) % len(f.hits)
	return f.hits[f.at], true
}

// line shows a search below what it searches; "" while there is none.
func (f *finder) line(t *theme) string {
	switch {
	case f.typing:
		return t.accent.Render("/ ") + f.query + t.accent.Render("█")
	case f.query != "" && len(f.hits) == 0:
		return t.accent.Render("/ ") + f.query + t.muted.Render("   nothing found")
	case f.query != "":
		return t.accent.Render("/ ") + f.query + t.muted.Render("   n next, N previous")
	}
	return ""
}

func (s *scroll) update(m *Model, msg tea.Msg) (tea.Cmd, bool) {
	page := max(m.bodyHeight()-2, 1)
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			s.from -= 3
		} else {
			s.from += 3
		}
	case tea.PasteMsg:
		if s.find.typing {
			s.find.query += oneLine(msg.Content)
			s.look()
		}
	case tea.KeyPressMsg:
		if done, handled := s.find.pressed(msg); handled {
			if done {
				s.look()
			}
			return nil, true
		}
		switch msg.String() {
		case "up", "k":
			s.from--
		case "down", "j":
			s.from++
		case "pgup", "b":
			s.from -= page
		case "pgdown", "space":
			s.from += page
		case "home", "g":
			s.from = 0
		case "end", "G":
			s.from = len(s.lines)
		case "left":
			s.left = max(s.left-8, 0)
		case "right":
			s.left += 8
		case "n", "N":
			by := 1
			if msg.String() == "N" {
				by = -1
			}
			if line, ok := s.find.step(by); ok {
				s.from = line - 2
			}
		default:
			return nil, false
		}
	}
	return nil, true
}

// look searches the lines, and goes to the first that has what is looked for.
func (s *scroll) look() {
	s.find.look(s.lines)
	if line, ok := s.find.step(0); ok {
		s.from = line - 2
	}
}

// body shows the lines that are in sight, and where they are in the whole.
func (s *scroll) body(t *theme, w, h int) []string {
	below := s.find.line(t)
	room := h
	if below != "" {
		room--
	}
	s.room = room
	s.left = clamp(s.left, 0, max(s.wide-w+2, 0))
	s.from = clamp(s.from, 0, max(len(s.lines)-room, 0))
	out := make([]string, 0, h)
	for i := s.from; i < min(s.from+room, len(s.lines)); i++ {
		at := i
		if i-s.from < s.head {
			at = i - s.from
		}
		line := s.lines[at]
		if s.left > 0 {
			line = ansi.TruncateLeft(line, s.left, "")
		}
		if len(s.find.hits) > 0 && s.find.hits[s.find.at] == at {
			line = t.accent.Render("▌") + strings.TrimPrefix(line, " ")
		}
		out = append(out, line)
	}
	if below != "" {
		for len(out) < room {
			out = append(out, "")
		}
		out = append(out, " "+below)
	}
	return out
}
