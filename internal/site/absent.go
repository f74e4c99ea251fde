package site

import (
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// How long a format is not looked for again.
const (
	absentUsually = time.Hour   // where something else is in its place
	troubleFor    = time.Minute // after a failure that may pass
)

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

func absentUntil(doc *fetch.Document, now time.Time) time.Time {
	if until := doc.AbsentUntil(); !until.IsZero() {
		return until
	}
	return now.Add(absentUsually)
}

// leave notes that a format was not looked for, since there is something better.
func (s *Source) leave() {
	s.fail(fault.New(fault.Manifest, codeNotPublished, "nothing was looked for at %s", s.URL))
}

// documentOf is where a format was found before, or "".
func documentOf(known *tree, format string) string {
	if known == nil {
		return ""
	}
	for i := range known.header.Sources {
		if source := &known.header.Sources[i]; source.Format == format && source.Sum != "" {
			return source.URL
		}
	}
	return ""
}

func hadDocument(known *tree, format string) bool { return documentOf(known, format) != "" }
