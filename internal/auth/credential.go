package auth

import (
	"context"
	"strings"
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
	stale   bool      // whether token is over or none, and another one can be had; see [Store.Renew]
	hidden  []string  // secrets that it was got with
}

// BasicFromEnvironment makes a credential for an origin of the USER:PASSWORD in AGENTCTL_TOKEN.
func BasicFromEnvironment(origin, text string) (*Credential, error) {
	if err := CheckBasic(text); err != nil {
		return nil, fault.New(fault.Auth, "invalid_token", "AGENTCTL_TOKEN: %w", err)
	}
	return &Credential{account: Account{Origin: origin}, token: text}, nil
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
	c := &Credential{account: account, entry: entry, again: entry.again(account)}
	switch entry.Kind {
	case KindToken, KindKey, KindBasic:
		err = s.storedCredential(ctx, c)
	case KindClient, KindDevice:
		err = s.grantedCredential(ctx, c)
	case KindCommand:
		c, err = s.command(ctx, c)
	case KindIdentity:
		c.signer, err = s.signer(ctx, entry.Identity)
	}
	if err != nil {
		return nil, err
	}
	if c.stale { // what is over is renewed right before it is sent
		return c, nil
	}
	return c, c.claims.valid(s.Now(), c.again)
}

// again is the command that stores a credential of the same kind anew.
func (e Entry) again(account Account) string {
	switch e.Kind {
	case KindBasic, KindClient, KindDevice:
		return account.login() + " --" + string(e.Kind)
	case KindToken, KindKey, KindCommand, KindIdentity:
	}
	return account.login()
}

// storedCredential gets a secret that is sent as it is kept.
func (s *Store) storedCredential(ctx context.Context, c *Credential) (err error) {
	if c.token, err = s.keyring(c.entry.Keyring).get(ctx, c.account.String()); err != nil {
		return keyringFault(err, c.again)
	}
	check := CheckToken
	if c.entry.Kind == KindBasic {
		check = CheckBasic
	}
	if err := check(c.token); err != nil { // somebody else changed the keyring
		return fault.New(fault.Auth, "invalid_token", "in the keyring, %w", err).WithHint("%s", c.again)
	}
	if c.entry.Kind != KindBasic {
		c.claims, c.says = ReadClaims(c.token)
	}
	c.limit(c.entry.Expires)
	return nil
}

// limit notes when the credential's time is over, where that is before what the token says itself. Zero is never.
func (c *Credential) limit(expires time.Time) {
	c.expires = expires
	if !expires.IsZero() && (c.claims.Expires.IsZero() || expires.Before(c.claims.Expires)) {
		c.claims.Expires = expires
	}
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
	if c.limit(c.expires); !c.expires.IsZero() {
		s.given[c.account] = c
	}
	return c, nil
}

// Token returns the token, the API key or USER:PASSWORD that a request sent now carries, or the fault token_expired or
// token_not_yet_valid. That of an identity is signed here, a new one each time. Nil carries nothing. See [Store.Renew] for
// those that have to be renewed before.
func (c *Credential) Token(now time.Time) (string, error) {
	if c == nil {
		return "", nil
	}
	if c.signer != nil {
		return c.signer.sign(c.account.Origin, now)
	}
	return c.token, c.claims.valid(now, c.again)
}

// Stale tells whether the token has to be renewed before it is sent: see [Store.Renew].
func (c *Credential) Stale() bool { return c.stale }

// Secrets are what must not be shown. For an identity, whose tokens are made when they are sent, there is nothing.
func (c *Credential) Secrets() []string {
	secrets := append([]string{c.token}, c.hidden...)
	if _, password, ok := strings.Cut(c.token, ":"); ok {
		secrets = append(secrets, password)
	}
	return secrets
}

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
