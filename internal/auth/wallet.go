package auth

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

// Wallet is what one account has to authenticate calls with, as far as that is known without touching a keyring.
type Wallet struct {
	Account Account          // for any scheme
	Token   string           // AGENTCTL_TOKEN, which goes before what is stored for any scheme; "" when it is not set
	Stored  map[string]Entry // by the scheme that each is for; "" is any
}

// Wallet reads what is stored for an account. No keyring is touched.
func (s *Store) Wallet(account Account, token string) (Wallet, error) {
	all, err := s.entries().read()
	w := Wallet{account, token, map[string]Entry{}}
	for _, each := range owned(all, account) {
		w.Stored[each.Scheme] = all[each.String()]
	}
	return w, err
}

// Part is one credential that a call carries, and how.
type Part struct {
	Account Account         // what it is stored for
	Entry   Entry           // zero: it is AGENTCTL_TOKEN
	Scheme  manifest.Scheme // how the site wants it; its name is "" where the site says nothing
}

// Secret is the part of the request that carries a credential: a token, or USER:PASSWORD for a basic scheme.
func (p Part) Secret(credential string) fetch.Secret {
	const authorization = "Authorization"
	switch p.Scheme.Type {
	case manifest.APIKey:
		return fetch.Secret{In: fetch.SecretPlace(p.Scheme.In), Name: p.Scheme.Field, Value: credential}
	case manifest.Basic:
		return fetch.Secret{In: fetch.InHeader, Name: authorization, Value: "Basic " + base64.StdEncoding.EncodeToString([]byte(credential))}
	case manifest.Bearer, manifest.OAuth2:
	}
	return fetch.Secret{In: fetch.InHeader, Name: authorization, Value: "Bearer " + credential}
}

// Choose picks what a call carries that may be authenticated in one of several ways: the first one that can be met, by
// what is stored for its schemes and, for one of them, by what is stored for any. A call that may go without does so only
// when nothing stored will do. The fault credential_missing tells what to log in for.
//
// Nil alternatives say nothing: then the call carries what is stored for any scheme, if that is anything. A profile that was
// asked for must have what is needed.
func (w Wallet) Choose(alternatives [][]manifest.Scheme) ([]Part, error) {
	if alternatives == nil {
		return w.unasked()
	}
	free := len(alternatives) == 0
	var first error
	for _, schemes := range alternatives {
		if len(schemes) == 0 {
			free = true
			continue
		}
		parts, err := w.meet(schemes)
		if err == nil {
			return parts, nil
		}
		if first == nil || fault.From(first).Code == unsupported {
			first = err
		}
	}
	if first != nil && (!free || w.Account.Profile != "") {
		return nil, first
	}
	return nil, nil
}

// unasked is for a site that says nothing about what it wants.
func (w Wallet) unasked() ([]Part, error) {
	entry, ok := w.any()
	switch {
	case !ok && w.Account.Profile != "":
		return nil, Missing(w.Account)
	case !ok:
		return nil, nil
	}
	scheme := manifest.Scheme{Type: manifest.Bearer}
	switch entry.Kind {
	case KindBasic:
		scheme.Type = manifest.Basic
	case KindKey:
		scheme = manifest.Scheme{Type: manifest.APIKey, In: string(entry.In), Field: entry.Field}
	case KindToken, KindCommand, KindIdentity, KindClient, KindDevice:
	}
	return []Part{{w.Account, entry, scheme}}, nil
}

// any is what is there for any scheme. The entry of AGENTCTL_TOKEN is zero.
func (w Wallet) any() (entry Entry, ok bool) {
	if w.Token != "" {
		return Entry{}, true
	}
	entry, ok = w.Stored[""]
	return entry, ok
}

