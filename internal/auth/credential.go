package auth

import (
	"context"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// Credential is what a call to one origin can carry.
type Credential struct {
	account Account
	entry   Entry     // zero when it came from the environment
	token   string    // unless it is an identity
	expires time.Time // as the command said; zero when it did not
	claims  Claims    // of token
	says    bool      // whether it has any
	signer  *signer   // of an identity
	again   string    // how to get another, for a hint
}

// FromEnvironment makes a credential for an origin of the token in AGENTCTL_TOKEN. Like [Store.Credential] it returns one
// whose time is over together with the fault.
func FromEnvironment(origin, token string, now time.Time) (*Credential, error) {
	if err := CheckToken(token); err != nil {
		return nil, fault.New(fault.Auth, "invalid_token", "AGENTCTL_TOKEN: %w", err)
	}
	c := &Credential{account: Account{Origin: origin}, token: token, again: "set AGENTCTL_TOKEN to a new token"}
	c.claims, c.says = ReadClaims(token)
	return c, c.claims.valid(now, c.again)
}

// Credential gets the credential of an account: from its keyring, from its command, or the key of its identity. It is nil
// when the account has none; then no keyring is touched (contract, section 6). One whose time is over or has not come is
// returned together with its fault, token_expired or token_not_yet_valid.
func (s *Store) Credential(ctx context.Context, account Account) (*Credential, error) {
	entry, ok, err := s.Entry(account)
	if err != nil || !ok {
		return nil, err
	}
	c := &Credential{account: account, entry: entry, again: account.login()}
	switch entry.Kind {
	case KindToken:
		if c.token, err = s.keyring(entry.Keyring).get(ctx, account.String()); err != nil {
			return nil, keyringFault(err, account.login())
		}
		if err := CheckToken(c.token); err != nil { // somebody else changed the keyring
			return nil, fault.New(fault.Auth, "invalid_token", "in the keyring, %w", err).WithHint("%s", account.login())
		}
		c.claims, c.says = ReadClaims(c.token)
	case KindCommand:
		c, err = s.command(ctx, c)
	case KindIdentity:
		c.signer, err = s.signer(ctx, entry.Identity)
	}
	if err != nil {
		return nil, err
	}
	return c, c.claims.valid(s.Now(), c.again)
}

// command runs the account's command, unless what it gave last is still good. That is kept in memory only.
func (s *Store) command(ctx context.Context, c *Credential) (*Credential, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if given := s.given[c.account]; given != nil && s.Now().Before(given.expires) {
		return given, nil
	}
	output, err := s.run(ctx, c.entry.Command)
	if err != nil {
		return nil, err
	}
	if c.token, c.expires, err = parseOutput(output); err != nil {
		return nil, commandFailed(c.entry.Command, err, "")
	}
	c.claims, c.says = ReadClaims(c.token)
	c.again = "run the command that is stored for " + c.account.Site() + " by hand; it gave this token"
	if !c.expires.IsZero() {
		if c.claims.Expires.IsZero() || c.expires.Before(c.claims.Expires) {
			c.claims.Expires = c.expires
		}
		s.given[c.account] = c
	}
	return c, nil
}

// Bearer returns the token that a request sent now carries, or the fault token_expired or token_not_yet_valid. That of an
// identity is signed here, a new one each time. Nil carries nothing.
func (c *Credential) Bearer(now time.Time) (string, error) {
	if c == nil {
		return "", nil
	}
	if c.signer != nil {
		return c.signer.sign(c.account.Origin, now)
	}
	return c.token, c.claims.valid(now, c.again)
}

// Secret is what must not be shown, or "" for an identity, whose tokens are made when they are sent.
func (c *Credential) Secret() string { return c.token }

// Claims are what is known of the token: what it says of itself, and when it expires. ok is false when that is nothing.
func (c *Credential) Claims(now time.Time) (claims Claims, ok bool) {
	if c.signer != nil {
		token, err := c.signer.sign(c.account.Origin, now)
		if err != nil {
			return Claims{}, false
		}
		return ReadClaims(token)
	}
	return c.claims, c.says || !c.expires.IsZero()
}
