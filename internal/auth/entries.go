package auth

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// Entry is what is known of a credential without touching a keyring. It holds no secret.
type Entry struct {
	Kind     Kind      `json:"kind"`
	Keyring  Place     `json:"keyring,omitempty"`  // where the secret is; "" for kinds that have none
	Command  []string  `json:"command,omitempty"`  // the program and its arguments
	Identity string    `json:"identity,omitempty"` // the name of the identity
	OAuth    *Client   `json:"oauth,omitempty"`    // where tokens come from
	Added    time.Time `json:"added"`

	In      fetch.SecretPlace `json:"in,omitempty"`        // of an API key: where requests carry it
	Field   string            `json:"field,omitempty"`     // and its name there
	Expires time.Time         `json:"expires_at,omitzero"` // as was told at login; zero when it was not
}

// secret tells whether the kind keeps a secret in a keyring.
func (k Kind) secret() bool { return k != KindCommand && k != KindIdentity }

// oauth tells whether tokens of the kind come from an authorization server.
func (k Kind) oauth() bool { return k == KindClient || k == KindDevice }

// valid tells whether the entry can have been written by us.
func (e Entry) valid() bool {
	if e.Kind.secret() && e.Keyring != System && e.Keyring != File {
		return false
	}
	switch e.Kind {
	case KindToken, KindBasic:
		return true
	case KindKey:
		return fetch.Secret{In: e.In, Name: e.Field}.Check() == nil
	case KindCommand:
		return len(e.Command) > 0
	case KindIdentity:
		return e.Identity != ""
	case KindClient, KindDevice:
		return e.OAuth != nil && e.OAuth.TokenURL != ""
	}
	return false
}

// Stored is an account with its entry.
type Stored struct {
	Account
	Entry
}

// entries is the file that tells which accounts have a credential (contract, section 6).
func (s *Store) entries() document[Entry] {
	return document[Entry]{filepath.Join(s.ConfigDir, "credentials.json"), func(name string, e Entry) bool {
		return strings.Contains(name, "://") && e.valid()
	}}
}

// Entry tells whether the account has a credential, and which.
func (s *Store) Entry(account Account) (entry Entry, ok bool, err error) {
	all, err := s.entries().read()
	if err != nil {
		return Entry{}, false, err
	}
	entry, ok = all[account.String()]
	return entry, ok, nil
}

// Entries lists all accounts that have a credential, in order.
func (s *Store) Entries() ([]Stored, error) {
	all, err := s.entries().read()
	if err != nil {
		return nil, err
	}
	list := make([]Stored, 0, len(all))
	for name, entry := range all {
		list = append(list, Stored{parseAccount(name), entry})
	}
	slices.SortFunc(list, func(a, b Stored) int { return strings.Compare(a.String(), b.String()) })
	return list, nil
}

// LoginToken keeps a token for the account, in place of what was there. The token must have passed [CheckToken].
func (s *Store) LoginToken(ctx context.Context, account Account, token string) error {
	return s.Keep(ctx, account, Entry{Kind: KindToken}, token)
}

// Keep keeps a secret for the account, in place of what was there. The entry says what kind of one it is, and what else is
// known of it; the secret must have passed [CheckToken], or [CheckBasic] for [KindBasic]. Tokens of authorization servers
// are kept by [Store.KeepClient] and [Store.KeepDevice].
func (s *Store) Keep(ctx context.Context, account Account, entry Entry, secret string) error {
	entry.Keyring = s.place
	return s.login(ctx, account, entry, keptSecrets{account.String(): secret})
}

// LoginCommand keeps a command whose output will be the token. It is not run now.
func (s *Store) LoginCommand(ctx context.Context, account Account, argv []string) error {
	return s.login(ctx, account, Entry{Kind: KindCommand, Command: argv}, nil)
}

