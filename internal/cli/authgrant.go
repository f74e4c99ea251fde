package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
)

const grantLong = `Grants: what somebody has allowed you to do at a site.

A grant is a JWT that names scopes. A site can have several; a call that needs a scope
carries the grant with the fewest scopes that has it. They are kept where the tokens of
"agentctl auth login" are, and sent to their own site only.`

const grantAddExample = `  agentctl auth grant add popcorn.club                             asks for the grant
  agentctl auth grant add popcorn.club --with-token < grant.jwt`

// newAuthGrant makes "agentctl auth grant".
func (r *run) newAuthGrant() *cobra.Command {
	return group(&cobra.Command{Use: "grant", Short: "Grants: what a call to a site may do", Long: grantLong},
		r.newGrantAdd(), r.newGrantList(), r.newGrantRemove())
}

func (r *run) newGrantAdd() *cobra.Command {
	var fromInput bool
	cmd := &cobra.Command{
		Use: "add SITE", Short: "Keep a grant for a site", Example: grantAddExample, Args: takes("SITE"), ValidArgsFunction: r.completeSites,
		RunE: func(cmd *cobra.Command, args []string) error {
			account, err := r.account(args[0], cmd.Root())
			if err != nil {
				return err
			}
			return r.grantAdd(cmd.Context(), account, fromInput)
		},
	}
	cmd.Flags().VarPF((*bare)(&fromInput), "with-token", "", "read the grant from standard input").NoOptDefVal = "true"
	return cmd
}

func (r *run) newGrantList() *cobra.Command {
	return &cobra.Command{
		Use: "list [SITE]", Short: "List the grants for a site, or all, without touching a keyring", ValidArgsFunction: r.completeSites,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return takes("SITE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted := auth.Account{Profile: r.Profile}
			if len(args) > 0 {
				var err error
				if wanted, err = r.account(args[0], cmd.Root()); err != nil {
					return err
				}
			}
			return r.grantList(wanted)
		},
	}
}

func (r *run) newGrantRemove() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "remove SITE ID | SITE --all", Short: "Forget a grant, or all for a site", ValidArgsFunction: r.completeGrants,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return takes("SITE")(cmd, args)
			}
			return takes("SITE", "ID")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			account, err := r.account(args[0], cmd.Root())
			if err != nil {
				return err
			}
			if all {
				return r.grantRemoveAll(cmd.Context(), account)
			}
			return r.grantRemove(cmd.Context(), account, args[1])
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all grants for the site (and --profile)")
	return cmd
}

// grantReport is what is told of a grant. The token itself is never in it, and nobody has verified what it says.
type grantReport struct {
	Site      string     `json:"site"`
	Profile   string     `json:"profile,omitempty"`
	ID        string     `json:"id"`
	Scopes    []string   `json:"scopes"`
	Issuer    string     `json:"issuer,omitempty"`
	NotBefore *time.Time `json:"not_before,omitempty"`
	Expires   *time.Time `json:"expires_at,omitempty"`
	State     string     `json:"state"` // "usable", or the code of the fault that a call would end with
	Keyring   auth.Place `json:"keyring"`
	Added     time.Time  `json:"added"`
}

func (r *run) reportGrant(account auth.Account, g auth.Grant) grantReport {
	return grantReport{
		account.Site(), account.Profile, g.ID, append([]string{}, g.Scopes...), g.Issuer,
		timeOrNone(g.NotBefore), timeOrNone(g.Expires), g.State(r.Now()), g.Keyring, g.Added,
	}
}

// showGrants prints a line for each grant.
func (r *run) showGrants(reports ...grantReport) error {
	var rows [][]string
	for _, report := range reports {
		scopes := strings.Join(report.Scopes, " ")
		if scopes == "" {
			scopes = "no scopes"
		}
		rows = append(rows, []string{report.Site, report.Profile, report.ID, scopes, report.Issuer, r.validity(report)})
	}
	return render.Columns(r.Out, rows, r.columns())
}

// validity says in words when a grant can be used.
func (r *run) validity(report grantReport) string {
	switch {
	case report.State == "token_not_yet_valid":
		return "valid from " + r.when(*report.NotBefore)
	case report.Expires == nil:
		return "does not expire"
	case report.State == "token_expired":
		return "expired " + r.when(*report.Expires)
	}
	return "expires " + r.when(*report.Expires)
}

func (r *run) grantAdd(ctx context.Context, account auth.Account, fromInput bool) error {
	store, err := r.store()
	if err != nil {
		return err
	}
	token, err := r.newToken(ctx, account, fromInput)
	if err != nil {
		return insteadOfLogin(err, account)
	}
	r.hideCredential(token)
	grant, err := store.AddGrant(ctx, account, token)
	if err != nil {
		return err
	}
	_ = r.say("kept the grant %s for %s; its signature was not checked: only the site can", grant.ID, account.Site())
	if len(grant.Scopes) == 0 {
		_ = r.say("warning: it names no scopes, so only actions that need none can use it")
	}
	if r.environmentToken() != "" {
		_ = r.say("warning: AGENTCTL_TOKEN is set and goes before what is stored")
	}
	report := r.reportGrant(account, grant)
	return r.print(report, func() error { return r.showGrants(report) })
}

