package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// editedMsg is what came of a field's text in the person's editor.
type editedMsg struct {
	form *form
	at   *field
	text string
	err  error
}

// edit opens a field's text in the person's editor, for what an entry of one line cannot hold.
func (f *form) edit(m *Model, at *field) tea.Cmd {
	before := at.text()
	return m.world.Edit(before, func(after string, err error) tea.Msg {
		if !strings.HasSuffix(before, "\n") {
			after = strings.TrimSuffix(after, "\n") // editors end the last line
		}
		return editedMsg{f, at, after, err}
	})
}

// edited takes over what was edited.
func (f *form) edited(m *Model, msg editedMsg) {
	if msg.err != nil {
		m.status = "The editor failed: " + oneLine(msg.err.Error())
		return
	}
	msg.at.set(msg.text)
	msg.at.touched = true
	f.check(m)
}