// LoginIdentity has calls signed with the identity of that name, which must be there.
func (s *Store) LoginIdentity(ctx context.Context, account Account, name string) error {
	if _, err := s.Identity(name); err != nil {
		return err
	}
	return s.login(ctx, account, Entry{Kind: KindIdentity, Identity: name}, nil)
}

// keptSecrets are what a keyring keeps for one account, by name.
type keptSecrets map[string]string

// login keeps the secrets first and the entry after them, so an entry never promises what is not there; what the new entry
// no longer leads to is deleted last. All of it is done under the lock of the list.
func (s *Store) login(ctx context.Context, account Account, entry Entry, secrets keptSecrets) error {
	entry.Added = s.Now().UTC().Truncate(time.Second)
	name := account.String()
	file := s.entries()
	return file.locked(func(all map[string]Entry) error {
		for name, secret := range secrets {
			if err := s.keyring(entry.Keyring).set(ctx, name, secret); err != nil {
				return keyringFault(err, account.login())
			}
		}
		before := all[name]
		all[name] = entry
		if err := file.write(all); err != nil {
			return err
		}
		for _, old := range before.secretNames(account) {
			if _, kept := secrets[old]; kept && before.Keyring == entry.Keyring {
				continue
			}
			if err := s.forget(ctx, before.Keyring, old); err != nil { // it may be unreachable, which the new entry is the way out of
				s.warn("the token that was stored before is still in its keyring: " + err.Error())
				break
			}
		}
		return nil
	})
}

// secretNames are what a keyring keeps for an entry of the account.
func (e Entry) secretNames(account Account) []string {
	switch {
	case e.Kind == "" || !e.Kind.secret():
		return nil
	case e.Kind.oauth():
		return []string{accessName(account), account.String()}
	}
	return []string{account.String()}
}

// Logout deletes the credential of the account and, where that is for any scheme, those for single schemes beside it: each
// secret before its entry, so what cannot be deleted stays listed. ok tells whether there was any.
func (s *Store) Logout(ctx context.Context, account Account) (ok bool, err error) {
	all, err := s.entries().read()
	if err != nil || len(owned(all, account)) == 0 {
		return false, err
	}
	file := s.entries()
	err = file.locked(func(all map[string]Entry) error {
		var failed error
		for _, each := range owned(all, account) {
			if err := s.forgetAll(ctx, each, all[each.String()]); err != nil {
				failed = keyringFault(err, each.login())
				break
			}
			delete(all, each.String())
			ok = true
		}
		if ok {
			if err := file.write(all); err != nil {
				return err
			}
		}
		return failed
	})
	return ok, err
}

// owned are the listed accounts that an account stands for: itself and, when it is for any scheme, those for single ones.
func owned(all map[string]Entry, account Account) (list []Account) {
	for name := range all {
		if each := parseAccount(name); each == account || each.For("") == account {
			list = append(list, each)
		}
	}
	slices.SortFunc(list, func(a, b Account) int { return strings.Compare(a.String(), b.String()) })
	return list
}

func (s *Store) forgetAll(ctx context.Context, account Account, entry Entry) error {
	for _, name := range entry.secretNames(account) {
		if err := s.forget(ctx, entry.Keyring, name); err != nil {
			return err
		}
	}
	return nil
}

// forget deletes a secret. One that is not there any more is forgotten already.
func (s *Store) forget(ctx context.Context, place Place, name string) error {
	if err := s.keyring(place).remove(ctx, name); !errors.Is(err, errNotFound) {
		return err
	}
	return nil
}

// Missing is the fault for an account that was asked for and has no credential.
func Missing(account Account) *fault.Error {
	e := fault.New(fault.Auth, "credential_missing", "there is no credential for %s", account.Site()).WithHint("%s", account.login())
	if account.Profile != "" {
		e.Message += " under the profile " + account.Profile
	}
	if account.Scheme != "" {
		e.Message += fmt.Sprintf(" and the scheme %q", account.Scheme)
	}
	return e
}