// insteadOfLogin has the hint of a fault that came from reading a token, if it has one, name the command for grants.
func insteadOfLogin(err error, account auth.Account) error {
	e := fault.From(err)
	if e.Hint == "" {
		return err
	}
	return e.WithHint("%s reads it from standard input", account.GrantHint())
}

// grantList lists the grants of an origin and a profile; an empty one is any.
func (r *run) grantList(wanted auth.Account) error {
	store, err := r.store()
	if err != nil {
		return err
	}
	all, err := store.AllGrants()
	if err != nil {
		return err
	}
	reports := []grantReport{}
	for _, g := range all {
		if (wanted.Origin == "" || wanted.Origin == g.Origin) && (wanted.Profile == "" || wanted.Profile == g.Profile) {
			reports = append(reports, r.reportGrant(g.Account, g.Grant))
		}
	}
	return r.print(reports, func() error {
		if len(reports) == 0 && !r.Quiet {
			_, err := fmt.Fprintln(r.Err, "no grants yet; agentctl auth grant add SITE keeps one")
			return err
		}
		return r.showGrants(reports...)
	})
}

// grantRemoval is "agentctl auth grant remove" as a document.
type grantRemoval struct {
	Site    string   `json:"site"`
	Profile string   `json:"profile,omitempty"`
	Removed []string `json:"removed"` // the ids
}

func (r *run) grantRemove(ctx context.Context, account auth.Account, id string) error {
	if !auth.ValidGrantID(id) { // it may be the grant itself, which is not repeated
		return fault.New(fault.Usage, "unknown_grant", "the id of a grant is 12 hexadecimal digits").WithHint("agentctl auth grant list %s", account.Site())
	}
	removed, err := r.removeGrants(ctx, account, func(g auth.Grant) bool { return g.ID == id })
	if err == nil && len(removed) == 0 {
		err = fault.New(fault.Usage, "unknown_grant", "there is no grant %q for %s", id, account.Site()).WithHint("agentctl auth grant list %s", account.Site())
	}
	if err != nil {
		return err
	}
	return r.removedGrants(account, removed)
}

func (r *run) grantRemoveAll(ctx context.Context, account auth.Account) error {
	removed, err := r.removeGrants(ctx, account, func(auth.Grant) bool { return true })
	if err != nil {
		if len(removed) > 0 {
			_ = r.say("forgotten before that failed: %s", strings.Join(removed, ", "))
		}
		return err
	}
	return r.removedGrants(account, removed)
}

func (r *run) removeGrants(ctx context.Context, account auth.Account, which func(auth.Grant) bool) ([]string, error) {
	store, err := r.store()
	if err != nil {
		return nil, err
	}
	return store.RemoveGrants(ctx, account, which)
}

func (r *run) removedGrants(account auth.Account, removed []string) error {
	return r.print(grantRemoval{account.Site(), account.Profile, append([]string{}, removed...)}, func() error {
		if len(removed) == 0 {
			return r.say("there is no grant for %s", account.Site())
		}
		return r.say("forgotten for %s: %s", account.Site(), strings.Join(removed, ", "))
	})
}

// completeGrants offers sites, then the ids of the grants for the one that was typed.
func (r *run) completeGrants(cmd *cobra.Command, args []string, typed string) (ids []cobra.Completion, _ cobra.ShellCompDirective) {
	if len(args) != 1 {
		return r.completeSites(cmd, slices.Concat(args), typed)
	}
	account, err := r.account(args[0], cmd.Root())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	store, err := r.store()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	grants, _ := store.Grants(account)
	for _, g := range grants {
		ids = append(ids, cobra.CompletionWithDesc(g.ID, shown(strings.Join(g.Scopes, " "))))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// grant is what a call carries that needs a grant with a scope, or with any where scope is "" (AA-8): AGENTCTL_TOKEN for
// the site named on the command line and only there, else the narrowest of those that are stored.
func (r *run) grant(ctx context.Context, account auth.Account, scope string) (*auth.Credential, error) {
	if token := r.environmentToken(); token != "" {
		r.hideCredential(token)
		return auth.GrantFromEnvironment(account.Origin, token, scope, r.Now())
	}
	store, err := r.store()
	if err != nil {
		return nil, err
	}
	credential, err := store.Grant(ctx, account, scope)
	r.hideCredentials(credential)
	return credential, err
}

// checkGrant tells whether a call would find its grant, without touching a keyring: nil, or the fault of [run.grant].
func (r *run) checkGrant(account auth.Account, scope string) error {
	if token := r.environmentToken(); token != "" {
		r.hideCredential(token)
		_, err := auth.GrantFromEnvironment(account.Origin, token, scope, r.Now())
		return err
	}
	store, err := r.store()
	if err != nil {
		return err
	}
	_, err = store.NarrowestGrant(account, scope)
	return err
}

// refusedGrantHint is what to try when the site does not take the grant that it got.
func (r *run) refusedGrantHint(account auth.Account) string {
	if r.environmentToken() != "" {
		return "the grant in AGENTCTL_TOKEN was refused: check that it is valid for this site and action"
	}
	return "the grant was refused: agentctl auth grant list " + account.Site() + " tells about those that there are, " + account.GrantHint() + " keeps another"
}
