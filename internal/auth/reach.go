package auth

import (
	"context"
	"errors"
)

// Reach tells whether secrets could be kept now where login keeps them: it asks that keyring for something that is not
// there. The fault is the one that a login would end with.
func (s *Store) Reach(ctx context.Context) (Place, error) {
	_, err := s.keyring(s.place).get(ctx, "doctor") // no account has such a name
	if err == nil || errors.Is(err, errNotFound) {
		return s.place, nil
	}
	return s.place, keyringFault(err, "agentctl auth login SITE")
}
