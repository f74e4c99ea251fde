package site

import (
	"bytes"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// settle makes the tree of what was found: what was compiled before, where it was made of the same documents, or a new one.
func (s *Site) settle(found []finding, known *tree) error {
	sources := make([]Source, len(found))
	for i := range found {
		sources[i] = found[i].Source
	}
	if known != nil && sameDocuments(known.header.Sources, sources) {
		return s.keepKnown(sources, known)
	}
	sites := make([]*manifest.Site, len(sources))
	for i, d := range s.finder.dialects() {
		source := &sources[i]
		if source.Sum == "" {
			continue
		}
		m, err := d.parse(found[i].doc, s.Origin)
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
