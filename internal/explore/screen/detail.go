package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
)

// detail explains one action.
type detail struct {
	site    string
	command []string
	given   *explore.Given // of the command line; nil for nothing
	action  *explore.Description
	load    int // the request for the action
	failure string
	text    scroll
	width   int // that text was broken for
	dark    bool
}

// newDetail asks for an action. With something given, its form opens at once.
func newDetail(m *Model, site string, command []string, given *explore.Given) *detail {
	d := &detail{site: site, command: command, given: given}
	d.load = m.request(explore.Request{Op: explore.Action, Site: site, Command: command}, func(r explore.Reply) tea.Cmd {
		if r.Failure != nil {
			d.failure = failureText(r.Failure)
			return nil
		}
		d.action = r.Action
		if given != nil {
			return d.fill(m)
		}
		return nil
	})
	return d
}

func (d *detail) waitsFor() int { return d.load }

func (d *detail) title() string {
	if d.given != nil { // nothing above it names the site
		return strings.Join(append([]string{d.site}, d.command...), " ")
	}
	return strings.Join(d.command, " ")
}

func (d *detail) keys() []binding {
	return []binding{{"enter", "fill in"}, {"↑↓", "scroll"}, {"/", "search"}, {"esc", "back"}}
}

func (d *detail) place() string { return d.text.place() }

func (d *detail) takesText() bool { return d.text.find.typing }

func (d *detail) update(m *Model, msg tea.Msg) (tea.Cmd, bool) {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "enter" && d.action != nil && !d.text.find.typing {
		return d.fill(m), true
	}
	return d.text.update(m, msg)
}

// fill opens the form. An action without arguments has an empty one, which leads on at once.
func (d *detail) fill(m *Model) tea.Cmd {
	f := newForm(m, d.action, d.given)
	m.push(f)
	if len(f.fields) == 0 {
		return f.submit(m)
	}
	return nil
}

func (d *detail) body(m *Model, w, h int) []string {
	switch {
	case d.failure != "":
		var lines []string
		for _, line := range wrap(d.failure, w-4) {
			lines = append(lines, "  "+m.theme.bad.Render(line))
		}
		return lines
	case d.action == nil:
		return []string{"  " + m.theme.muted.Render("Looking …")}
	}
	if d.width != w || d.dark != m.theme.dark {
		d.width, d.dark = w, m.theme.dark
		d.text.set(d.lines(m.theme, w-3, 2))
	}
	return d.text.body(m.theme, w, h)
}

// lines explain the action, in lines of a width that begin behind so many spaces.
func (d *detail) lines(t *theme, w, indent int) []string {
	a, margin := d.action, strings.Repeat(" ", indent)
	w -= indent
	var out []string
	add := func(text string) {
		for _, line := range wrap(text, w) {
			out = append(out, margin+line)
		}
	}
	section := func(name string) {
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, margin+t.bold.Render(name))
	}
	add(a.Text)
	if len(a.Fields) > 0 || a.Files != nil {
		section("Arguments")
	}
	nameWidth := 0
	var arguments [][2]string
	for _, f := range a.Fields {
		arguments = append(arguments, [2]string{labelOf(f), facts(f)})
	}
	if a.Files != nil {
		arguments = append(arguments, [2]string{"file", oneLine(a.Files.Help)})
	}
	for _, argument := range arguments {
		nameWidth = max(nameWidth, width(argument[0]))
	}
	nameWidth = min(nameWidth, w/3)
	for _, argument := range arguments {
		name := t.accent.Render(cut(argument[0], nameWidth))
		lines := wrap(argument[1], w-nameWidth-3)
		for i, line := range lines {
			if i > 0 {
				name = ""
			}
			out = append(out, margin+pad(name, nameWidth)+"   "+line)
		}
	}
	section("Effect")
	for _, fact := range a.Facts {
		out = append(out, margin+t.muted.Render(pad(fact[0], 9))+cut(oneLine(fact[1]), w-9))
	}
	if a.Example != "" {
		section("Example")
		add(a.Example)
	}
	if a.Output != "" {
		section("Answer of the example")
		add(a.Output)
	}
	if len(a.Issues) > 0 {
		section("What is odd about its description")
	}
	for _, issue := range a.Issues {
		add(issue)
	}
	return out
}

// labelOf is the name of a field, with a star where something is required.
func labelOf(f explore.Field) string {
	name := oneLine(strings.Join(append([]string{f.Name}, f.Path...), "."))
	if f.Required {
		name += " *"
	}
	return name
}

// facts is all that helps to fill in a field.
func facts(f explore.Field) string {
	parts := []string{oneLine(f.Type)}
	if len(f.Enum) > 0 {
		parts = append(parts, "one of "+oneLine(strings.Join(f.Enum, ", ")))
	}
	for _, part := range []struct{ word, value string }{{"", f.Limits}, {"default ", f.Default}, {"for example ", f.Example}} {
		if part.value != "" {
			parts = append(parts, part.word+cut(oneLine(part.value), 60))
		}
	}
	text := strings.Join(parts, "; ")
	if f.Description != "" {
		return oneLine(f.Description) + " (" + text + ")"
	}
	return text
}
