package main

import (
	"context"

	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/remote"
	"github.com/agentctl/agentctl/internal/index/sqlite"
)

// rebuild makes the index anew: from what can be read of the old one, and from what calls have left since.
func rebuild(ctx context.Context, dir string, fold func(context.Context, index.Index) ([]string, error)) (*remote.Rebuilt, []string, error) {
	found, err := sqlite.Rebuild(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	defer store.Close() //nolint:errcheck // all that was written has been
	notes, err := fold(ctx, store)
	if err != nil {
		return nil, notes, err
	}
	stats, err := store.Stats(ctx)
	if err != nil {
		return nil, notes, err
	}
	made := &remote.Rebuilt{Where: stats.Where, Sites: stats.Sites, Actions: stats.Actions, Lost: found.Lost}
	if found.Problem != nil {
		made.Problem = found.Problem.Error()
	}
	return made, notes, nil
}
