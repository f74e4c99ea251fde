package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/agentmanifest"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

func publishesManifest(s *site.Site) bool { return s.Offers(agentmanifest.Format) != nil }

// aboutHelper makes of the helper for one format the one for every format that has something to say of its site: that of a
// format that goes before (contract, section 1), else that of AgentManifest (AM-19).
func aboutHelper(before *helper) *helper {
	h := *before
	h.offered = func(s *site.Site) bool { return before.offered(s) || publishesManifest(s) }
	h.run = func(ctx context.Context, p *place, args []string) error {
		if before.offered(p.site) {
			return before.run(ctx, p, args)
		}
		return p.about(ctx, args)
	}
	h.mount = func(ctx context.Context, p *place) *cobra.Command {
		if before.offered(p.site) {
			return before.mount(ctx, p)
		}
		return &cobra.Command{Use: before.name, Short: before.short, Run: func(*cobra.Command, []string) {}}
	}
	return &h
}

// knowledgeHelper makes "agentctl SITE knowledge" (AM-19).
func knowledgeHelper() *helper {
	return &helper{
		name: "knowledge", short: "What the site publishes for reading", offered: publishesManifest,
		run: func(ctx context.Context, p *place, args []string) error { return p.knowledge(ctx, args) },
		mount: func(ctx context.Context, p *place) *cobra.Command {
			cmd := &cobra.Command{Use: "knowledge", Short: p.helper.short, Run: func(*cobra.Command, []string) {}}
			if a, err := p.readAbout(ctx); err == nil {
				for _, k := range a.Knowledge {
					cmd.AddCommand(&cobra.Command{Use: k.ID, Short: render.CleanLine(k.Type), Run: func(*cobra.Command, []string) {}})
				}
			}
			return cmd
		},
	}
}

func (p *place) readAbout(ctx context.Context) (*agentmanifest.About, error) {
	doc, err := p.description(ctx, agentmanifest.Format)
	if err != nil {
		return nil, err
	}
	return agentmanifest.ReadAbout(doc.Body, doc.URL)
}

// helperWords reads what follows a helper that takes at most so many words and no flags of its own. A line that asks for help
// gets it, and is done.
func (p *place) helperWords(args []string, use string, most int) (words []string, done bool, err error) {
	path := p.pathTo(p.helper.name)
	read := readLine(args, p.root.PersistentFlags(), nil)
	switch {
	case len(read.unknown) > 0:
		return nil, false, unknownFlags(read, p.root.PersistentFlags(), path)
	case len(read.problems) > 0:
		return nil, false, invalidArguments(read.problems, path)
	case len(read.words) > most:
		return nil, false, fault.New(fault.Usage, "invalid_arguments", "%q is too much: usage is %s", cutWord(read.words[most].text), path+use).WithHint("%s --help", path)
	}
	if slices.Contains(read.flags, "--help=true") {
		h := p.newHelp()
		h.paragraph(p.helper.short)
		h.section("Usage")
		h.line(path + use)
		return nil, true, h.write(p.Out)
	}
	if err := p.apply(read.flags); err != nil {
		return nil, false, err
	}
	if p.Input != "" || len(p.Args) > 0 || p.DryRun {
		return nil, false, fault.New(fault.Usage, "invalid_flag", "%s only reads: there is nothing for --input, --arg and --dry-run", path)
	}
	return texts(read.words), false, nil
}

// about tells what a manifest says of its site (AM-19).
func (p *place) about(ctx context.Context, args []string) error {
	if _, done, err := p.helperWords(args, "", 0); done || err != nil {
		return err
	}
	a, err := p.readAbout(ctx)
	if err != nil {
		return err
	}
	return p.print(a, func() error { return p.showAbout(a) })
}

