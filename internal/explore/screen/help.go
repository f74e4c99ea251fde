package screen

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

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

// helpWidth is how wide a window has to be for keys in two columns.
const helpWidth = 76

func (h *help) body(m *Model, w, height int) []string {
	section := func(title string, list ...binding) (lines []string) {
		lines = append(lines, m.theme.bold.Render(title))
		for _, b := range list {
			lines = append(lines, m.theme.key.Render(pad(b.key, 12))+m.theme.muted.Render(b.does))
		}
		return append(lines, "")
	}
	left := slices.Concat(section("Here", h.of.keys()...), section("In lists and texts",
		binding{"↑ ↓ j k", "a line"},
		binding{"pgup pgdown", "a screen"},
		binding{"home end", "the beginning, the end"},
		binding{"← →", "sideways; in JSON: unfold"},
		binding{"/", "search; n and N go on"},
		binding{"the mouse", "click opens, wheel scrolls"}))
	right := slices.Concat(section("In forms",
		binding{"tab", "the next field"},
		binding{"← →", "choose a value"},
		binding{"ctrl+o", "pick a file"},
		binding{"ctrl+e", "fill in the examples"},
		binding{"ctrl+x", "edit in your editor"},
		binding{"ctrl+s", "preview the request"}), section("Everywhere",
		binding{"ctrl+r, h", "the calls of this session"},
		binding{"?, f1", "these keys"},
		binding{"esc, q", "back, and out"},
		binding{"ctrl+z", "suspend"},
		binding{"ctrl+c", "leave at once"}))
	var lines []string
	if w < helpWidth {
		for _, line := range slices.Concat(left, right) {
			lines = append(lines, "  "+line)
		}
	} else {
		for i := range max(len(left), len(right)) {
			line := "  "
			if i < len(left) {
				line += left[i]
			}
			if i < len(right) {
				line = pad(line, helpWidth/2+4) + right[i]
			}
			lines = append(lines, line)
		}
	}
	h.text.set(lines)
	return h.text.body(m.theme, w, height)
}
