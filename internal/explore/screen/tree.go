package screen

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// tree is a JSON document whose objects and lists can be folded.
type tree struct {
	source []byte
	root   *node
	shown  []*node // those that are not folded away
	at     int
	from   int
	room   int // lines that are in sight
	find   finder
}

// node is one value of a document.
type node struct {
	label  string // the name of a member, or the number of an element
	value  jsontext.Value
	kind   jsontext.Kind
	depth  int
	parent *node
	below  []*node
	read   bool // whether below is filled
	open   bool
}

// openDepth is how deep a document is unfolded at first.
const openDepth = 2

// newTree reads a document that was checked. What is folded is read when it is unfolded.
func newTree(source []byte) *tree {
	x := &tree{source: source, root: &node{value: jsontext.Value(source)}}
	x.root.kind = strictjson.Compact(x.root.value).Kind()
	x.unfold(x.root, openDepth)
	x.lay()
	return x
}

func (x *tree) unfold(n *node, levels int) {
	n.fill()
	n.open = len(n.below) > 0
	if levels > 1 && len(n.below) <= 200 {
		for _, each := range n.below {
			x.unfold(each, levels-1)
		}
	}
}

// fill reads what is directly below.
func (n *node) fill() {
	if n.read {
		return
	}
	n.read = true
	add := func(label string, value jsontext.Value) {
		n.below = append(n.below, &node{label: label, value: value, kind: value.Kind(), depth: n.depth + 1, parent: n})
	}
	switch n.kind {
	case '{':
		for name, value := range strictjson.Members(n.value) {
			add(render.CleanLine(name), value)
		}
	case '[':
		for i, value := range strictjson.Elements(n.value) {
			add(fmt.Sprint(i), value)
		}
	}
}

// lay lists what is not folded away.
func (x *tree) lay() {
	x.shown = x.shown[:0]
	var walk func(n *node)
	walk = func(n *node) {
		x.shown = append(x.shown, n)
		if n.open {
			for _, each := range n.below {
				walk(each)
			}
		}
	}
	walk(x.root)
	x.at = clamp(x.at, 0, len(x.shown)-1)
}

func (x *tree) name() string                 { return "JSON" }
func (x *tree) takesText() bool              { return x.find.typing }
func (x *tree) place() string                { return placeIn(x.at, x.room, len(x.shown)) }
func (x *tree) plain(_ *Model, _ int) string { return render.Clean(string(x.source)) }

// text is a value on one line.
func (n *node) text() string {
	switch {
	case n.kind != '{' && n.kind != '[':
		return cut(render.CleanLine(string(n.value)), 2000)
	case n.open && n.kind == '{':
		return "{"
	case n.open:
		return "["
	}
	n.fill()
	switch {
	case n.kind == '{' && len(n.below) == 0:
		return "{}"
	case len(n.below) == 0:
		return "[]"
	case n.kind == '{':
		return "{ " + counted(len(n.below), "member") + " }"
	}
	return "[ " + counted(len(n.below), "element") + " ]"
}

func (n *node) plainLine() string { return n.label + ": " + n.text() }

func (x *tree) update(m *Model, msg tea.Msg) (tea.Cmd, bool) {
	page := max(m.bodyHeight()-3, 1)
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			x.move(-3)
		} else {
			x.move(3)
		}
	case tea.MouseClickMsg:
		if i := x.from + msg.Y; msg.Y >= 0 && msg.Y < x.room && i < len(x.shown) {
			x.at = i
			x.toggle()
		}
	case tea.PasteMsg:
		if x.find.typing {
			x.find.query += oneLine(msg.Content)
			x.search()
		}
	case tea.KeyPressMsg:
		if done, handled := x.find.pressed(msg); handled {
			if done {
				x.search()
			}
			return nil, true
		}
		n := x.shown[x.at]
		switch msg.String() {
		case "up", "k":
			x.move(-1)
		case "down", "j":
			x.move(1)
		case "pgup", "b":
			x.move(-page)
		case "pgdown":
			x.move(page)
		case "home", "g":
			x.at = 0
		case "end", "G":
			x.at = len(x.shown) - 1
		case "enter", "space":
			x.toggle()
		case "right":
			n.fill()
			n.open = len(n.below) > 0
			x.lay()
		case "left":
			if n.open {
				n.open = false
				x.lay()
			} else if n.parent != nil {
				for i, each := range x.shown {
					if each == n.parent {
						x.at = i
					}
				}
			}
		case "n", "N":
			by := 1
			if msg.String() == "N" {
				by = -1
			}
			if line, ok := x.find.step(by); ok {
				x.at = line
			}
		default:
			return nil, false
		}
	}
	return nil, true
}

// toggle folds or unfolds what is chosen.
func (x *tree) toggle() {
	n := x.shown[x.at]
	n.fill()
	n.open = !n.open && len(n.below) > 0
	x.lay()
}

func (x *tree) move(by int) { x.at = clamp(x.at+by, 0, len(x.shown)-1) }

// maxSearched is how many values a search unfolds.
const maxSearched = 20_000

// search unfolds everything and looks in it.
func (x *tree) search() {
	left := maxSearched
	var open func(n *node)
	open = func(n *node) {
		n.fill()
		n.open = len(n.below) > 0
		for _, each := range n.below {
			if left--; left > 0 {
				open(each)
			}
		}
	}
	open(x.root)
	x.lay()
	lines := make([]string, len(x.shown))
	for i, n := range x.shown {
		lines[i] = n.plainLine()
	}
	x.find.look(lines)
	if line, ok := x.find.step(0); ok {
		x.at = line
	}
}

func (x *tree) body(m *Model, w, h int) []string {
	t := m.theme
	below := x.find.line(t)
	if below != "" {
		h--
	}
	x.room = h
	x.from = clamp(x.from, x.at-h+1, x.at)
	x.from = clamp(x.from, 0, max(len(x.shown)-h, 0))
	var out []string
	for i := x.from; i < min(x.from+h, len(x.shown)); i++ {
		out = append(out, x.line(t, i, w))
	}
	if below != "" {
		for len(out) < h {
			out = append(out, "")
		}
		out = append(out, " "+below)
	}
	return out
}

func (x *tree) line(t *theme, i, w int) string {
	n := x.shown[i]
	mark := "  "
	if i == x.at {
		mark = t.accent.Render("▌") + " "
	}
	fold := "  "
	if n.kind == '{' || n.kind == '[' {
		fold = t.muted.Render("▸ ")
		if n.open {
			fold = t.muted.Render("▾ ")
		}
	}
	line := mark + strings.Repeat("  ", n.depth) + fold
	if n.label != "" {
		line += t.accent.Render(n.label) + t.muted.Render(": ")
	}
	value := cut(n.text(), w-width(line)-1)
	switch n.kind {
	case '{', '[':
		value = t.muted.Render(value)
	case '"':
	default:
		value = t.good.Render(value)
	}
	return line + value
}

// counted is a number of things, in words.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n) + " " + thing
}
