// Package sample makes up sites to measure an index with: some words are in a large part of all actions, most in few, as
// it is in what real sites publish.
package sample

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/manifest"
)

const vocabulary = 8_000 // words that are not common

// Site returns the site of a number, always the same one, with so many actions.
func Site(number, actions int) index.Site {
	r := rand.New(rand.NewPCG(uint64(number), 1)) //nolint:gosec // not for secrets; numbers are not negative
	w := writer{r}
	s := index.Site{
		Origin: fmt.Sprintf("https://%s%d.example", w.rare(), number), Name: w.rare() + " " + w.rare(), Description: w.sentence(12),
		Formats: []string{"agent-actions"}, Sum: fmt.Sprint("sum", number), Seen: time.UnixMilli(int64(number)).UTC(),
	}
	for i := range actions {
		s.Actions = append(s.Actions, w.action(i))
	}
	return s
}

// writer makes up text.
type writer struct{ *rand.Rand }

func (w writer) action(n int) index.Action {
	verb, thing := w.pick(verbs()), w.pick(things())
	a := index.Action{
		Command: []string{verb + "_" + thing + fmt.Sprint("_", n)}, Format: "agent-actions",
		Description: verb + " the " + thing + " " + w.sentence(9), Effect: manifest.Read,
	}
	if w.IntN(3) == 0 {
		a.Effect, a.Cost, a.Scope = manifest.Spend, "4.50 EUR", thing+":write"
	}
	for range 4 {
		a.Params = append(a.Params, w.pick(things())+"_"+w.rare())
	}
	return a
}

func (w writer) sentence(words int) string {
	list := make([]string, words)
	for i := range list {
		if list[i] = w.rare(); w.IntN(4) == 0 {
			list[i] = w.pick(things())
		}
	}
	return strings.Join(list, " ")
}

func (w writer) pick(words []string) string { return words[w.IntN(len(words))] }

// rare returns a word of the vocabulary, the first ones more often than the last.
func (w writer) rare() string {
	n := int(float64(vocabulary) * w.Float64() * w.Float64())
	var b strings.Builder
	for range 3 {
		b.WriteByte("bdfgklmnprstvz"[n%14])
		b.WriteByte("aeiou"[n/14%5])
		n = n/7 + 3
	}
	return b.String()
}

func verbs() []string {
	return strings.Fields("list get create update delete order search send cancel book")
}

func things() []string {
	return strings.Fields(`order item customer account payment address ticket report message file room invoice user product cart
		booking event device document contact project team comment photo price delivery subscription balance card location
		review schedule task note token policy`)
}
