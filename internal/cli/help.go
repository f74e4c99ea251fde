package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/render"
)

// help explains a built-in command, to a person or a program. Cobra lets it return nothing: [run.execute] looks at what failed.
func (r *run) help(cmd *cobra.Command, _ []string) {
	switch {
	case r.raw() && !cmd.HasParent():
		r.helpFailed = r.describeTool(cmd)
		return
	case r.raw():
		r.helpFailed = r.print(commandSchemaOf(cmd), nil)
		return
	}
	h := r.newHelp()
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	h.paragraph(about)
	h.section("Usage")
	h.line(usageOf(cmd))
	if cmd.HasExample() {
		h.section("Examples")
		h.line(strings.TrimPrefix(cmd.Example, "  "))
	}
	if cmd.HasAvailableSubCommands() {
		title := "Built-in commands"
		if cmd.HasParent() {
			title = "Commands"
		}
		h.section(title)
		var rows [][]string
		for _, c := range cmd.Commands() {
			if described(c) {
				rows = append(rows, []string{c.Name(), c.Short})
			}
		}
		h.rows(rows)
	}
	if local := cmd.LocalNonPersistentFlags(); local.HasAvailableFlags() && cmd.HasParent() {
		h.section("Flags")
		h.rows(flagRows(local))
	}
	if !cmd.HasParent() {
		h.section("Flags, anywhere on the line")
		h.rows(flagRows(cmd.PersistentFlags()))
	}
	h.section("More")
	more := "agentctl help " + strings.Join(topicNames(), ", agentctl help ")
	if cmd.HasParent() {
		more = "agentctl --help lists the flags that work everywhere"
	}
	h.line(more)
	_ = h.write(r.Out)
}

// explain prints the help of an action.
func (a *published) explain(ctx context.Context) error {
	if a.raw() {
		return a.printDescription()
	}
	entries, err := a.site.Children(ctx, a.node)
	if err != nil {
		return err
	}
	for _, e := range entries {
		a.below = append(a.below, []string{e.Word, e.Description})
	}
	return a.showHelp(a.Out)
}

// showHelp explains an action: how to call it, what it takes, what it does.
func (a *published) showHelp(w io.Writer) error {
	h := a.newHelp()
	h.paragraph(render.Clean(a.action.Description))
	h.section("Usage")
	h.line(a.usage())
	if rows := a.paramRows(a.params.Positions(), true); len(rows) > 0 {
		h.section("Arguments")
		h.rows(rows)
	}
	if rows := a.flagHelp(); len(rows) > 0 {
		h.section("Flags")
		h.rows(rows)
	}
	if a.explainSteps != nil {
		h.section("Steps")
		h.rows(a.explainSteps())
	} else {
		h.section("Effect")
		h.rows(a.effectRows())
	}
	if example := a.exampleLine(); example != "" {
		h.section("Example")
		h.line(render.CleanLine(example))
		if out := a.action.Example.Output; out != nil {
			h.line("→ " + shown(string(out)))
		}
	}
	if len(a.action.Issues) > 0 {
		h.section("What is odd about its description")
	}
	for _, issue := range a.action.Issues {
		h.line(render.CleanLine(issue.Code + " " + issue.Pointer + ": " + issue.Message))
	}
	if len(a.below) > 0 {
		h.section("Commands below")
		h.rows(a.below)
	}
	h.section("More")
	h.line("agentctl --help lists the flags that work everywhere, such as --json and --dry-run;")
	h.line("--schema tells all this to a program")
	if a.each != nil {
		h.line("agentctl help batch tells how to call it for each line of a file")
	}
	return h.write(w)
}

