package cli

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxSuggestions is how many near misses an error names.
const maxSuggestions = 3

// nearest returns the candidates that a mistyped word most likely stands for, best first.
func nearest(typed string, candidates []string) []string {
	type match struct {
		name     string
		distance int
	}
	var found []match
	key := strings.ToLower(typed)
	if len(key) > 64 {
		return nil
	}
	for _, name := range candidates {
		lower := strings.ToLower(name)
		distance := levenshtein.ComputeDistance(key, lower)
		switch {
		case len(key) >= 2 && strings.HasPrefix(lower, key), len(lower) >= 3 && strings.HasPrefix(key, lower):
			distance = min(distance, 1)
		case distance > (len(key)+2)/3:
			continue
		}
		found = append(found, match{name, distance})
	}
	slices.SortStableFunc(found, func(a, b match) int { return a.distance - b.distance })
	var names []string
	for _, m := range found[:min(len(found), maxSuggestions)] {
		names = append(names, m.name)
	}
	return names
}

// maxShownWord is how much of a typed word an error repeats, in bytes.
const maxShownWord = 80

// cutWord shortens what was typed for an error message.
func cutWord(word string) string {
	if len(word) <= maxShownWord {
		return word
	}
	return strings.ToValidUTF8(word[:maxShownWord], "") + "…"
}

// orList joins names as people say it: "a, b or c".
func orList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
