package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/site"
)

// helper is a command that a format adds to a site. It gives way to the site's own command of that name, and stays
// reachable as "agentctl site HELPER SITE" (contract, section 1).
type helper struct {
	name    string
	short   string
	offered func(*site.Site) bool
	run     func(ctx context.Context, p *place, args []string) error
	// mount makes the helper as a command, for completion.
	mount func(ctx context.Context, p *place) *cobra.Command
}

// allHelpers are the helpers of every format.
func allHelpers() []*helper {
	return []*helper{flowsHelper()}
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
