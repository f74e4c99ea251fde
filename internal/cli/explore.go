package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

// listing is a group as one document (contract, section 1).
type listing struct {
	Site        string          `json:"site"`
	Command     []string        `json:"command"`
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Commands    []listedCommand `json:"commands"`
}

type listedCommand struct {
	Command     []string        `json:"command"`
	Description string          `json:"description,omitempty"`
	Group       bool            `json:"group"`
	Action      bool            `json:"action"`
	Effect      manifest.Effect `json:"effect,omitempty"`
	Role        string          `json:"role,omitempty"`
	Payment     string          `json:"payment,omitempty"`
	Helper      bool            `json:"helper,omitempty"`   // a command of agentctl's own, for something that the site publishes
	Unusable    string          `json:"unusable,omitempty"` // why the action cannot be used
}

// explore lists what is below a group. args are what follows its command: flags only.
func (p *place) explore(ctx context.Context, args []string) error {
	set := newFlagSet()
	p.register(set)
	read := readLine(args, set, nil)
	switch {
	case slices.Contains(read.unknown, "--"+schemaFlag):
		return fault.New(fault.Usage, "not_an_action", "%s is a group of commands: its actions have a schema each", p.path()).WithHint("%s --json", p.path())
	case len(read.unknown) > 0:
		return unknownFlags(read, set, p.path())
	case len(read.problems) > 0:
		return invalidArguments(read.problems, p.path())
	case len(read.words) > 0:
		return p.unknown(ctx, read.words[0].text)
	}
	if err := p.apply(read.flags); err != nil {
		return err
	}
	if p.Input != "" || len(p.Args) > 0 {
		return fault.New(fault.Usage, "invalid_arguments", "%s is a group of commands and takes no arguments", p.path()).WithHint("%s", p.path())
	}
	entries, err := p.site.Children(ctx, p.node)
	if err != nil {
		return err
	}
	return p.print(p.document(entries), func() error { return p.list(entries) })
}

func (p *place) document(entries []site.Entry) listing {
	l := listing{
		Site: p.siteWord, Command: append([]string{}, p.node.Command...), Description: p.node.Description,
		Commands: make([]listedCommand, 0, len(entries)),
	}
	if len(p.node.Command) == 0 {
		l.Name = p.site.Overview().Name
	}
	for _, e := range entries {
		l.Commands = append(l.Commands, listedCommand{
			Command:     append(slices.Clone(p.node.Command), e.Word),
			Description: e.Description, Group: e.Group, Action: e.Action, Effect: e.Effect, Role: e.Role, Payment: e.Payment, Unusable: e.Issue,
		})
	}
	for _, h := range p.helpersBelow(entries) {
		l.Commands = append(l.Commands, listedCommand{Command: []string{h.name}, Description: h.short, Group: true, Helper: true})
	}
	return l
}

// helpersBelow are the helpers that belong into the list of a site's commands: none that has to give way to one of them.
func (p *place) helpersBelow(entries []site.Entry) []*helper {
	if len(p.node.Command) > 0 {
		return nil
	}
	return slices.DeleteFunc(p.helpers(), func(h *helper) bool {
		return slices.ContainsFunc(entries, func(e site.Entry) bool { return e.Word == h.name })
	})
}

// list prints a group for people: one line a command, and how to go on.
func (p *place) list(entries []site.Entry) error {
	var b strings.Builder
	title := render.CleanLine(p.node.Description)
	if name := render.CleanLine(p.site.Overview().Name); len(p.node.Command) == 0 && name != "" {
		title = strings.TrimSuffix(name+" – "+title, " – ")
	}
	if title != "" {
		fmt.Fprintf(&b, "%s\n\n", p.heading(title))
	}
	helpers := p.helpersBelow(entries)
	if len(entries)+len(helpers) == 0 {
		b.WriteString("Nothing is published here.\n")
	}
	rows := make([][]string, 0, len(entries))
	var example *site.Entry
	for i, e := range entries {
		name := e.Word
		if e.Group {
			name += " …"
		}
		rows = append(rows, []string{"  " + name, render.CleanLine(e.Description), notes(e)})
		if example == nil || !example.Group && e.Group {
			example = &entries[i]
		}
	}
	for _, h := range helpers {
		rows = append(rows, []string{"  " + h.name + " …", h.short, ""})
	}
	o := p.columns()
	o.Paint = func(row, column int, text string) string {
		if column != 2 || row >= len(entries) {
			return text
		}
		return p.styled(text, effectColor(entries[row].Effect))
	}
	if err := render.Columns(&b, rows, o); err != nil {
		return err
	}
	if example == nil && len(helpers) > 0 {
		fmt.Fprintf(&b, "\nRun %s\n", p.strong(p.path()+" "+helpers[0].name))
	}
	if example != nil {
		fmt.Fprintf(&b, "\nRun %s\n", p.strong(p.path()+" "+example.Word+helpSuffix(example)))
	}
	_, err := p.Out.Write([]byte(b.String()))
	return err
}

func helpSuffix(e *site.Entry) string {
	if e.Action {
		return " --help"
	}
	return ""
}

// notes are what a person wants to know before calling: what it costs, and what it does beyond reading.
func notes(e site.Entry) string {
	switch {
	case e.Issue != "":
		return "cannot be used: " + render.CleanLine(e.Issue)
	case !e.Action:
		return ""
	case e.Payment != "" && e.Effect == manifest.Spend:
		return string(e.Effect) + " (" + render.CleanLine(e.Payment) + ")"
	}
	return string(e.Effect)
}

// effectColor makes what spends and what deletes stand out in a list.
func effectColor(e manifest.Effect) string {
	switch e {
	case manifest.Spend:
		return "\x1b[33m"
	case manifest.Delete:
		return "\x1b[31m"
	case manifest.Write, manifest.Send:
		return "\x1b[32m"
	case manifest.Read:
	}
	return "\x1b[2m"
}

func (r *run) columns() render.ColumnOptions {
	o := render.ColumnOptions{}
	if r.OutTTY {
		o.Width = r.Width
	}
	return o
}

func (r *run) heading(text string) string { return r.styled(text, "\x1b[1m") }
func (r *run) strong(text string) string  { return r.styled(text, "\x1b[36m") }

func (r *run) styled(text, style string) string {
	if !r.Color {
		return text
	}
	return style + text + "\x1b[0m"
}
