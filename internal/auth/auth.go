// Package auth keeps credentials: in the keyring of the system, or in a file where a person asked for one. It knows which
// origins have a credential without touching the keyring, gives each call the credential of its own origin and of no other,
// and refuses one whose time is over before anything is sent. It chooses what a call carries by what the site asks for
// (wallet.go), and renews tokens of authorization servers (renew.go). It knows no formats and no command line.
//
// What is not secret is in the configuration directory: which accounts have a credential (entries.go), what grants allow
// (grant.go) and the public part of identities (identities.go). A secret is only ever in a keyring (keyring.go), in memory, and in the request that needs
// it; no error, log or listing has one.
package auth

import (
	"sync"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// Service is the name under which the keyring of the system keeps what is ours.
const Service = "agentctl"

// Kind is what a credential is made of.
type Kind string

// The kinds of credentials.
const (
	KindToken    Kind = "token"              // a bearer token or an API key that was handed over at login
	KindKey      Kind = "api-key"            // an API key that has a place of its own in requests, whatever a site publishes
	KindBasic    Kind = "basic"              // USER:PASSWORD
	KindCommand  Kind = "command"            // a program whose output is the token, run for each call
	KindIdentity Kind = "identity"           // a key of ours, with which each call signs a token of its own
	KindClient   Kind = "client-credentials" // a client's id and secret, for which an authorization server gives tokens (RFC 6749, section 4.4)
	KindDevice   Kind = "device"             // what a person allowed in a browser (RFC 8628): a token, perhaps with one that renews it
)

// Place is where a secret is kept.
type Place string

// The places.
const (
	System Place = "system" // the keyring of the operating system
	File   Place = "file"   // a file that only its owner may read (AGENTCTL_KEYRING=file)
)

// Settings are what a [Store] takes from the world outside.
type Settings struct {
	ConfigDir string
	Place     string              // AGENTCTL_KEYRING: where login keeps secrets; "" is the keyring of the system
	Getenv    func(string) string // for the address of the session bus
	Environ   func() []string     // of commands that give a token; AGENTCTL_TOKEN is taken out of it
	Now       func() time.Time
	Warn      func(message string) // tells a person what was left undone; may be nil
}

// Store is the credentials of one person. It is safe for concurrent use, also by several processes.
type Store struct {
	Settings
	place  Place // of what is stored from now on
	system keyring
	file   keyring

	mu    sync.Mutex
	given map[Account]*Credential // by commands, until they expire
}

// Open returns the store. It reads no file and touches no keyring. A place that there is none of is a usage fault.
func Open(s Settings) (*Store, error) {
	store := &Store{
		Settings: s, place: System,
		system: newSystemKeyring(s.Getenv), file: newFileKeyring(s.ConfigDir),
		given: map[Account]*Credential{},
	}
	switch s.Place {
	case "":
	case string(File):
		store.place = File
	default:
		return nil, fault.New(fault.Usage, "invalid_keyring", `AGENTCTL_KEYRING is %q: it can be "file", or unset for the keyring of the system`, s.Place).
			WithHint("unset AGENTCTL_KEYRING")
	}
	return store, nil
}

func (s *Store) warn(message string) {
	if s.Warn != nil {
		s.Warn(message)
	}
}

// keyring is the one at a place.
func (s *Store) keyring(place Place) keyring {
	if place == File {
		return s.file
	}
	return s.system
}
