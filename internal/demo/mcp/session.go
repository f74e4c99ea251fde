package mcp

import (
	"crypto/rand"
	"slices"
	"sync"
)

// maxSessions is how many sessions are open at once; the oldest ends first. Its client is told so, and can begin another.
const maxSessions = 64

// sessions are the identifiers of those that are open, oldest first. The zero value has none.
type sessions struct {
	mu   sync.Mutex
	open []string
}

func (s *sessions) begin() string {
	id := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) >= maxSessions {
		s.open = slices.Delete(s.open, 0, len(s.open)-maxSessions+1)
	}
	s.open = append(s.open, id)
	return id
}

func (s *sessions) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.open, id)
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(each string) bool { return each == id })
}