func (p *place) showAbout(a *agentmanifest.About) error {
	h := p.newHelp()
	h.paragraph(p.heading(render.CleanLine(a.Name)))
	if a.Mismatch != "" {
		h.paragraph("This manifest speaks for " + render.CleanLine(a.Mismatch) + ", which is not this site: all but reading asks first.")
	}
	h.b.WriteString("\n")
	h.rows(filled([][]string{
		{"id", a.ID},
		{"status", a.Status},
		{"domain", a.Domain},
		{"owner", a.Owner},
		{"contact", a.Contact},
		{"jurisdiction", a.Jurisdiction},
		{"platform", strings.TrimSpace(a.Platform.Type + " " + strings.Join(a.Platform.Stack, ", "))},
		{"integration", a.Platform.IntegrationMode},
		{"for models", strings.Join(a.Context, ", ")},
	}))
	if len(a.Policies) > 0 {
		h.section("Policies")
	}
	var rows [][]string
	for _, policy := range a.Policies {
		rows = append(rows, []string{policy.Name, policy.Text})
	}
	h.rows(cleanedRows(rows))
	if len(a.Knowledge) > 0 {
		h.section("Knowledge")
		h.rows(cleanedRows(knowledgeRows(a)))
	}
	return h.write(p.Out)
}

// filled leaves out rows without a value, and cleans the others.
func filled(rows [][]string) [][]string {
	var out [][]string
	for _, row := range rows {
		if row[1] != "" {
			out = append(out, row)
		}
	}
	return cleanedRows(out)
}

func knowledgeRows(a *agentmanifest.About) (rows [][]string) {
	for _, k := range a.Knowledge {
		about := k.Type
		if k.Refresh != "" {
			about += ", renewed " + k.Refresh
		}
		if k.Refused != "" {
			about += ", cannot be read: " + k.Refused
		}
		rows = append(rows, []string{k.ID, about + "  → " + k.Source})
	}
	return rows
}

// knowledge lists the public sources of a site, or prints one of them.
func (p *place) knowledge(ctx context.Context, args []string) error {
	words, done, err := p.helperWords(args, " [ID]", 1)
	if done || err != nil {
		return err
	}
	a, err := p.readAbout(ctx)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return p.readKnowledge(ctx, a, words[0])
	}
	return p.print(append([]agentmanifest.Knowledge{}, a.Knowledge...), func() error {
		if len(a.Knowledge) == 0 {
			return p.say("%s names no sources", p.siteWord)
		}
		h := p.newHelp()
		h.rows(cleanedRows(knowledgeRows(a)))
		return h.write(p.Out)
	})
}

// readKnowledge prints a source. It is public, so it is asked for without a credential, wherever it is (AM-4).
func (p *place) readKnowledge(ctx context.Context, a *agentmanifest.About, id string) error {
	k, ok := a.Source(id)
	if !ok {
		known := make([]string, len(a.Knowledge))
		for i := range a.Knowledge {
			known[i] = a.Knowledge[i].ID
		}
		e := fault.New(fault.Usage, "unknown_source", "%s names no source %q", p.siteWord, cutWord(id)).WithHint("%s", p.pathTo("knowledge"))
		if near := nearest(id, known); len(near) > 0 {
			e.Message += "; did you mean " + orList(near) + "?"
		}
		return e
	}
	if k.Refused != "" {
		return fault.New(fault.Manifest, "address_refused", "the source %q cannot be read: %s", cutWord(id), k.Refused)
	}
	output, err := p.output()
	if err != nil {
		return err
	}
	var doc *fetch.Document
	if err := p.conn.timed(ctx, func(ctx context.Context) (err error) {
		doc, err = p.conn.client.Get(ctx, fetch.Ask{URL: k.URL, Lifetime: fetch.DefaultLifetime, StaleWillDo: true})
		return err
	}); err != nil {
		return err
	}
	if doc.Status >= 300 {
		e := fault.New(fault.OfStatus(doc.Status), "source_unavailable", "%s answered %d", k.URL, doc.Status)
		e.Status = doc.Status
		return e
	}
	return p.showBody(ctx, doc.ContentType, doc.Body, output)
}
