package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
)

const loginLong = `Store a credential for a site: a token or API key, a user and password, a command that
gives a token, an identity, or what an authorization server gives tokens for.

A secret is asked for at the terminal without being shown, or read from standard input
with --with-token; it never stands on a command line. It is kept in the keyring of the
system, and sent to this site only. What --client-credentials keeps is sent to the
server that the tokens come from.

A login in a browser that comes back to this machine (the authorization code grant) is
not offered: --device does the same with any browser, also on another machine.`

const loginExample = `  agentctl auth login popcorn.club                                 asks for a token
  agentctl auth login popcorn.club --with-token < token.txt
  agentctl auth login popcorn.club --basic                         asks for user and password
  agentctl auth login popcorn.club --scheme apiKey                 for one of several schemes
  agentctl auth login popcorn.club --device                        allowed in a browser
  agentctl auth login popcorn.club --client-credentials --client-id robot
  agentctl auth login popcorn.club --command 'op read op://work/popcorn/token'
  agentctl auth login popcorn.club --identity                      signs each call with your key
  agentctl auth login popcorn.club --profile work                  a second one, for --profile work`

// loginOptions are what the command line says to "agentctl auth login".
type loginOptions struct {
	fromInput bool
	basic     bool
	user      text // of basic
	client    bool
	device    bool
	scheme    text
	command   text
	identity  text

	clientID  text // of client and device
	tokenURL  text
	deviceURL text
	scopes    text
}

