package cli

import (
	"context"
	"slices"
	"time"

	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/site"
)

// indexable is what the index keeps of an open site: every action of its tree.
func indexable(ctx context.Context, s *site.Site, now time.Time) (index.Site, error) {
	about := s.Overview()
	m := &manifest.Site{Format: about.Format, Name: about.Name, Description: about.Description}
	if err := collect(ctx, s, nil, m); err != nil {
		return index.Site{}, err
	}
	return index.FromManifests(string(s.Origin), []*manifest.Site{m}, s.Index.Sum, now), nil
}

// collect adds the actions at and below a command.
func collect(ctx context.Context, s *site.Site, command []string, m *manifest.Site) error {
	node, err := s.Find(ctx, command)
	if err != nil || node == nil {
		return err
	}
	if node.Action != nil {
		m.Actions = append(m.Actions, *node.Action)
	}
	if !node.Group {
		return nil
	}
	children, err := s.Children(ctx, node)
	if err != nil {
		return err
	}
	for _, child := range children {
		if err := collect(ctx, s, append(slices.Clone(command), child.Word), m); err != nil {
			return err
		}
	}
	return nil
}
