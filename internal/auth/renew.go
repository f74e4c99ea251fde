package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"

	"github.com/agentctl/agentctl/internal/atomicfile"
)

// accessName is what the token of an authorization server is called in the keyring. What it is got with has the account's
// own name.
func accessName(account Account) string { return account.String() + "!access" }

// keptAccess gets the token that was kept last; none is a zero one.
func (s *Store) keptAccess(ctx context.Context, account Account, place Place) (a access, err error) {
	text, err := s.keyring(place).get(ctx, accessName(account))
	if errors.Is(err, errNotFound) {
		text, err = "", nil
	}
	if json.Unmarshal([]byte(text), &a) != nil || CheckToken(a.Token) != nil { // there is none, or somebody else changed it
		a = access{}
	}
	return a, err
}

// grantedCredential fills in what there is of a credential whose tokens come from an authorization server. Nothing is asked
// of that yet: see [Store.Renew].
func (s *Store) grantedCredential(ctx context.Context, c *Credential) error {
	kept, err := s.keptAccess(ctx, c.account, c.entry.Keyring)
	if err != nil {
		return keyringFault(err, c.again)
	}
	c.carry(kept)
	c.stale = !kept.good(s.Now()) && c.Renewable()
	if kept.Token == "" && !c.stale {
		return keyringFault(errNotFound, c.again)
	}
	return nil
}

// carry makes a token the one that the credential carries.
func (c *Credential) carry(a access) {
	c.token = a.Token
	c.claims, c.says = ReadClaims(a.Token)
	c.limit(a.Expires)
}

// Renewable tells whether another token can be had without a person.
func (c *Credential) Renewable() bool {
	return c.entry.Kind == KindClient || c.entry.Kind == KindDevice && c.entry.OAuth.Renewable
}

// Renew gets a new token for a credential whose token has expired or is none yet; any other is left as it is. Of several
// programs that need one at once the first gets it, and the others take that. What is new is kept in the keyring.
func (s *Store) Renew(ctx context.Context, through Through, c *Credential) error {
	if c == nil || !c.stale {
		return nil
	}
	unlock, err := s.lockTokens(ctx, c.account)
	if err != nil {
		return err
	}
	defer unlock()
	entry, ok, err := s.Entry(c.account)
	switch {
	case err != nil:
		return err
	case !ok || entry.Kind != c.entry.Kind:
		return Missing(c.account) // logged out in the meantime
	}
	c.entry = entry
	kept, err := s.keptAccess(ctx, c.account, entry.Keyring)
	if err != nil {
		return keyringFault(err, c.again)
	}
	if !kept.good(s.Now()) {
		if kept, err = s.anotherToken(ctx, through, c); err != nil {
			return err
		}
	}
	c.carry(kept)
	c.stale = false
	return nil
}

// Refused forgets the token of a credential that a site did not take, where another one can be had: the next call gets
// that. Of any other credential nothing is forgotten.
func (s *Store) Refused(ctx context.Context, c *Credential) error {
	if !c.Renewable() {
		return nil
	}
	if err := s.forget(ctx, c.entry.Keyring, accessName(c.account)); err != nil {
		return keyringFault(err, c.again)
	}
	return nil
}

// anotherToken asks the authorization server, and keeps what it gives.
func (s *Store) anotherToken(ctx context.Context, through Through, c *Credential) (access, error) {
	text, err := s.keyring(c.entry.Keyring).get(ctx, c.account.String())
	var with longLived
	if err == nil && json.Unmarshal([]byte(text), &with) != nil { // somebody else changed the keyring
		err = errNotFound
	}
	if err != nil {
		return access{}, keyringFault(err, c.again)
	}
	c.hidden = append(c.hidden, with.Secret, with.Refresh)
	client := c.entry.OAuth
	token, err := client.token(ctx, through, c.entry.Kind, with)
	if err != nil {
		return access{}, tokenFault(err, client.TokenURL).WithHint("%s", c.again)
	}
	now := s.Now()
	got, err := given(token, c.entry.Kind, now)
	if err != nil {
		return access{}, tokenFault(err, client.TokenURL)
	}
	before := with.Refresh
	if token.RefreshToken != "" && CheckToken(token.RefreshToken) == nil {
		with.Refresh = token.RefreshToken
	}
	c.hidden = append(c.hidden, with.Refresh)
	if err := s.keepTokens(context.WithoutCancel(ctx), c, with, before != with.Refresh && c.entry.Kind == KindDevice, got); err != nil {
		s.warn("the new token cannot be kept: " + err.Error()) // this call can still be made with it
	}
	return got, nil
}

// keepTokens keeps what an authorization server gave, unless somebody logged in or out in the meantime: what renews first,
// for the server may take the one before no more.
func (s *Store) keepTokens(ctx context.Context, c *Credential, with longLived, renewed bool, got access) error {
	return s.entries().locked(func(all map[string]Entry) error {
		if !reflect.DeepEqual(all[c.account.String()], c.entry) {
			return nil
		}
		ring := s.keyring(c.entry.Keyring)
		if renewed {
			if err := ring.set(ctx, c.account.String(), encoded(with)); err != nil {
				return err
			}
		}
		return ring.set(ctx, accessName(c.account), encoded(got))
	})
}

// encoded is what of a token is kept.
func encoded[T longLived | access](value T) string {
	text, _ := json.Marshal(value) //nolint:errchkjson // strings and a time
	return string(text)
}

// lockTokens waits for the right to renew the tokens of an account.
func (s *Store) lockTokens(ctx context.Context, account Account) (unlock func(), err error) {
	sum := sha256.Sum256([]byte(account.String()))
	path := filepath.Join(s.ConfigDir, "tokens", hex.EncodeToString(sum[:8]))
	type outcome struct {
		unlock func()
		err    error
	}
	done := make(chan outcome)
	go func() {
		unlock, err := atomicfile.Lock(path)
		select {
		case done <- outcome{unlock, err}:
		case <-ctx.Done():
			if err == nil {
				unlock()
			}
		}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, writeFailed(o.err)
		}
		return o.unlock, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
