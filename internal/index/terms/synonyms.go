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
apartment flat home house
taxi cab ride
parcel package shipment box
shipping postage freight
movie film cinema
song track music
vacation holiday leave off
convert exchange
rain weather forecast
learn course lesson tutor
language spanish french german
flower bouquet
move mover
find search look
delete remove unsubscribe
where track status
owe overdue unpaid
release version
broken repair fix
leak burst
refill renew repeat
pet cat dog puppy animal
medicine prescription
party celebrate wedding
schedule create plan
directions route way
see appointment visit
`
