package cli

import (
	"fmt"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/challenge"
)

// A site that makes up new schemes all the time drives nobody else's demands out of what doctor knows.
func TestShownChallengesOfManySchemes(t *testing.T) {
	r := &run{Env: Env{StateDir: t.TempDir(), Now: time.Now}}
	r.showed("https://quiet.example", []challenge.Seen{{Protocol: "x402", Step: challenge.Payment}})
	for i := range 50 {
		var seen []challenge.Seen
		for j := range 20 {
			seen = append(seen, challenge.Seen{Protocol: fmt.Sprintf("s%d", 20*i+j)})
		}
		r.showed("https://loud.example", seen)
	}
	of := map[string]int{}
	for _, c := range r.shownChallenges() {
		of[c.Site]++
	}
	if of["https://quiet.example"] != 1 || of["https://loud.example"] != maxShownOfSite {
		t.Errorf("%v", of)
	}
}
