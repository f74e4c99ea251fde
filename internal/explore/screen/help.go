package screen

import tea "charm.land/bubbletea/v2"

// help tells the keys of the view below it.
type help struct {
	of   view
	text scroll
}

func newHelp(of view) *help { return &help{of: of} }

func (h *help) title() string { return "keys" }

func (h *help) keys() []binding { return []binding{{"esc", "back"}} }

func (h *help) update(m *Model, msg tea.Msg) (tea.Cmd, bool) {
	if key, ok := msg.(tea.KeyPressMsg); ok && (key.String() == "?" || key.String() == "f1") {
		return m.pop(), true
	}
	return h.text.update(m, msg)
}

func (h *help) body(m *Model, w, height int) []string {
	t := m.theme
	var lines []string
	section := func(title string, list []binding) {
		lines = append(lines, "  "+t.bold.Render(title))
		for _, b := range list {
			lines = append(lines, "  "+t.key.Render(pad(b.key, 12))+t.muted.Render(b.does))
		}
	}
	section("Here", h.of.keys())
	lines = append(lines, "")
	section("In lists and texts", []binding{
		{"↑ ↓ j k", "a line"},
		{"pgup pgdown", "a screen"},
		{"home end", "the beginning, the end"},
		{"← →", "sideways; in JSON: fold, unfold"},
		{"/", "search; n and N go on"},
		{"the mouse", "click to open, wheel to scroll"},
	})
	lines = append(lines, "")
	section("In forms", []binding{
		{"tab", "the next field"}, {"← →", "choose a value"}, {"ctrl+o", "pick a file"}, {"ctrl+e", "fill in the examples"}, {"ctrl+s", "preview the request"},
	})
	lines = append(lines, "")
	section("Everywhere", []binding{
		{"ctrl+r, h", "the calls of this session"}, {"?, f1", "these keys"}, {"esc, q", "back, and out"}, {"ctrl+c", "leave at once"},
	})
	h.text.lines = lines
	return h.text.body(t, w, height)
}
