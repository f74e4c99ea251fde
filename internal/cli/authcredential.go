package cli

import (
	"context"
	"strings"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

// carried is one credential of a call, and how the call carries it.
type carried struct {
	auth.Part
	*auth.Credential
}

// wallet is what a call of the account can carry: AGENTCTL_TOKEN for the site named on the command line and only there, and
// what is stored (contract, section 6). No keyring is touched and no command run.
func (r *run) wallet(account auth.Account) (*auth.Store, auth.Wallet, error) {
	token := r.environmentToken()
	r.hideCredential(token)
	store, err := r.store()
	if err != nil {
		return nil, auth.Wallet{}, err
	}
	w, err := store.Wallet(account, token)
	return store, w, err
}

func (r *run) environmentToken() string { return strings.TrimSpace(r.Getenv("AGENTCTL_TOKEN")) }

// choose picks what a call carries that may be authenticated in one of several ways: see [auth.Wallet.Choose].
func (r *run) choose(account auth.Account, alternatives [][]manifest.Scheme) ([]auth.Part, error) {
	_, w, err := r.wallet(account)
	if err != nil {
		return nil, err
	}
	return w.Choose(alternatives)
}

// carry gets what a call carries out of the keyring. A token that has to be renewed first is, by [run.secretsOf], right before
// it is sent. None is no error, unless a profile was asked for or the alternatives need one; one whose time is over or has
// not come is returned with its fault.
func (r *run) carry(ctx context.Context, account auth.Account, alternatives [][]manifest.Scheme) (all []carried, err error) {
	store, w, err := r.wallet(account)
	if err != nil {
		return nil, err
	}
	parts, err := w.Choose(alternatives)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		credential, err := r.credentialOf(ctx, store, part)
		if credential != nil {
			all = append(all, carried{part, credential})
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// credentialOf gets one credential: from the environment, from its keyring, from its command.
func (r *run) credentialOf(ctx context.Context, store *auth.Store, part auth.Part) (credential *auth.Credential, err error) {
	token := r.environmentToken()
	switch {
	case part.Entry.Kind != "":
		credential, err = store.Credential(ctx, part.Account)
	case part.Scheme.Type == manifest.Basic:
		credential, err = auth.BasicFromEnvironment(part.Account.Origin, token)
	default:
		credential, err = auth.FromEnvironment(part.Account.Origin, token, r.Now())
	}
	r.hideCredentials(credential)
	return credential, err
}

// secretsOf are the parts of a request sent now that carry the credentials: renewed where they need it, signed where they are
// signed. All are kept out of whatever is told.
func (r *run) secretsOf(ctx context.Context, client *fetch.Client, all []carried) ([]fetch.Secret, error) {
	var secrets []fetch.Secret
	for _, each := range all {
		token, err := r.current(ctx, client, each.Credential)
		if err != nil {
			return nil, err
		}
		secret := each.Secret(token)
		_, encoded, _ := strings.Cut(secret.Value, " ") // of "Basic …"
		r.hideCredential(encoded)
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// current is the token of a credential as a request sent now carries it.
func (r *run) current(ctx context.Context, client *fetch.Client, credential *auth.Credential) (string, error) {
	store, err := r.store()
	if err != nil {
		return "", err
	}
	err = store.Renew(ctx, client.RoundTripper, credential)
	r.hideCredentials(credential)
	if err != nil {
		return "", err
	}
	token, err := credential.Token(r.Now())
	r.hideCredential(token) // what an identity has just signed is not known before
	return token, err
}

// credentials are what a call of the action carries: a grant where it needs one (AA-8), else what its security asks for.
func (a *published) credentials(ctx context.Context, account auth.Account) ([]carried, error) {
	switch {
	case a.anonymous:
		return nil, nil
	case !a.action.Grant:
		return a.carry(ctx, account, a.action.Security)
	}
	credential, err := a.grant(ctx, account, a.action.Scope)
	if err != nil {
		return nil, err
	}
	return []carried{{grantPart(account), credential}}, nil
}

// grantPart is how a grant is carried.
func grantPart(account auth.Account) auth.Part {
	return auth.Part{Account: account, Scheme: manifest.Scheme{Type: manifest.Bearer}}
}

// carries tells what a call of the action would carry, without touching a keyring or running a command. That it needs
// something that is not there is an error.
func (a *published) carries() ([]auth.Part, error) {
	account, err := a.accountOf(a.conn.origin)
	switch {
	case err != nil:
		return nil, err
	case a.anonymous:
		return nil, nil
	case a.action.Grant:
		return []auth.Part{grantPart(account)}, a.checkGrant(account, a.action.Scope)
	}
	return a.choose(account, a.action.Security)
}

// refusedHint is what to try when the site wants another credential than the one that it got.
func (r *run) refusedHint(all []carried) string {
	site := r.siteWord
	if r.Profile != "" {
		site += " --profile " + r.Profile
	}
	switch {
	case len(all) == 0:
		return "agentctl auth login " + site + ", or set AGENTCTL_TOKEN to a token for this site"
	case r.environmentToken() != "":
		return "the token in AGENTCTL_TOKEN was refused: check that it is valid for this site and action"
	case all[0].Renewable():
		return "the token was refused; the next call gets another one. agentctl auth status " + site + " tells about it, auth login replaces it"
	}
	return "the credential was refused: agentctl auth status " + site + " tells about it, auth login replaces it"
}
