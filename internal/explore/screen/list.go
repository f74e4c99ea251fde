package screen

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/agentctl/agentctl/internal/render"
)

// row is one line of a list.
type row struct {
	name   string // what is searched first, and shown
	what   string
	note   string
	effect string         // that the note is about; "" for none
	aside  aside          // nil for none
	open   func() tea.Cmd // nil for one that cannot be chosen
}

// list is rows to choose from, with a search.
type list struct {
	heading string
	intro   string // a line above; "" for none
	empty   string // in place of rows
	rows    []row
	all     []row // what a search looks through; nil is rows
	busy    bool
	load    int // the request for the rows
	peeking bool
	failure string

	searching bool
	query     string
	found     []found
	at, from  int
	room      int // rows that are in sight
	width     int // of the rows, without what is beside them
	more      []binding
	onKey     func(m *Model, key string) (tea.Cmd, bool)
	otherwise func(query string) tea.Cmd // what enter does with a query that finds nothing
}

// found is a row with the places in its name that match.
type found struct {
	row
	marks []int
}

func (l *list) place() string { return placeIn(l.at, l.room, len(l.found)) }

// placeIn tells which one of a list is chosen; "" where all of it is in sight.
func placeIn(at, room, all int) string {
	if all <= room {
		return ""
	}
	return fmt.Sprintf("%d/%d", at+1, all)
}

func (l *list) waitsFor() int   { return l.load }
func (l *list) title() string   { return l.heading }
func (l *list) takesText() bool { return l.searching }

func (l *list) keys() []binding {
	if l.searching {
		return []binding{{"enter", "open"}, {"↑↓", "move"}, {"esc", "end search"}}
	}
	return append([]binding{{"↑↓", "move"}, {"enter", "open"}, {"/", "search"}, {"esc", "back"}}, l.more...)
}

// set shows rows; the place in the list is kept where that can be.
func (l *list) set(rows []row) {
	l.rows, l.busy, l.failure = rows, false, ""
	l.search()
}

// search looks up the query.
func (l *list) search() {
	l.found = l.found[:0]
	if l.query == "" {
		for _, r := range l.rows {
			l.found = append(l.found, found{row: r})
		}
	} else {
		all := l.all
		if all == nil {
			all = l.rows
		}
		named := make([]bool, len(all))
		for _, hit := range fuzzy.FindFrom(l.query, names(all)) {
			l.found, named[hit.Index] = append(l.found, found{all[hit.Index], hit.MatchedIndexes}), true
		}
		query := strings.ToLower(l.query)
		for i, r := range all { // then what is said about it, in words
			if !named[i] && strings.Contains(strings.ToLower(r.what), query) {
				l.found = append(l.found, found{row: r})
			}
		}
	}
	l.at = clamp(l.at, 0, len(l.found)-1)
}

type names []row

func (n names) String(i int) string { return n[i].name }
func (n names) Len() int            { return len(n) }

func (l *list) update(m *Model, msg tea.Msg) (tea.Cmd, bool) {
	defer l.peek(m)
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			l.move(-3)
		} else {
			l.move(3)
		}
	case tea.MouseClickMsg:
		if i := l.from + msg.Y - m.bodyTop() - l.above(m); i >= l.from && i < len(l.found) && msg.Y < m.bodyTop()+m.bodyHeight() && msg.X < l.width {
			l.at = i
			return l.choose(), true
		}
	case tea.PasteMsg:
		if l.searching {
			l.query += oneLine(msg.Content)
			l.search()
		}
	case tea.KeyPressMsg:
		return l.pressed(m, msg)
	}
	return nil, true
}

func (l *list) pressed(m *Model, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	page := max(m.bodyHeight()-l.above(m)-1, 1)
	switch key := msg.String(); {
	case key == "up", key == "k" && !l.searching, key == "ctrl+p":
		l.move(-1)
	case key == "down", key == "j" && !l.searching, key == "ctrl+n":
		l.move(1)
	case key == "pgup":
		l.move(-page)
	case key == "pgdown":
		l.move(page)
	case key == "home", key == "g" && !l.searching:
		l.at = 0
	case key == "end", key == "G" && !l.searching:
		l.at = max(len(l.found)-1, 0)
	case key == "enter", key == "right" && !l.searching:
		return l.choose(), true
	case key == "left" && !l.searching:
		return nil, false
	case key == "/" && !l.searching:
		l.searching, l.at = true, 0
	case key == "esc" && (l.searching || l.query != ""):
		l.searching, l.query, l.at = false, "", 0
		l.search()
	case key == "backspace" && l.searching:
		l.query = chop(l.query)
		l.search()
	case l.searching && msg.Text != "":
		l.query += msg.Text
		l.at = 0
		l.search()
	case l.onKey != nil:
		return l.onKey(m, key)
	default:
		return nil, false
	}
	return nil, true
}

