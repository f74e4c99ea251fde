package index

import (
	"slices"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/manifest"
)

// What is kept of a site at most. Texts are cut at a character; actions and parameters beyond the limit are left out.
const (
	MaxActions      = 100_000 // of a site
	MaxDescription  = 1 << 10 // bytes, of a site and of an action
	MaxName         = 256     // bytes, of a site, a cost, a scope and a parameter
	MaxParams       = 64      // of an action
	MaxCommandWords = 16      // longer ones cannot be typed anyway
	maxFormats      = 16
	maxOrigin       = 512 // bytes; a host name has at most 253
)

// Bounded returns the site with everything cut to the limits. An action that would not be itself any more, because its
// command is too long, is left out. The result shares nothing that it changes with s.
func (s Site) Bounded() Site {
	s.Name, s.Description = cut(s.Name, MaxName), cut(s.Description, MaxDescription)
	s.Sum = cut(s.Sum, MaxName)
	s.Formats = cutAll(s.Formats, maxFormats)
	actions := make([]Action, 0, min(len(s.Actions), MaxActions))
	for _, a := range s.Actions {
		if len(actions) == MaxActions {
			break
		}
		if typable(a.Command) {
			actions = append(actions, a.bounded())
		}
	}
	s.Actions = actions
	return s
}

func (a Action) bounded() Action {
	a.Format, a.Description = cut(a.Format, MaxName), cut(a.Description, MaxDescription)
	a.Effect = manifest.Effect(cut(string(a.Effect), MaxName))
	a.Cost, a.Scope = cut(a.Cost, MaxName), cut(a.Scope, MaxName)
	a.Params = cutAll(a.Params, MaxParams)
	return a
}

// typable tells whether a command can be given on a command line: the index prints it there.
func typable(command []string) bool {
	return len(command) > 0 && len(command) <= MaxCommandWords &&
		!slices.ContainsFunc(command, func(word string) bool { return !manifest.ValidSegment(word) })
}

// ValidOrigin tells whether a text may be the key of a site: what names none is never kept.
func ValidOrigin(origin string) bool {
	return origin != "" && len(origin) <= maxOrigin && utf8.ValidString(origin)
}

func cutAll(texts []string, most int) []string {
	var kept []string
	for _, text := range texts[:min(len(texts), most)] {
		kept = append(kept, cut(text, MaxName))
	}
	return kept
}

// cut shortens text to at most limit bytes of valid UTF-8.
func cut(text string, limit int) string {
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // each bad byte becomes U+FFFD
	}
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
