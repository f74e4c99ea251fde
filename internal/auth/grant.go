package auth

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// Grant is what is known of a grant without touching a keyring: what its token, a JWT, says of itself (AA-8). Nobody has
// checked it. It holds no secret.
type Grant struct {
	ID        string    `json:"-"`
	Scopes    []string  `json:"scopes,omitempty"` // each once
	Issuer    string    `json:"issuer,omitempty"`
	NotBefore time.Time `json:"not_before,omitzero"`
	Expires   time.Time `json:"expires_at,omitzero"`
	Keyring   Place     `json:"keyring"`
	Added     time.Time `json:"added"`
}

// StoredGrant is an account with one of its grants.
type StoredGrant struct {
	Account
	Grant
}

// grantsByID are the grants of one account.
type grantsByID map[string]Grant

// grants is the file that tells which accounts have which grants.
func (s *Store) grants() document[grantsByID] {
	return document[grantsByID]{filepath.Join(s.ConfigDir, "grants.json"), func(name string, grants grantsByID) bool {
		for id, g := range grants {
			if !ValidGrantID(id) || g.Keyring != System && g.Keyring != File {
				return false
			}
		}
		return strings.Contains(name, "://") && len(grants) > 0
	}}
}

// newGrant reads what a token says of itself. ok is false for one that is no JWT.
func newGrant(token string) (g Grant, ok bool) {
	claims, ok := ReadClaims(token)
	if !ok {
		return Grant{}, false
	}
	g = Grant{ID: grantID(token), Issuer: claims.Issuer, NotBefore: claims.NotBefore, Expires: claims.Expires}
	seen := map[string]bool{"": true}
	for _, scope := range claims.Scopes {
		if !seen[scope] {
			g.Scopes = append(g.Scopes, scope)
		}
		seen[scope] = true
	}
	return g, true
}

// grantIDBytes is how much of a hash an id has: enough to tell the grants of a person apart, short enough to type.
const grantIDBytes = 6

// grantID names a grant by its token, so that adding one twice makes one. The token cannot be found from it.
func grantID(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:grantIDBytes])
}

// ValidGrantID tells whether text can be the id of a grant: 12 hexadecimal digits.
func ValidGrantID(text string) bool {
	return len(text) == 2*grantIDBytes && strings.Trim(text, "0123456789abcdef") == ""
}

// secret is what the token is called in the keyring. No account has a "!" in its name, and no identity.
func (g Grant) secret(account Account) string { return account.String() + "!grant:" + g.ID }

// Covers tells whether the grant has a scope. Scopes are compared as they are; "" asks for none.
func (g Grant) Covers(scope string) bool { return covers(g.Scopes, scope) }

func covers(scopes []string, scope string) bool { return scope == "" || slices.Contains(scopes, scope) }

// State is "usable", or the code of the fault that a call with the grant would end with: "token_expired" or
// "token_not_yet_valid".
func (g Grant) State(now time.Time) string {
	times := Claims{NotBefore: g.NotBefore, Expires: g.Expires}
	if err := times.valid(now, ""); err != nil {
		return fault.From(err).Code
	}
	return usable
}

// usable is the state of a grant that a call can carry.
const usable = "usable"

// narrower orders grants by how little they allow: fewest scopes, then earliest expiry (AA-8). One that never expires comes
// last; ids make the order total.
func narrower(a, b Grant) int {
	return cmp.Or(
		cmp.Compare(len(a.Scopes), len(b.Scopes)),
		compareBool(a.Expires.IsZero(), b.Expires.IsZero()),
		a.Expires.Compare(b.Expires),
		strings.Compare(a.ID, b.ID),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (all grantsByID) sorted() []Grant {
	list := make([]Grant, 0, len(all))
	for id, g := range all {
		g.ID = id
		list = append(list, g)
	}
	slices.SortFunc(list, narrower)
	return list
}

// Grants lists the grants of an account, the narrowest first, those out of their time included. No keyring is touched.
func (s *Store) Grants(account Account) ([]Grant, error) {
	all, err := s.grants().read()
	if err != nil {
		return nil, err
	}
	return all[account.String()].sorted(), nil
}

// AllGrants lists the grants of all accounts, in the order of the accounts. No keyring is touched.
func (s *Store) AllGrants() (list []StoredGrant, err error) {
	all, err := s.grants().read()
	for name, grants := range all {
		for _, g := range grants.sorted() {
			list = append(list, StoredGrant{parseAccount(name), g})
		}
	}
	slices.SortStableFunc(list, func(a, b StoredGrant) int { return strings.Compare(a.String(), b.String()) })
	return list, err
}

// NarrowestGrant picks the grant that a call needing a scope carries now; "" is a call that needs any grant. The fault
// grant_required tells that there is none, and what there is. No keyring is touched.
func (s *Store) NarrowestGrant(account Account, scope string) (Grant, error) {
	grants, err := s.Grants(account)
	if err != nil {
		return Grant{}, err
	}
	now := s.Now()
	for _, g := range grants {
		if g.Covers(scope) && g.State(now) == usable {
			return g, nil
		}
	}
	return Grant{}, noGrant(account, scope, grants, now)
}
