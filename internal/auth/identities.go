package auth

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// DefaultIdentity is the name of the identity where none is given.
const DefaultIdentity = "default"

// Identity is the public part of an identity. The private key is in the keyring.
type Identity struct {
	Name    string      `json:"-"`
	Subject string      `json:"subject"` // what calls say of who sends them; it outlives the keys
	Keyring Place       `json:"keyring"`
	Keys    []PublicKey `json:"keys"` // the present one, then the one before it
}

// identities is the file with the public parts.
func (s *Store) identities() document[Identity] {
	return document[Identity]{filepath.Join(s.ConfigDir, "identities.json"), func(_ string, p Identity) bool {
		return p.Subject != "" && (p.Keyring == System || p.Keyring == File) && len(p.Keys) > 0 &&
			!slices.ContainsFunc(p.Keys, func(k PublicKey) bool { return len(k.X) != ed25519.PublicKeySize })
	}}
}

// secret is what the private key is called in the keyring.
func (p Identity) secret() string { return "identity#" + p.Name }

// Identity returns the identity of that name.
func (s *Store) Identity(name string) (Identity, error) {
	all, err := s.identities().read()
	if err != nil {
		return Identity{}, err
	}
	p, ok := all[name]
	if !ok {
		return Identity{}, noIdentity(name)
	}
	p.Name = name
	return p, nil
}

func noIdentity(name string) *fault.Error {
	return fault.New(fault.Auth, "identity_missing", "there is no identity %q", fault.Word(name)).WithHint("agentctl identity create %s", name)
}

// Identities lists all of them, in order.
func (s *Store) Identities() ([]Identity, error) {
	all, err := s.identities().read()
	if err != nil {
		return nil, err
	}
	list := make([]Identity, 0, len(all))
	for name, p := range all {
		p.Name = name
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Identity) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// CreateIdentity makes a key and keeps it. Without a subject the identity is called by its first key, as in RFC 9278.
func (s *Store) CreateIdentity(ctx context.Context, name, subject string) (Identity, error) {
	private, public, err := s.newKey()
	if err != nil {
		return Identity{}, err
	}
	if subject == "" {
		subject = "urn:ietf:params:oauth:jwk-thumbprint:sha-256:" + public.KeyID()
	}
	p := Identity{Name: name, Subject: subject, Keyring: s.place, Keys: []PublicKey{public}}
	return p, s.identities().update(func(all map[string]Identity) error {
		if _, exists := all[name]; exists {
			return fault.New(fault.Usage, "identity_exists", "there is an identity %q already", name).
				WithHint("agentctl identity rotate %s gives it a new key", name)
		}
		all[name] = p
		return s.keepKey(ctx, p, private)
	})
}

// RotateIdentity gives an identity a new key and keeps the public part of the one before, so what it signed can still be
// verified. The public part is written first: whichever key the keyring has when a run is killed in between, the list has
// its public part.
func (s *Store) RotateIdentity(ctx context.Context, name string) (rotated Identity, err error) {
	private, public, err := s.newKey()
	if err != nil {
		return rotated, err
	}
	file := s.identities()
	err = file.locked(func(all map[string]Identity) error {
		before, ok := all[name]
		if !ok {
			return noIdentity(name)
		}
		present := before.Keys[0]
		before.Name = name
		if used, err := s.privateKey(ctx, before); err == nil {
			present = used.public
		}
		rotated = Identity{Name: name, Subject: before.Subject, Keyring: s.place, Keys: []PublicKey{public, present}}
		all[name] = rotated
		if err := file.write(all); err != nil {
			return err
		}
		if err := s.keepKey(ctx, rotated, private); err != nil {
			all[name] = before
			return errors.Join(err, file.write(all))
		}
		if before.Keyring != rotated.Keyring {
			if err := s.forget(ctx, before.Keyring, before.secret()); err != nil { // it may be unreachable, which the new place is the way out of
				s.warn("the key before is still in its keyring: " + err.Error())
			}
		}
		return nil
	})
	return rotated, err
}

// DeleteIdentity deletes the key, then what is known of it.
func (s *Store) DeleteIdentity(ctx context.Context, name string) error {
	return s.identities().update(func(all map[string]Identity) error {
		p, ok := all[name]
		if !ok {
			return noIdentity(name)
		}
		p.Name = name
		if err := s.forget(ctx, p.Keyring, p.secret()); err != nil {
			return keyringFault(err, "agentctl identity rotate "+name)
		}
		delete(all, name)
		return nil
	})
}

func (s *Store) newKey() (ed25519.PrivateKey, PublicKey, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	return private, PublicKey{X: Base64URL(public), Created: s.Now().UTC().Truncate(time.Second)}, err
}

// keepKey puts a private key into the keyring: the seed, in base64url, as "d" of RFC 8037.
func (s *Store) keepKey(ctx context.Context, p Identity, private ed25519.PrivateKey) error {
	err := s.keyring(p.Keyring).set(ctx, p.secret(), base64.RawURLEncoding.EncodeToString(private.Seed()))
	if err != nil {
		return keyringFault(err, "agentctl identity create "+p.Name)
	}
	return nil
}

// signer gets the key of an identity from its keyring, with the listed public part that belongs to it.
func (s *Store) signer(ctx context.Context, name string) (*signer, error) {
	p, err := s.Identity(name)
	if err != nil {
		return nil, err
	}
	return s.privateKey(ctx, p)
}

func (s *Store) privateKey(ctx context.Context, p Identity) (*signer, error) {
	again := "agentctl identity rotate " + p.Name
	secret, err := s.keyring(p.Keyring).get(ctx, p.secret())
	if err != nil {
		return nil, keyringFault(err, again)
	}
	seed, err := base64.RawURLEncoding.DecodeString(secret)
	if err == nil && len(seed) == ed25519.SeedSize {
		private := ed25519.NewKeyFromSeed(seed)
		for _, key := range p.Keys {
			if bytes.Equal(private[ed25519.SeedSize:], key.X) { // the public key is the second half
				return &signer{private, key, p.Subject}, nil
			}
		}
	}
	return nil, fault.New(fault.Auth, "identity_damaged", "the key in the keyring is not that of the identity %q", p.Name).WithHint("%s", again)
}
