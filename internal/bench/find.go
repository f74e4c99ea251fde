package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/agentctl/agentctl/internal/index/remote"
	"github.com/agentctl/agentctl/internal/index/sample"
)

// The index that is searched, and the site that is added to it.
const (
	indexedSites   = 10_000
	indexedActions = 10 // of each
	addedActions   = 50
)

// find measures "agentctl find" over many sites, agentctl-index and all, and what it takes to add another site. What people
// search for are words that many actions have, and words that few have.
func (b *bench) find(ctx context.Context, t *table) error {
	known := remote.New(b.agentctl+"-index", filepath.Join(b.dir, "find", "STATE", "index"), func(string) {})
	for i := range indexedSites {
		if err := known.Put(ctx, sample.Site(i, indexedActions)); err != nil {
			return err
		}
	}
	if err := known.Close(); err != nil { // it is started again below
		return err
	}
	for _, words := range []string{"create order", "list all orders of a customer account"} {
		var walls []time.Duration
		var most int64
		for range b.rounds {
			spent, _, err := b.ctl("find", "find", words, "--json").once(ctx)
			if err != nil {
				return err
			}
			walls, most = append(walls, spent.wall), max(most, spent.rss)
		}
		what := fmt.Sprintf("find %q among %d actions", words, indexedSites*indexedActions)
		t.limit(what, median(walls), 100*time.Millisecond)
		t.memory(what+", peak memory", most, 60)
	}
	defer known.Close() //nolint:errcheck // its directory is about to be removed
	var walls []time.Duration
	for i := range b.rounds {
		start := time.Now()
		if err := known.Put(ctx, sample.Site(indexedSites+i, addedActions)); err != nil {
			return err
		}
		walls = append(walls, time.Since(start))
	}
	t.limit(fmt.Sprintf("adding a site of %d actions to them", addedActions), median(walls), 20*time.Millisecond)
	return nil
}
