package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

// complete answers a shell's request for completions: from the cache only, and for the one branch that is typed. Cobra
// does the talking; this adds the site's commands of that branch to its tree first.
func (r *run) complete(ctx context.Context, args []string) error {
	root := r.newRoot()
	plainUsages(root.PersistentFlags())
	if len(args) > 2 {
		r.addBranch(ctx, root, args[1:len(args)-1])
	} else if len(args) == 2 {
		r.addSites(root)
	}
	return r.execute(ctx, root, args)
}

// completeGlobals offers formats and file names for the flags that take them. What nothing is known about is not
// completed with file names.
func (r *run) completeGlobals(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(render.Formats(), cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"save", "input", "cacert"} {
		_ = root.RegisterFlagCompletionFunc(name, fileNames)
	}
}

func fileNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// completeSites offers the sites that have a name.
func (r *run) completeSites(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	aliases, _ := site.LoadAliases(r.ConfigDir)
	return append(aliases.Names(), site.DemoWord), cobra.ShellCompDirectiveNoFileComp
}

// plainUsages takes the marks of placeholders out of the flags' descriptions.
func plainUsages(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
}

// addSites offers the aliases and the demo beside the built-in commands.
func (r *run) addSites(root *cobra.Command) {
	aliases, _ := site.LoadAliases(r.ConfigDir)
	for _, name := range append(aliases.Names(), site.DemoWord) {
		short := "the demo site"
		if alias, ok := aliases.Get(name); ok {
			short = string(alias.Origin)
		}
		root.AddCommand(&cobra.Command{Use: name, Short: short, Run: func(*cobra.Command, []string) {}})
	}
}

// addBranch mounts the commands, or the flags and values, that may follow words. What is not in the cache is left out.
func (r *run) addBranch(ctx context.Context, root *cobra.Command, words []string) {
	read := readLine(words, root.PersistentFlags(), nil)
	certain := read.words[:read.bound]
	if len(certain) == 0 {
		r.addSites(root)
		return
	}
	helper := siteHelper(certain)
	if helper == nil && isBuiltin(root, certain[0].text) || r.apply(read.flags) != nil {
		return
	}
	r.Offline, r.Refresh, r.Verbose = true, false, false
	if helper != nil {
		r.addHelperBranch(ctx, root, helper, certain[2:])
		return
	}
	r.siteWord = certain[0].text
	_ = r.onSite(ctx, root, texts(certain[1:]), func(ctx context.Context, at *place) error {
		_, err := at.walk(ctx, certain[1:], read.dashed-1)
		if err == nil {
			at.mountBranch(ctx)
		}
		return err
	})
}

// addHelperBranch mounts what may follow "agentctl site HELPER SITE". words begin with the site.
func (r *run) addHelperBranch(ctx context.Context, root *cobra.Command, h *helper, words []word) {
	parent, _, err := root.Find([]string{"site", h.name})
	if err != nil {
		return
	}
	r.siteWord = words[0].text
	_ = r.onSite(ctx, root, texts(words[1:]), func(ctx context.Context, at *place) error {
		if !h.offered(at.site) {
			return nil
		}
		at.helper, at.viaSite = h, true
		cmd := h.mount(ctx, at)
		cmd.Use = r.siteWord
		parent.AddCommand(cmd)
		return nil
	})
}

// mountBranch hangs what is at the place into the tree: an action's flags and values, or a group's commands.
func (p *place) mountBranch(ctx context.Context) {
	if p.helper != nil {
		p.mountHelper(ctx)
		return
	}
	if len(p.node.Command) == 0 {
		site := p.rootOfSite()
		p.mountChildren(ctx, site)
		entries, _ := p.site.Children(ctx, p.node)
		for _, h := range p.helpersBelow(entries) {
			site.AddCommand(&cobra.Command{Use: h.name, Short: h.short, Run: func(*cobra.Command, []string) {}})
		}
		return
	}
	cmd := &cobra.Command{Use: p.node.Command[len(p.node.Command)-1]}
	if p.node.Action != nil {
		if a, err := p.load(ctx, &targetOptions{}); err == nil {
			cmd = a.command()
			plainUsages(cmd.Flags())
			a.completeValues(cmd)
		}
	}
	p.mount(cmd)
	p.mountChildren(ctx, cmd)
}

// rootOfSite is the site itself as a command.
func (p *place) rootOfSite() *cobra.Command {
	cmd := &cobra.Command{Use: p.siteWord}
	p.root.AddCommand(cmd)
	return cmd
}

// mountHelper hangs a helper into the tree, with what may follow it.
func (p *place) mountHelper(ctx context.Context) {
	cmd := p.helper.mount(ctx, p)
	for _, c := range append(cmd.Commands(), cmd) {
		plainUsages(c.Flags())
		plainUsages(c.PersistentFlags())
	}
	p.rootOfSite().AddCommand(cmd)
}

func (p *place) mountChildren(ctx context.Context, parent *cobra.Command) {
	children, _ := p.site.Children(ctx, p.node)
	for _, c := range children {
		parent.AddCommand(&cobra.Command{Use: c.Word, Short: render.CleanLine(c.Description), Run: func(*cobra.Command, []string) {}})
	}
}

// completeValues offers the allowed values of flags and positional arguments.
func (a *published) completeValues(cmd *cobra.Command) {
	for _, param := range a.action.Params {
		d := a.params.Describe(param.Name)
		if a.taken[param.Name] || len(d.Enum) == 0 {
			continue
		}
		_ = cmd.RegisterFlagCompletionFunc(param.Name, cobra.FixedCompletions(cleaned(d.Enum), cobra.ShellCompDirectiveNoFileComp))
	}
	if a.action.Files != nil {
		_ = cmd.RegisterFlagCompletionFunc(fileFlag, fileNames)
	}
	if a.each != nil {
		_ = cmd.RegisterFlagCompletionFunc(eachFlag, fileNames)
	}
	positions := a.params.Positions()
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= len(positions) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []cobra.Completion
		for _, value := range cleaned(a.params.Describe(positions[len(args)]).Enum) {
			if strings.HasPrefix(value, toComplete) {
				out = append(out, value)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func cleaned(values []string) []cobra.Completion {
	out := make([]cobra.Completion, len(values))
	for i, v := range values {
		out[i] = render.CleanLine(v)
	}
	return out
}
