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
	published := s.Published()
	if published == nil { // it was known before: it is in the tree
		for _, source := range s.Sources() {
			if source.Usable() {
				published = append(published, &manifest.Site{Format: source.Format, Name: source.Name, Description: source.Description})
			}
		}
		if err := collect(ctx, s, nil, published); err != nil {
			return index.Site{}, err
		}
	}
	return index.FromManifests(s.Key(), published, s.Sum(), now), nil
}

// collect adds the actions at and below a command, each to what its format publishes.
func collect(ctx context.Context, s *site.Site, command []string, published []*manifest.Site) error {
	node, err := s.Find(ctx, command)
	if err != nil || node == nil {
		return err
	}
	for _, m := range published {
		if node.Action != nil && node.Action.Format == m.Format {
			m.Actions = append(m.Actions, *node.Action)
		}
	}
	if !node.Group {
		return nil
	}
	children, err := s.Children(ctx, node)
	if err != nil {
		return err
	}
	for _, child := range children {
		if err := collect(ctx, s, append(slices.Clone(command), child.Word), published); err != nil {
			return err
		}
	}
	return nil
}
