package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// shownChallenge is a demand that a site has shown: by which protocol, and when last. What it demanded is not kept.
type shownChallenge struct {
	Site     string         `json:"site"` // origin
	Protocol string         `json:"protocol"`
	Step     challenge.Step `json:"step,omitempty"`
	Last     time.Time      `json:"last"`
}

const (
	maxShownChallenges = 500
	maxShownOfSite     = 16 // a site that makes schemes up does not drive others out
	maxShownBytes      = 1 << 20
	shownAgain         = time.Hour // a demand is written down again only then: most calls of an hour write nothing
)

func (r *run) shownPath() string { return filepath.Join(r.StateDir, "challenges.json") }

// shownChallenges are all that were shown, the latest last. A damaged file holds none: it is a memory, not a record.
func (r *run) shownChallenges() []shownChallenge {
	text, err := atomicfile.Read(r.shownPath(), maxShownBytes)
	if err != nil {
		return nil
	}
	var list []shownChallenge
	if strictjson.Decode(text, &list) != nil {
		return nil
	}
	return list
}

// showed remembers what a site demanded, for doctor. It never fails a call.
func (r *run) showed(origin string, seen []challenge.Seen) {
	list := r.shownChallenges()
	now, changed := r.Now().UTC().Truncate(time.Second), false
	for _, s := range seen {
		protocol := fault.Word(s.Protocol)
		i := slices.IndexFunc(list, func(c shownChallenge) bool { return c.Site == origin && c.Protocol == protocol })
		switch {
		case i >= 0 && now.Sub(list[i].Last) < shownAgain && !list[i].Last.After(now):
			continue
		case i >= 0:
			list = slices.Delete(list, i, i+1)
		}
		list, changed = append(list, shownChallenge{origin, protocol, s.Step, now}), true
	}
	if !changed {
		return
	}
	for i, kept := len(list)-1, 0; i >= 0; i-- {
		if list[i].Site != origin {
			continue
		}
		if kept++; kept > maxShownOfSite {
			list = slices.Delete(list, i, i+1)
		}
	}
	if len(list) > maxShownChallenges {
		list = list[len(list)-maxShownChallenges:]
	}
	if text, err := json.Marshal(list); err == nil {
		_ = atomicfile.WriteCache(r.shownPath(), text)
	}
}

// examineChallenges tells what a site has demanded so far.
func (r *run) examineChallenges(c *checkup, origin string) {
	found := false
	for _, s := range r.shownChallenges() {
		if s.Site != origin {
			continue
		}
		found = true
		message := "the site asked for it " + r.when(s.Last)
		if s.Step != "" {
			message += " (" + string(s.Step) + ")"
		}
		c.ok("challenge "+s.Protocol, message)
	}
	if !found {
		c.ok("challenges", "the site has shown none so far")
	}
}
