package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// AddGrant keeps a grant for the account beside those that it has; one that is there already stays one. The token must
// have passed [CheckToken], and is refused when it is no JWT. Nobody has a key to check its signature with but the site.
//
// The secret is kept first and what is known of it after it, so the list never promises what is not there. When the list
// cannot be written, the secret goes again: what is not listed could never be removed.
func (s *Store) AddGrant(ctx context.Context, account Account, token string) (Grant, error) {
	grant, ok := newGrant(token)
	if !ok {
		return Grant{}, fault.New(fault.Usage, "invalid_token", "a grant is a JWT, and that token is none").
			WithHint("%s --with-token keeps a token of another kind", account.login())
	}
	grant.Keyring, grant.Added = s.place, s.Now().UTC().Truncate(time.Second)
	name := grant.secret(account)
	file := s.grants()
	return grant, file.locked(func(all map[string]grantsByID) error {
		if err := s.keyring(grant.Keyring).set(ctx, name, token); err != nil {
			return keyringFault(err, account.GrantHint())
		}
		grants := all[account.String()]
		if grants == nil {
			grants = grantsByID{}
			all[account.String()] = grants
		}
		before := grants[grant.ID]
		grants[grant.ID] = grant
		if err := file.write(all); err != nil {
			if before.Keyring != grant.Keyring {
				err = errors.Join(err, s.forget(context.WithoutCancel(ctx), grant.Keyring, name))
			}
			return err
		}
		if before.Keyring != "" && before.Keyring != grant.Keyring {
			if err := s.forget(ctx, before.Keyring, name); err != nil { // it may be unreachable, which the new place is the way out of
				s.warn("the grant is also still in the keyring where it was before: " + err.Error())
			}
		}
		return nil
	})
}

// RemoveGrants deletes those grants of an account that which picks, each secret before its entry: what cannot be deleted
// stays listed. It returns the ids of those whose secret is deleted, also beside an error.
func (s *Store) RemoveGrants(ctx context.Context, account Account, which func(Grant) bool) (removed []string, err error) {
	listed, err := s.Grants(account)
	if err != nil || !slices.ContainsFunc(listed, which) {
		return nil, err
	}
	file := s.grants()
	err = file.locked(func(all map[string]grantsByID) error {
		grants := all[account.String()]
		var failed error
		for _, g := range grants.sorted() {
			if !which(g) {
				continue
			}
			if err := s.forget(ctx, g.Keyring, g.secret(account)); err != nil {
				failed = keyringFault(err, account.GrantHint())
				break
			}
			delete(grants, g.ID)
			removed = append(removed, g.ID)
		}
		if len(grants) == 0 {
			delete(all, account.String())
		}
		if len(removed) > 0 {
			if err := file.write(all); err != nil {
				return err
			}
		}
		return failed
	})
	return removed, err
}

// Grant gets the narrowest grant of an account that covers a scope (AA-8); "" is any. Its token comes from its keyring;
// without a listed grant that covers the scope no keyring is touched, and the fault is grant_required.
func (s *Store) Grant(ctx context.Context, account Account, scope string) (*Credential, error) {
	grant, err := s.NarrowestGrant(account, scope)
	if err != nil {
		return nil, err
	}
	anew := "agentctl auth grant remove " + account.words() + " " + grant.ID + ", then " + account.GrantHint()
	c := &Credential{account: account, again: account.GrantHint()}
	c.token, err = s.keyring(grant.Keyring).get(ctx, grant.secret(account))
	switch {
	case errors.Is(err, errNotFound):
		return nil, keyringFault(err, anew)
	case err != nil:
		return nil, keyringFault(err, account.GrantHint())
	}
	kept, _ := newGrant(c.token)
	if kept.ID != grant.ID || !kept.Covers(scope) { // somebody else changed the keyring or the list
		return nil, fault.New(fault.Auth, "invalid_token", "the token in the keyring is not the grant %q that is listed", grant.ID).WithHint("%s", anew)
	}
	c.claims, c.says = ReadClaims(c.token)
	return c, c.claims.valid(s.Now(), c.again)
}

// GrantFromEnvironment makes a grant for an origin of the token in AGENTCTL_TOKEN. One that says nothing of scopes is used
// as it is; one whose scopes do not have the wanted one is the fault grant_required.
func GrantFromEnvironment(origin, token, scope string, now time.Time) (*Credential, error) {
	c, err := FromEnvironment(origin, token, now)
	if err != nil || c.claims.Scopes == nil || covers(c.claims.Scopes, scope) {
		return c, err
	}
	return nil, grantRequired(scope, "the token in AGENTCTL_TOKEN does not have the scope %q: it has %s", scope, toldScopes(c.claims.Scopes)).
		WithHint("set AGENTCTL_TOKEN to a token that has it, or unset it: %s", c.account.GrantHint())
}
