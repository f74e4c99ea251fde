package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// waitOptions are --wait, with how long.
type waitOptions struct{ value string }

const defaultAEPWait = "5m"

func (o *waitOptions) register(cmd *cobra.Command) {
	cmd.Flags().Var(o, "wait", "wait until the Service has decided, at most a `DURATION`; "+defaultAEPWait+" when none is given")
	cmd.Flags().Lookup("wait").NoOptDefVal = defaultAEPWait
}

// Set implements pflag.Value.
func (o *waitOptions) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > 24*time.Hour {
		return fmt.Errorf("%q is no duration up to 24h, such as 10m", cutWord(text))
	}
	o.value = text
	return nil
}

// String implements pflag.Value.
func (o *waitOptions) String() string { return o.value }

// Type implements pflag.Value.
func (o *waitOptions) Type() string { return "duration" }

func (o *waitOptions) wanted() bool { return o.value != "" }

func (o *waitOptions) limit() time.Duration {
	d, _ := time.ParseDuration(o.value) // checked by Set
	return d
}

func (r *run) newAEPStatus() *cobra.Command {
	o := waitOptions{}
	cmd := r.aepCommand("status", "Ask a site how it sees your agent", func(ctx context.Context, s *aepSite) error {
		in, identity, err := s.agent(ctx)
		if err != nil {
			return err
		}
		var e aep.Enrolment
		err = s.conn.timed(ctx, func(ctx context.Context) (err error) {
			e, err = s.client.Status(ctx, in, identity)
			return err
		})
		if err != nil {
			return s.told(err)
		}
		return s.tell(ctx, in, identity, e, o)
	})
	o.register(cmd)
	return cmd
}

// completeGrantTypes offers sites, then kinds of credentials.
func (r *run) completeGrantTypes(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return []cobra.Completion{string(aep.OAuthBearer), string(aep.APIKey), string(aep.Basic)}, cobra.ShellCompDirectiveNoFileComp
	}
	return r.completeSites(cmd, args, typed)
}

func (r *run) newAEPGrant() *cobra.Command {
	var request aep.GrantRequest
	cmd := &cobra.Command{
		Use: "grant SITE TYPE", Short: "Get a credential for your agent, and keep it: oauth-bearer, api-key or basic",
		Args: takes("SITE", "TYPE"), ValidArgsFunction: r.completeGrantTypes,
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Type = aep.GrantType(args[1])
			return r.atAEP(cmd.Context(), cmd.Root(), args[0], func(ctx context.Context, s *aepSite) error { return s.grant(ctx, request) })
		},
	}
	cmd.Flags().StringArrayVar(&request.Scopes, "scope", nil, "ask for this `SCOPE`; may repeat")
	cmd.Flags().Var((*text)(&request.Label), "label", "a `NAME` by which you tell it from others; of api-key and basic")
	cmd.Flags().Var((*text)(&request.TokenFormat), "token-format", "the `FORMAT` of an oauth-bearer token")
	return cmd
}

func (s *aepSite) grant(ctx context.Context, request aep.GrantRequest) error {
	in, identity, err := s.agent(ctx)
	if err != nil {
		return err
	}
	f := s.facts("grant", manifest.Write)
	if f.Body, err = json.Marshal(request); err != nil {
		return err
	}
	var c aep.Credential
	err = s.logged(ctx, f, func(ctx context.Context) (err error) {
		c, err = s.client.Grant(ctx, in, identity, request)
		return err
	})
	if err != nil {
		return s.told(err)
	}
	report := auth.AgentGrant{Type: c.Type, ID: c.ID, Expires: c.Expires, Scopes: c.Scopes}
	return s.print(report, func() error {
		rows := [][]string{{"grant", string(c.Type)}, {"id", c.ID}, {"expires", s.moment(&c.Expires)}}
		if len(c.Scopes) > 0 {
			rows = append(rows, []string{"scopes", strings.Join(c.Scopes, ", ")})
		}
		for i := range rows {
			rows[i][1] = render.CleanLine(rows[i][1])
		}
		return render.Columns(s.Out, rows, s.columns())
	})
}

func (r *run) newAEPRevoke() *cobra.Command {
	var id text
	all := false
	cmd := &cobra.Command{
		Use: "revoke SITE TYPE | SITE --all", Short: "End credentials of your agent", ValidArgsFunction: r.completeGrantTypes,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return takes("SITE")(cmd, args)
			}
			return takes("SITE", "TYPE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			what := aep.Revocation{ID: string(id)}
			if !all {
				what.Type = aep.GrantType(args[1])
			} else if id != "" {
				return fault.New(fault.Usage, "invalid_flag", "--all and --id exclude each other")
			}
			return r.atAEP(cmd.Context(), cmd.Root(), args[0], func(ctx context.Context, s *aepSite) error { return s.revoke(ctx, what) })
		},
	}
	cmd.Flags().Var(&id, "id", "only the credential of this `ID`")
	cmd.Flags().BoolVar(&all, "all", false, "those of every type")
	return cmd
}

func (s *aepSite) revoke(ctx context.Context, what aep.Revocation) error {
	in, identity, err := s.agent(ctx)
	if err != nil {
		return err
	}
	f := s.facts("revoke", manifest.Delete)
	f.Body = strictjson.Quote(string(what.Type) + " " + what.ID)
	f.Note = "it ends credentials of your agent"
	if err := s.logged(ctx, f, func(ctx context.Context) error { return s.client.Revoke(ctx, in, identity, what) }); err != nil {
		return s.told(err)
	}
	agent, _, err := s.store.Agent(s.account)
	if err != nil {
		return err
	}
	return s.print(reportAgent(s.account, agent), func() error {
		return s.say("revoked; %s left", counted(len(agent.Grants), "grant"))
	})
}

func (r *run) newAEPForget() *cobra.Command {
	return &cobra.Command{
		Use: "forget SITE", Short: "Delete your agent at a site, with its key and credentials", Args: takes("SITE"), ValidArgsFunction: r.completeSites,
		Long: "Delete your agent at a site from this machine, with its key and credentials. The site is not asked: it\nknows the agent until it forgets it by itself. Revoke credentials before.",
		RunE: func(cmd *cobra.Command, args []string) error {
			account, err := r.account(args[0], cmd.Root())
			if err != nil {
				return err
			}
			store, err := r.store()
			if err != nil {
				return err
			}
			agent, ok, err := store.Agent(account)
			if err != nil {
				return err
			}
			if !ok {
				return auth.NoAgent(account)
			}
			if err := r.confirm(cmd.Context(), "delete the key of the agent "+agent.DID.String()+", which no site will know again"); err != nil {
				return err
			}
			if err := store.ForgetAgent(cmd.Context(), account); err != nil {
				return err
			}
			return r.say("the agent for %s is forgotten", account.Site())
		},
	}
}
