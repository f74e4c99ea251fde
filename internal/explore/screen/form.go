package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
)

// form is where an action is filled in. Each change is checked by agentctl, as a command line would be.
type form struct {
	action   *explore.Description
	fields   []*field
	at       int // a field, or len(fields) for the button below
	from     int
	problems []fault.Problem
	line     string // that does what the form holds; "" while something is wrong
	checking bool
	again    bool // what is being checked has changed since
	goOn     bool // whether to go on to the request when it is checked, if the form is still what is shown
	tried    bool // whether what is missing is a problem yet
	raw      bool
	rows     []int // the field of each line that is shown, for clicks; -1 for none
}

func newForm(m *Model, a *explore.Description, given *explore.Given) *form {
	f := &form{action: a, raw: m.hello.Raw}
	for _, each := range a.Fields {
		f.fields = append(f.fields, newField(each))
	}
	if a.Files != nil {
		f.fields = append(f.fields, newFilesField(a.Files))
	}
	if given != nil {
		f.give(*given)
	}
	f.focus(0)
	f.check(m)
	return f
}

// given is what the form holds.
func (f *form) given() (g explore.Given) {
	for _, each := range f.fields {
		for _, text := range each.values() {
			if each.files {
				g.Files = append(g.Files, text)
			} else {
				g.Values = append(g.Values, explore.Value{Name: each.Name, Path: each.Path, Text: text})
			}
		}
	}
	return g
}

func (f *form) title() string {
	return "form"
}

func (f *form) takesText() bool { return f.at < len(f.fields) && !f.fields[f.at].choosing() }

func (f *form) keys() []binding {
	list := []binding{{"tab", "next"}}
	if f.at < len(f.fields) {
		switch each := f.fields[f.at]; {
		case each.files:
			list = append(list, binding{"ctrl+o", "pick a file"})
		case each.choosing():
			list = append(list, binding{"←→", "choose"})
		case each.held != "":
			list = append(list, binding{"ctrl+x", "edit"})
		}
	}
	return append(list, binding{"ctrl+s", "preview"}, binding{"ctrl+e", "example"}, binding{"esc", "back"})
}

// check has agentctl look at the form; while it does, changes wait.
func (f *form) check(m *Model) {
	if len(f.action.Fields) == 0 {
		return
	}
	if f.checking {
		f.again = true
		return
	}
	f.checking = true
	m.request(explore.Request{Op: explore.Check, Site: f.action.Site, Command: f.action.Command, Given: f.given(), Raw: f.raw}, func(r explore.Reply) tea.Cmd {
		f.checking = false
		f.problems, f.line = r.Problems, r.Line
		if r.Failure != nil {
			m.status = oneLine(r.Failure.Message)
		}
		if f.again {
			f.again = false
			f.check(m)
			return nil
		}
		goOn := f.goOn && m.top() == f
		f.goOn = false
		if goOn {
			return f.submit(m)
		}
		return nil
	})
}

func (f *form) focus(at int) tea.Cmd {
	if f.at < len(f.fields) {
		f.fields[f.at].input.Blur()
	}
	f.at = clamp(at, 0, len(f.fields))
	if f.at < len(f.fields) && !f.fields[f.at].choosing() {
		return f.fields[f.at].input.Focus()
	}
	return nil
}

func (f *form) update(m *Model, msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		by := 1
		if msg.Button == tea.MouseWheelUp {
			by = -1
		}
		return f.focus(f.at + by), true
	case tea.MouseClickMsg:
		i := msg.Y - m.bodyTop()
		if i < 0 || i >= len(f.rows) || f.rows[i] < 0 {
			return nil, true
		}
		if f.rows[i] == len(f.fields) {
			return f.submit(m), true
		}
		if f.rows[i] == f.at && f.fields[f.at].choosing() {
			f.fields[f.at].turn(1)
			f.check(m)
		}
		return f.focus(f.rows[i]), true
	case tea.KeyPressMsg:
		return f.pressed(m, msg)
	}
	if f.at < len(f.fields) && !f.fields[f.at].choosing() {
		cmd, changed := f.fields[f.at].update(msg)
		if changed {
			f.check(m)
		}
		return cmd, true
	}
	return nil, true
}

func (f *form) pressed(m *Model, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	var at *field
	if f.at < len(f.fields) {
		at = f.fields[f.at]
	}
	switch key := msg.String(); {
	case key == "tab", key == "down":
		return f.focus(f.at + 1), true
	case key == "shift+tab", key == "up":
		return f.focus(f.at - 1), true
	case key == "ctrl+s", key == "enter" && at == nil:
		return f.submit(m), true
	case key == "ctrl+e":
		for _, each := range f.fields {
			if each.values() == nil && each.Example != "" {
				each.set(each.Example)
			}
		}
		f.check(m)
		return nil, true
	case key == "ctrl+x" && at != nil && at.editable():
		return f.edit(m, at), true
	case key == "ctrl+o" && at != nil && at.files, key == "enter" && at != nil && at.files && at.text() == "":
		m.push(newFiles(m, ".", func(path string) {
			paths := []string{path}
			if at.List {
				paths = append(at.values(), path)
			}
			at.give(paths)
			f.check(m)
		}))
		return nil, true
	case key == "enter" && at.choosing() && len(at.choices) > 3:
		m.push(newChoice(m, at, func() { f.check(m) }))
		return nil, true
	case key == "enter":
		return f.focus(f.at + 1), true
	case at == nil, key == "esc", key == "f1", key == "ctrl+r":
		return nil, false
	case at.choosing() && (key == "left" || key == "right" || key == "space"):
		by := 1
		if key == "left" {
			by = -1
		}
		at.turn(by)
		f.check(m)
		return nil, true
	case at.choosing():
		return nil, false
	}
	cmd, changed := at.update(msg)
	if changed {
		f.check(m)
	}
	return cmd, true
}

