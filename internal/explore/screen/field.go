package screen

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// field is one entry of a form.
type field struct {
	explore.Field
	files   bool // the files that are sent
	choices []string
	chosen  int // of choices; 0 is nothing
	input   textinput.Model
	held    string // a text that the entry cannot hold, such as one of several lines; "" for none
	touched bool
}

func newField(f explore.Field) *field {
	out := &field{Field: f}
	switch {
	case f.Boolean && !f.Secret:
		out.choices = []string{"", "true", "false"}
	case len(f.Enum) > 0 && !f.List && !f.Secret:
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

// pointer is where problems of the field are.
func (f *field) pointer() string { return jsontree.Pointer(jsontree.Pointer("", f.Name), f.Path...) }

func (f *field) choosing() bool { return f.choices != nil }

// text is what is given; "" for nothing.
func (f *field) text() string {
	if f.choosing() {
		return f.choices[f.chosen]
	}
	return cmp.Or(f.held, f.input.Value())
}

func (f *field) set(text string) {
	if !f.choosing() {
		f.held = ""
		if f.input.SetValue(text); f.input.Value() != text || render.CleanLine(text) != text {
			f.held = text
			f.input.SetValue("")
		}
		return
	}
	if text == "" {
		f.chosen = 0
	} else if i := slices.Index(f.choices, text); i >= 0 {
		f.chosen = i
	} else { // what the site does not list is for agentctl to refuse
		f.choices, f.chosen = append(f.choices, text), len(f.choices)
	}
}

// give sets what was given elsewhere: the last value, or all of a list.
func (f *field) give(values []string) {
	if !f.List {
		last := values[len(values)-1]
		f.set(last)
		if f.choosing() && last == "" { // a value like others, where the schema has it
			f.chosen = 1 + slices.Index(f.choices[1:], "")
		}
		return
	}
	text := strings.Join(values, ", ")
	if !slices.Equal(f.split(text), values) { // a comma in one would make two of it
		if quoted, err := json.Marshal(values); err == nil {
			text = string(quoted)
		}
	}
	f.set(text)
}

// values are what is given, each as one value of the command line. A list is typed with commas, or as JSON.
func (f *field) values() []string {
	if f.choosing() && f.chosen > 0 {
		return []string{f.choices[f.chosen]} // the empty text among them, where that is one
	}
	return f.split(f.text())
}

func (f *field) split(text string) []string {
	var paths []string
	switch {
	case text == "":
		return nil
	case f.List && f.files && json.Unmarshal([]byte(text), &paths) == nil: // no schema reads that, as it does of other lists
		return paths
	case f.List && !f.files && strings.HasPrefix(text, "{") && json.Valid([]byte("["+text+"]")): // the commas are those of JSON
		return []string{"[" + text + "]"}
	case f.List && !strings.HasPrefix(strings.TrimSpace(text), "[") && (f.files || !strings.HasPrefix(text, "@")):
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
	before := f.text()
	if paste, ok := msg.(tea.PasteMsg); ok && (f.held != "" || render.CleanLine(strings.TrimRight(paste.Content, "\r\n")) != strings.TrimRight(paste.Content, "\r\n")) {
		runes, at := []rune(f.text()), f.input.Position()
		if f.held != "" {
			at = len(runes)
		}
		f.set(string(runes[:at]) + strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(paste.Content) + string(runes[at:]))
	} else if f.held == "" {
		f.input, cmd = f.input.Update(msg)
	} else if key, ok := msg.(tea.KeyPressMsg); ok && slices.Contains([]string{"backspace", "delete", "ctrl+u", "ctrl+k"}, key.String()) {
		f.held = "" // as one thing: it is changed in an editor
	}
	changed = f.text() != before
	f.touched = f.touched || changed
	return cmd, changed
}

// editable tells whether an editor may have the text. A secret stays out of files.
func (f *field) editable() bool { return !f.choosing() && !f.files && !f.Secret }

// summary is a text that the entry cannot hold, on one line.
func (f *field) summary() string {
	if f.Secret {
		return strings.Repeat("•", 8)
	}
	return strings.NewReplacer("\n", "⏎", "\t", "⇥").Replace(strings.TrimRight(f.held, "\n"))
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

// nameOf is a choice as it is shown; "" for nothing.
func (f *field) nameOf(i int) string {
	if i > 0 && strings.TrimSpace(f.choices[i]) == "" {
		return strconv.Quote(f.choices[i])
	}
	return oneLine(f.choices[i])
}

// view is the field as it stands in the form.
func (f *field) view(t *theme, w int, focused bool) string {
	if f.choosing() {
		word := f.nameOf(f.chosen)
		if f.Boolean {
			word = cmp.Or(map[string]string{"true": "yes", "false": "no"}[word], word)
		}
		shown := cut(word, w-4)
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
	if f.held != "" {
		mark := "  "
		if focused {
			mark = t.accent.Render("› ")
		}
		return mark + cut(render.CleanLine(f.summary()), w-2)
	}
	if !focused {
		switch value := f.input.Value(); {
		case value == "":
			return "  " + t.muted.Render(cut(f.ghost(), w-2))
		case f.Secret:
			return "  " + strings.Repeat("•", min(8, len(value)))
		default:
			return "  " + cut(start(value, 16*max(w, 0)), w-2)
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
