package resource

import "hash/maphash"

// seen remembers the texts that it was shown last: at least the last half of [maxSeen], whatever a stranger sends. It
// keeps hashes with a key of its own, so nobody can choose texts that collide, and a sequence of millions costs no more
// memory than one of maxSeen.
type seen struct {
	key          maphash.Seed
	young, older map[uint64]struct{}
}

// maxSeen is how many texts are remembered at most.
const maxSeen = 1 << 19

func newSeen() *seen {
	return &seen{key: maphash.MakeSeed(), young: map[uint64]struct{}{}}
}

// add reports whether a text is new.
func (s *seen) add(text string) bool {
	hash := maphash.String(s.key, text)
	if _, known := s.young[hash]; known {
		return false
	}
	if _, known := s.older[hash]; known {
		return false
	}
	if len(s.young) == maxSeen/2 {
		s.young, s.older = make(map[uint64]struct{}, maxSeen/2), s.young
	}
	s.young[hash] = struct{}{}
	return true
}