// usage is the line "agentctl SITE orders create QTY [flags]".
func (a *published) usage() string {
	words := []string{a.path()}
	positions := a.params.Positions()
	for i, name := range positions {
		param, _ := a.action.Param(name)
		word := strings.ToUpper(render.CleanLine(name))
		if i == len(positions)-1 && a.params.Describe(name).Repeatable {
			word += "…"
		}
		if !param.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	for _, param := range a.action.Params {
		if param.Required && !slices.Contains(positions, param.Name) {
			words = append(words, a.spelling(param.Name)+" "+a.placeholder(param.Name))
		}
	}
	return strings.Join(append(words, "[flags]"), " ")
}

// spelling is how a parameter is given by name.
func (a *published) spelling(name string) string {
	if a.taken[name] {
		return "--arg " + render.CleanLine(name) + "="
	}
	return "--" + render.CleanLine(name)
}

func (a *published) placeholder(name string) string {
	d := a.params.Describe(name)
	if d.Boolean {
		return ""
	}
	return strings.ToUpper(strings.ReplaceAll(d.Type, " ", "-"))
}

// paramRows describes parameters, a row each: name, type, text.
func (a *published) paramRows(names []string, positional bool) [][]string {
	var rows [][]string
	for _, name := range names {
		param, ok := a.action.Param(name)
		if !ok {
			continue
		}
		left := a.spelling(name)
		if positional {
			left = strings.ToUpper(render.CleanLine(name))
		}
		d := a.params.Describe(name)
		rows = append(rows, []string{left, d.Type, describe(param, d, positional)})
	}
	return rows
}

// flagHelp describes everything that is given by flag. Positional parameters are flags as well; they are listed once.
func (a *published) flagHelp() [][]string {
	positions := a.params.Positions()
	var names []string
	for _, param := range a.action.Params {
		if !slices.Contains(positions, param.Name) {
			names = append(names, param.Name)
		}
	}
	rows := a.paramRows(names, false)
	if f := a.action.Files; f != nil {
		rows = append(rows, []string{"--" + fileFlag, "file", filesHelp(f)})
	}
	if a.own != nil {
		for _, row := range flagRows(a.ownInHelp()) {
			rows = append(rows, []string{row[0], "", row[1]})
		}
	}
	return rows
}

// describe is everything about a parameter that helps to fill it in.
func describe(param manifest.Param, d input.Description, positional bool) string {
	text := render.CleanLine(param.Description)
	if text == "" {
		text = render.CleanLine(param.Label)
	}
	var facts []string
	if param.Required && !positional {
		facts = append(facts, "required")
	}
	if len(d.Enum) > 0 {
		facts = append(facts, "one of "+render.CleanLine(strings.Join(d.Enum, ", ")))
	}
	if d.Limits != "" {
		facts = append(facts, render.CleanLine(d.Limits))
	}
	if d.Default != "" {
		facts = append(facts, "default "+render.CleanLine(d.Default))
	}
	if param.Example != nil && !d.Secret {
		facts = append(facts, "for example "+shown(plain(param.Example)))
	}
	if d.Object {
		facts = append(facts, "JSON, @FILE or --"+render.CleanLine(param.Name)+".MEMBER")
	} else if d.Repeatable {
		facts = append(facts, "may repeat")
	}
	if len(facts) == 0 {
		return text
	}
	return strings.TrimSpace(text + " (" + strings.Join(facts, "; ") + ")")
}

func filesHelp(f *manifest.Files) string {
	facts := []string{"may repeat"}
	if !f.Multiple {
		facts = []string{"one"}
	}
	if f.MaxFiles > 0 {
		facts = append(facts, fmt.Sprintf("at most %d", f.MaxFiles))
	}
	if f.Dirs {
		facts = append(facts, "a directory works too")
	}
	if len(f.Whitelist) > 0 {
		facts = append(facts, "only "+render.CleanLine(strings.Join(f.Whitelist, ", ")))
	}
	if len(f.Blacklist) > 0 {
		facts = append(facts, "not "+render.CleanLine(strings.Join(f.Blacklist, ", ")))
	}
	return "a file to send (" + strings.Join(facts, "; ") + ")"
}

func (a *published) effectRows() [][]string {
	effect := string(a.action.Effect)
	if a.facts(&call.Call{Request: &call.Request{Effect: a.action.Effect, Cost: a.action.Cost}}).AsksFirst() {
		effect += ", asks before it is sent"
	}
	rows := [][]string{{"effect", effect}}
	for _, row := range [][]string{{"risk", a.action.Risk}, {"consent", a.action.Consent}} {
		if row[1] != "" {
			rows = append(rows, []string{row[0], render.CleanLine(row[1])})
		}
	}
	if cost := a.action.Cost; cost != nil {
		text := strings.TrimSpace(cost.Mode + " " + cost.Amount + " " + cost.Currency)
		if cost.Field != "" {
			text = strings.TrimSpace("the amount in " + cost.Field + " " + cost.Currency)
		}
		rows = append(rows, []string{"payment", render.CleanLine(text)})
	}
	if a.action.Scope != "" {
		rows = append(rows, []string{"scope", render.CleanLine(a.action.Scope)})
	}
	if a.action.Role != "" {
		rows = append(rows, []string{"role", render.CleanLine(a.action.Role)})
	}
	return append(rows, []string{"request", a.action.Method + " " + render.CleanLine(a.action.Endpoint)})
}

func flagRows(set *pflag.FlagSet) [][]string {
	var rows [][]string
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		left := "--" + f.Name
		if f.Shorthand != "" {
			left = "-" + f.Shorthand + ", " + left
		}
		if name != "" && f.NoOptDefVal == "" {
			left += " " + name
		}
		rows = append(rows, []string{left, usage})
	})
	return rows
}

// helpText puts a help page together.
type helpText struct {
	run *run
	b   strings.Builder
}

func (r *run) newHelp() *helpText { return &helpText{run: r} }

func (h *helpText) paragraph(text string) {
	if text != "" {
		h.b.WriteString(text + "\n")
	}
}

func (h *helpText) section(title string) { h.b.WriteString("\n" + h.run.heading(title) + "\n") }
func (h *helpText) line(text string)     { h.b.WriteString("  " + text + "\n") }

func (h *helpText) rows(rows [][]string) { h.painted(rows, nil) }

func (h *helpText) painted(rows [][]string, paint render.Paint) {
	for _, row := range rows {
		row[0] = "  " + row[0]
	}
	h.b.WriteString(definitions(rows, h.run.columns().Width, paint))
}

func (h *helpText) write(w io.Writer) error {
	_, err := io.WriteString(w, strings.TrimLeft(h.b.String(), "\n"))
	return err
}

// exitStatuses is the help topic about exit statuses, made from the table that decides them.
func (r *run) exitStatuses() error {
	list := exitSchemas()
	return r.print(list, func() error {
		var rows [][]string
		for _, row := range list {
			rows = append(rows, []string{fmt.Sprint(row.Exit), string(row.Kind), row.Meaning})
		}
		h := r.newHelp()
		h.section("Exit statuses")
		h.rows(rows)
		return h.write(r.Out)
	})
}
