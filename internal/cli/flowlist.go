package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/flow"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/render"
)

// listedFlow is a flow as a list has it.
type listedFlow struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Steps       []string `json:"steps"` // the actions' names
	Unusable    string   `json:"unusable,omitempty"`
}

// listedRun is a run that did not succeed, or not yet.
type listedRun struct {
	Run  string `json:"run"`
	Flow string `json:"flow"`
	Step int    `json:"step"`           // the next one, from 0 as in references
	Done bool   `json:"done,omitempty"` // there is no next one: the run is kept only because its file could not be removed
	When string `json:"changed"`        // RFC 3339
}

// progress is how far a run is, for people.
func (p *place) progress(run *flow.Run) string {
	next := run.Next()
	if next == len(run.Steps) {
		return "all steps are done, " + p.when(run.Changed)
	}
	return fmt.Sprintf("at step %d, %s", next+1, p.when(run.Changed))
}

func (p *place) listFlows(all []manifest.Flow) error {
	listing := struct {
		Site  string       `json:"site"`
		Flows []listedFlow `json:"flows"`
		Runs  []listedRun  `json:"runs"`
	}{p.siteWord, []listedFlow{}, []listedRun{}}
	rows := [][]string{}
	for _, f := range all {
		l := listedFlow{Name: f.Name, Description: f.Description, Steps: []string{}}
		for _, step := range f.Steps {
			l.Steps = append(l.Steps, step.Action)
		}
		note := strings.Join(l.Steps, " → ")
		if f.Issue != nil {
			l.Unusable = f.Issue.Message
			note = "cannot be used: " + f.Issue.Message
		}
		listing.Flows = append(listing.Flows, l)
		rows = append(rows, []string{"  " + render.CleanLine(f.Name), render.CleanLine(f.Description), render.CleanLine(note)})
	}
	runs, err := p.flowStore().List()
	p.warnIf(err)
	runs = slices.DeleteFunc(runs, func(run *flow.Run) bool { return run.Origin != string(p.conn.origin) })
	for _, run := range runs {
		next := run.Next()
		listing.Runs = append(listing.Runs, listedRun{run.ID, run.Flow, next, next == len(run.Steps), run.Changed.Format(time.RFC3339)})
	}
	return p.print(listing, func() error {
		h := p.newHelp()
		h.paragraph(p.heading("Flows of " + p.siteWord))
		h.b.WriteString("\n")
		if err := render.Columns(&h.b, rows, p.columns()); err != nil {
			return err
		}
		if len(runs) > 0 {
			h.section("Not finished")
		}
		for _, run := range runs {
			h.line(render.CleanLine(fmt.Sprintf("%s --resume %s   (%s)", p.pathTo("flows", run.Flow), run.ID, p.progress(run))))
		}
		h.b.WriteString("\nRun " + p.strong(p.pathTo("flows", "NAME")+" --help") + "\n")
		return h.write(p.Out)
	})
}

// mountFlows makes the helper as a command for completion: every flow, with its flags.
func mountFlows(ctx context.Context, p *place) *cobra.Command {
	cmd := &cobra.Command{Use: "flows", Short: p.helper.short, Run: func(*cobra.Command, []string) {}}
	all, _ := p.site.Flows(ctx)
	for i := range all {
		below := &cobra.Command{Use: all[i].Name, Short: render.CleanLine(all[i].Description), Run: func(*cobra.Command, []string) {}}
		if slices.Contains(p.words, all[i].Name) {
			if one, err := p.planFlow(ctx, &all[i]); err == nil {
				below = one.command()
				below.Use, below.Short = all[i].Name, render.CleanLine(all[i].Description)
				one.completeValues(below)
				_ = below.RegisterFlagCompletionFunc("resume", cobra.FixedCompletions(p.runsOf(&all[i]), cobra.ShellCompDirectiveNoFileComp))
			}
		}
		cmd.AddCommand(below)
	}
	return cmd
}

// runsOf are the runs of a flow that can go on, for completion.
func (p *place) runsOf(f *manifest.Flow) (ids []cobra.Completion) {
	runs, _ := p.flowStore().List()
	for _, run := range runs {
		if run.Origin == string(p.conn.origin) && run.Flow == f.Name {
			ids = append(ids, cobra.CompletionWithDesc(run.ID, p.progress(run)))
		}
	}
	return ids
}