// newChoice lists the values of a field.
func newChoice(m *Model, f *field, changed func()) *list {
	l := &list{heading: oneLine(f.Name), empty: "There is nothing to choose from."}
	rows := make([]row, len(f.choices))
	for i := range f.choices {
		rows[i] = row{name: f.nameOf(i), open: func() tea.Cmd {
			f.chosen, f.touched = i, true
			m.remove(l)
			changed()
			return nil
		}}
		if i == 0 {
			rows[i].name = "(not given)"
		}
	}
	l.set(rows)
	l.at = f.chosen
	return l
}

// problemsOf are the problems of one field that are worth telling by now.
func (f *form) problemsOf(each *field) (list []string) {
	for _, p := range f.problems {
		if p.Param != each.Name || each.files {
			continue
		}
		if pointer := each.pointer(); p.Pointer != "" && p.Pointer != pointer && !strings.HasPrefix(p.Pointer, pointer+"/") && !f.belongsAbove(p, each) {
			continue
		}
		if each.touched || f.tried {
			list = append(list, p.Message)
		}
	}
	return list
}

// belongsAbove tells whether a problem is about an object whose first member a field is.
func (f *form) belongsAbove(p fault.Problem, each *field) bool {
	for _, other := range f.fields {
		if other.Name == p.Param {
			return other == each && p.Pointer == "/"+each.Name
		}
	}
	return false
}

// submit goes on to the request, or to the first field that is wrong.
func (f *form) submit(m *Model) tea.Cmd {
	f.tried = true
	if f.checking { // of what was typed last nobody knows yet whether it is right
		f.goOn = true
		return nil
	}
	for i, each := range f.fields {
		if len(f.problemsOf(each)) > 0 {
			return f.focus(i)
		}
	}
	m.push(newPreview(m, f))
	return nil
}

func (f *form) body(m *Model, w, h int) []string {
	t := m.theme
	nameWidth := 6
	for _, each := range f.fields {
		nameWidth = max(nameWidth, width(labelOf(each.Field)))
	}
	nameWidth = min(nameWidth, max(w/3, 8))
	var lines []string
	var rows []int
	add := func(line string, at int) { lines, rows = append(lines, line), append(rows, at) }
	focused, last := 0, 0
	for i, each := range f.fields {
		label := t.muted.Render(cut(labelOf(each.Field), nameWidth))
		mark := "  "
		if i == f.at {
			focused = len(lines)
			label, mark = t.chosen.Render(cut(labelOf(each.Field), nameWidth)), t.accent.Render("▌")+" "
		}
		add(mark+pad(label, nameWidth)+" "+each.view(t, w-nameWidth-4, i == f.at), i)
		indent := strings.Repeat(" ", nameWidth+5)
		for _, problem := range f.problemsOf(each) {
			for _, line := range wrap("✗ "+oneLine(problem), w-len(indent)-1) {
				add(indent+t.bad.Render(line), i)
			}
		}
		if i == f.at && h >= 6 {
			for _, line := range first(wrap(start(hintFor(each), 16*w), w-len(indent)-1), 3) {
				add(indent+t.muted.Render(line), i)
			}
			last = len(lines) - 1
		}
	}
	if len(f.fields) == 0 {
		add("  "+t.muted.Render("It takes no arguments."), -1)
	}
	if h >= 6 {
		add("", -1)
	}
	button := "  " + t.bold.Render("[ Preview the request ]")
	if f.at == len(f.fields) {
		focused, last = len(lines), len(lines)
		button = t.accent.Render("▌") + " " + t.chosen.Render("[ Preview the request ]")
	}
	add(button, len(f.fields))
	if m.airy() && f.line != "" {
		add("", -1)
		for _, line := range wrap("$ "+f.line, w-4) {
			add("  "+t.muted.Render(line), -1)
		}
	}
	f.from = clamp(f.from, max(last-h+1, 0), focused)
	f.from = clamp(f.from, 0, max(len(lines)-h, 0))
	end := min(f.from+h, len(lines))
	f.rows = rows[f.from:end]
	return lines[f.from:end]
}

// hintFor explains a field.
func hintFor(f *field) string {
	text := facts(f.Field)
	switch {
	case f.files:
		return oneLine(f.Description)
	case f.List:
		text += "; separate with commas, or give a JSON list"
	case f.Object:
		text += "; as JSON, or @FILE"
	}
	return text
}
