package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/remote"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

// newIndex makes "agentctl index": the sites that "agentctl find" searches. program is agentctl-index.
func (r *run) newIndex(program string) *cobra.Command {
	with := func(use func(ctx context.Context, known *remote.Client) error) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, _ []string) error {
			known := r.openIndex(program)
			defer known.Close() //nolint:errcheck // what was asked for has been answered
			return use(cmd.Context(), known)
		}
	}
	list := &cobra.Command{Use: "list", Short: "List the sites in the index", Args: takes(), RunE: with(r.indexList)}
	stats := &cobra.Command{Use: "stats", Short: "Tell how large the index is, and how old", Args: takes(), RunE: with(r.indexStats)}
	rebuild := &cobra.Command{
		Use:   "rebuild",
		Short: "Make the index anew from what can be read of it",
		Args:  takes(),
		RunE:  with(r.indexRebuild),
	}
	remove := &cobra.Command{
		ValidArgsFunction: r.completeSites,

		Use:   "remove SITE",
		Short: "Forget what a site publishes",
		Args:  takes("SITE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return with(func(ctx context.Context, known *remote.Client) error {
				return r.indexRemove(ctx, cmd.Root(), known, args[0])
			})(cmd, nil)
		},
	}
	return group(&cobra.Command{Use: "index", Short: "The sites whose actions can be found"},
		r.newIndexAdd(program), list, remove, r.newIndexRefresh(program), stats, rebuild)
}

// indexedSite is one line of "agentctl index list --json".
type indexedSite struct {
	Site     string    `json:"site"` // as one would type it
	Origin   string    `json:"origin"`
	Name     string    `json:"name,omitempty"`
	Formats  []string  `json:"formats"`
	Actions  int       `json:"actions"`
	Unusable int       `json:"unusable"`
	Seen     time.Time `json:"seen"`
}

func (r *run) indexList(ctx context.Context, known *remote.Client) error {
	aliases, err := site.LoadAliases(r.ConfigDir)
	if err != nil {
		return err
	}
	sites, err := known.Sites(ctx)
	if err != nil {
		return err
	}
	list := make([]indexedSite, len(sites))
	rows := make([][]string, len(sites))
	for i, s := range sites {
		origin, _, _ := strings.Cut(s.Origin, "#")
		word := cmp.Or(siteWord(s.Origin, aliases), s.Origin)
		list[i] = indexedSite{word, origin, s.Name, append([]string{}, s.Formats...), s.Actions, s.Unusable, s.Seen}
		rows[i] = []string{list[i].Site, s.Name, counted(s.Actions, "action"), strings.Join(s.Formats, ", "), r.when(s.Seen)}
	}
	return r.print(list, func() error {
		if len(rows) == 0 {
			return r.say("the index is empty; agentctl index add SITE… makes sites known")
		}
		return render.Columns(r.Out, rows, r.columns())
	})
}

func (r *run) indexRemove(ctx context.Context, root *cobra.Command, known *remote.Client, word string) error {
	origin, aliases, err := r.resolve(word, root)
	if err != nil {
		return err
	}
	ok, err := known.Remove(ctx, site.KeyOf(origin, aliasOf(aliases, word).Described))
	switch {
	case err != nil:
		return err
	case !ok:
		return fault.New(fault.Usage, "not_indexed", "%s is not in the index", cutWord(word)).WithHint("agentctl index list")
	}
	return r.say("%s is forgotten", cutWord(word))
}

func (r *run) indexStats(ctx context.Context, known *remote.Client) error {
	s, err := known.Stats(ctx)
	if err != nil {
		return err
	}
	return r.print(s, func() error { return r.showStats(s) })
}

func (r *run) showStats(s index.Stats) error {
	rows := [][]string{
		{"sites", strconv.Itoa(s.Sites)},
		{"actions", strconv.Itoa(s.Actions)},
		{"cannot be used", strconv.Itoa(s.Unusable)},
		{"size", fmt.Sprintf("%.1f MiB", float64(s.Bytes)/(1<<20))},
		{"kept in", s.Where},
	}
	if s.Sites > 0 {
		rows = append(rows, []string{"asked longest ago", r.when(s.Oldest)}, []string{"asked last", r.when(s.Newest)})
	}
	return render.Columns(r.Out, rows, r.columns())
}

func (r *run) indexRebuild(ctx context.Context, known *remote.Client) error {
	made, err := known.Rebuild(ctx)
	if err != nil {
		return err
	}
	if made.Lost == nil {
		made.Lost = []string{}
	}
	return r.print(made, func() error { return r.tellRebuilt(made) })
}

func (r *run) tellRebuilt(made remote.Rebuilt) error {
	if err := r.say("%s holds %s with %s", made.Where, counted(made.Sites, "site"), counted(made.Actions, "action")); err != nil {
		return err
	}
	if made.Problem != "" {
		if err := r.say("not all of the old index could be read: %s", render.CleanLine(made.Problem)); err != nil {
			return err
		}
	}
	for _, origin := range made.Lost {
		if err := r.say("lost: %s", render.CleanLine(origin)); err != nil {
			return err
		}
	}
	if made.Problem != "" || len(made.Lost) > 0 {
		return r.say("agentctl index add SITE… brings sites back")
	}
	return nil
}
