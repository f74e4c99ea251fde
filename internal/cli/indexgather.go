package cli

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"sync"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index/remote"
	"github.com/agentctl/agentctl/internal/render"
)

// failedSite is a site that could not be asked or kept.
type failedSite struct {
	word  string
	cause *fault.Error
}

// gathered is what became of a list of sites, as one document.
type gathered struct {
	Sites   int          `json:"sites"`   // asked and kept
	Actions int          `json:"actions"` // of them
	Skipped int          `json:"skipped"` // asked recently enough
	Failed  []failedLine `json:"failed"`
}

type failedLine struct {
	Site    string     `json:"site"`
	Kind    fault.Kind `json:"kind"`
	Code    string     `json:"code"`
	Message string     `json:"message"`
}

// gatherer asks many sites at once.
type gatherer struct {
	*run
	known *remote.Client
	bar   *countBar

	mu     sync.Mutex // holds what follows, and the lines on standard error
	result gathered
	failed []failedSite
	stop   error // why no more is asked: the index itself fails
}

// gather asks the sites that are due, so many at once but one request at a time per host, and keeps what each publishes as
// soon as it is known: Ctrl-C loses nothing that was told.
func (r *run) gather(ctx context.Context, known *remote.Client, targets []target, failed []failedSite, workers int) error {
	if workers < 1 || workers > maxWorkers {
		return fault.New(fault.Usage, "invalid_flag", "--concurrency must be from 1 to %d", maxWorkers)
	}
	if _, err := r.settings(ctx); err != nil { // a bad flag is one failure, not one for each site
		return err
	}
	due, skipped, err := r.due(ctx, known, targets)
	if err != nil {
		return err
	}
	g := &gatherer{run: r, known: known, bar: r.newCountBar(len(due)), result: gathered{Skipped: skipped, Failed: []failedLine{}}}
	for _, f := range failed {
		g.fail(f)
	}
	g.askAll(ctx, byHost(due), workers)
	g.bar.end()
	return g.finish(ctx)
}

// byHost groups sites that share a host: they are asked one after the other.
func byHost(targets []target) [][]target {
	var groups [][]target
	at := map[string]int{}
	for _, t := range targets {
		host := string(t.origin)
		if u, err := url.Parse(host); err == nil {
			host = u.Hostname()
		}
		i, ok := at[host]
		if !ok {
			i = len(groups)
			at[host] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

func (g *gatherer) askAll(ctx context.Context, hosts [][]target, workers int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := make(chan []target)
	var wg sync.WaitGroup
	for range min(workers, len(hosts)) {
		wg.Go(func() {
			for host := range next {
				for _, t := range host {
					g.askOne(ctx, t, cancel)
				}
			}
		})
	}
	for _, host := range hosts {
		select {
		case next <- host:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	wg.Wait()
}

// askOne asks a site and keeps what it publishes. When the index fails all the rest is called off.
func (g *gatherer) askOne(ctx context.Context, t target, cancel context.CancelFunc) {
	if ctx.Err() != nil {
		return
	}
	s, err := g.askSite(ctx, t)
	if err == nil {
		if err := g.known.Put(ctx, s); err != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.stop == nil && ctx.Err() == nil {
				g.stop = err
			}
			cancel()
			return
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case ctx.Err() != nil: // called off, which is no failure of this site
	case err != nil:
		g.fail(failedSite{t.word, fault.From(err)})
		g.bar.step(t.word)
	default:
		g.result.Sites++
		g.result.Actions += len(s.Actions)
		g.tell(t.word, counted(len(s.Actions), "action"))
		g.bar.step(t.word)
	}
}

// tell prints what became of a site, unless the bar shows it.
func (g *gatherer) tell(word, what string) {
	if g.bar == nil {
		_ = g.say("%s: %s", render.CleanLine(word), what)
	}
}

func (g *gatherer) fail(f failedSite) {
	g.failed = append(g.failed, f)
	message := render.CleanLine(g.redact(f.cause.Error()))
	g.result.Failed = append(g.result.Failed, failedLine{f.word, f.cause.Kind, f.cause.Code, message})
	g.bar.clear()
	if !g.structured() { // otherwise the document has it
		fmt.Fprintf(g.Err, "failed: %s: %s\n", render.CleanLine(f.word), message)
	}
}

// finish tells the outcome. Several failures end in one error, of their kind if they share it.
func (g *gatherer) finish(ctx context.Context) error {
	if err := g.print(g.result, g.summary); err != nil {
		return err
	}
	switch {
	case g.stop != nil:
		return g.stop
	case ctx.Err() != nil:
		return ctx.Err()
	case len(g.failed) == 0:
		return nil
	case len(g.failed) == 1:
		return fault.From(fmt.Errorf("%s: %w", g.failed[0].word, g.failed[0].cause))
	}
	kind := g.failed[0].cause.Kind
	if slices.ContainsFunc(g.failed, func(f failedSite) bool { return f.cause.Kind != kind }) {
		kind = fault.Internal
	}
	return fault.New(kind, "sites_failed", "%d sites failed", len(g.failed))
}

func (g *gatherer) summary() error {
	text := fmt.Sprintf("%s with %s", counted(g.result.Sites, "site"), counted(g.result.Actions, "action"))
	if g.result.Skipped > 0 {
		text += fmt.Sprintf("; %d asked in the last 24 hours (--refresh asks again)", g.result.Skipped)
	}
	if len(g.failed) > 0 {
		text += fmt.Sprintf("; %d failed", len(g.failed))
	}
	return g.say("%s", text)
}
