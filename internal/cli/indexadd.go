package cli

import (
	"bufio"
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/remote"
	"github.com/agentctl/agentctl/internal/site"
)

const (
	recently       = 24 * time.Hour // a site that was asked since then is not asked again unless --refresh says so
	defaultWorkers = 8
	maxWorkers     = 64
)

// newIndexAdd makes "agentctl index add".
func (r *run) newIndexAdd(program string) *cobra.Command {
	var from string
	workers := defaultWorkers
	cmd := &cobra.Command{
		ValidArgsFunction: r.completeSites,

		Use:   "add [SITE…]",
		Short: "Ask sites what they publish, and remember it",
		Long: `Ask sites what they publish, and remember it. Each site is asked one thing at a time, several
sites at once. What was asked in the last 24 hours is left out unless --refresh is given, so a
long list that was interrupted goes on where it stopped.`,
		Example: `  agentctl index add popcorn.club shop.example
  agentctl index add --from sites.txt --concurrency 16`,
		RunE: func(cmd *cobra.Command, args []string) error {
			listed, err := r.listedSites(cmd.Context(), from)
			if err != nil {
				return err
			}
			words := append(args, listed...)
			if len(words) == 0 && from != "" {
				return fault.New(fault.Usage, "invalid_flag", "--from: %s names no site", from)
			}
			if len(words) == 0 {
				return fault.New(fault.Usage, "invalid_arguments", "SITE is missing").WithHint("agentctl index add --help")
			}
			known := r.openIndex(program)
			defer known.Close() //nolint:errcheck // what was put has been answered
			targets, failed := r.targets(cmd.Root(), words)
			return r.gather(cmd.Context(), known, targets, failed, workers)
		},
	}
	cmd.Flags().Var((*text)(&from), "from", "take more sites from `FILE`, one a line (- is standard input)")
	workersFlag(cmd, &workers)
	return cmd
}

// indexedWords names all sites in the index as one would type them: an alias carries what is allowed for its site.
func (r *run) indexedWords(ctx context.Context, known *remote.Client) ([]string, error) {
	aliases, err := site.LoadAliases(r.ConfigDir)
	if err != nil {
		return nil, err
	}
	sites, err := known.Sites(ctx)
	words := make([]string, 0, len(sites))
	for _, s := range sites {
		if word := siteWord(s.Origin, aliases); word != "" {
			words = append(words, word)
		}
	}
	return words, err
}

func workersFlag(cmd *cobra.Command, workers *int) {
	cmd.Flags().IntVar(workers, "concurrency", defaultWorkers, "ask `N` sites at once")
}

// newIndexRefresh makes "agentctl index refresh": without sites it is about all of the index.
func (r *run) newIndexRefresh(program string) *cobra.Command {
	workers := defaultWorkers
	cmd := &cobra.Command{
		ValidArgsFunction: r.completeSites,

		Use:   "refresh [SITE…]",
		Short: "Ask the sites in the index again",
		RunE: func(cmd *cobra.Command, words []string) error {
			known := r.openIndex(program)
			defer known.Close() //nolint:errcheck // what was put has been answered
			if len(words) == 0 {
				var err error
				if words, err = r.indexedWords(cmd.Context(), known); err != nil {
					return err
				}
			}
			r.Refresh = !r.Offline
			targets, failed := r.targets(cmd.Root(), words)
			return r.gather(cmd.Context(), known, targets, failed, workers)
		},
	}
	workersFlag(cmd, &workers)
	return cmd
}

// listedSites reads a file with a site a line; what follows a "#" is a comment. A byte order mark, which editors on Windows put
// in front, belongs to none.
func (r *run) listedSites(ctx context.Context, file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	content, err := r.ReadFile(ctx, file)
	if err != nil {
		return nil, fault.New(fault.Usage, "invalid_flag", "--from: %w", err)
	}
	var words []string
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(content, []byte("\ufeff"))))
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if word := strings.TrimSpace(line); word != "" {
			words = append(words, word)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fault.New(fault.Usage, "invalid_flag", "--from: %s: %w", file, err)
	}
	return words, nil
}

// target is a site to ask.
type target struct {
	word   string
	origin site.Origin
	alias  site.Alias
}

func (t target) key() string { return site.KeyOf(t.origin, t.alias.Described) }

// targets turns words into the sites to ask, each once. A word that is no site is a failure among others: a long list
// need not be perfect.
func (r *run) targets(root *cobra.Command, words []string) (list []target, failed []failedSite) {
	seen := map[string]bool{}
	for _, word := range words {
		origin, aliases, err := r.resolve(word, root)
		if err != nil {
			failed = append(failed, failedSite{cutWord(word), fault.From(err)})
			continue
		}
		t := target{word, origin, aliasOf(aliases, word)}
		if key := t.key(); !seen[key] {
			seen[key] = true
			list = append(list, t)
		}
	}
	return list, failed
}

// due leaves out what was asked recently.
func (r *run) due(ctx context.Context, known *remote.Client, targets []target) (due []target, skipped int, err error) {
	if r.Refresh {
		return targets, 0, nil
	}
	sites, err := known.Sites(ctx)
	if err != nil {
		return nil, 0, err
	}
	asked := map[string]time.Time{}
	for _, s := range sites {
		asked[s.Origin] = s.Seen
	}
	for _, t := range targets {
		if at, ok := asked[t.key()]; ok && r.Now().Sub(at) < recently {
			skipped++
			continue
		}
		due = append(due, t)
	}
	return due, skipped, nil
}

// askSite opens a site and makes of it what the index keeps.
func (r *run) askSite(ctx context.Context, t target) (index.Site, error) {
	conn, err := r.connect(ctx, t.origin, t.alias)
	if err != nil {
		return index.Site{}, err
	}
	defer conn.close()
	conn.finder.Serial = true // one request at a time per host
	s, err := conn.open(ctx, nil)
	if err != nil {
		return index.Site{}, err
	}
	defer s.Close()
	return indexable(ctx, s, r.Now())
}
