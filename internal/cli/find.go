package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/demo"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/remote"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

// indexDir is the part of the state directory that the index is in.
const indexDir = "index"

// openIndex reaches the index. program is agentctl-index, which is started when something is asked.
func (r *run) openIndex(program string) *remote.Client {
	known := remote.New(program, filepath.Join(r.StateDir, indexDir), func(note string) {
		_ = r.say("note: %s", render.CleanLine(note))
	})
	known.Limit = r.Timeout
	return known
}

// findOptions are the flags of "agentctl find".
type findOptions struct {
	program, effect, site string
	limit                 int
}

// newFind makes "agentctl find". It asks what is known and never the network.
func (r *run) newFind(program string) *cobra.Command {
	o := findOptions{program: program}
	cmd := &cobra.Command{
		Use:   "find WORDS…",
		Short: "Find actions of all sites seen so far",
		Example: `  agentctl find buy printer paper
  agentctl find "book a table" --effect write --limit 3
  agentctl find refund --site popcorn.club --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.find(cmd.Context(), cmd.Root(), strings.Join(args, " "), o)
		},
	}
	cmd.Flags().StringVar(&o.effect, "effect", "", "only actions that read, write, send, spend or delete (`EFFECT`)")
	cmd.Flags().StringVar(&o.site, "site", "", "only actions of `SITE`")
	cmd.Flags().IntVar(&o.limit, "limit", index.DefaultLimit, fmt.Sprintf("at most `N` actions, 1 to %d", index.MaxLimit))
	_ = cmd.RegisterFlagCompletionFunc("effect", cobra.FixedCompletions(effectNames(), cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
	return cmd
}

func effectNames() []string {
	return []string{string(manifest.Read), string(manifest.Write), string(manifest.Send), string(manifest.Spend), string(manifest.Delete)}
}

// foundAction is one line of "agentctl find --json".
type foundAction struct {
	Site        string          `json:"site"` // as one would type it
	Command     []string        `json:"command"`
	Description string          `json:"description"`
	Effect      manifest.Effect `json:"effect"`
	Cost        string          `json:"cost,omitempty"`
	Scope       string          `json:"scope,omitempty"`
	Format      string          `json:"format,omitempty"`
	Run         string          `json:"run"`
}

func (r *run) find(ctx context.Context, root *cobra.Command, text string, o findOptions) error {
	query, aliases, err := r.query(root, text, o)
	if err != nil {
		return err
	}
	known := r.openIndex(o.program)
	defer known.Close() //nolint:errcheck // what was asked for has been answered
	hits, err := known.Search(ctx, query)
	if err != nil {
		return err
	}
	found := make([]foundAction, 0, len(hits))
	for _, hit := range hits {
		word := siteWord(hit.Origin, aliases)
		if word == "" {
			continue // there is no way to run it any more
		}
		found = append(found, foundAction{
			Site: word, Command: hit.Command, Description: hit.Description, Effect: hit.Effect, Cost: hit.Cost, Scope: hit.Scope, Format: hit.Format,
			Run: strings.Join(append([]string{"agentctl", word}, hit.Command...), " "),
		})
	}
	if len(found) == 0 {
		if err := r.say("nothing found; agentctl index add SITE… makes more sites known"); err != nil {
			return err
		}
	}
	return r.print(found, func() error { return r.showFound(found) })
}

// query checks the command line.
func (r *run) query(root *cobra.Command, text string, o findOptions) (index.Query, *site.Aliases, error) {
	q := index.Query{Text: text, Effect: manifest.Effect(o.effect), Limit: o.limit}
	switch {
	case strings.TrimSpace(text) == "":
		return q, nil, fault.New(fault.Usage, "invalid_arguments", "WORDS are missing").WithHint("agentctl find --help")
	case o.effect != "" && !slices.Contains(effectNames(), o.effect):
		return q, nil, fault.New(fault.Usage, "invalid_flag", "--effect %q: the effects are %s", cutWord(o.effect), orList(effectNames()))
	case o.limit < 1 || o.limit > index.MaxLimit:
		return q, nil, fault.New(fault.Usage, "invalid_flag", "--limit must be from 1 to %d", index.MaxLimit)
	case o.site == "":
		aliases, err := site.LoadAliases(r.ConfigDir)
		return q, aliases, err
	}
	origin, aliases, err := r.resolve(o.site, root)
	q.Origin = site.KeyOf(origin, aliasOf(aliases, o.site).Described)
	return q, aliases, err
}

// siteWord is what one would type for a site of the index: its alias, "demo", its host, or all of its origin where that is
// not the usual one. It is "" for what only an alias led to that is gone.
func siteWord(key string, aliases *site.Aliases) string {
	for _, name := range aliases.Names() {
		if alias, _ := aliases.Get(name); site.KeyOf(alias.Origin, alias.Described) == key {
			return name
		}
	}
	origin, _, described := strings.Cut(key, "#")
	if described {
		return ""
	}
	if origin == string(demo.Origin) {
		return site.DemoWord
	}
	if host, ok := strings.CutPrefix(origin, "https://"); ok {
		return host
	}
	return origin
}

// showFound prints for people: what an action does, and below it the line to run.
func (r *run) showFound(found []foundAction) error {
	var b strings.Builder
	for _, f := range found {
		about := [][]string{{firstNonEmpty(f.Description, strings.Join(f.Command, " ")), effectAndCost(f)}}
		if err := render.Columns(&b, about, r.columns()); err != nil {
			return err
		}
		fmt.Fprintf(&b, "  %s\n", r.strong(render.CleanLine(f.Run)))
	}
	_, err := r.Out.Write([]byte(b.String()))
	return err
}

func firstNonEmpty(a, b string) string {
	if strings.TrimSpace(a) != "" {
		return a
	}
	return b
}

// effectAndCost is what to know before calling: "spend 4.50 EUR, scope orders:write".
func effectAndCost(f foundAction) string {
	text := strings.TrimSpace(string(f.Effect) + " " + f.Cost)
	if f.Scope == "" {
		return text
	}
	return strings.TrimPrefix(text+", scope "+f.Scope, ", ")
}
