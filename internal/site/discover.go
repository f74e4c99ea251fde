package site

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

// How long a format is not looked for again.
const (
	absentUsually = time.Hour   // where something else is in its place
	troubleFor    = time.Minute // after a failure that may pass
)

// patience is how long the other formats may take once one has been found: a slow one must not hold up the site.
const patience = 5 * time.Second

// probe is the outcome of asking for one format.
type probe struct {
	at  int // of the dialect
	doc *fetch.Document
	err error
}

// discover asks for every format side by side, and compiles what was found unless what was compiled before still holds.
func (s *Site) discover(ctx context.Context, known *tree) error {
	all := dialects()
	sources := make([]Source, len(all))
	bodies := make([][]byte, len(all))
	results := make(chan probe, len(all))
	probing, giveUp := context.WithCancel(ctx)
	defer giveUp()
	waiting := 0
	var turn sync.Mutex
	for i, d := range all {
		sources[i] = Source{Format: d.format, URL: string(s.Origin) + d.path}
		if s.finder.stillAbsent(known, &sources[i]) {
			continue
		}
		waiting++
		go func() {
			if s.finder.Serial {
				turn.Lock()
				defer turn.Unlock()
			}
			doc, err := s.finder.Client.Get(probing, d.ask(s.Origin))
			results <- probe{i, doc, err}
		}()
	}
	var late *time.Timer
	for ; waiting > 0; waiting-- {
		p := <-results
		if p.err != nil && probing.Err() != nil && ctx.Err() == nil {
			p.err = fault.New(fault.Unavailable, "too_slow", "%s did not answer within %s of what the site publishes elsewhere", sources[p.at].URL, s.finder.patience())
		}
		s.note(&sources[p.at], p, all[p.at].accept)
		if p.err == nil {
			bodies[p.at] = p.doc.Body
		}
		if late == nil && sources[p.at].Usable() {
			late = time.AfterFunc(s.finder.patience(), giveUp)
			defer late.Stop()
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.settle(sources, bodies, known)
}

// stillAbsent reports whether a format is known not to be there, so that asking again can wait. It takes over what is known.
func (f *Finder) stillAbsent(known *tree, source *Source) bool {
	if known == nil || f.Refresh {
		return false
	}
	for _, old := range known.header.Sources {
		if old.Format == source.Format && old.Sum == "" && (f.Offline || f.Now().Before(old.Until)) {
			*source = old
			return true
		}
	}
	return false
}

// note records the outcome of a probe.
func (s *Site) note(source *Source, p probe, accept string) {
	now := s.finder.Now()
	if p.err != nil {
		source.fail(p.err)
		source.Until = now.Add(troubleFor)
		return
	}
	source.Document = *p.doc
	if why := published(p.doc, s.Origin, accept); why != nil {
		source.fail(why)
		source.Until = absentUntil(p.doc, now)
		if why.Kind == fault.Unavailable {
			source.Until = now.Add(troubleFor)
		}
		return
	}
	source.Sum = p.doc.Sum
}

func absentUntil(doc *fetch.Document, now time.Time) time.Time {
	if until := doc.AbsentUntil(); !until.IsZero() {
		return until
	}
	return now.Add(absentUsually)
}

// settle makes the tree of what was found: what was compiled before, where it was made of the same documents, or a new one.
func (s *Site) settle(sources []Source, bodies [][]byte, known *tree) error {
	if known != nil && sameDocuments(known.header.Sources, sources) {
		return s.keepKnown(sources, known)
	}
	sites := make([]*manifest.Site, len(sources))
	for i, d := range dialects() {
		source := &sources[i]
		if source.Sum == "" {
			continue
		}
		m, err := d.parse(bodies[i], s.Origin)
		if err != nil {
			e := *fault.From(err)
			e.Message = source.URL + ": " + e.Error()
			source.fail(&e)
			continue
		}
		sites[i] = m
	}
	if err := nothingUsable(sources); err != nil {
		return err
	}
	compiled, err := compileTree(sources, sites)
	if err != nil {
		return err
	}
	s.manifests = sites
	s.keep(compiled, sources)
	t, err := openTree(bytes.NewReader(compiled))
	if err != nil {
		return err
	}
	t.header.Sources = sources // they know where their documents came from
	s.use(t, nil)
	return nil
}

// sameDocuments reports whether a tree was made of the documents of these sources, and nothing else.
func sameDocuments(old, now []Source) bool {
	if len(old) != len(now) {
		return false
	}
	for i := range old {
		if old[i].Format != now[i].Format || old[i].Sum != now[i].Sum {
			return false
		}
	}
	return true
}

// keepKnown goes on with a tree that still holds, and notes what was learnt of formats that are not there.
func (s *Site) keepKnown(sources []Source, known *tree) error {
	changed := false
	for i, old := range known.header.Sources {
		now := &sources[i]
		if now.Sum == "" {
			changed = changed || !now.Until.Equal(old.Until)
			old.Until, old.Trouble, old.failure = now.Until, now.Trouble, now.failure
		}
		old.Document = now.Document
		*now = old
	}
	if changed {
		if again, err := known.withSources(sources); err == nil {
			s.keep(again, sources)
		}
	}
	known.header.Sources = sources
	s.use(known, s.file)
	return nothingUsable(sources)
}

// nothingUsable returns the reason why there is nothing to go by: that of the first format that is there, or broken, and
// else of the first one that is looked for.
func nothingUsable(sources []Source) error {
	first := &sources[0]
	for i := range sources {
		if sources[i].Usable() {
			return nil
		}
		if first.absent() && !sources[i].absent() {
			first = &sources[i]
		}
	}
	return first.err()
}

func (f *Finder) patience() time.Duration {
	if f.Patience > 0 {
		return f.Patience
	}
	return patience
}
