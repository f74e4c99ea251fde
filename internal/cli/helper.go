package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/site"
)

// helper is a command that a format adds to a site. It gives way to the site's own command of that name, and stays
// reachable as "agentctl site HELPER SITE" (contract, section 1).
type helper struct {
	name    string
	short   string
	calls   bool // whether some of its commands are calls, which policy can be asked about
	offered func(*site.Site) bool
	run     func(ctx context.Context, p *place, args []string) error
	// mount makes the helper as a command, for completion.
	mount func(ctx context.Context, p *place) *cobra.Command
}

// allHelpers are the helpers of every format.
func allHelpers() []*helper {
	return append([]*helper{flowsHelper(), knowledgeHelper()}, odpHelpers()...)
}

// helpers are those that the site at hand has a use for.
func (p *place) helpers() []*helper {
	var offered []*helper
	for _, h := range allHelpers() {
		if h.offered(p.site) {
			offered = append(offered, h)
		}
	}
	return offered
}

func (p *place) offeredHelper(name string) *helper {
	for _, h := range p.helpers() {
		if h.name == name {
			return h
		}
	}
	return nil
}

// description is the document of a format that the site is known to publish.
func (p *place) description(ctx context.Context, format string) (doc *fetch.Document, err error) {
	err = p.conn.timed(ctx, func(ctx context.Context) error {
		doc, err = p.site.Description(ctx, format)
		return err
	})
	if doc == nil && err == nil {
		err = fault.New(fault.Manifest, "format_not_published", "%s does not publish the format %q", p.siteWord, format)
	}
	return doc, err
}

// newSiteHelper makes "agentctl site HELPER SITE", which reaches a helper where the site has a command of its name.
func (r *run) newSiteHelper(h *helper) *cobra.Command {
	return &cobra.Command{
		Use: h.name + " SITE …", Short: h.short + ": the same as agentctl SITE " + h.name,
		DisableFlagParsing: true, // some flags come from the site
		ValidArgsFunction:  r.completeSites,
		RunE: func(cmd *cobra.Command, args []string) error {
			read := readLine(args, cmd.Root().PersistentFlags(), nil)
			if read.bound == 0 {
				if len(args) > 0 && (args[0] == "--help" || args[0] == "-h") {
					return cmd.Help()
				}
				return fault.New(fault.Usage, "invalid_arguments", "SITE is missing").WithHint("%s --help", cmd.CommandPath())
			}
			if err := r.apply(read.flags); err != nil && len(read.unknown) == 0 {
				return err
			}
			r.jsonErrors = r.errorsAsJSON()
			r.siteWord = read.words[0].text
			return r.onSite(cmd.Context(), cmd.Root(), nil, func(ctx context.Context, p *place) error {
				if !h.offered(p.site) {
					return fault.New(fault.Manifest, "not_published", "%s publishes nothing that %q is for", r.siteWord, h.name).
						WithHint("agentctl site show %s", r.siteWord)
				}
				p.helper, p.viaSite = h, true
				return h.run(ctx, p, without(args, read.words[:1]))
			})
		},
	}
}

// siteHelper is the helper of "agentctl site HELPER SITE", if words begin so; else nil.
func siteHelper(words []word) *helper {
	if len(words) < 3 || words[0].text != "site" {
		return nil
	}
	for _, h := range allHelpers() {
		if h.name == words[1].text {
			return h
		}
	}
	return nil
}
