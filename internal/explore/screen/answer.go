package screen

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/render/htmlpage"
	"github.com/agentctl/agentctl/internal/render/markdown"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// tab is one way of looking at an answer.
type tab interface {
	name() string
	update(m *Model, msg tea.Msg) (tea.Cmd, bool)
	body(m *Model, w, h int) []string
	takesText() bool
	place() string                // in the whole; "" where all of it is in sight
	plain(m *Model, w int) string // for the clipboard
}

// answer is what came of a call.
type answer struct {
	past  *past
	tabs  []tab
	at    int
	above int     // lines above the view
	save  *prompt // where to save it; nil while nobody asks
}

func newAnswer(m *Model, h *past) *answer {
	a := &answer{past: h}
	r := h.reply
	if r.Failure != nil {
		a.tabs = []tab{&textTab{label: "error", text: failureText(r.Failure), bad: true}}
		return a
	}
	result := r.Result
	kind, _, _ := mime.ParseMediaType(result.ContentType)
	if result.Summary != "" {
		a.tabs = append(a.tabs, &textTab{label: "text", markdown: []byte(result.Summary)})
	}
	switch {
	case result.Binary:
		a.tabs = append(a.tabs, &textTab{label: "answer", text: fmt.Sprintf("%d bytes of %s. s saves them to a file.", result.Bytes, result.ContentType)})
	case len(result.Body) == 0:
		a.tabs = append(a.tabs, &textTab{label: "answer", text: "The site answered with success, and nothing to show."})
	case strictjson.Check(result.Body) == nil:
		a.tabs = append(a.tabs, newTree(result.Body))
		if result.Table != "" {
			a.tabs = append(a.tabs, &textTab{label: "table", text: result.Table, whole: true})
		}
	case kind == "text/markdown":
		a.tabs = append(a.tabs, &textTab{label: "text", markdown: result.Body}, &textTab{label: "source", text: render.Clean(string(result.Body))})
	case kind == "text/html":
		if source, err := htmlpage.Markdown(result.Body); err == nil {
			a.tabs = append(a.tabs, &textTab{label: "page", markdown: source})
		}
		a.tabs = append(a.tabs, &textTab{label: "source", text: render.Clean(string(result.Body))})
	default:
		a.tabs = append(a.tabs, &textTab{label: "answer", text: render.Clean(string(result.Body))})
	}
	if shown := int64(len(result.Body)); !result.Binary && shown < result.Bytes {
		m.status = fmt.Sprintf("The first %d of %d bytes are shown; s saves them all.", shown, result.Bytes)
	}
	return a
}

func (a *answer) title() string { return "answer" }

func (a *answer) place() string { return a.tabs[a.at].place() }

func (a *answer) takesText() bool { return a.save != nil || a.tabs[a.at].takesText() }

func (a *answer) keys() []binding {
	if a.save != nil {
		return []binding{{"enter", "save"}, {"esc", "do not save"}}
	}
	list := []binding{{"↑↓", "scroll"}, {"/", "search"}, {"s", "save"}, {"c", "copy"}}
	if len(a.tabs) > 1 {
		list = append([]binding{{"tab", "other view"}}, list...)
	}
	if _, ok := a.tabs[a.at].(*tree); ok {
		list = append(list[:len(list)-1:len(list)-1], binding{"←→", "fold"})
	}
	return list
}

func (a *answer) update(m *Model, msg tea.Msg) (tea.Cmd, bool) {
	if a.save != nil {
		if a.save.update(msg) {
			a.save = nil
		}
		return nil, true
	}
	if click, ok := msg.(tea.MouseClickMsg); ok && click.Y == m.bodyTop() && len(a.tabs) > 1 {
		at := 2
		for i, t := range a.tabs {
			if at += width(t.name()) + 3; click.X < at {
				a.at = i
				break
			}
		}
		return nil, true
	}
	if key, ok := msg.(tea.KeyPressMsg); ok && !a.tabs[a.at].takesText() {
		switch key.String() {
		case "tab":
			a.at = (a.at + 1) % len(a.tabs)
			return nil, true
		case "shift+tab":
			a.at = (a.at + len(a.tabs) - 1) % len(a.tabs)
			return nil, true
		case "c":
			m.status = "Copied what is shown."
			return tea.SetClipboard(a.tabs[a.at].plain(m, m.width)), true
		case "s":
			if a.past.reply.Result == nil {
				return nil, true
			}
			a.save = &prompt{ask: "Save to", done: func(path string) {
				m.request(explore.Request{Op: explore.Save, Earlier: a.past.id, Text: path}, func(r explore.Reply) tea.Cmd {
					if r.Failure != nil {
						m.status = oneLine(r.Failure.Message)
					} else {
						m.status = "Saved to " + oneLine(r.Saved)
					}
					return nil
				})
			}}
			return nil, true
		}
	}
	if click, ok := msg.(tea.MouseClickMsg); ok {
		click.Y -= m.bodyTop() + a.above // a view counts its own lines
		msg = click
	}
	return a.tabs[a.at].update(m, msg)
}

