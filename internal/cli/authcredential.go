package cli

import (
	"context"
	"strings"

	"github.com/agentctl/agentctl/internal/auth"
)

// credential is what a call of the account carries: AGENTCTL_TOKEN for the site named on the command line and only there,
// else what is stored (contract, section 6). Nil means that there is none; a profile that was asked for must be there. One
// whose time is over or has not come is returned with its fault.
func (r *run) credential(ctx context.Context, account auth.Account) (*auth.Credential, error) {
	if token := r.environmentToken(); token != "" {
		r.hideCredential(token)
		return auth.FromEnvironment(account.Origin, token, r.Now())
	}
	store, err := r.store()
	if err != nil {
		return nil, err
	}
	credential, err := store.Credential(ctx, account)
	if credential != nil {
		r.hideCredential(credential.Secret())
	}
	if credential == nil && err == nil && account.Profile != "" {
		err = auth.Missing(account)
	}
	return credential, err
}

func (r *run) environmentToken() string { return strings.TrimSpace(r.Getenv("AGENTCTL_TOKEN")) }

// hasCredential tells whether a call would carry a credential, without touching a keyring or running a command.
func (r *run) hasCredential(account auth.Account) (bool, error) {
	if token := r.environmentToken(); token != "" {
		_, err := auth.FromEnvironment(account.Origin, token, r.Now())
		return true, err
	}
	store, err := r.store()
	if err != nil {
		return false, err
	}
	_, ok, err := store.Entry(account)
	if err == nil && !ok && account.Profile != "" {
		err = auth.Missing(account)
	}
	return ok, err
}

// credentialFor is what a call of the action carries: a grant where it needs one (AA-8), else the account's credential.
func (a *published) credentialFor(ctx context.Context, account auth.Account) (*auth.Credential, error) {
	if a.anonymous {
		return nil, nil
	}
	if a.action.Grant {
		return a.grant(ctx, account, a.action.Scope)
	}
	return a.credential(ctx, account)
}

// carries tells whether a call of the action would carry a credential, without touching a keyring or running a command.
// That it needs a grant and there is none is an error.
func (a *published) carries() (bool, error) {
	account, err := a.accountOf(a.conn.origin)
	switch {
	case err != nil:
		return false, err
	case a.anonymous:
		return false, nil
	case a.action.Grant:
		return true, a.checkGrant(account, a.action.Scope)
	}
	return a.hasCredential(account)
}

// refusedHint is what to try when the site wants another credential than the one that it got.
func (r *run) refusedHint(credential *auth.Credential) string {
	site := r.siteWord
	if r.Profile != "" {
		site += " --profile " + r.Profile
	}
	switch {
	case credential == nil:
		return "agentctl auth login " + site + ", or set AGENTCTL_TOKEN to a token for this site"
	case r.environmentToken() != "":
		return "the token in AGENTCTL_TOKEN was refused: check that it is valid for this site and action"
	}
	return "the credential was refused: agentctl auth status " + site + " tells about it, auth login replaces it"
}
