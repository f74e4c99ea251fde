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
type Group []Term

// Term is one of them.
type Term struct {
	Text   string
	Weight float64 // 1 for the word itself, less for another word
}

// synonymWeight is what another word of the same meaning is worth: whoever says the very word means it.
const synonymWeight = 0.6

// Query takes a query apart, as a person typed it. Words that tell nothing, such as "the", are left out unless there are
// no others. What has no letter and no digit gives no group at all.
func Query(text string) []Group {
	words := Words(text[:min(len(text), maxQueryBytes)], 4*maxGroups)
	telling := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(idleWords(), word) })
	if len(telling) == 0 {
		telling = words
	}
	var groups []Group
	seen := map[string]bool{}
	for _, word := range telling {
		stem := Stem(word)
		if seen[stem] || len(groups) == maxGroups {
			continue
		}
		seen[stem] = true
		group := Group{{stem, 1}}
		for _, other := range Synonyms(stem) {
			group = append(group, Term{other, synonymWeight})
		}
		groups = append(groups, group)
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
