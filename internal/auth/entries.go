package auth

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// Entry is what is known of a credential without touching a keyring. It holds no secret.
type Entry struct {
	Kind     Kind      `json:"kind"`
	Keyring  Place     `json:"keyring,omitempty"`  // of a token
	Command  []string  `json:"command,omitempty"`  // the program and its arguments
	Identity string    `json:"identity,omitempty"` // the name of the identity
	Added    time.Time `json:"added"`
}

// Stored is an account with its entry.
type Stored struct {
	Account
	Entry
}

// entries is the file that tells which accounts have a credential (contract, section 6).
func (s *Store) entries() document[Entry] {
	return document[Entry]{filepath.Join(s.ConfigDir, "credentials.json"), func(name string, e Entry) bool {
		if !strings.Contains(name, "://") {
			return false
		}
		switch e.Kind {
		case KindToken:
			return e.Keyring == System || e.Keyring == File
		case KindCommand:
			return len(e.Command) > 0
		case KindIdentity:
			return e.Identity != ""
		}
		return false
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
	return s.login(ctx, account, Entry{Kind: KindToken, Keyring: s.place}, token)
}

// LoginCommand keeps a command whose output will be the token. It is not run now.
func (s *Store) LoginCommand(ctx context.Context, account Account, argv []string) error {
	return s.login(ctx, account, Entry{Kind: KindCommand, Command: argv}, "")
}

// LoginIdentity has calls signed with the identity of that name, which must be there.
func (s *Store) LoginIdentity(ctx context.Context, account Account, name string) error {
	if _, err := s.Identity(name); err != nil {
		return err
	}
	return s.login(ctx, account, Entry{Kind: KindIdentity, Identity: name}, "")
}

// login keeps the secret first and the entry after it, so an entry never promises what is not there; a token that the new
// entry no longer leads to is deleted last. All of it is done under the lock of the list.
func (s *Store) login(ctx context.Context, account Account, entry Entry, secret string) error {
	entry.Added = s.Now().UTC().Truncate(time.Second)
	name := account.String()
	file := s.entries()
	return file.locked(func(all map[string]Entry) error {
		if entry.Kind == KindToken {
			if err := s.keyring(entry.Keyring).set(ctx, name, secret); err != nil {
				return keyringFault(err, account.login())
			}
		}
		before := all[name]
		all[name] = entry
		if err := file.write(all); err != nil {
			return err
		}
		if before.Kind == KindToken && before.Keyring != entry.Keyring {
			if err := s.forget(ctx, before.Keyring, name); err != nil { // it may be unreachable, which the new entry is the way out of
				s.warn("the token that was stored before is still in its keyring: " + err.Error())
			}
		}
		return nil
	})
}

// Logout deletes the secret and then the entry: what cannot be deleted stays listed. ok tells whether there was one.
func (s *Store) Logout(ctx context.Context, account Account) (ok bool, err error) {
	if _, ok, err = s.Entry(account); err != nil || !ok {
		return false, err
	}
	name := account.String()
	err = s.entries().update(func(all map[string]Entry) error {
		var entry Entry
		if entry, ok = all[name]; !ok {
			return nil // another run was faster
		}
		if entry.Kind == KindToken {
			if err := s.forget(ctx, entry.Keyring, name); err != nil {
				return keyringFault(err, account.login())
			}
		}
		delete(all, name)
		return nil
	})
	return ok, err
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
	return e
}
