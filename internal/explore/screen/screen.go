// Package screen is the full-screen view of "agentctl explore": what there is to see, and what keys and the mouse do. It knows
// nothing of sites; everything comes from agentctl as messages, and what is done goes there ([explore]).
package screen

import (
	"io/fs"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
)

// The smallest window that has room for anything; in a smaller one the screen says so.
const (
	minWidth  = 20
	minHeight = 5
)

// World is what the screen takes from the system.
type World struct {
	Send    func(explore.Request) error              // to agentctl; an error means that it has gone
	ReadDir func(path string) ([]fs.DirEntry, error) // for picking files
	Now     func() time.Time
	// Edit opens a text in the person's editor, on the whole terminal, and makes a message of what it is then.
	Edit func(text string, then func(string, error) tea.Msg) tea.Cmd
}

// Model is the screen.
type Model struct {
	world   World
	hello   explore.Hello
	width   int
	height  int
	theme   *theme
	stack   []view // what is open; the last one is shown
	history []*past

	serial  int // of the last request
	waiting map[int]func(explore.Reply) tea.Cmd
	status  string // a line in place of the keys, until something is pressed
	last    string // key that was pressed
	lastAt  time.Time
	held    bool   // the key that is pressed now came right behind the same one, as of one that is held down
	code    int    // exit status
	fatal   string // why it cannot go on
}

// view is one thing that is shown.
type view interface {
	title() string
	keys() []binding
	// update does what a key, a click or a wheel asks for; handled is false for a key that it does not know.
	update(m *Model, msg tea.Msg) (cmd tea.Cmd, handled bool)
	// body is at most height lines of at most width columns.
	body(m *Model, width, height int) []string
}

// binding is a key with what it does.
type binding struct{ key, does string }

// typing is a view that takes letters as text.
type typing interface{ takesText() bool }

// placed is a view that knows where in the whole it is.
type placed interface{ place() string }

// waits is a view that may wait for the reply to a request; 0 is none.
type waits interface{ waitsFor() int }

// From agentctl.
type (
	replyMsg explore.Reply
	goneMsg  struct{ err error }
)

// New makes the screen that begins where agentctl says.
func New(world World, hello explore.Hello) *Model {
	m := &Model{world: world, hello: hello, theme: newTheme(true), waiting: map[int]func(explore.Reply) tea.Cmd{}}
	switch {
	case hello.Command != nil:
		m.push(newDetail(m, hello.Site, hello.Command, &hello.Given))
	case hello.Site != "":
		m.push(newSites(m))
		m.push(newSite(m, hello.Site, false))
	default:
		m.push(newSites(m))
	}
	return m
}

// Init asks the terminal whether it is light or dark.
func (m *Model) Init() tea.Cmd { return tea.RequestBackgroundColor }

// Code is the exit status, once the screen has ended.
func (m *Model) Code() int { return m.code }

// Fatal is why the screen ended without anybody's wish; "" otherwise.
func (m *Model) Fatal() string { return m.fatal }

// Update takes what happened.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		if l, ok := m.top().(*list); ok {
			l.peek(m)
		}
		return m, nil
	case tea.BackgroundColorMsg:
		m.theme = newTheme(msg.IsDark())
		return m, nil
	case goneMsg:
		if msg.err != nil {
			m.fatal, m.code = msg.err.Error(), 1
		}
		return m, tea.Quit
	case editedMsg:
		msg.form.edited(m, msg)
		return m, nil
	case replyMsg:
		return m, m.replied(explore.Reply(msg))
	case tea.KeyPressMsg:
		return m, m.pressed(msg)
	case tea.MouseMsg:
		if m.tooSmall() || !means(msg) {
			return m, nil
		}
	}
	cmd, _ := m.top().update(m, msg)
	return m, cmd
}

// means tells whether the mouse asks for something: with its left button, or with its wheel upwards or downwards.
func means(msg tea.MouseMsg) bool {
	switch button := msg.Mouse().Button; msg.(type) {
	case tea.MouseClickMsg:
		return button == tea.MouseLeft
	case tea.MouseWheelMsg:
		return button == tea.MouseWheelUp || button == tea.MouseWheelDown
	}
	return false
}

// pressed does what a key asks for: what works everywhere, else what the view makes of it.
func (m *Model) pressed(msg tea.KeyPressMsg) tea.Cmd {
	key, now := msg.String(), m.world.Now()
	m.held = key == m.last && now.Sub(m.lastAt) < armTime
	m.last, m.lastAt = key, now
	if key == "ctrl+c" {
		m.code = interrupted
		return tea.Quit
	}
	m.status = ""
	if key == "ctrl+z" {
		return tea.Suspend
	}
	if m.tooSmall() {
		if key == "q" || key == "esc" { // out of all of it: nobody sees what else would be left, such as a question
			return tea.Quit
		}
		return nil
	}
	if cmd, handled := m.top().update(m, msg); handled {
		return cmd
	}
	t, _ := m.top().(typing)
	letters := t == nil || !t.takesText()
	switch {
	case key == "esc", key == "q" && letters:
		return m.pop()
	case key == "f1", key == "?" && letters:
		m.push(newHelp(m.top()))
	case key == "ctrl+r", key == "h" && letters:
		m.push(newHistory(m))
	}
	return nil
}

