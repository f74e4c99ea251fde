package sqlite

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/terms"
)

// document is a candidate with all that its rank rests on.
type document struct {
	index.Hit
	id     int64
	action actionText
	about  string // the site's description
}

// The ranking is BM25F: the fields of an action are weighed and made comparable in length before a word is saturated. Its
// figures were found with internal/relevance.
const (
	saturation   = 2.0  // how soon having a word more strongly tells no more
	lengthShare  = 0.5  // how much a long field takes away from each of its words
	idleShare    = 0.1  // what an idle word is worth, of any other that is as rare
	coverageBase = 0.6  // what an action is worth that has next to none of the words, of one that has all
	sameSite     = 0.95 // what each further action of the same site is worth: the next site may suit better
)

// field is a part of an action's text.
type field struct {
	weight  float64
	typical float64 // terms
	terms   func(d *document) []string
}

func fields() []field {
	return []field{
		{3, 3, func(d *document) []string { return d.action.commandTerms() }},
		{1.5, 9, func(d *document) []string { return d.action.descriptionTerms() }},
		{0.3, 5, func(d *document) []string { return d.action.paramTerms() }},
		{0.8, 12, func(d *document) []string { return siteText{d.Origin, d.Site, d.about}.list() }},
	}
}

// rank orders the candidates, best first.
func rank(documents []document, words []word, total int) []index.Hit {
	r := ranker{words: words, fields: fields()}
	for _, w := range words {
		weight := rarity(w.docs, total)
		if w.Idle {
			weight *= idleShare
		}
		r.weights, r.all = append(r.weights, weight), r.all+weight
	}
	for i := range documents {
		documents[i].Score = r.score(&documents[i])
	}
	// A letter that is younger than SQLite's tables is no letter there, and matches everything.
	documents = slices.DeleteFunc(documents, func(d document) bool { return d.Score == 0 })
	slices.SortStableFunc(documents, better)
	return spread(documents)
}

// better orders by score; what is equally good has an order, too, so that one question has one answer.
func better(a, b document) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Origin, b.Origin), cmp.Compare(a.id, b.id))
}

// rarity is what a word tells that so many of all actions have (IDF). It is never less than nothing.
func rarity(docs, total int) float64 {
	n := float64(docs)
	return math.Log(1 + max(float64(total)-n+0.5, 0.5)/(n+0.5))
}

// ranker scores documents for one query.
type ranker struct {
	words   []word
	weights []float64 // of each word
	all     float64   // their sum
	fields  []field
}

func (r *ranker) score(d *document) float64 {
	strength := make([]float64, len(r.words)) // of each word in the document
	for _, f := range r.fields {
		have := f.terms(d)
		length := 1 - lengthShare + lengthShare*float64(len(have))/f.typical
		for i, w := range r.words {
			strength[i] += f.weight * presence(w.Group, have) / length
		}
	}
	score, covered := 0.0, 0.0
	for i, s := range strength {
		score += r.weights[i] * s / (s + saturation)
		if s > 0 {
			covered += r.weights[i]
		}
	}
	return score * (coverageBase + (1-coverageBase)*covered/r.all)
}

// presence is how well terms say a word. Saying it often does not say it better: that is how one would cheat.
func presence(group terms.Group, have []string) float64 {
	best := 0.0
	for _, term := range group.Terms {
		if term.Weight > best && slices.Contains(have, term.Text) {
			best = term.Weight
		}
	}
	return best
}

// spread takes a little from each further action of a site that is there already, and orders again.
func spread(documents []document) []index.Hit {
	factor := map[string]float64{}
	for i := range documents {
		d := &documents[i]
		if factor[d.Origin] == 0 {
			factor[d.Origin] = 1
		}
		d.Score *= factor[d.Origin]
		factor[d.Origin] *= sameSite
	}
	slices.SortStableFunc(documents, better)
	hits := make([]index.Hit, len(documents))
	for i := range documents {
		hits[i] = documents[i].Hit
	}
	return hits
}
