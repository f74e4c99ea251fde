package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/agentmanifest"
	"github.com/agentctl/agentctl/internal/manifest/openapi"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

// oauthLogin stores what an authorization server gives tokens for: a client's credentials, or what a person allows.
func (r *run) oauthLogin(ctx context.Context, root *cobra.Command, store *auth.Store, account auth.Account, o *loginOptions) error {
	login, err := r.oauthEndpoints(ctx, root, account, o)
	if err != nil {
		return err
	}
	if login.ID, login.Secret, err = r.oauthClient(ctx, account, o); err != nil {
		return err
	}
	conn, err := r.reach(ctx, root)
	if err != nil {
		return err
	}
	defer conn.close()
	through := conn.client.RoundTripper
	if o.device { // as long as the server gives a person to allow it
		return store.LoginDevice(ctx, through, account, login, func(code auth.DeviceCode) error { return r.showCode(account, code) })
	}
	return conn.timed(ctx, func(ctx context.Context) error { return store.LoginClient(ctx, through, account, login) })
}

// oauthEndpoints are where tokens come from: as the command line says, else as the site does. What a site says about
// another origin than its own is put to the person before anything goes there.
func (r *run) oauthEndpoints(ctx context.Context, root *cobra.Command, account auth.Account, o *loginOptions) (login auth.ClientLogin, err error) {
	login.TokenURL, login.DeviceURL = string(o.tokenURL), string(o.deviceURL)
	login.Scopes = strings.FieldsFunc(string(o.scopes), func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
	if login.TokenURL == "" || o.device && login.DeviceURL == "" {
		schemes, err := r.publishedSchemes(ctx, root)
		if err == nil {
			err = r.adoptEndpoints(ctx, schemes, account, o, &login)
		}
		if err != nil {
			return login, err
		}
	}
	if err = fetch.CheckURL(login.TokenURL); err == nil && o.device {
		err = fetch.CheckURL(login.DeviceURL)
	}
	return login, err
}

// adoptEndpoints fills in from a site's schemes what the command line leaves out.
func (r *run) adoptEndpoints(ctx context.Context, schemes []manifest.Scheme, account auth.Account, o *loginOptions, login *auth.ClientLogin) error {
	grant := auth.ClientGrant
	if o.device {
		grant = auth.DeviceGrant
	}
	flow, scopes, err := auth.FindFlow(schemes, account.Scheme, grant)
	if err != nil {
		e := fault.From(err)
		if e.Hint == "" {
			e.Hint = "name where tokens come from: " + o.addressFlags()
		}
		return e
	}
	if len(login.Scopes) == 0 {
		login.Scopes = scopes
	}
	var strange []string
	adopt := func(into *string, published string) {
		if *into != "" {
			return
		}
		if *into = published; !fetch.SameOrigin(account.Origin, published) {
			strange = append(strange, published)
		}
	}
	if o.device {
		adopt(&login.DeviceURL, flow.DeviceURL)
	}
	adopt(&login.TokenURL, flow.TokenURL)
	if len(strange) == 0 {
		return nil
	}
	return r.confirmServer(ctx, account, o, strange)
}

// addressFlags are the flags that say where tokens come from.
func (o *loginOptions) addressFlags() string {
	if o.device {
		return "--device-url URL --token-url URL"
	}
	return "--token-url URL"
}

// confirmServer gets a yes for sending credentials to another origin, which a site names.
func (r *run) confirmServer(ctx context.Context, account auth.Account, o *loginOptions, addresses []string) error {
	told := shown(strings.Join(addresses, " and "))
	switch {
	case r.Yes:
		return nil
	case r.terminal(account) != nil:
		return fault.New(fault.Approval, "approval_required", "%s says that its tokens come from another site, which would get the client's credentials: %s", account.Site(), told).
			WithHint("if that is right add --yes, or name it: %s", o.addressFlags())
	}
	answer, err := r.answer(ctx, account.Site()+" says that its tokens come from another site, which will get the client's credentials:\n  "+told+"\nGo ahead? [y/N] ")
	if err == nil && !isYes(answer) {
		err = fault.New(fault.Approval, "declined", "not approved; nothing was sent or stored")
	}
	return err
}

// publishedSchemes are the security schemes of what the site of the command line publishes.
func (r *run) publishedSchemes(ctx context.Context, root *cobra.Command) (schemes []manifest.Scheme, err error) {
	err = r.onSite(ctx, root, nil, func(ctx context.Context, at *place) error {
		schemes, err = at.schemes(ctx, at.node)
		return err
	})
	return schemes, err
}

// schemes are those of all operations of OpenAPI documents below a node, also of those that a capability is bound to. No
// other format names any. An action that cannot be used needs none.
func (p *place) schemes(ctx context.Context, n *site.Node) (all []manifest.Scheme, err error) {
	if n.Action != nil && (n.Action.Format == openapi.Format || n.Action.Format == agentmanifest.Format) {
		action, err := p.site.Action(ctx, n, "")
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			all = slices.Concat(action.Security...)
		}
	}
	if !n.Group {
		return all, nil
	}
	children, err := p.site.Children(ctx, n)
	if err != nil {
		return nil, err
	}
	for _, child := range children {
		below, err := p.site.Find(ctx, append(slices.Clip(n.Command), child.Word))
		if err != nil {
			return nil, err
		}
		more, err := p.schemes(ctx, below)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// oauthClient gets a client's id from the command line, and its secret from standard input or the person at the terminal.
// From standard input the id may stand before it, as in ID:SECRET. A client that a person allows mostly has no secret.
func (r *run) oauthClient(ctx context.Context, account auth.Account, o *loginOptions) (id, secret string, err error) {
	id = string(o.clientID)
	switch {
	case o.fromInput:
		if secret, err = r.newSecret(ctx, account, true, ""); err != nil {
			return "", "", err
		}
		secret = strings.TrimSpace(secret)
		r.hideCredential(secret)
		if id == "" {
			id, secret, _ = strings.Cut(secret, ":")
		}
	case id == "":
		if id, err = r.askLine(ctx, account, "Client id for "+account.Site()+": "); err != nil {
			return "", "", err
		}
	}
	if !o.device && secret == "" && !o.fromInput {
		if secret, err = r.newSecret(ctx, account, false, "Client secret: "); err != nil {
			return "", "", err
		}
	}
	r.hideCredential(secret)
	if id == "" || auth.CheckToken(id) != nil {
		return "", "", fault.New(fault.Usage, "invalid_client", "there is no usable client id").WithHint("name it with --client-id")
	}
	if err := auth.CheckToken(secret); err != nil && (secret != "" || !o.device) {
		return "", "", fault.New(fault.Usage, "invalid_client", "of the client's secret: %w", err)
	}
	return id, secret, nil
}

// showCode tells a person what to do, whatever --quiet says: nothing goes on without it.
func (r *run) showCode(account auth.Account, code auth.DeviceCode) error {
	return r.print(code, func() error {
		_, err := fmt.Fprintf(r.Err, "To log in to %s open\n\n  %s\n\nand enter the code  %s\n\nWaiting …\n",
			account.Site(), render.CleanLine(code.Page), render.CleanLine(code.Code))
		return err
	})
}
