package cli

import (
	"context"
	"crypto/tls"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/aep"
	"github.com/agentctl/agentctl/internal/aep/signin"
	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/render"
)

const aepLong = `Agents of yours at sites that want to know who calls (AEP, the Agent Enrollment Protocol).

An agent has a key, which stays in the keyring, and a document with the public part, which you
publish at an address of yours. Enrolling gives a site the claims that you agree to; from then on
calls to it sign in by themselves when the site asks for that.`

// newAEP makes "agentctl aep".
func (r *run) newAEP() *cobra.Command {
	return group(&cobra.Command{Use: "aep", Short: "Agents of yours at sites that want to know who calls", Long: aepLong},
		r.newAEPList(), r.newAEPInspect(), r.newAEPDocument(), r.newAEPEnroll(), r.newAEPStatus(), r.newAEPGrant(), r.newAEPRevoke(), r.newAEPForget())
}

// aepCommand makes a command about one site, whose Service do is given.
func (r *run) aepCommand(use, short string, do func(ctx context.Context, s *aepSite) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " SITE", Short: short, Args: takes("SITE"), ValidArgsFunction: r.completeSites,
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.atAEP(cmd.Context(), cmd.Root(), args[0], do)
		},
	}
}

// aepSite is a site as a Service of AEP.
type aepSite struct {
	*run
	conn    *connection
	account auth.Account
	store   *auth.Store
	client  *aep.Client
	word    string // as it was typed
}

// atAEP opens the way to a site's Service.
func (r *run) atAEP(ctx context.Context, root *cobra.Command, word string, do func(ctx context.Context, s *aepSite) error) error {
	r.siteWord = word
	origin, aliases, err := r.resolve(word, root)
	if err != nil {
		return err
	}
	account, err := r.accountOf(origin)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(origin), "https://") {
		return fault.New(fault.Usage, "aep_needs_tls", "%s is not reached by https, which AEP needs", origin)
	}
	store, err := r.store()
	if err != nil {
		return err
	}
	conn, err := r.connect(ctx, origin, aliasOf(aliases, word))
	if err != nil {
		return err
	}
	defer conn.close()
	client := &aep.Client{HTTP: conn.strictClient(), Store: store.AgentStore(account), Now: r.Now, Sleep: r.Sleep, Retries: r.Retries}
	return do(ctx, &aepSite{run: r, conn: conn, account: account, store: store, client: client, word: word})
}

// inspect asks for what the Service says of itself.
func (s *aepSite) inspect(ctx context.Context) (in *aep.Inspect, err error) {
	err = s.conn.timed(ctx, func(ctx context.Context) error {
		in, err = s.client.Inspect(ctx, aep.At(string(s.conn.origin)))
		return err
	})
	return in, err
}

// agent returns the person's agent with its key, bound to the Service as it is now.
func (s *aepSite) agent(ctx context.Context) (*aep.Inspect, aep.Identity, error) {
	identity, agent, err := s.store.AgentIdentity(ctx, s.account)
	if err != nil {
		return nil, identity, err
	}
	in, err := s.inspect(ctx)
	if err != nil {
		return nil, identity, err
	}
	if in.Service != agent.Service {
		return nil, identity, fault.New(fault.Manifest, "service_identity_mismatch", "the Service is %q now, and the agent is for %q", in.Service, agent.Service).
			WithHint("agentctl aep forget %s, and begin anew, if that is right", s.word)
	}
	return in, identity, nil
}

// signIn meets the AEP challenges of a site in the course of a call.
func (a *published) signIn() *signin.Protocol {
	return &signin.Protocol{
		Client: &aep.Client{HTTP: a.conn.strictClient(), Now: a.Now, Sleep: a.Sleep},
		Agent:  a.agentAt,
		MayPay: func() bool {
			rules, err := a.loadPolicy()
			return err == nil && len(rules.Payments) > 0
		},
		Site: a.siteWord, Now: a.Now,
	}
}

