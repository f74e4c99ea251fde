package terms

import (
	"slices"
	"strings"
)

// Limits of a query.
const (
	maxQueryBytes = 4 << 10
	maxGroups     = 24 // words that count
)

// Group is one word of a query: the ways in which an action may say it.
type Group struct {
	Terms []Term
	Idle  bool // it tells next to nothing, such as "the": other words of the query decide
}

// Term is one way to say a word.
type Term struct {
	Text   string
	Weight float64 // 1 for the word itself, less for another word
}

// synonymWeight is what another word of the same meaning is worth: whoever says the very word means it.
const synonymWeight = 0.6

// Query takes a query apart, as a person typed it. Words that tell nothing are idle unless there are no others. What has
// no letter and no digit gives no group at all.
func Query(text string) []Group {
	var groups []Group
	seen, telling := map[string]bool{}, false
	for _, word := range Words(text[:min(len(text), maxQueryBytes)], 4*maxGroups) {
		stem := Stem(word)
		if seen[stem] || len(groups) == maxGroups {
			continue
		}
		seen[stem] = true
		group := Group{[]Term{{stem, 1}}, slices.Contains(idleWords(), word)}
		for _, other := range Synonyms(stem) {
			group.Terms = append(group.Terms, Term{other, synonymWeight})
		}
		groups, telling = append(groups, group), telling || !group.Idle
	}
	for i := range groups {
		groups[i].Idle = groups[i].Idle && telling
	}
	return groups
}

// idleWords are what people type around what they look for.
func idleWords() []string {
	return strings.Fields(`a an the to for of in on at by with from into and or is are be am was it its this that these those
		i im id ill me my mine we us our you your he she they them their there
		how what which who where when do does did can could will would should must may might
		want wants need needs like please some any all one ones something anything let have has had get got give`)
}
