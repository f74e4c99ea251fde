package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

// newAuth makes "agentctl auth": which sites have a credential, and what it is.
func (r *run) newAuth() *cobra.Command {
	login := r.newLogin()
	onSite := func(use, short string, do func(context.Context, auth.Account, *cobra.Command) error) *cobra.Command {
		var scheme text
		cmd := &cobra.Command{
			Use: use, Short: short, Args: takes("SITE"), ValidArgsFunction: r.completeSites,
			RunE: func(cmd *cobra.Command, args []string) error {
				account, err := r.schemeAccount(args[0], string(scheme), cmd.Root())
				if err != nil {
					return err
				}
				return do(cmd.Context(), account, cmd.Root())
			},
		}
		addScheme(cmd, &scheme)
		return cmd
	}
	logout := onSite("logout SITE", "Forget the credentials of a site", r.authLogout)
	token := onSite("token SITE", "Print the token that a call to a site would carry, renewed if need be", r.authToken)
	status := onSite("status [SITE]", "Tell what is known of a credential, or of all: never the token", r.authStatus)
	onOne := status.RunE
	onlySite := status.Args
	status.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return onlySite(cmd, args)
	}
	status.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return r.authStatusAll(cmd.Context())
		}
		return onOne(cmd, args)
	}
	list := &cobra.Command{
		Use: "list", Short: "List the sites that have a credential, without touching a keyring", Args: takes(),
		RunE: func(*cobra.Command, []string) error { return r.authList() },
	}
	return group(&cobra.Command{Use: "auth", Short: "Credentials for sites"}, login, logout, status, list, token, r.newAuthGrant())
}

func addScheme(cmd *cobra.Command, into *text) {
	cmd.Flags().Var(into, "scheme", "the credential for one security scheme of the site, by its published `NAME`")
}

// schemeAccount is what SITE, --profile and --scheme name.
func (r *run) schemeAccount(word, scheme string, root *cobra.Command) (auth.Account, error) {
	account, err := r.account(word, root)
	if err == nil && scheme != "" {
		err = auth.CheckName("a scheme", scheme)
	}
	return account.For(scheme), err
}

// store is the credentials of the person who runs this.
func (r *run) store() (*auth.Store, error) {
	return auth.Open(auth.Settings{
		ConfigDir: r.ConfigDir, Place: r.Getenv("AGENTCTL_KEYRING"), Getenv: r.Getenv, Environ: r.Environ, Now: r.Now,
		Warn: func(message string) { _ = r.say("warning: %s", render.CleanLine(message)) },
	})
}

// account is what SITE and --profile name.
func (r *run) account(word string, root *cobra.Command) (auth.Account, error) {
	r.siteWord = word
	origin, _, err := r.resolve(word, root)
	if err != nil {
		return auth.Account{}, err
	}
	return r.accountOf(origin)
}

func (r *run) accountOf(origin site.Origin) (auth.Account, error) {
	account := auth.Account{Origin: string(origin), Profile: r.Profile}
	if r.Profile == "" {
		return account, nil
	}
	return account, auth.CheckName("a profile", r.Profile)
}

func (r *run) authLogout(ctx context.Context, account auth.Account, _ *cobra.Command) error {
	store, err := r.store()
	if err != nil {
		return err
	}
	ok, err := store.Logout(ctx, account)
	if err != nil {
		return err
	}
	if !ok {
		return auth.Missing(account).WithHint("agentctl auth list")
	}
	return r.say("the credential for %s is forgotten", accountTitle(account))
}

// accountTitle is how an account is called in messages.
func accountTitle(account auth.Account) string {
	if account.Scheme != "" {
		return account.Site() + " (scheme " + account.Scheme + ")"
	}
	return account.Site()
}

func (r *run) authToken(ctx context.Context, account auth.Account, root *cobra.Command) error {
	credential, err := r.stored(ctx, account)
	if err != nil {
		return err
	}
	if credential == nil {
		return auth.Missing(account)
	}
	var client *fetch.Client
	if credential.Stale() {
		conn, err := r.reach(ctx, root)
		if err != nil {
			return err
		}
		defer conn.close()
		client = conn.client
	}
	limited, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	token, err := r.current(limited, client, credential)
	if err != nil {
		return err
	}
	return r.print(map[string]string{"token": token}, func() error {
		_, err := fmt.Fprintln(r.Out, token)
		return err
	})
}

// stored is the credential of an account: for any scheme as a call would carry it, else the one that is kept for the
// scheme. Nil means that there is none.
func (r *run) stored(ctx context.Context, account auth.Account) (*auth.Credential, error) {
	if account.Scheme == "" {
		all, err := r.carry(ctx, account, nil)
		if len(all) == 0 {
			return nil, err
		}
		return all[0].Credential, err
	}
	store, err := r.store()
	if err != nil {
		return nil, err
	}
	credential, err := store.Credential(ctx, account)
	r.hideCredentials(credential)
	return credential, err
}

// reach makes the way to the site of the command line. Nothing is sent yet.
func (r *run) reach(ctx context.Context, root *cobra.Command) (*connection, error) {
	origin, aliases, err := r.resolve(r.siteWord, root)
	if err != nil {
		return nil, err
	}
	return r.connect(ctx, origin, aliasOf(aliases, r.siteWord))
}

// listedCredential is one line of "agentctl auth list".
type listedCredential struct {
	Site    string `json:"site"`
	Profile string `json:"profile,omitempty"`
	Scheme  string `json:"scheme,omitempty"`
	auth.Entry
}

func (r *run) authList() error {
	store, err := r.store()
	if err != nil {
		return err
	}
	entries, err := store.Entries()
	if err != nil {
		return err
	}
	all := []listedCredential{}
	rows := [][]string{}
	for _, e := range entries {
		all = append(all, listedCredential{e.Origin, e.Profile, e.Scheme, e.Entry})
		rows = append(rows, []string{e.Site(), which(e.Account), source(e.Entry), r.when(e.Added)})
	}
	return r.print(all, func() error {
		if len(rows) == 0 && !r.Quiet {
			_, err := fmt.Fprintln(r.Err, "no credentials yet; agentctl auth login SITE stores one")
			return err
		}
		return render.Columns(r.Out, rows, r.columns())
	})
}

// which tells one credential of a site from the others.
func which(account auth.Account) string {
	words := []string{}
	if account.Profile != "" {
		words = append(words, account.Profile)
	}
	if account.Scheme != "" {
		words = append(words, "scheme "+account.Scheme)
	}
	return strings.Join(words, ", ")
}

// source says in words where a credential comes from.
func source(e auth.Entry) string {
	place := " in the keyring"
	if e.Keyring == auth.File {
		place = " in a file, not encrypted"
	}
	switch e.Kind {
	case auth.KindToken:
		return "token" + place
	case auth.KindKey:
		return "API key (" + string(e.In) + " " + e.Field + ")" + place
	case auth.KindBasic:
		return "user and password" + place
	case auth.KindClient:
		return "client credentials" + place + ", for tokens from " + e.OAuth.TokenURL
	case auth.KindDevice:
		if e.OAuth.Renewable {
			return "token" + place + ", renewed at " + e.OAuth.TokenURL
		}
		return "token" + place + ", from " + e.OAuth.TokenURL
	case auth.KindCommand:
		return "command " + strings.Join(e.Command, " ")
	case auth.KindIdentity:
		return "identity " + e.Identity
	}
	return "AGENTCTL_TOKEN"
}

// timeOrNone leaves a time out of a document when it is not known.
func timeOrNone(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
