package cli

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

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
	eachCommand(root, r.completeFlags)
	args = slices.Concat(args[:1], aboutAnother(args[1:], root.PersistentFlags()))
	if len(args) > 2 {
		r.addBranch(ctx, root, args[1:len(args)-1])
	} else if len(args) == 2 {
		r.addSites(root)
	}
	return r.execute(ctx, root, withTwins(args))
}

// aboutAnother takes the words off a line that is about another one: "help" and "policy check" are followed by what could
// stand there alone. With nothing behind them but the word that is being typed, they complete that themselves.
func aboutAnother(args []string, set *pflag.FlagSet) []string {
	if len(args) == 0 {
		return args
	}
	read := readLine(args[:len(args)-1], set, nil)
	certain := read.words[:read.bound]
	switch {
	case len(certain) > 1 && certain[0].text == "help" && !isTopic(certain[1].text):
		return without(args, certain[:1])
	case len(certain) > 2 && certain[0].text == "policy" && certain[1].text == "check":
		return without(args, certain[:2])
	}
	return args
}

// completeFlags offers what the flags of a command tell of themselves: files and sites.
func (r *run) completeFlags(c *cobra.Command) {
	own := c.LocalNonPersistentFlags()
	own.VisitAll(func(f *pflag.Flag) {
		switch value, _ := pflag.UnquoteUsage(f); value { // what is registered already stays
		case "FILE":
			_ = c.RegisterFlagCompletionFunc(f.Name, fileNames)
		case "SITE":
			_ = c.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return r.completeSites(cmd, nil, typed)
			})
		}
	})
	plainUsages(own)
}

// eachCommand visits a command and all below it.
func eachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		eachCommand(below, visit)
	}
}

// completeGlobals offers formats and file names for the flags that take them. What nothing is known about is not
// completed with file names.
func (r *run) completeGlobals(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(render.Formats(), cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"save", "input", "cacert"} {
		_ = root.RegisterFlagCompletionFunc(name, fileNames)
	}
	_ = root.RegisterFlagCompletionFunc("profile", r.completeProfiles)
	_ = root.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(site.Formats(), cobra.ShellCompDirectiveNoFileComp))
}

// completeProfiles offers the profiles that credentials are kept under, without touching a keyring.
func (r *run) completeProfiles(*cobra.Command, []string, string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	if store, err := r.store(); err == nil {
		entries, _ := store.Entries()
		for _, e := range entries {
			if e.Profile != "" && !slices.Contains(names, e.Profile) {
				names = append(names, e.Profile)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func fileNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// knownSites are the sites that have a name, the demo, and those that were seen: as one would type them, with what they are.
func (r *run) knownSites() [][2]string {
	aliases, _ := site.LoadAliases(r.ConfigDir)
	var list [][2]string
	for _, name := range aliases.Names() {
		alias, _ := aliases.Get(name)
		list = append(list, [2]string{name, string(alias.Origin)})
	}
	list = append(list, [2]string{site.DemoWord, "the demo site"})
	for _, host := range site.Seen(filepath.Join(r.CacheDir, treeCacheDir)) {
		list = append(list, [2]string{host, "seen before"})
	}
	return list
}

// completeSites offers the sites that are known.
func (r *run) completeSites(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for _, s := range r.knownSites() {
		names = append(names, cobra.CompletionWithDesc(s[0], s[1]))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// plainUsages takes the marks of placeholders out of the flags' descriptions.
func plainUsages(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
}

// addSites offers the aliases and the demo beside the built-in commands.
func (r *run) addSites(root *cobra.Command) {
	for _, s := range r.knownSites() {
		if !isBuiltin(root, s[0]) {
			root.AddCommand(&cobra.Command{Use: s[0], Short: s[1], Run: func(*cobra.Command, []string) {}})
		}
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
			at.mountBranch(ctx, words)
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

// mountBranch hangs what is at the place into the tree: an action's flags and values, or a group's commands. words are what
// is typed so far.
func (p *place) mountBranch(ctx context.Context, words []string) {
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
			a.withEach(words)
			cmd = a.command()
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

// completeValues offers the values of flags and positional arguments: those that are allowed, and files where one can be
// given.
func (a *published) completeValues(cmd *cobra.Command) {
	var names []cobra.Completion // behind --arg
	for _, param := range a.action.Params {
		if !a.taken[param.Name] {
			values := func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return a.valuesOf(param.Name, typed)
			}
			_ = cmd.RegisterFlagCompletionFunc(param.Name, values)
			if flag := cmd.Flags().Lookup(param.Name); flag != nil && len(param.Name) == 1 {
				twin := *flag
				twin.Name, twin.Hidden = twinOf(flag.Name), true
				cmd.Flags().AddFlag(&twin)
				_ = cmd.RegisterFlagCompletionFunc(twin.Name, values)
			}
		}
		if insertable(param.Name) {
			names = append(names, cobra.CompletionWithDesc(param.Name+"=", render.CleanLine(param.Description)))
		}
	}
	if flag := cmd.Flags().Lookup("binding"); flag != nil {
		_ = cmd.RegisterFlagCompletionFunc("binding", cobra.FixedCompletions(
			[]cobra.Completion{"http", "openapi", "mcp", "static", "html", "hosted-checkout"}, cobra.ShellCompDirectiveNoFileComp))
	}
	_ = a.root.RegisterFlagCompletionFunc("arg", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	a.completeFlags(cmd)
	positions := a.params.Positions()
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= len(positions) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.valuesOf(positions[len(args)], typed)
	}
}

// twinOf is the name by which values are completed of a flag whose own has one letter: Cobra takes "--q" for "-q" there.
func twinOf(name string) string { return name + "-" }

// withTwins has one-letter flags on a line go by their other name. What is being typed now keeps its own, unless its value is.
func withTwins(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		name, value, given := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if arg == "--" {
			break
		}
		if strings.HasPrefix(arg, "--") && len(name) == 1 && (given || i < len(out)-1) {
			out[i] = "--" + twinOf(name)
			if given {
				out[i] += "=" + value
			}
		}
	}
	return out
}

// valuesOf offers what a parameter may be: one of a few, yes or no, or a file of JSON (contract, section 2).
func (a *published) valuesOf(name, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	d := a.params.Describe(name)
	values := d.Enum
	switch {
	case slices.Contains(a.action.Target.Files, name):
		return nil, cobra.ShellCompDirectiveDefault
	case strings.HasPrefix(typed, "@") && (d.Object || d.Repeatable):
		return filesBehind(typed)
	case len(values) == 0 && d.Boolean:
		values = []string{"true", "false"}
	}
	var out []cobra.Completion
	for _, value := range values {
		if insertable(value) && strings.HasPrefix(value, typed) {
			out = append(out, value)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// filesBehind offers the files that "@" and the beginning of a name can stand for.
func filesBehind(typed string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	dir, base := filepath.Split(typed[1:])
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	directive := cobra.ShellCompDirectiveNoFileComp
	if err != nil {
		return nil, directive
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") || render.CleanLine(name) != name {
			continue
		}
		if e.IsDir() {
			name += string(filepath.Separator)
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		if out = append(out, "@"+dir+name); len(out) == maxOfferedFiles {
			break
		}
	}
	return out, directive
}

const maxOfferedFiles = 500

// insertable accepts a site's word that a shell may put into a command line: one in which nothing has a meaning to any
// shell. A value that is left out can still be typed, with quotes.
func insertable(word string) bool {
	return word != "" && len(word) <= maxShownValue && strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && (r >= 0x80 || !unicode.IsDigit(r) && !strings.ContainsRune("_-.,:/@%+=", r))
	}) < 0
}