// strictClient asks Services of AEP: over TLS 1.3 alone (CH-12).
func (c *connection) strictClient() *fetch.Client {
	settings := c.settings
	settings.MinTLS = tls.VersionTLS13
	return fetch.New(settings)
}

// agentAt is the person's agent at the site that is called; nil when there is none, or the call goes without credentials.
func (a *published) agentAt(ctx context.Context) (*signin.Agent, error) {
	if a.anonymous {
		return nil, nil
	}
	account, err := a.accountOf(a.conn.origin)
	if err != nil {
		return nil, err
	}
	store, err := a.store()
	if err != nil {
		return nil, err
	}
	if _, ok, err := store.Agent(account); !ok || err != nil {
		return nil, err
	}
	identity, agent, err := store.AgentIdentity(ctx, account)
	if err != nil {
		return nil, err
	}
	return &signin.Agent{
		Service: agent.Service, Signer: hiding{identity, a.place.run}, State: agent.State,
		Granted: func(ctx context.Context, kind aep.GrantType) (aep.Credential, bool, error) {
			c, ok, err := store.AgentCredential(ctx, account, kind)
			for _, secret := range []string{c.Token, c.Key, c.Password} {
				a.hideCredential(secret)
			}
			return c, ok, err
		},
	}, nil
}

// hiding keeps what is signed out of everything that is told.
type hiding struct {
	aep.Identity
	run *run
}

// Sign implements [aep.Signer].
func (h hiding) Sign(ctx context.Context, a aep.Assertion) (string, error) {
	token, err := h.Identity.Sign(ctx, a)
	h.run.hideCredential(token)
	return token, err
}

// agentReport is what is told of an agent, for programs.
type agentReport struct {
	Site      string            `json:"site"`
	Profile   string            `json:"profile,omitempty"`
	Service   aep.DID           `json:"service"`
	Agent     aep.DID           `json:"agent"`
	Document  string            `json:"document"` // where its document has to be published
	Algorithm aep.Algorithm     `json:"algorithm"`
	State     aep.State         `json:"state,omitempty"`
	Asked     *time.Time        `json:"asked,omitempty"`
	Since     *time.Time        `json:"since,omitempty"`
	Owner     bool              `json:"owner_action_required,omitempty"`
	Verifying []string          `json:"verification_pending,omitempty"`
	Missing   []string          `json:"requirements_pending,omitempty"`
	Grants    []auth.AgentGrant `json:"grants"`
}

func reportAgent(account auth.Account, agent auth.Agent) agentReport {
	return agentReport{
		Site: account.Site(), Profile: account.Profile, Service: agent.Service, Agent: agent.DID, Document: agent.DID.DocumentURL(),
		Algorithm: agent.Algorithm, State: agent.State, Asked: timeOrNone(agent.Asked), Grants: append([]auth.AgentGrant{}, agent.Grants...),
	}
}

func (r *run) newAEPList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List your agents, without touching a keyring", Args: takes(),
		RunE: func(*cobra.Command, []string) error {
			store, err := r.store()
			if err != nil {
				return err
			}
			agents, err := store.Agents()
			if err != nil {
				return err
			}
			reports := []agentReport{}
			var rows [][]string
			for _, a := range agents {
				report := reportAgent(a.Account, a.Agent)
				reports = append(reports, report)
				rows = append(rows, []string{report.Site, report.Profile, stateWord(report.State), counted(len(report.Grants), "grant"), report.Agent.String()})
			}
			return r.print(reports, func() error {
				if len(reports) == 0 {
					return r.say("no agents yet; agentctl aep document SITE --below did:web:DOMAIN makes one")
				}
				return render.Columns(r.Out, rows, r.columns())
			})
		},
	}
}

func stateWord(state aep.State) string {
	if state == "" {
		return "not enrolled"
	}
	return string(state)
}
