package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

// site explores or calls what a site publishes. certain are the words of the command line that cannot be the value of a
// flag: the site, its command, and perhaps some arguments.
func (r *run) site(ctx context.Context, root *cobra.Command, args []string, certain []word, dashed int) error {
	return r.onSite(ctx, root, texts(certain[1:]), func(ctx context.Context, at *place) error {
		return at.follow(ctx, args, certain, dashed)
	})
}

// onSite opens the site of the command line, at its root. words are those behind it, as far as they are known.
func (r *run) onSite(ctx context.Context, root *cobra.Command, words []string, use func(context.Context, *place) error) error {
	if err := r.checkFormat(); err != nil {
		return err
	}
	origin, aliases, err := r.resolve(r.siteWord, root)
	if err != nil {
		return err
	}
	conn, err := r.connect(ctx, origin, aliasOf(aliases, r.siteWord))
	if err != nil {
		return err
	}
	defer conn.close()
	stop := r.spin("asking " + r.target(string(origin)) + " what it publishes")
	s, err := conn.open(ctx, words)
	stop()
	if err != nil {
		return err
	}
	defer s.Close()
	r.seen(s)
	r.warnOfGaps(s)
	at := &place{run: r, conn: conn, site: s, root: root, words: words}
	conn.finder.Tool = at.tool
	if err := at.selectFormat(); err != nil {
		return err
	}
	if at.node, err = s.Find(ctx, nil); err != nil {
		return err
	}
	return use(ctx, at)
}

// warnOfGaps tells when a format could not be had just now: its commands are missing, and another format's may stand in for
// them.
func (r *run) warnOfGaps(s *site.Site) {
	if r.errorsAsJSON() { // a script wants one line there; "site show" tells it
		return
	}
	for _, source := range s.Sources() {
		if trouble := source.Failure(); trouble != nil && trouble.Kind == fault.Unavailable {
			_ = r.say("warning: %s", render.CleanLine("what "+r.siteWord+" publishes as "+source.Format+" is missing: "+trouble.Message))
		}
	}
}

// follow does what the words behind a site lead to.
func (p *place) follow(ctx context.Context, args []string, certain []word, dashed int) error {
	used, err := p.walk(ctx, certain[1:], dashed-1)
	if err != nil {
		return err
	}
	rest := without(args, certain[:1+used])
	if p.helper != nil && p.checking && !p.helper.calls {
		return fault.New(fault.Usage, "not_an_action", "%s %s is no action: name one of the site's own", p.path(), p.helper.name).WithHint("%s", p.path())
	}
	if p.helper != nil {
		return p.helper.run(ctx, p, rest)
	}
	if p.node.Action == nil && p.checking {
		return fault.New(fault.Usage, "not_an_action", "%s is no action: name one of its commands", p.path()).WithHint("%s", p.path())
	}
	if p.node.Action == nil {
		return p.explore(ctx, rest)
	}
	return p.action(ctx, rest)
}

// aliasOf is what a person keeps of a site under that word; the zero value for a word that is no alias.
func aliasOf(aliases *site.Aliases, word string) site.Alias {
	alias, _ := aliases.Get(word)
	return alias
}

// resolve turns a SITE word into an origin; a word that is none gets suggestions.
func (r *run) resolve(word string, root *cobra.Command) (site.Origin, *site.Aliases, error) {
	aliases, err := site.LoadAliases(r.ConfigDir)
	if err != nil {
		return "", nil, err
	}
	origin, err := site.Resolve(word, aliases)
	if e, ok := err.(*fault.Error); ok && e.Code == "unknown_site" { //nolint:errorlint // made just above
		known := append(aliases.Names(), site.DemoWord)
		for _, c := range root.Commands() {
			known = append(known, c.Name())
		}
		e.Hint = "agentctl --help"
		if near := nearest(word, known); len(near) > 0 {
			e.Message += "; did you mean " + orList(near) + "?"
			e.Hint = "agentctl " + near[0]
		}
	}
	return origin, aliases, err
}

// place is where in a site's tree the command line leads.
type place struct {
	*run
	conn   *connection
	site   *site.Site
	root   *cobra.Command
	node   *site.Node
	helper *helper  // a command that a format adds to the site, if the line leads to one
	words  []string // what is typed behind the site, for completion
	stray  string   // the word behind an action that is a group as well, if it is none of its commands

	viaSite bool // reached as "agentctl site HELPER SITE", since the site may have a command of the helper's name
}

