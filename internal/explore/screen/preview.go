package screen

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
)

// tooLong takes the place of a command line that no shell would take.
const tooLong = "It would be too long."

// preview shows what would be sent, and sends it.
type preview struct {
	form    *form
	loading int // the request for what is shown
	shown   *explore.Shown
	failure string
	text    scroll
	width   int
	dark    bool
	call    int // the ID of the call that is being made; 0 while none is
	asked   *question
}

func newPreview(m *Model, f *form) *preview {
	p := &preview{form: f}
	p.load(m)
	return p
}

func (p *preview) load(m *Model) {
	p.shown, p.failure, p.width = nil, "", 0
	f := p.form
	p.loading = m.request(explore.Request{Op: explore.Preview, Site: f.action.Site, Command: f.action.Command, Given: f.given(), Raw: f.raw}, func(r explore.Reply) tea.Cmd {
		if r.Failure != nil {
			p.failure = failureText(r.Failure)
			f.problems, f.tried = r.Failure.Problems, true
			return nil
		}
		p.shown = r.Preview
		return nil
	})
}

func (p *preview) waitsFor() int { return p.loading }

func (p *preview) title() string { return "preview" }

func (p *preview) place() string {
	if p.asked != nil {
		return ""
	}
	return p.text.place()
}

func (p *preview) takesText() bool {
	return p.text.find.typing || p.asked != nil && p.asked.takesText()
}

func (p *preview) keys() []binding {
	switch {
	case p.asked != nil:
		return p.asked.keys()
	case p.call != 0:
		return []binding{{"esc", "give up"}}
	}
	return []binding{{"enter", "send"}, {"c", "copy the line"}, {"f", "form of the answer"}, {"esc", "back"}, {"/", "search"}}
}

func (p *preview) update(m *Model, msg tea.Msg) (tea.Cmd, bool) {
	if p.asked != nil {
		return p.asked.update(m, msg)
	}
	key, isKey := msg.(tea.KeyPressMsg)
	if p.call != 0 {
		if isKey && key.String() == "esc" {
			m.tell(explore.Request{ID: p.call, Op: explore.Cancel})
		}
		return nil, true
	}
	if isKey && !p.text.find.typing && p.shown != nil {
		switch key.String() {
		case "enter", "ctrl+s":
			if !m.held { // what is sent was looked at
				p.send(m)
			}
			return nil, true
		case "c":
			if p.shown.Line == "" {
				return nil, true
			}
			m.status = "Copied: " + p.shown.Line
			return tea.SetClipboard(p.shown.Line), true
		case "f":
			p.form.raw = !p.form.raw
			p.load(m)
			return nil, true
		}
	}
	return p.text.update(m, msg)
}

// send makes the call.
func (p *preview) send(m *Model) {
	f := p.form
	h := &past{at: m.world.Now(), action: f.action, line: p.shown.Line}
	asked := time.Duration(0)
	p.call = m.request(explore.Request{Op: explore.Call, Site: f.action.Site, Command: f.action.Command, Given: f.given(), Raw: f.raw, Digest: p.shown.Digest}, func(r explore.Reply) tea.Cmd {
		if !r.Done {
			p.ask(m, r, &asked)
			return nil
		}
		p.call, p.asked = 0, nil
		h.id, h.reply, h.took = r.ID, r, m.world.Now().Sub(h.at)-asked
		m.history = append(m.history, h)
		m.push(newAnswer(m, h))
		return nil
	})
}

// ask shows a question of agentctl's. The time that the person takes is added to took.
func (p *preview) ask(m *Model, r explore.Reply, took *time.Duration) {
	from := m.world.Now()
	p.asked = newQuestion(r.Question, func(answer string) {
		p.asked = nil
		*took += m.world.Now().Sub(from)
		m.tell(explore.Request{ID: r.ID, Op: explore.Answer, Text: answer})
	})
}

func (p *preview) body(m *Model, w, h int) []string {
	t := m.theme
	switch {
	case p.asked != nil:
		return p.asked.body(m, w, h)
	case p.failure != "":
		var lines []string
		for _, line := range wrap(p.failure, w-4) {
			lines = append(lines, "  "+t.bad.Render(line))
		}
		return lines
	case p.shown == nil:
		return []string{"  " + t.muted.Render("Looking …")}
	case p.call != 0:
		return []string{"", "  " + t.accent.Render("Waiting for the answer of "+p.form.action.Site+" …"), "", "  " + t.muted.Render("esc gives it up")}
	}
	if p.width != w || p.dark != t.dark {
		p.width, p.dark = w, t.dark
		p.text.set(p.lines(t, w))
	}
	return p.text.body(t, w, h)
}

func (p *preview) lines(t *theme, w int) []string {
	out := []string{"  " + t.bold.Render("What does the same on the command line")}
	for _, line := range wrap(cmp.Or(p.shown.Line, tooLong), w-4) {
		out = append(out, "  "+t.accent.Render(line))
	}
	out = append(out, "", "  "+t.bold.Render("The request"))
	for line := range strings.SplitSeq(strings.TrimRight(p.shown.Request, "\n"), "\n") {
		for _, part := range wrap(line, w-4) {
			out = append(out, "  "+part)
		}
		if line == "" {
			out = append(out, "")
		}
	}
	form := "for people"
	if p.form.raw {
		form = "for programs (--json)"
	}
	out = append(out, "", "  "+t.muted.Render("The answer is asked for in the form "+form+"; f changes that."))
	return out
}