func (l *list) move(by int) { l.at = clamp(l.at+by, 0, len(l.found)-1) }

func (l *list) choose() tea.Cmd {
	if l.busy || l.failure != "" { // no row is shown
		return nil
	}
	if l.at < len(l.found) && l.found[l.at].open != nil {
		l.searching = false
		return l.found[l.at].open()
	}
	if len(l.found) == 0 && l.otherwise != nil && l.query != "" {
		return l.otherwise(l.query)
	}
	return nil
}

// above is how many lines are above the rows.
func (l *list) above(m *Model) int {
	n := 0
	if l.intro != "" && m.roomy() {
		n += 2
	}
	if l.searching || l.query != "" {
		n++
		if m.roomy() {
			n++
		}
	}
	return n
}

func (l *list) body(m *Model, w, h int) []string {
	var lines []string
	if l.intro != "" && m.roomy() {
		lines = append(lines, "  "+cut(l.intro, w-4), "")
	}
	if l.searching || l.query != "" {
		cursor := ""
		if l.searching {
			cursor = "█"
		}
		lines = append(lines, "  "+m.theme.accent.Render("/ ")+l.query+m.theme.accent.Render(cursor))
		if m.roomy() {
			lines = append(lines, "")
		}
	}
	switch {
	case l.busy:
		return append(lines, "  "+m.theme.muted.Render("Looking …"))
	case l.failure != "":
		for _, line := range wrap(l.failure, w-4) {
			lines = append(lines, "  "+m.theme.bad.Render(line))
		}
		return lines
	case len(l.found) == 0 && l.query != "" && l.otherwise != nil:
		return append(lines, "  "+m.theme.muted.Render("Nothing is called so. enter opens it as a site."))
	case len(l.found) == 0 && l.query != "":
		return append(lines, "  "+m.theme.muted.Render("Nothing matches."))
	case len(l.found) == 0:
		return append(lines, "  "+m.theme.muted.Render(l.empty))
	}
	room := max(h-len(lines), 1)
	l.room = room
	l.from = clamp(l.from, l.at-room+1, l.at)
	l.from = clamp(l.from, 0, max(len(l.found)-room, 0))
	return append(lines, l.beside(m, func(w int) (rows []string) {
		l.width = w
		nameWidth, noteWidth := l.columns(w)
		for i := l.from; i < min(l.from+room, len(l.found)); i++ {
			rows = append(rows, l.line(m.theme, i, w, nameWidth, noteWidth))
		}
		return rows
	}, w, room)...)
}

// noteFor is the note of a row in a list of a width: where that has little room for it, the effect alone.
func (r row) noteFor(w int) string {
	if w < 70 && r.effect != "" && r.open != nil {
		return r.effect
	}
	return r.note
}

// columns are the widths of the first and of the last column.
func (l *list) columns(w int) (name, note int) {
	for _, f := range l.found {
		name, note = max(name, width(f.name)), max(note, width(f.noteFor(w)))
	}
	name = min(name, max(w*2/5, 14))
	if w < 50 {
		return name, 0
	}
	return name, min(note, w/4)
}

func (l *list) line(t *theme, i, w, nameWidth, noteWidth int) string {
	f := l.found[i]
	mark, style := "  ", t.bold
	if i == l.at {
		mark, style = t.accent.Render("▌")+" ", t.chosen
	}
	if f.open == nil {
		style = t.muted
	}
	line := mark + pad(marked(cut(f.name, nameWidth), f.marks, style.Render, style.Inherit(t.match).Render), nameWidth) + "  "
	room := w - width(line) - 1
	if noteWidth > 0 {
		room -= noteWidth + 2
	}
	what := cut(oneLine(f.what), room)
	if f.open == nil || i != l.at {
		what = t.muted.Render(what)
	}
	if noteWidth == 0 {
		return line + what
	}
	return line + pad(what, room) + "  " + t.effect(f.effect).Render(cut(f.noteFor(w), noteWidth))
}

// marked styles text, and the bytes at some places in it differently.
func marked(text string, at []int, plain, mark func(...string) string) string {
	if len(at) == 0 {
		return plain(text)
	}
	var b strings.Builder
	next := 0
	for i, r := range text {
		if next < len(at) && at[next] == i {
			b.WriteString(mark(string(r)))
			next++
			continue
		}
		b.WriteString(plain(string(r)))
	}
	return b.String()
}

// oneLine makes one clean line of text.
func oneLine(text string) string { return strings.Join(strings.Fields(render.Clean(text)), " ") }

// chop takes the last character off.
func chop(text string) string {
	runes := []rune(text)
	return string(runes[:max(len(runes)-1, 0)])
}