// walk follows words down the tree as far as they name commands, and tells how many it used. What follows the command
// of an action are arguments; what follows a group must be one of its commands. From word number dashed on, which is
// where "--" stood, a word that may be an argument is one.
func (p *place) walk(ctx context.Context, words []word, dashed int) (used int, err error) {
	for i, w := range words {
		if !p.node.Group || p.node.Action != nil && i >= dashed {
			break
		}
		var next *site.Node
		if manifest.ValidSegment(w.text) {
			if next, err = p.site.Find(ctx, append(slices.Clone(p.node.Command), w.text)); err != nil {
				return 0, err
			}
		}
		if next == nil {
			if p.node.Action != nil {
				p.stray = w.text
				break
			}
			if len(p.node.Command) == 0 {
				if p.helper = p.offeredHelper(w.text); p.helper != nil {
					return used + 1, nil
				}
			}
			return 0, p.unknown(ctx, w.text)
		}
		p.node = next
		p.command = next.Command
		used++
	}
	return used, nil
}

// checkFormat refuses a word behind --format that is no format at all, whatever the site publishes.
func (r *run) checkFormat() error {
	known := site.Formats()
	if r.Format == "" || slices.Contains(known, r.Format) {
		return nil
	}
	return fault.New(fault.Usage, "invalid_flag", "--format %q: the formats are %s", cutWord(r.Format), orList(known)).WithHint("agentctl --help")
}

// selectFormat narrows the site down to what --format names.
func (p *place) selectFormat() error {
	if p.Format == "" {
		return nil
	}
	if err := p.site.Select(p.Format); err != nil {
		return fault.From(err).WithHint("agentctl site show %s", p.siteWord)
	}
	return nil
}

func (p *place) unknown(ctx context.Context, typed string) error {
	children, err := p.site.Children(ctx, p.node)
	if err != nil {
		return err
	}
	known := make([]string, len(children))
	for i, c := range children {
		known[i] = c.Word
	}
	if len(p.node.Command) == 0 {
		for _, h := range p.helpers() {
			known = append(known, h.name)
		}
	}
	unknown := unknownCommand(typed, known, p.path())
	if unknown.Hint == p.path() && p.site.Cached() {
		unknown.Hint += " --refresh" // the site may have changed since
	}
	return unknown
}

// path is the command line that leads to the present node: "agentctl popcorn.club orders".
func (p *place) path() string { return p.pathTo(p.node.Command...) }

// pathTo is the command line that leads to a command: that of a helper is the one by which it was reached, and the format
// that the site was narrowed down to stays.
func (p *place) pathTo(command ...string) string {
	words := []string{"agentctl"}
	if p.viaSite && len(command) > 0 {
		words, command = append(words, "site", command[0]), command[1:]
	}
	words = append(words, p.siteWord)
	if p.Format != "" {
		words = append(words, "--format", p.Format)
	}
	words = append(words, command...)
	for i := range words {
		words[i] = shellWord(words[i])
	}
	return strings.Join(words, " ")
}

// unknownFlags is the usage fault for flags that nothing here has.
func unknownFlags(read line, set *pflag.FlagSet, path string) error {
	typed := make([]string, len(read.unknown))
	for i, flag := range read.unknown {
		typed[i] = cutWord(flag)
	}
	e := fault.New(fault.Usage, "unknown_flag", "unknown flag %s", orList(typed)).WithHint("%s --help", path)
	if len(read.words) > read.bound {
		e.Hint = "the flags of a command stand behind all of its words; " + e.Hint
	}
	for _, flag := range typed {
		problem := fault.Problem{Param: strings.TrimPrefix(flag, "--"), Keyword: "unknown", Message: "is not a flag of this command"}
		if near := nearest(strings.TrimLeft(flag, "-"), flagNames(set)); len(near) > 0 {
			for i := range near {
				near[i] = "--" + near[i]
			}
			problem.Message += "; did you mean " + orList(near) + "?"
		}
		e.Problems = append(e.Problems, problem)
	}
	return e
}