func (r *run) newLogin() *cobra.Command {
	var o loginOptions
	cmd := &cobra.Command{
		Use: "login SITE", Short: "Store a credential for a site", Long: loginLong, Example: loginExample,
		Args: takes("SITE"), ValidArgsFunction: r.completeSites,
		RunE: func(cmd *cobra.Command, args []string) error {
			account, err := r.schemeAccount(args[0], string(o.scheme), cmd.Root())
			if err == nil {
				err = o.check()
			}
			if err != nil {
				return err
			}
			return r.authLogin(cmd.Context(), cmd.Root(), account, o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.VarPF((*bare)(&o.fromInput), "with-token", "", "read the secret from standard input").NoOptDefVal = "true"
	flags.VarPF((*bare)(&o.basic), "basic", "", "store a user and password; from standard input as USER:PASSWORD").NoOptDefVal = "true"
	flags.Var(&o.user, "user", "with --basic: the `USER`, so that standard input is the password alone")
	addScheme(cmd, &o.scheme)
	flags.BoolVar(&o.device, "device", false, "have the login allowed in a browser, on any machine")
	flags.BoolVar(&o.client, "client-credentials", false, "store the id and secret of a client, for tokens of an authorization server")
	flags.Var(&o.clientID, "client-id", "the `ID` that the authorization server gave to you as a client")
	flags.Var(&o.tokenURL, "token-url", "get tokens from `URL`, not from where the site says")
	flags.Var(&o.deviceURL, "device-url", "with --device: get the code from `URL`, not from where the site says")
	flags.Var(&o.scopes, "scopes", "ask for these `SCOPES`, separated by spaces, not for those that the site's actions name")
	flags.Var(&o.command, "command", "run `ARGV` for each call, without a shell; what it prints is the token")
	flags.Var(&o.identity, "identity", "sign each call with an identity of yours (--identity=`NAME` for another than the default)")
	flags.Lookup("identity").NoOptDefVal = auth.DefaultIdentity
	return cmd
}

// check refuses what cannot go together.
func (o *loginOptions) check() error {
	kinds := 0
	for _, chosen := range []bool{o.basic, o.client, o.device, o.command != "", o.identity != ""} {
		if chosen {
			kinds++
		}
	}
	oauth := slices.ContainsFunc([]text{o.clientID, o.tokenURL, o.deviceURL, o.scopes}, func(t text) bool { return t != "" })
	switch {
	case kinds > 1:
		return fault.New(fault.Usage, "invalid_flag", "--basic, --client-credentials, --device, --command and --identity exclude each other")
	case o.fromInput && (o.command != "" || o.identity != ""):
		return fault.New(fault.Usage, "invalid_flag", "--with-token, --command and --identity exclude each other")
	case oauth && !o.client && !o.device:
		return fault.New(fault.Usage, "invalid_flag", "--client-id, --token-url, --device-url and --scopes go with --client-credentials or --device")
	case o.user != "" && !o.basic:
		return fault.New(fault.Usage, "invalid_flag", "--user goes with --basic")
	case o.deviceURL != "" && !o.device:
		return fault.New(fault.Usage, "invalid_flag", "--device-url goes with --device")
	}
	return nil
}

func (r *run) authLogin(ctx context.Context, root *cobra.Command, account auth.Account, o loginOptions) error {
	store, err := r.store()
	if err != nil {
		return err
	}
	switch {
	case o.command != "":
		var argv []string
		if argv, err = auth.Split(string(o.command)); err == nil {
			err = store.LoginCommand(ctx, account, argv)
		}
	case o.identity != "":
		err = store.LoginIdentity(ctx, account, string(o.identity))
	case o.basic:
		var pair string
		if pair, err = r.newPair(ctx, account, &o); err == nil {
			err = store.Keep(ctx, account, auth.Entry{Kind: auth.KindBasic}, pair)
		}
	case o.client, o.device:
		err = r.oauthLogin(ctx, root, store, account, &o)
	default:
		var token string
		if token, err = r.newToken(ctx, account, o.fromInput); err == nil {
			r.hideCredential(token)
			err = store.LoginToken(ctx, account, token)
		}
	}
	if err != nil {
		return err
	}
	entry, _, err := store.Entry(account)
	if err != nil {
		return err
	}
	if r.Getenv("AGENTCTL_TOKEN") != "" {
		_ = r.say("warning: AGENTCTL_TOKEN is set and goes before what is stored")
	}
	return r.say("logged in to %s: %s", accountTitle(account), source(entry))
}

// newToken gets a token from standard input or from the person at the terminal, and checks it.
func (r *run) newToken(ctx context.Context, account auth.Account, fromInput bool) (string, error) {
	token, err := r.newSecret(ctx, account, fromInput, "Token for "+account.Site()+": ")
	if err != nil {
		return "", err
	}
	token = strings.TrimSpace(token)
	if err := auth.CheckToken(token); err != nil {
		return "", fault.New(fault.Usage, "invalid_token", "%w", err)
	}
	if claims, _ := auth.ReadClaims(token); claims.Expired(r.Now()) {
		return "", fault.New(fault.Auth, "token_expired", "that token expired at %s; nothing was stored", claims.Expires.Format(time.RFC3339))
	}
	return token, nil
}

// newPair gets user and password from the command line, standard input and the person at the terminal, and checks them.
func (r *run) newPair(ctx context.Context, account auth.Account, o *loginOptions) (pair string, err error) {
	user := string(o.user)
	if user == "" && !o.fromInput {
		if user, err = r.askLine(ctx, account, "User for "+account.Site()+": "); err != nil {
			return "", err
		}
	}
	if strings.Contains(user, ":") {
		return "", fault.New(fault.Usage, "invalid_token", "the user holds a colon, which no user may (RFC 7617)")
	}
	if pair, err = r.newSecret(ctx, account, o.fromInput, "Password: "); err != nil {
		return "", err
	}
	pair = strings.TrimRight(pair, "\r\n") // a password may end with a space
	if user != "" || !o.fromInput {
		pair = user + ":" + pair
	}
	_, password, _ := strings.Cut(pair, ":")
	r.hideCredential(pair)
	r.hideCredential(password)
	if err := auth.CheckBasic(pair); err != nil {
		return "", fault.New(fault.Usage, "invalid_token", "%w", err)
	}
	return pair, nil
}

// newSecret reads standard input, or asks at the terminal. What is typed is not shown.
func (r *run) newSecret(ctx context.Context, account auth.Account, fromInput bool, question string) (string, error) {
	if fromInput {
		input, err := r.ReadFile(ctx, "-")
		if err != nil && ctx.Err() == nil {
			err = fault.New(fault.Usage, "invalid_input", "--with-token: %w", err)
		}
		return string(input), err
	}
	if err := r.terminal(account); err != nil {
		return "", err
	}
	secret, err := r.AskSecret(ctx, question)
	if err != nil && !errors.Is(err, context.Canceled) {
		return "", fault.New(fault.Usage, "invalid_input", "reading it: %w", err).
			WithHint("agentctl auth login %s --with-token reads it from standard input", account.Site())
	}
	return secret, err
}

// askLine asks at the terminal for what may be shown.
func (r *run) askLine(ctx context.Context, account auth.Account, question string) (string, error) {
	if err := r.terminal(account); err != nil {
		return "", err
	}
	return r.answer(ctx, question)
}

// terminal is the fault for a question where nobody can be asked.
func (r *run) terminal(account auth.Account) error {
	if r.canAsk() {
		return nil
	}
	return fault.New(fault.Auth, "no_terminal", "nobody can be asked for the credential").
		WithHint("agentctl auth login %s --with-token reads it from standard input", account.Site())
}

// bare is a boolean flag whose faults do not repeat its value: some write a token behind --with-token=.
type bare bool

func (b *bare) Set(value string) error {
	switch value {
	case "true", "false":
		*b = value == "true"
		return nil
	}
	return errBareFlag
}
func (b *bare) String() string { return "false" }
func (b *bare) Type() string   { return "bool" }

var errBareFlag = errors.New("it takes no value")
