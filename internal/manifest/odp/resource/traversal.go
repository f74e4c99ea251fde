package resource

import (
	"fmt"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// Traversal is the way through the pages of one list or search. It decides; the caller fetches. One goroutine may use it at
// a time.
//
//	for url := first; ; {
//		page := … // fetch and parse
//		for _, item := range page.Items {
//			if t.Keep(item.ID) { … }
//			if t.Full() { … }
//		}
//		if url, err = t.Next(page.Next); err != nil || url == "" { … }
//	}
type Traversal struct {
	Issues []odp.Issue // identities that came again, at most 100 of them

	origin   odp.Origin
	most     int
	items    int
	repeats  int
	complete bool
	ids      *seen
	visited  *seen
}

const maxRepeatIssues = 100

// CodePageLoop is the code of a sequence of pages that leads back to one of them.
const CodePageLoop = "page_loop"

// NewTraversal starts at the absolute URL of the first request; a search by POST has none that could come again: its first
// is "". most is how many items the caller wants, 0 for all (ODP-48).
func NewTraversal(origin odp.Origin, first string, most int) *Traversal {
	t := &Traversal{origin: origin, most: most, ids: newSeen(), visited: newSeen()}
	if first != "" {
		t.visited.add(first)
	}
	return t
}

// Keep reports whether an item goes to the caller: not one that came before (ODP-49), nor one beyond what the caller wants.
func (t *Traversal) Keep(id string) bool {
	if t.Full() {
		return false
	}
	if !t.ids.add(id) {
		t.repeated(id)
		return false
	}
	t.items++
	return true
}

func (t *Traversal) repeated(id string) {
	t.repeats++
	if t.repeats <= maxRepeatIssues {
		t.Issues = append(t.Issues, odp.Issue{Code: "item_repeated", Message: fmt.Sprintf("%q came before in the same sequence", id)})
	}
}

// Items returns how many items were kept.
func (t *Traversal) Items() int { return t.items }

// Repeats returns how many items came again.
func (t *Traversal) Repeats() int { return t.repeats }

// Full reports whether the caller has as many items as it wants: no further page is fetched (ODP-48).
func (t *Traversal) Full() bool { return t.most > 0 && t.items >= t.most }

// Complete reports whether the end of the sequence was reached. A traversal that was cut short is not complete, even where
// nothing may have been missing.
func (t *Traversal) Complete() bool { return t.complete }

// Next returns the absolute URL of the next page, to be fetched with GET (ODP-45), or "" when there is none, or none is
// wanted. next is what the page says. A page that was there before is a fault of kind unavailable: what was kept stays
// valid (ODP-46, ODP-51).
func (t *Traversal) Next(next string) (url string, err error) {
	switch {
	case next == "":
		t.complete = true
		return "", nil
	case t.Full():
		return "", nil
	}
	url = t.origin.Resolve(next)
	if !t.visited.add(url) {
		return "", fault.New(fault.Unavailable, CodePageLoop, "the pages go round in circles: %q came before", next)
	}
	return url, nil
}
