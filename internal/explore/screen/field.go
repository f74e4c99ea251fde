package screen

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
)

// field is one entry of a form.
type field struct {
	explore.Field
	files   bool // the files that are sent
	choices []string
	chosen  int // of choices; 0 is nothing
	input   textinput.Model
	touched bool
}

func newField(f explore.Field) *field {
	out := &field{Field: f}
	switch {
	case f.Boolean:
		out.choices = []string{"", "true", "false"}
	case len(f.Enum) > 0 && !f.List:
		out.choices = append([]string{""}, f.Enum...)
	default:
		out.input = textinput.New()
		out.input.Prompt = ""
		if f.Secret {
			out.input.EchoMode = textinput.EchoPassword
			out.input.EchoCharacter = '•'
		}
	}
	return out
}

// newFilesField is for the files that an action takes.
func newFilesField(f *explore.Files) *field {
	out := newField(explore.Field{Name: "file", Type: "file", Description: f.Help, List: f.Multiple})
	out.files = true
	return out
}

func (f *field) choosing() bool { return f.choices != nil }

// text is what is given; "" for nothing.
func (f *field) text() string {
	if f.choosing() {
		return f.choices[f.chosen]
	}
	return f.input.Value()
}

func (f *field) set(text string) {
	if !f.choosing() {
		f.input.SetValue(text)
		return
	}
	if i := slices.Index(f.choices, text); i >= 0 {
		f.chosen = i
	} else { // what the site does not list is for agentctl to refuse
		f.choices, f.chosen = append(f.choices, text), len(f.choices)
	}
}

// values are what is given, each as one value of the command line. A list is typed with commas, or as JSON.
func (f *field) values() []string {
	text := f.text()
	switch {
	case text == "":
		return nil
	case f.List && !strings.HasPrefix(strings.TrimSpace(text), "["):
		var out []string
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
		return out
	}
	return []string{text}
}

// turn chooses another value.
func (f *field) turn(by int) {
	f.chosen = (f.chosen + by + len(f.choices)) % len(f.choices)
	f.touched = true
}

// update takes keys into a text; changed tells whether it is another one now.
func (f *field) update(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	before := f.input.Value()
	f.input, cmd = f.input.Update(msg)
	changed = f.input.Value() != before
	f.touched = f.touched || changed
	return cmd, changed
}

// ghost is shown in an empty field.
func (f *field) ghost() string {
	switch {
	case f.Default != "":
		return oneLine(f.Default) + " by default"
	case f.Example != "":
		return "such as " + oneLine(f.Example)
	}
	return ""
}

// view is the field as it stands in the form.
func (f *field) view(t *theme, w int, focused bool) string {
	if f.choosing() {
		word := f.choices[f.chosen]
		if f.Boolean {
			word = map[string]string{"": "", "true": "yes", "false": "no"}[word]
		}
		shown := oneLine(word)
		if shown == "" {
			shown = t.muted.Render("not given")
			if ghost := f.ghost(); ghost != "" {
				shown = t.muted.Render(ghost)
			}
		}
		if focused {
			return t.accent.Render("‹ ") + shown + t.accent.Render(" ›")
		}
		return "  " + shown
	}
	if !focused {
		switch value := f.input.Value(); {
		case value == "":
			return "  " + t.muted.Render(cut(f.ghost(), w-2))
		case f.Secret:
			return "  " + strings.Repeat("•", min(8, len(value)))
		default:
			return "  " + cut(value, w-2)
		}
	}
	f.input.SetWidth(max(w-4, 1))
	if f.input.Value() == "" {
		f.input.SetWidth(1)
	}
	view := strings.TrimRight(f.input.View(), " ")
	if f.input.Value() == "" {
		view += " " + t.muted.Render(cut(f.ghost(), w-6))
	}
	return t.accent.Render("› ") + view
}
