package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
)

// loginOptions are what the command line says to "agentctl auth login".
type loginOptions struct {
	fromInput bool
	command   text
	identity  text
}

func (r *run) newLogin() *cobra.Command {
	var o loginOptions
	cmd := &cobra.Command{
		Use: "login SITE", Short: "Store a credential for a site", Long: loginLong, Example: loginExample,
		Args: takes("SITE"), ValidArgsFunction: r.completeSites,
		RunE: func(cmd *cobra.Command, args []string) error {
			account, err := r.account(args[0], cmd.Root())
			if err != nil {
				return err
			}
			return r.authLogin(cmd.Context(), account, o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.VarPF((*bare)(&o.fromInput), "with-token", "", "read the token from standard input").NoOptDefVal = "true"
	flags.Var(&o.command, "command", "run `ARGV` for each call, without a shell; what it prints is the token")
	flags.Var(&o.identity, "identity", "sign each call with an identity of yours (--identity=`NAME` for another than the default)")
	flags.Lookup("identity").NoOptDefVal = auth.DefaultIdentity
	return cmd
}

func (r *run) authLogin(ctx context.Context, account auth.Account, o loginOptions) error {
	store, err := r.store()
	if err != nil {
		return err
	}
	switch {
	case o.fromInput && (o.command != "" || o.identity != ""), o.command != "" && o.identity != "":
		return fault.New(fault.Usage, "invalid_flag", "--with-token, --command and --identity exclude each other")
	case o.command != "":
		var argv []string
		if argv, err = auth.Split(string(o.command)); err == nil {
			err = store.LoginCommand(ctx, account, argv)
		}
	case o.identity != "":
		err = store.LoginIdentity(ctx, account, string(o.identity))
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
	return r.say("logged in to %s: %s", account.Site(), source(entry))
}

// newToken gets a token from standard input or from the person at the terminal, and checks it.
func (r *run) newToken(ctx context.Context, account auth.Account, fromInput bool) (token string, err error) {
	if fromInput {
		var input []byte
		if input, err = r.ReadFile(ctx, "-"); err != nil && ctx.Err() == nil {
			err = fault.New(fault.Usage, "invalid_input", "--with-token: %w", err)
		}
		token = string(input)
	} else {
		token, err = r.askToken(ctx, account)
	}
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

// askToken asks at the terminal. What is typed is not shown.
func (r *run) askToken(ctx context.Context, account auth.Account) (string, error) {
	if !r.InTTY || !r.ErrTTY || r.NoInput {
		return "", fault.New(fault.Auth, "no_terminal", "nobody can be asked for the token").
			WithHint("agentctl auth login %s --with-token reads it from standard input", account.Site())
	}
	token, err := r.AskSecret(ctx, "Token for "+account.Site()+": ")
	if err != nil && !errors.Is(err, context.Canceled) {
		return "", fault.New(fault.Usage, "invalid_input", "reading the token: %w", err).
			WithHint("agentctl auth login %s --with-token reads it from standard input", account.Site())
	}
	return token, err
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