func (a *answer) body(m *Model, w, h int) []string {
	t := m.theme
	lines := []string{a.head(t, w)}
	if m.roomy() {
		lines = append(lines, "")
	}
	for _, note := range first(a.past.reply.Notes, 3) {
		lines = append(lines, "  "+t.muted.Render(cut(oneLine(note), w-4)))
	}
	below := ""
	if a.save != nil {
		below = a.save.line(t)
		h--
	}
	a.above = len(lines)
	lines = append(lines, a.tabs[a.at].body(m, w, max(h-len(lines), 1))...)
	if below != "" {
		for len(lines) < h {
			lines = append(lines, "")
		}
		lines = append(lines, "  "+below)
	}
	return lines
}

// head names the views, and tells on the right how the call went.
func (a *answer) head(t *theme, w int) string {
	names := make([]string, len(a.tabs))
	for i, each := range a.tabs {
		names[i] = t.muted.Render(each.name())
		if i == a.at {
			names[i] = t.title.Underline(true).Render(each.name())
		}
	}
	head := "  " + strings.Join(names, "   ")
	var facts []string
	if r := a.past.reply.Result; r != nil && r.Status != 0 {
		facts = append(facts, strings.TrimSpace(fmt.Sprint(r.Status)+" "+http.StatusText(r.Status)), render.ByteSize(r.Bytes))
	}
	facts = append(facts, a.past.took.Round(time.Millisecond).String())
	text := strings.Join(facts, " · ")
	if width(head)+3+width(text) > w-2 {
		return head
	}
	return pad(head, w-2-width(text)) + t.muted.Render(text)
}

// textTab is text, or markdown that is styled for the width of the screen.
type textTab struct {
	label    string
	text     string
	markdown []byte
	bad      bool
	whole    bool // lines stay whole, as those of a table do
	scroll   scroll
	width    int
	dark     bool
}

func (x *textTab) name() string    { return x.label }
func (x *textTab) takesText() bool { return x.scroll.find.typing }
func (x *textTab) place() string   { return x.scroll.place() }

func (x *textTab) update(m *Model, msg tea.Msg) (tea.Cmd, bool) { return x.scroll.update(m, msg) }

func (x *textTab) plain(m *Model, w int) string {
	if x.markdown != nil {
		return render.Clean(string(x.markdown))
	}
	return x.text
}

func (x *textTab) body(m *Model, w, h int) []string {
	if x.width != w || x.dark != m.theme.dark {
		x.width, x.dark = w, m.theme.dark
		x.scroll.set(x.lines(m, w))
		if x.whole {
			x.scroll.head = 1
		}
	}
	return x.scroll.body(m.theme, w, h)
}

func (x *textTab) lines(m *Model, w int) (out []string) {
	if x.markdown != nil {
		o := markdown.Options{Width: w - 4, Depth: markdown.Color256}
		if !m.hello.Color {
			o.Depth = markdown.NoColor
		}
		if !m.theme.dark {
			o.Background = markdown.Light
		}
		styled, _ := markdown.Render(x.markdown, o) // with an error it comes as it is
		for line := range bytes.SplitSeq(bytes.TrimRight(styled, "\n"), []byte("\n")) {
			out = append(out, "  "+string(line))
		}
		return out
	}
	for line := range strings.SplitSeq(strings.TrimRight(x.text, "\n"), "\n") {
		line = strings.ReplaceAll(line, "\t", "    ")
		if x.whole || line == "" {
			out = append(out, "  "+line)
			continue
		}
		for _, part := range wrap(line, w-4) {
			if x.bad {
				part = m.theme.bad.Render(part)
			}
			out = append(out, "  "+part)
		}
	}
	return out
}

// prompt asks for a line of text.
type prompt struct {
	ask, typed string
	done       func(string)
}

// update takes a key; true means that the prompt is over.
func (p *prompt) update(msg tea.Msg) (over bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		p.typed += oneLine(msg.Content)
	case tea.KeyPressMsg:
		switch msg.String() {
		case "esc":
			return true
		case "enter":
			if p.typed != "" {
				p.done(p.typed)
			}
			return true
		case "backspace":
			p.typed = chop(p.typed)
		default:
			p.typed += msg.Text
		}
	}
	return false
}

func (p *prompt) line(t *theme) string {
	return t.accent.Render(p.ask+": ") + p.typed + t.accent.Render("█")
}
