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
rent hire
apartment flat home house
doctor physician
dentist dental teeth tooth toothache
taxi cab ride
parcel package shipment
ship send deliver
movie film cinema
song track music
car vehicle
licence license
book reserve
appointment booking reservation
book schedule plan
cancel end
delete remove unsubscribe
find search
job vacancy position
vacation holiday leave
photo picture
phone mobile
sms text
bill invoice
convert exchange
money dollar euro currency
electricity power
rain weather forecast
learn course lesson tutor
language spanish french german
flower bouquet
train rail
flight fly plane
hotel room
price cost quote
where track status
fix repair
meeting event
move mover
account balance
`
