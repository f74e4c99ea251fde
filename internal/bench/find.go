package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/agentctl/agentctl/internal/index/remote"
	"github.com/agentctl/agentctl/internal/index/sample"
)

// The index that "find" is measured with.
const (
	indexedSites   = 10_000
	actionsPerSite = 10
	addedActions   = 50 // of the site whose adding is measured
	addedSites     = 31
)

// find measures the index of actions: searches as whole processes, for words that are rare, common and in most actions, and
// the adding of a site.
func (b *bench) find(ctx context.Context, t *table) error {
	added, err := b.fillIndex(ctx)
	if err != nil {
		return err
	}
	for _, words := range []string{"order", "create order", "list all orders of a customer account", sample.Site(7, 1).Name} {
		medians, err := takeTurns(ctx, b.rounds, b.ctl("find", "find", words, "--json"))
		if err != nil {
			return err
		}
		what := fmt.Sprintf("find %q in %d actions of %d sites", words, indexedSites*actionsPerSite, indexedSites)
		t.limit(what, medians[0].wall, 100*time.Millisecond)
		t.memory(what+", peak memory of the larger process", medians[0].rss, 60)
	}
	t.limit(fmt.Sprintf("adding a site of %d actions to them", addedActions), added, 20*time.Millisecond)
	return nil
}

// fillIndex makes the index, and returns what adding one more site takes. It is agentctl-index that fills it: the memory
// for that must not be in this process, see startSites.
func (b *bench) fillIndex(ctx context.Context) (added time.Duration, err error) {
	program := filepath.Join(filepath.Dir(b.agentctl), "agentctl-index")
	known := remote.New(program, filepath.Join(b.dir, "find", "STATE", "index"), func(string) {})
	defer func() { err = errors.Join(err, known.Close()) }()
	for i := range indexedSites {
		if err := known.Put(ctx, sample.Site(i, actionsPerSite)); err != nil {
			return 0, err
		}
	}
	var spent []time.Duration
	for i := range addedSites {
		site := sample.Site(indexedSites+i, addedActions)
		began := time.Now()
		if err := known.Put(ctx, site); err != nil {
			return 0, err
		}
		spent = append(spent, time.Since(began))
	}
	return median(spent), nil
}
