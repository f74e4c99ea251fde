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
	Scheme  string // the name of the one security scheme that it is for; "" is any
}

// schemeMark stands between an account and a scheme in the names of the keyring. No origin and no profile has a "!".
const schemeMark = "!scheme:"

// String is the account's name in the keyring: the origin, with "#PROFILE" behind it (contract, section 6), and
// "!scheme:NAME" behind that. An origin has no "#".
func (a Account) String() string {
	name := a.Origin
	if a.Profile != "" {
		name += "#" + a.Profile
	}
	if a.Scheme != "" {
		name += schemeMark + a.Scheme
	}
	return name
}

// For is the account of one scheme beside this one; "" is the account for any.
func (a Account) For(scheme string) Account {
	a.Scheme = scheme
	return a
}

// Site is how a person writes the origin on a command line.
func (a Account) Site() string { return strings.TrimPrefix(a.Origin, "https://") }

// login is the command that stores a credential for the account.
func (a Account) login() string { return "agentctl auth login " + a.words() }

// GrantHint is the command that stores a grant for the account.
func (a Account) GrantHint() string { return "agentctl auth grant add " + a.words() + " --with-token" }

// words name the account on a command line.
func (a Account) words() string {
	words := a.Site()
	if a.Profile != "" {
		words += " --profile " + a.Profile
	}
	if a.Scheme != "" {
		words += " --scheme " + a.Scheme
	}
	return words
}

func parseAccount(name string) Account {
	name, scheme, _ := strings.Cut(name, schemeMark)
	origin, profile, _ := strings.Cut(name, "#")
	return Account{origin, profile, scheme}
}

// CheckName refuses the name of a profile, an identity or a scheme that is not 1 to 64 letters, digits, '.', '_' and '-'. what says
// in the error which of them it is.
func CheckName(what, name string) error {
	if manifest.ValidSegment(name) {
		return nil
	}
	return fault.New(fault.Usage, "invalid_name", "%q cannot be the name of %s: use at most 64 letters, digits, '.', '_' and '-'", fault.Word(name), what)
}
