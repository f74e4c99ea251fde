package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/odpclient"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

// odpHelpers are the commands that an ODP Service adds to a site.
func odpHelpers() []*helper {
	return []*helper{
		odpHelper("offerings", "What the Service offers: list, search and get it, act on it", (*service).offeringsCommand),
		odpHelper("collections", "The Collections that offerings are in", (*service).collectionsCommand),
		odpHelper("filters", "What a search for offerings can ask for", (*service).filtersCommand),
		odpHelper("sorts", "The orders that a search for offerings can have", (*service).sortsCommand),
		odpHelper("about", "What the Service says of itself", (*service).aboutCommand),
	}
}

// odpHelper makes a helper of a Cobra command.
func odpHelper(name, short string, command func(*service) *cobra.Command) *helper {
	return &helper{
		name: name, short: short,
		offered: func(s *site.Site) bool { return s.Offers(odp.Format) != nil },
		run: func(ctx context.Context, p *place, args []string) error {
			s, err := p.openService(ctx)
			if err != nil {
				return err
			}
			return s.run(ctx, command(s), args)
		},
		mount: func(ctx context.Context, p *place) *cobra.Command {
			s, err := p.openService(ctx)
			if err != nil {
				return &cobra.Command{Use: name, Short: short}
			}
			cmd := command(s)
			cmd.Short = short
			return cmd
		},
	}
}

// service is an ODP Service at a place.
type service struct {
	*place
	odp      *odp.Service
	client   *odpclient.Client
	language string
	noted    int
}

// maxNotes is how many faults of parts are told one by one.
const maxNotes = 20

// openService reads the Service Document, which is in the cache.
func (p *place) openService(ctx context.Context) (*service, error) {
	var doc []byte
	if err := p.conn.timed(ctx, func(ctx context.Context) (err error) {
		doc, err = p.site.Description(ctx, odp.Format)
		return err
	}); err != nil {
		return nil, err
	}
	parsed, err := odp.ParseService(doc, odp.Origin(p.conn.origin))
	if err != nil {
		return nil, err
	}
	s := &service{place: p, odp: parsed}
	s.client = &odpclient.Client{HTTP: p.conn.client, Service: parsed, Credential: s.credentialOf, Note: s.note, Timed: func(ctx context.Context, request func(context.Context) error) error {
		p.conn.spent = 0 // the time limit is for each request: a list may have any number of pages
		return p.conn.timed(ctx, request)
	}}
	return s, nil
}

// run lets Cobra run a command below the site.
func (s *service) run(ctx context.Context, cmd *cobra.Command, args []string) error {
	parent := s.rootOfSite()
	parent.AddCommand(cmd)
	cmd.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	s.command = []string{cmd.Name()}
	for _, c := range cmd.Commands() {
		if len(args) > 0 && c.Name() == args[0] {
			s.command = append(s.command, c.Name())
		}
	}
	return s.execute(ctx, s.root, slices.Concat([]string{s.siteWord, cmd.Name()}, args))
}

// withLanguage adds the flag that every question to a Service has.
func (s *service) withLanguage(set *pflag.FlagSet) {
	set.Var((*text)(&s.language), "language", "ask for the language `TAG` (the Service's own where it has no such)")
}

// ready checks what flags say before the Service is asked something that only reads.
func (s *service) ready() error {
	switch {
	case s.DryRun:
		return fault.New(fault.Usage, "invalid_flag", "--dry-run is for calls; this only asks what is offered")
	case s.Input != "" || len(s.Args) > 0:
		return fault.New(fault.Usage, "invalid_arguments", "there are no arguments here for --input and --arg")
	}
	return s.ask()
}

// ask checks the language that is asked for.
func (s *service) ask() error {
	if s.language != "" && !odp.ValidTag(s.language) {
		return fault.New(fault.Usage, "invalid_flag", "--language %q is no language tag", cutWord(s.language))
	}
	s.client.Language = s.language
	return nil
}

// note tells of a fault that takes away a part of an answer, on standard error.
func (s *service) note(issue odp.Issue) {
	s.noted++
	switch {
	case s.noted <= maxNotes:
		text := issue.Code
		if issue.Pointer != "" {
			text += " " + issue.Pointer
		}
		_ = s.say("warning: %s", render.CleanLine(text+": "+issue.Message))
	case s.noted == maxNotes+1:
		_ = s.say("warning: there is more that is wrong with this answer")
	}
}

// credentialOf is what an operation is asked with. An operation that only gives more to those who are signed in works
// without; one that needs it does not (ODP-28).
func (s *service) credentialOf(ctx context.Context, need odp.Authentication) (authorization, partition string, err error) {
	account, err := s.accountOf(s.conn.origin)
	if err != nil {
		return "", "", err
	}
	credential, err := s.credential(ctx, account)
	if err != nil {
		return "", "", err
	}
	if credential == nil {
		if need == odp.NeedsAuthentication {
			return "", "", auth.Missing(account)
		}
		return "", "", nil
	}
	token, err := credential.Bearer(s.Now())
	if err != nil {
		return "", "", err
	}
	s.hideCredential(token)
	if s.environmentToken() == "" { // a token of the environment has no name to keep answers under
		partition = account.String()
	}
	return "Bearer " + token, partition, nil
}