// replied hands a message to whoever waits for it.
func (m *Model) replied(r explore.Reply) tea.Cmd {
	then := m.waiting[r.ID]
	if then == nil {
		return nil // given up
	}
	if r.Done {
		delete(m.waiting, r.ID)
	}
	return then(r)
}

// request sends a request, and has then called with each reply to it.
func (m *Model) request(q explore.Request, then func(explore.Reply) tea.Cmd) (id int) {
	m.serial++
	q.ID, q.Width = m.serial, m.width
	m.waiting[q.ID] = then
	m.tell(q)
	return q.ID
}

// tell sends a message that has no reply of its own. Where agentctl has gone, the end of its messages is on its way.
func (m *Model) tell(q explore.Request) { _ = m.world.Send(q) }

// giveUp takes back a request that may still be waited for: agentctl does one after the other, and a site may be slow.
func (m *Model) giveUp(id int) {
	if m.waiting[id] != nil {
		delete(m.waiting, id)
		m.tell(explore.Request{ID: id, Op: explore.Cancel})
	}
}

func (m *Model) top() view { return m.stack[len(m.stack)-1] }

func (m *Model) push(v view) { m.stack = append(m.stack, v) }

// pop goes back; from the first view it leaves, and from the answer where one action was to be called.
func (m *Model) pop() tea.Cmd {
	_, answered := m.top().(*answer)
	if len(m.stack) == 1 || answered && m.hello.Command != nil {
		return tea.Quit
	}
	if w, ok := m.top().(waits); ok {
		m.giveUp(w.waitsFor())
	}
	m.stack = m.stack[:len(m.stack)-1]
	return nil
}

// remove takes a view out, wherever it is.
func (m *Model) remove(v view) {
	for i, open := range m.stack {
		if open == v && len(m.stack) > 1 {
			m.stack = append(m.stack[:i:i], m.stack[i+1:]...)
			return
		}
	}
}

func (m *Model) tooSmall() bool { return m.width < minWidth || m.height < minHeight }

// View paints the screen.
func (m *Model) View() tea.View {
	v := tea.View{Content: m.frame(), AltScreen: true, MouseMode: tea.MouseModeCellMotion, WindowTitle: "agentctl explore"}
	return v
}

// frame is the whole screen as lines.
func (m *Model) frame() string {
	if m.width == 0 {
		return ""
	}
	if m.tooSmall() {
		return m.theme.cut("Too small. q quits", m.width)
	}
	lines := []string{m.header()}
	height := m.bodyHeight()
	if m.roomy() {
		lines = append(lines, m.theme.muted.Render(strings.Repeat("─", m.width)))
	}
	body := m.top().body(m, m.width, height)
	for i := range height {
		if i < len(body) {
			lines = append(lines, m.theme.cut(body[i], m.width))
		} else {
			lines = append(lines, "")
		}
	}
	if m.airy() {
		lines = append(lines, "")
	}
	return strings.Join(append(lines, m.footer()), "\n")
}

// roomy tells whether there is a line to spare for the eye.
func (m *Model) roomy() bool { return m.height >= 10 }

func (m *Model) bodyTop() int {
	if m.roomy() {
		return 2
	}
	return 1
}

// airy tells whether there is another one, above the keys.
func (m *Model) airy() bool { return m.height >= 16 }

func (m *Model) bodyHeight() int {
	below := 1
	if m.airy() {
		below++
	}
	return max(m.height-m.bodyTop()-below, 1)
}

// header is the way to what is shown; where there is no room for all of it, its end.
func (m *Model) header() string {
	var parts []string
	for _, v := range m.stack {
		if t := v.title(); t != "" {
			parts = append(parts, t)
		}
	}
	room := m.width - 2
	way := strings.Join(parts, " › ")
	for len(parts) > 1 && width(way) > room {
		parts = parts[1:]
		way = "… › " + strings.Join(parts, " › ")
	}
	at := strings.LastIndex(way, " › ")
	if at < 0 {
		return " " + m.theme.title.Render(cut(way, room))
	}
	return " " + m.theme.muted.Render(way[:at+len(" › ")]) + m.theme.title.Render(cut(way[at+len(" › "):], room))
}

// footer names the keys, as many as there is room for, or tells what has just been done.
func (m *Model) footer() string {
	if m.status != "" {
		return " " + m.theme.accent.Render(cut(m.status, m.width-2))
	}
	help := binding{"?", "keys"}
	if t, ok := m.top().(typing); ok && t.takesText() {
		help.key = "f1"
	}
	list := append(first(m.top().keys(), 5), help)
	used := 1
	for i, b := range list { // the last one, which leads to all others, has its room in any case
		wide := width(b.key) + 1 + width(b.does)
		if i < len(list)-1 && used+wide+3+width(help.key+" "+help.does) > m.width-1 {
			list[i].key = ""
			continue
		}
		used += wide + 3
	}
	var shown []string
	for _, b := range list {
		if b.key != "" {
			shown = append(shown, m.theme.key.Render(b.key)+" "+m.theme.muted.Render(b.does))
		}
	}
	line := " " + strings.Join(shown, "   ")
	if v, ok := m.top().(placed); ok && v.place() != "" && width(line)+3+width(v.place()) < m.width {
		return pad(line, m.width-1-width(v.place())) + m.theme.muted.Render(v.place())
	}
	return line
}
