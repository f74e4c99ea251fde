package site

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// patience is how long the other formats may take once one has been found: a slow one must not hold up the site.
const patience = 5 * time.Second

// maxHomePage is the most, in bytes, that is read of a home page for the addresses that it names.
const maxHomePage = 4 << 20

// finding is what looking for one format led to.
type finding struct {
	Source
	doc *fetch.Document // with its body; nil when there is none to read
	at  int             // of the dialect
}

// discover asks for every format side by side, and compiles what was found unless what was compiled before still holds.
// Where there is nothing, what stands in for it is looked for: addresses on the home page, and formats of last resort.
func (s *Site) discover(ctx context.Context, known *tree) error {
	all := s.finder.dialects()
	found := make([]finding, len(all))
	var first, last []int
	for i := range all {
		found[i] = finding{Source: Source{Format: all[i].format, URL: all[i].at(s.Origin, 0)}, at: i}
		switch {
		case s.finder.stillAbsent(known, &found[i].Source):
		case all[i].last && !hadDocument(known, all[i].format):
			found[i].leave()
			last = append(last, i)
		default:
			first = append(first, i)
		}
	}
	s.lookFor(ctx, found, first, known)
	if nothingThere(found) && (len(last) > 0 || s.homePageMayTell(all, found, first)) && ctx.Err() == nil {
		s.lastResort(ctx, found, last)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.settle(found, known)
}

// lookFor asks for formats side by side.
func (s *Site) lookFor(ctx context.Context, found []finding, which []int, known *tree) {
	probing, giveUp := context.WithCancel(ctx)
	defer giveUp()
	all := s.finder.dialects()
	results := make(chan finding, len(which))
	var turn sync.Mutex
	for _, i := range which {
		go func() {
			if s.finder.Serial {
				turn.Lock()
				defer turn.Unlock()
			}
			f := s.probe(probing, &all[i], documentOf(known, all[i].format))
			f.at = i
			results <- f
		}()
	}
	var late *time.Timer
	for range which {
		f := <-results
		if f.doc == nil && f.Trouble != nil && probing.Err() != nil && ctx.Err() == nil {
			f.fail(fault.New(fault.Unavailable, "too_slow", "%s did not answer within %s of what the site publishes elsewhere", f.URL, s.finder.patience()))
		}
		found[f.at] = f
		if late == nil && f.Usable() {
			late = time.AfterFunc(s.finder.patience(), giveUp)
			defer late.Stop()
		}
	}
}

// probe looks for one format: where it was found before, and else at each of its places.
func (s *Site) probe(ctx context.Context, d *dialect, before string) finding {
	if before != "" {
		if f := s.fetchFrom(ctx, d, before); f.Usable() || !f.absent() {
			return f
		}
	}
	places := make([]func() finding, len(d.places))
	for i := range d.places {
		places[i] = func() finding { return s.fetchFrom(ctx, d, d.at(s.Origin, i)) }
		if !s.finder.Serial {
			places[i] = soon(places[i])
		}
	}
	var best finding
	for i, place := range places {
		f := place()
		if f.Usable() {
			return f
		}
		if i == 0 || best.absent() && !f.absent() {
			best = f
		}
	}
	return best
}

// soon begins work at once, and returns what waits for its outcome.
func soon[T any](work func() T) func() T {
	done := make(chan T, 1)
	go func() { done <- work() }()
	return func() T { return <-done }
}

// fetchFrom asks for a document that may be one of the format.
func (s *Site) fetchFrom(ctx context.Context, d *dialect, url string) finding {
	f := finding{Source: Source{Format: d.format, URL: url}}
	now := s.finder.Now()
	doc, err := s.finder.get(ctx, d, url)
	if err != nil {
		f.fail(err)
		f.Until = now.Add(troubleFor)
		return f
	}
	f.Document, f.doc = *doc, doc
	if why := d.published(doc, s.Origin); why != nil {
		f.fail(why)
		f.Until = absentUntil(doc, now)
		if why.Kind == fault.Unavailable {
			f.Until = now.Add(troubleFor)
		}
		return f
	}
	f.Sum = doc.Sum
	return f
}

// nothingThere reports whether a site publishes nothing at the places that come first: not that it cannot be reached.
func nothingThere(found []finding) bool {
	for i := range found {
		if !found[i].absent() {
			return false
		}
	}
	return true
}

// homePageMayTell reports whether a format that was looked for just now may be named by the home page.
func (s *Site) homePageMayTell(all []dialect, found []finding, asked []int) bool {
	for _, i := range asked {
		if all[i].linked != nil && found[i].absent() {
			return true
		}
	}
	return false
}

// lastResort asks for the home page, and for formats that come last, side by side; and then for what the page names.
func (s *Site) lastResort(ctx context.Context, found []finding, last []int) {
	page := func() *fetch.Document { return s.homePage(ctx) }
	if !s.finder.Serial {
		page = soon(page)
	}
	s.lookFor(ctx, found, last, nil)
	home := page()
	if home == nil {
		return
	}
	all := s.finder.dialects()
	for i := range all {
		if all[i].linked == nil || found[i].Usable() {
			continue
		}
		if url := all[i].linked(home); url != "" {
			f := s.fetchFrom(ctx, &all[i], url)
			f.at, found[i] = i, f
		}
	}
}

// homePage returns the home page of a site, or nil when there is none to read.
func (s *Site) homePage(ctx context.Context) *fetch.Document {
	doc, err := s.finder.Client.Get(ctx, fetch.Ask{
		URL: string(s.Origin) + "/", MaxBytes: maxHomePage, Header: http.Header{"Accept": {"text/html"}},
		Lifetime: -1, // its header counts, which no cache keeps
	})
	if err != nil || doc.Status != http.StatusOK {
		return nil
	}
	return doc
}

func (f *Finder) patience() time.Duration {
	if f.Patience > 0 {
		return f.Patience
	}
	return patience
}
