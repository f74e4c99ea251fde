package terms

import (
	"slices"
	"strings"
)

// Synonyms returns the stems of other words for what a stem means. A group is here because it makes the judged queries of
// internal/relevance better, not because a thesaurus has it.
func Synonyms(stem string) []string {
	var others []string
	for _, line := range synonyms() {
		stems := Of(line, 100)
		if !slices.Contains(stems, stem) {
			continue
		}
		for _, other := range stems {
			if other != stem && !slices.Contains(others, other) {
				others = append(others, other)
			}
		}
	}
	return others
}

func synonyms() []string {
	return strings.Split(strings.TrimSpace(synonymLines), "\n")
}

// synonymLines has a group a line.
const synonymLines = `
buy purchase order checkout
`
