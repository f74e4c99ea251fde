package agentactions

import (
	"iter"

	"github.com/agentctl/agentctl/internal/manifest"
)

// sameName is the message about a name that is there twice.
const sameName = `the name %q is there more than once ("_" and "-" are the same)`

// namesSeen are the names of actions or of flows, and where each stands.
type namesSeen struct {
	names, pointers []string
	count           map[string]int
}

func (n *namesSeen) add(name, pointer string) {
	if n.count == nil {
		n.count = make(map[string]int)
	}
	n.names, n.pointers = append(n.names, name), append(n.pointers, pointer)
	n.count[manifest.Fold(name)]++
}

// repeated yields position and place of every name that is there more than once: nobody knows which one is meant.
func (n *namesSeen) repeated() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, name := range n.names {
			if n.count[manifest.Fold(name)] > 1 && !yield(i, n.pointers[i]) {
				return
			}
		}
	}
}
