package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

const loginLong = `Store a credential for a site: a token, a command that gives one, or an identity.

A token is asked for at the terminal without being shown, or read from standard input
with --with-token; it never stands on a command line. It is kept in the keyring of the
system, and sent to this site only.`

const loginExample = `  agentctl auth login popcorn.club                                 asks for a token
  agentctl auth login popcorn.club --with-token < token.txt
  agentctl auth login popcorn.club --command 'op read op://work/popcorn/token'
  agentctl auth login popcorn.club --identity                      signs each call with your key
  agentctl auth login popcorn.club --profile work                  a second one, for --profile work`

// newAuth makes "agentctl auth": which sites have a credential, and what it is.
func (r *run) newAuth() *cobra.Command {
	login := r.newLogin()
	onSite := func(use, short string, do func(context.Context, auth.Account) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: takes("SITE"), ValidArgsFunction: r.completeSites,
			RunE: func(cmd *cobra.Command, args []string) error {
				account, err := r.account(args[0], cmd.Root())
				if err != nil {
					return err
				}
				return do(cmd.Context(), account)
			},
		}
	}
	logout := onSite("logout SITE", "Forget the credential of a site", r.authLogout)
	token := onSite("token SITE", "Print the token that a call to a site would carry", r.authToken)
	status := &cobra.Command{
		Use: "status [SITE]", Short: "Tell what is known of a credential, or of all: never the token", ValidArgsFunction: r.completeSites,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return takes("SITE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return r.authStatusAll(cmd.Context())
			}
			account, err := r.account(args[0], cmd.Root())
			if err != nil {
				return err
			}
			return r.authStatus(cmd.Context(), account)
		},
	}
	list := &cobra.Command{
		Use: "list", Short: "List the sites that have a credential, without touching a keyring", Args: takes(),
		RunE: func(*cobra.Command, []string) error { return r.authList() },
	}
	return group(&cobra.Command{Use: "auth", Short: "Credentials for sites"}, login, logout, status, list, token, r.newAuthGrant())
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

func (r *run) authLogout(ctx context.Context, account auth.Account) error {
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
	return r.say("the credential for %s is forgotten", account.Site())
}

func (r *run) authToken(ctx context.Context, account auth.Account) error {
	credential, err := r.credential(ctx, account)
	if err != nil {
		return err
	}
	if credential == nil {
		return auth.Missing(account)
	}
	token, err := credential.Bearer(r.Now())
	if err != nil {
		return err
	}
	return r.print(map[string]string{"token": token}, func() error {
		_, err := fmt.Fprintln(r.Out, token)
		return err
	})
}

// listedCredential is one line of "agentctl auth list".
type listedCredential struct {
	Site    string `json:"site"`
	Profile string `json:"profile,omitempty"`
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
		all = append(all, listedCredential{e.Origin, e.Profile, e.Entry})
		rows = append(rows, []string{e.Site(), e.Profile, source(e.Entry), r.when(e.Added)})
	}
	return r.print(all, func() error {
		if len(rows) == 0 && !r.Quiet {
			_, err := fmt.Fprintln(r.Err, "no credentials yet; agentctl auth login SITE stores one")
			return err
		}
		return render.Columns(r.Out, rows, r.columns())
	})
}

// source says in words where a credential comes from.
func source(e auth.Entry) string {
	switch e.Kind {
	case auth.KindToken:
		if e.Keyring == auth.File {
			return "token in a file, not encrypted"
		}
		return "token in the keyring"
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
