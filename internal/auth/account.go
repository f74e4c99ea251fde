package auth

import (
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// Account is what a credential is stored for.
type Account struct {
	Origin  string // "https://popcorn.club"
	Profile string // of several credentials for one origin; "" is the usual one
}

// String is the account's name in the keyring: the origin, with "#PROFILE" behind it (contract, section 6). An origin has
// no "#".
func (a Account) String() string {
	if a.Profile == "" {
		return a.Origin
	}
	return a.Origin + "#" + a.Profile
}

// Site is how a person writes the origin on a command line.
func (a Account) Site() string { return strings.TrimPrefix(a.Origin, "https://") }

// login is the command that stores a credential for the account.
func (a Account) login() string { return "agentctl auth login " + a.words() }

// GrantHint is the command that stores a grant for the account.
func (a Account) GrantHint() string { return "agentctl auth grant add " + a.words() + " --with-token" }

// words name the account on a command line.
func (a Account) words() string {
	if a.Profile == "" {
		return a.Site()
	}
	return a.Site() + " --profile " + a.Profile
}

func parseAccount(name string) Account {
	origin, profile, _ := strings.Cut(name, "#")
	return Account{origin, profile}
}

// CheckName refuses the name of a profile or an identity that is not 1 to 64 letters, digits, '.', '_' and '-'. what says
// in the error which of the two it is.
func CheckName(what, name string) error {
	if manifest.ValidSegment(name) {
		return nil
	}
	return fault.New(fault.Usage, "invalid_name", "%q cannot be the name of %s: use at most 64 letters, digits, '.', '_' and '-'", fault.Word(name), what)
}