// meet finds a credential for each scheme, or says which one is missing.
func (w Wallet) meet(schemes []manifest.Scheme) ([]Part, error) {
	if err := usableTogether(schemes); err != nil {
		return nil, err
	}
	var parts []Part
	spent := false // what serves any scheme serves one of them
	common, hasCommon := w.any()
	for _, scheme := range schemes {
		own, ownServes := w.Stored[scheme.Name]
		ownServes = ownServes && scheme.Name != "" && w.serves(own, scheme)
		commonServes := hasCommon && !spent && w.serves(common, scheme)
		switch {
		case commonServes && (!ownServes || w.Token != "" && len(schemes) == 1):
			parts, spent = append(parts, Part{w.Account, common, scheme}), true
		case ownServes:
			parts = append(parts, Part{w.Account.For(scheme.Name), own, scheme})
		default:
			return nil, w.missing(scheme, len(schemes) > 1 || hasCommon)
		}
	}
	return parts, nil
}

// serves tells whether a credential is of a kind that a scheme takes.
func (w Wallet) serves(entry Entry, scheme manifest.Scheme) bool {
	kinds := []Kind{}
	switch scheme.Type {
	case manifest.Bearer, manifest.OAuth2:
		kinds = []Kind{KindToken, KindCommand, KindIdentity, KindClient, KindDevice}
	case manifest.APIKey:
		if entry.Kind == KindKey {
			return string(entry.In) == scheme.In && strings.EqualFold(entry.Field, scheme.Field)
		}
		kinds = []Kind{KindToken, KindCommand}
	case manifest.Basic:
		if entry.Kind == "" {
			return strings.Contains(w.Token, ":")
		}
		kinds = []Kind{KindBasic}
	}
	return entry.Kind == "" || slices.Contains(kinds, entry.Kind)
}

// unsupported is the code of the fault for schemes that agentctl cannot do.
const unsupported = "scheme_unsupported"

// usableTogether says why one request cannot be authenticated by all of the schemes; nil when it can.
func usableTogether(schemes []manifest.Scheme) error {
	var taken []fetch.Secret
	for _, scheme := range schemes {
		switch scheme.Type {
		case manifest.Bearer, manifest.Basic, manifest.OAuth2, manifest.APIKey:
		default:
			return fault.New(fault.Auth, unsupported, "the site asks for the scheme %q of the type %q, which agentctl does not know", fault.Word(scheme.Name), fault.Word(string(scheme.Type)))
		}
		secret := Part{Scheme: scheme}.Secret("")
		if err := secret.Check(); err != nil {
			return fault.New(fault.Auth, unsupported, "the scheme %q of the site cannot be used: %w", fault.Word(scheme.Name), err)
		}
		if slices.ContainsFunc(taken, func(other fetch.Secret) bool {
			return other.In == secret.In && strings.EqualFold(other.Name, secret.Name)
		}) {
			return fault.New(fault.Auth, unsupported, "the site asks for two credentials in one place, the second by the scheme %q", fault.Word(scheme.Name))
		}
		taken = append(taken, secret)
	}
	return nil
}

// missing is the fault of a call for which there is no credential by a scheme. beside tells whether it must be stored for
// that scheme alone, since there is or will be another one.
func (w Wallet) missing(scheme manifest.Scheme, beside bool) error {
	account := w.Account
	if beside && manifest.ValidSegment(scheme.Name) {
		account = account.For(scheme.Name)
	}
	e := fault.New(fault.Auth, "credential_missing", "there is no credential for %s", account.Site())
	if account.Profile != "" {
		e.Message += " under the profile " + account.Profile
	}
	e.Message += fmt.Sprintf(" that the scheme %q (%s) takes", fault.Word(scheme.Name), scheme.Type)
	e.Details = map[string]any{"scheme": scheme.Name, "type": string(scheme.Type)}
	return e.WithHint("%s%s", account.login(), loginFlag(scheme))
}

// loginFlag is what "auth login" needs to be told about a scheme.
func loginFlag(scheme manifest.Scheme) string {
	if scheme.Type == manifest.Basic {
		return " --basic"
	}
	for _, flow := range scheme.Flows {
		switch flow.Grant {
		case DeviceGrant:
			return " --device"
		case ClientGrant:
			return " --client-credentials"
		}
	}
	return ""
}
